"""Charts on a page: always with a description, never wider than the page, to take as files."""

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

import altair
import streamlit as st

from dashboard.charts.files import as_png, as_svg
from dashboard.shelf import Shelf
from dashboard.ui.files import file_name

_TOKENS: Final = ("blue", "orange", "violet", "gray", "green", "red", "yellow")
_BELOW: Final = 4
"""Pixels below a chart, where Streamlit would leave 20."""
_RANGES: Final = {
    "category": "Categorical",
    "ramp": "Sequential",
    "heatmap": "Sequential",
    "diverging": "Diverging",
}


class _Trusted:
    """A chart that Streamlit turns into a specification without holding it against the schema.

    That takes half of the time of a page. The tests of the charts do it.
    """

    def __init__(self, chart: altair.LayerChart) -> None:
        self._chart = chart
        self._written: tuple[bytes, dict[str, Any]] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the specification; for a page it is written once, with its data beside it."""
        datasets = altair.data_transformers.options.get("datasets")
        if datasets is None:  # for a file, with the data in it
            return self._specified()
        if self._written is None:
            drawn = self._specified()
            self._written = pickle.dumps(drawn), dict(datasets)
            return drawn
        written, data = self._written
        datasets.update(data)
        return cast("dict[str, Any]", pickle.loads(written))

    def _specified(self) -> dict[str, Any]:
        """Return the specification.

        Its marks have no roles of their own: a description and a table say what they show, and
        Vega calls many of them images without saying of what.
        """
        drawn = self._chart.to_dict(validate=False)
        config = drawn.setdefault("config", {})
        drawn["config"] = {**config, "mark": {**config.get("mark", {}), "aria": False}}
        drawn["padding"] = {"bottom": _BELOW}
        is_fixed = _fix(drawn, "height"), _fix(drawn, "width")
        if is_fixed != (False, False):  # the axes are not part of a height that goes by rows
            kind = "pad" if "width" in drawn else "fit-x"
            drawn["autosize"] = {"type": kind, "contains": "padding"}
        return drawn


def _fix(drawn: dict[str, Any], side: str) -> bool:
    """Give a size that goes by rows in pixels: Vega complains of others; return if there is one."""
    axis = "y" if side == "height" else "x"
    size = drawn.get(side)
    if not isinstance(size, dict) or set(size) != {"step"}:
        return False
    told = [layer.get("encoding", {}) for layer in drawn.get("layer", [drawn])]
    rows = [_names_of(one[axis]) for one in told if "field" in one.get(axis, ())]
    names = max(rows, key=len, default=[])
    is_known = all(rows) and all({*some} <= {*names} for some in rows)
    if is_known and names and not any(f"{axis}Offset" in one for one in told):
        drawn[side] = size["step"] * len(names)
    return True


def _names_of(channel: dict[str, Any]) -> list[Any]:
    """Return the names along an axis in their order, where the chart gives it."""
    told = channel.get("scale", {}).get("domain") or channel.get("sort")
    return told if isinstance(told, list) else []


_kept: Final = Shelf[_Trusted](most=8_000_000)  # bytes of what is drawn


def kept(draw: Callable[..., altair.LayerChart], *given: Any, **named: Any) -> _Trusted:
    """Return the chart that `draw` makes of small tables and words, the one of before if equal."""
    return _kept.made((draw, given, named), lambda: _Trusted(draw(*given, **named)))


def show_picture(
    chart: altair.LayerChart | _Trusted,
    *,
    key: str,
    alt: str,
    wide: bool = False,
    select: str | None = None,
    filename: str = "",
) -> list[dict[str, Any]]:
    """Show a chart, with what takes it away as SVG and PNG; return the points selected in it.

    `alt` says in a sentence what the picture shows. `wide` is for a chart with a width of its
    own (a matrix): it scrolls inside its frame. `select` names the selection of the chart. Marks
    cannot be reached by keyboard, so a table below must offer the same choice. `filename` is what
    its files are called, by default after `key`; the systems, dataset and metric in view follow.
    """
    place = st.container(horizontal=True, wrap=False) if wide else st.container()
    width: Any = "content" if wide else "stretch"
    trusted = chart if isinstance(chart, _Trusted) else _Trusted(chart)
    drawn = cast("altair.LayerChart", trusted)
    if select is None:
        place.altair_chart(drawn, key=key, alt=alt, width=width)
        _offer(drawn, key, filename)
        return []
    event: Any = place.altair_chart(
        drawn, key=key, alt=alt, width=width, on_select="rerun", selection_mode=select
    )
    _offer(drawn, key, filename)
    points = event["selection"].get(select, [])
    return points if isinstance(points, list) else []


def _offer(drawn: altair.LayerChart, key: str, filename: str) -> None:
    stem = filename or key.removesuffix("_picture")
    offer_files(key, stem, partial(_file, as_svg, drawn), partial(_file, as_png, drawn))


def offer_files(key: str, stem: str, svg: Callable[[], bytes], png: Callable[[], bytes]) -> None:
    """Show the line below a picture; a file is drawn once somebody takes it."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        for label, kind, draw in (("SVG", "image/svg+xml", svg), ("PNG", "image/png", png)):
            st.download_button(
                label,
                data=draw,
                file_name=file_name(stem, label.lower()),
                mime=kind,
                key=f"{key}_{label.lower()}",
                help=f"This picture as {label}, in light colours",
                on_click="ignore",
                type="tertiary",
            )


def _file(draw: Any, drawn: altair.LayerChart) -> bytes:
    return cast("bytes", draw(drawn.to_dict(), light_colors()))


def light_colors() -> dict[str, Any]:
    """Return the colours of the light theme by the names that `charts.files` has for them."""
    told: dict[str, Any] = {token: _theme(f"{token}Color") for token in _TOKENS}
    told |= {"text": _theme("textColor"), "background": _theme("backgroundColor")}
    told["border"] = _theme("borderColor")
    return told | {name: _theme(f"chart{kind}Colors") for name, kind in _RANGES.items()}


def _theme(name: str) -> Any:
    return st.get_option(f"theme.light.{name}")
