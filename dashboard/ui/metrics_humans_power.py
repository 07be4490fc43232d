"""What would tell two metrics apart: how many systems and items, worked out for one pair."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.humans.correlate import Correlate
from analysis.studies.humans.correlations.settings import TESTS_IN_WORDS
from analysis.studies.humans.correlations.study import CorrelationsStudy
from analysis.studies.humans.evidence import CONSENSUS, TIES
from analysis.studies.humans.metric_names import bare_names, with_bare_names
from analysis.studies.power.metric_pairs import MetricPairPower
from analysis.studies.power.metric_pairs_result import MetricPowerRow
from analysis.studies.power.metrics_apart import MetricsApart
from dashboard import address, data
from dashboard.charts import power_curve
from dashboard.ui import filters
from dashboard.ui.links import plain
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import show_picture
from dashboard.ui.reports import show_report
from dashboard.ui.tables import show_table
from store.errors import StoreError

TARGETS: Final = (0.8, 0.9, 0.95, 0.5)
_ASKED: Final = "metric_power_asked"
"""In the session: the dataset and gold on which a pair was asked about. It takes up to half a
minute, so that nothing is worked out before."""


def show_metric_power(
    study: CorrelationsStudy, chosen: Correlate, picked: tuple[str, str] | None = None
) -> dict[str, str]:
    """Show what would tell two metrics apart, once asked; return the URL parameters of the pair.

    It is asked by the button, by a link that names both metrics, or by `picked`: the metrics whose
    cell was picked in the matrix of all pairs.
    """
    metrics = [row.metric for row in study.rows if math.isfinite(row.coefficient)]
    names = bare_names(study.metrics)
    about = (study.dataset.uid, study.gold_uid)
    if picked is not None:
        address.tell({"a": names[picked[0]], "b": names[picked[1]]})
        st.session_state[_ASKED] = about
    elif not address.is_ours() and _is_linked([names[metric] for metric in metrics]):
        st.session_state[_ASKED] = about
    with filters.filter_row("metric_power_filters"):
        a, b = _choose_pair(study, metrics, names)
        target = filters.choose_one(
            "Power asked for",
            TARGETS,
            key="power",
            name=_percent,
            width=150,
            help="The share of meta-evaluations that are to find the difference",
        )
        if st.button("Work it out", help="Takes up to half a minute"):
            st.session_state[_ASKED] = about
    if st.session_state.get(_ASKED) != about:
        st.caption(
            "Meta-evaluations of other sizes are drawn from this one, and each is tested as above."
        )
        return {}
    power = target or TARGETS[0]
    try:
        found = _work_out(study, chosen, (a, b), power)
    except StoreError as error:
        st.markdown(plain(with_bare_names(str(error), names)))
    else:
        _show(found, _not_followed(chosen), names)
    return {"a": names[a], "b": names[b], "power": f"{power:g}"}


def _is_linked(names: Sequence[str]) -> bool:
    """Return whether the address names two metrics that are there."""
    pair = {address.value("a"), address.value("b")}
    return len(pair) == 2 and pair <= set(names)


def _choose_pair(
    study: CorrelationsStudy, metrics: Sequence[str], names: Mapping[str, str]
) -> tuple[str, str]:
    """Draw the choice of both; by default the best one and the next that may be as good."""
    name = names.__getitem__
    a = filters.choose_one("Metric A", metrics, key="a", name=name, value=name, width=230)
    others = [metric for metric in metrics if metric != a]
    apart = {row.metric for row in study.rows if row.pvalue_vs_best <= study.alpha}
    open_ = next((metric for metric in others if metric not in apart), others[0])
    b = filters.choose_one(
        "Metric B", others, key="b", default=open_, name=name, value=name, width=230
    )
    return str(a), str(b)


def _work_out(
    study: CorrelationsStudy, chosen: Correlate, pair: tuple[str, str], target: float
) -> MetricPairPower:
    """Return the power of the pair by level, coefficient and test of the page."""
    uids = {row.metric: row.metric_uid for row in study.rows}
    place = st.empty()

    def progress(done: int, total: int) -> None:
        share = min(1.0, done / max(total, 1))
        place.progress(share, text=f"Meta-evaluations: {done:,} of {total:,}")

    found = data.ask(
        MetricsApart(
            study.dataset.uid,
            uids[pair[0]],
            uids[pair[1]],
            study.gold_uid,
            level=study.level,
            coefficient=study.coefficient,
            test=study.test,
            correction=chosen.settings.correction,
            n_resamples=chosen.settings.n_resamples,
            alpha=chosen.settings.alpha,
            seed=chosen.settings.seed,
            power=target,
            failures=chosen.failures,
        ),
        progress,
    )
    place.empty()
    return found


def _not_followed(chosen: Correlate) -> list[str]:
    """Say which settings of the page the answer does not follow."""
    told = {
        "Systems left out above count here.": bool(chosen.without),
        "Outputs that a metric scores alike count as neither here.": chosen.ties
        not in (None, TIES[0]),
        "Choices of several annotators count by majority here.": chosen.consensus
        not in (None, CONSENSUS[0]),
    }
    return [text for text, differs in told.items() if differs]


def _show(found: MetricPairPower, told: Sequence[str], names: Mapping[str, str]) -> None:
    st.markdown(f"**{plain(with_bare_names(found.sentence, names))}**")
    show_warnings([*told, *found.warnings])
    pictures = [
        (rows, what, needed)
        for rows, what, needed in (
            (found.by_systems, "system", found.systems_needed),
            (found.by_items, found.item_noun, found.items_needed),
        )
        if rows
    ]
    places = st.columns(len(pictures), gap="medium")
    for place, (rows, what, needed) in zip(places, pictures, strict=True):
        with place:
            _show_picture(found, rows, what, needed)
    show_table(
        size_frame(found),
        key="metric_power",
        columns={
            "systems": Column("Systems", right=True, shown=found.kind != "preferences"),
            "items": Column(f"{found.item_noun.capitalize()}s", right=True),
            "power": Column(
                "Power", "share", help="Share that finds the difference", ends=("low", "high")
            ),
            "low": Column("From", "share", shown=False),
            "high": Column("To", "share", shown=False),
            "type_s": Column(
                "Wrong way", "share", help="Of the differences found: the other metric is ahead"
            ),
            "type_m": Column(
                "Looks larger by",
                "number",
                decimals=2,
                help="Mean size of the differences found over the true one",
            ),
            "n_untestable": Column("Without a p", "count", shown=False),
        },
        filename=f"metric_power_{found.dataset.name}",
        noun="size",
    )
    st.caption(plain(_method(found)))
    show_report(
        found.report,
        "metric_power",
        key="metric_power_report",
        label="How this was computed: the pair",
        signature=found.signature,
    )


def _method(found: MetricPairPower) -> str:
    """Say how sizes were drawn and tested."""
    told = (
        f"Tested by {TESTS_IN_WORDS[found.test]} at {found.alpha:g}; "
        f"{found.n_iterations:,} meta-evaluations drawn for each size."
    )
    rows = [*found.by_systems, *found.by_items]
    if found.kind != "preferences" and not all(r.draws_systems and r.draws_items for r in rows):
        told += " “These” are not drawn: the test speaks of them alone."
    return f"{told} The size at hand is left out: its power would be the p-value once more."


def _show_picture(
    found: MetricPairPower, rows: Sequence[MetricPowerRow], what: str, needed: int | None
) -> None:
    """Show power by systems or by items; the first size that is enough is marked."""
    by_systems = what == "system"
    frame = pd.DataFrame(
        {
            "x": [row.n_systems if by_systems else row.n_items for row in rows],
            "power": [row.power for row in rows],
            "low": [row.low for row in rows],
            "high": [row.high for row in rows],
        }
    )
    here = numbers.counted(
        *((found.n_items, found.item_noun) if by_systems else (found.n_systems, "system"))
    )
    drawn = rows[0].draws_items if by_systems else rows[0].draws_systems
    beside = f", {'other' if drawn else 'these'} {here}" if found.kind != "preferences" else ""
    enough = frame[frame["x"] == needed]
    asked = None
    if needed is not None:
        asked = (float(needed), float(enough["power"].iloc[0]), numbers.counted(needed, what))
    show_picture(
        power_curve(
            frame,
            label=f"{what}s{beside}",
            scale="log",
            band="95 % of the drawing",
            target=found.target_power,
            asked=asked,
            height=260,
        ),
        key=f"metric_power_by_{what}",
        alt=f"Power by number of {what}s: "
        + "; ".join(
            f"{numbers.counted(int(x), what)} {numbers.share(power, 1.0)}"
            for x, power in zip(frame["x"], frame["power"], strict=True)
        ),
    )


def size_frame(found: MetricPairPower) -> pd.DataFrame:
    """Return a row per size; what is not drawn anew is called "these"."""
    rows = [*found.by_systems, *found.by_items]
    return pd.DataFrame(
        {
            "systems": [_size(row.n_systems, row.draws_systems) for row in rows],
            "items": [_size(row.n_items, row.draws_items) for row in rows],
            "power": [row.power for row in rows],
            "low": [row.low for row in rows],
            "high": [row.high for row in rows],
            "type_s": [row.type_s for row in rows],
            "type_m": [row.type_m for row in rows],
            "n_untestable": [row.n_untestable for row in rows],
        }
    )


def _size(n: int, is_drawn: bool) -> str:
    return numbers.count(n) if is_drawn else f"these {n:,}"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
