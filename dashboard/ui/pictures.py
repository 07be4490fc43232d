"""Charts on a page: always with a description, never wider than the page."""

from typing import Any, cast

import altair
import streamlit as st


class _Trusted:
    """A chart that Streamlit turns into a specification without holding it against the schema.

    That takes half of the time of a page. The tests of the charts do it.
    """

    def __init__(self, chart: altair.LayerChart) -> None:
        self._chart = chart

    def to_dict(self) -> dict[str, Any]:
        """Return the specification.

        Its marks have no roles of their own: a description and a table say what they show, and
        Vega calls many of them images without saying of what.
        """
        drawn = self._chart.to_dict(validate=False)
        config = drawn.setdefault("config", {})
        drawn["config"] = {**config, "mark": {**config.get("mark", {}), "aria": False}}
        return drawn


def show_picture(
    chart: altair.LayerChart, *, key: str, alt: str, wide: bool = False, select: str | None = None
) -> list[dict[str, Any]]:
    """Show a chart; return the points selected in it.

    `alt` says in a sentence what the picture shows. `wide` is for a chart with a width of its
    own (a matrix): it scrolls inside its frame. `select` names the selection of the chart. Marks
    cannot be reached by keyboard, so a table below must offer the same choice.
    """
    place = st.container(horizontal=True, wrap=False) if wide else st.container()
    width: Any = "content" if wide else "stretch"
    drawn = cast("altair.LayerChart", _Trusted(chart))
    if select is None:
        place.altair_chart(drawn, key=key, alt=alt, width=width)
        return []
    event: Any = place.altair_chart(
        drawn, key=key, alt=alt, width=width, on_select="rerun", selection_mode=select
    )
    points = event["selection"].get(select, [])
    return points if isinstance(points, list) else []
