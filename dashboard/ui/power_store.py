"""What the page of power shows of a store: all test sets in one picture, then one of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import altair as alt
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.setting import parameters as parameters_of
from analysis.studies.power.dataset import DatasetPower
from analysis.studies.power.dataset_curves import Curve
from analysis.studies.power.dataset_words import places, sizes_table
from analysis.studies.power.resolution import ResolutionStudy
from analysis.studies.power.resolution_rows import ResolutionRow
from analysis.studies.power.resolution_words import test_sets_table
from analysis.studies.power.test_sets import TestSetPower
from dashboard import data
from dashboard.charts import power_curve
from dashboard.charts.resolution import found_by_items, resolution_plot
from dashboard.ui import ask, filters, states
from dashboard.ui.answers import answer
from dashboard.ui.links import Link, page_url, plain, show_link
from dashboard.ui.notes import show_facts, show_warnings, without_commands
from dashboard.ui.onward import show_claims_link
from dashboard.ui.pictures import show_picture
from dashboard.ui.reports import show_report
from dashboard.ui.tables import show_answer
from store.errors import StoreError

MOST_USED: Final = "the most used"
_MOST_WARNINGS: Final = 2
"""So many stand above the picture; what is about single test sets is folded away below."""
_MOST_ROWS: Final = 40


def show_all() -> dict[str, str | list[str]]:
    """Show all test sets; return the URL parameters that stand for the choices."""
    with filters.filter_row("power_filters"):
        every = filters.choose_one(
            "Metric",
            [MOST_USED, *(m.label for m in data.all_metrics())],
            key="every",
            value=lambda metric: "" if metric == MOST_USED else metric,
            width=220,
            help="Each test set is judged by the metric that the settings name, else by the one "
            "that most of its systems have; or all by one",
        )
        metric = None if every == MOST_USED else str(every)
        question = ask.choose(
            TestSetPower,
            {"dataset": None, "metric": metric},
            hidden=("alternative", "by", "seed"),
        )
    study = data.ask(question)
    assert isinstance(study, ResolutionStudy)  # of all test sets
    answer(plain(study.sentence))
    show_warnings(study.warnings[:_MOST_WARNINGS])
    show_resolution(study)
    if rest := study.warnings[_MOST_WARNINGS:]:
        with st.expander(numbers.counted(len(rest), "further note")):
            show_warnings(rest)
    show_report(study.report, "test_sets", key="report_all", signature=study.signature)
    return {**parameters_of(replace(question, metric=None), whole=True), "every": metric or ""}


def show_resolution(study: ResolutionStudy) -> None:
    """Show all test sets; those with item scores can be opened."""
    told = test_sets_table(study.rows)
    frame = told.frame()
    drawn = frame[frame["ratio"].notna()].head(_MOST_ROWS)
    if len(drawn):
        show_picture(
            resolution_plot(drawn, power=study.target_power), key="resolution", alt=study.sentence
        )
    show_answer(
        told,
        filename="test_sets",
        links={
            "dataset": [
                page_url("power", dataset=row.dataset, metric=row.metric)
                if row.basis == "items"
                else ""
                for row in study.rows
            ]
        },
        is_main=True,
    )


def show_one() -> dict[str, str | list[str]]:
    """Show one test set; return the URL parameters that stand for it."""
    usual = data.ask(TestSetPower())
    assert isinstance(usual, ResolutionStudy)  # of all test sets
    by_name = {row.dataset: row for row in usual.rows if row.basis == "items"}
    on_home = [board.dataset for board in data.boards() if board.is_tested]
    rows = {name: by_name[name] for name in [*on_home, *by_name] if name in by_name}
    if not rows:
        st.markdown("No test set has item scores of two systems yet, so that none can be opened.")
        return {}
    states.stop_without(rows, "has no item scores of two systems: what it finds is unknown")
    with filters.filter_row("test_set_filters"):
        label = str(filters.choose_one("Dataset", list(rows), key="dataset", width=200))
        chosen = _choose_rest(rows[label])
    if chosen is None:
        return {"dataset": label}
    found, where = chosen
    first, end, rest = found.sentence.partition("). ")
    answer(plain(f"{first}{end}".strip()), plain(rest) or None)
    show_warnings(found.warnings)
    _show_pictures(found)
    _show_sizes(found)
    show_facts(_facts(found))
    with st.expander("Why not the power of the observed difference?"):
        st.markdown(plain(found.refused))
    show_report(
        found.report, f"power_{found.dataset.name}", key="report_one", signature=found.signature
    )
    pair = {
        "a": found.system_a,
        "b": found.system_b,
        "dataset": found.dataset.label,
        "metric": found.metric.label,
    }
    show_link(Link(f"{found.system_a} against {found.system_b}", "compare", pair))
    show_link(Link("Leaderboard", "leaderboard", {k: pair[k] for k in ("dataset", "metric")}))
    show_claims_link(found.dataset.label, found.metric.label)
    return where


def _choose_rest(
    row: ResolutionRow,
) -> tuple[DatasetPower, dict[str, str | list[str]]] | None:
    """Draw the other choices; return what they lead to, or None where they lead nowhere."""
    comparables = data.comparables()
    cells = {
        system: {metric for place, metric in found if place == row.dataset}
        for system, found in comparables.cells.items()
    }
    metrics = [
        metric
        for metric in (m.label for m in data.metrics_of(row.dataset_uid))
        if sum(metric in there for there in cells.values()) > 1
    ]
    first = row.metric if row.metric in metrics else metrics[0]
    metric = str(filters.choose_one("Metric", metrics, key="metric", default=first, width=190))
    plainly = data.ask(TestSetPower(row.dataset_uid, metric))
    assert isinstance(plainly, DatasetPower)  # of one
    a = str(filters.choose_one("System A", list(plainly.systems), key="a", width=190))
    others = [name for name in plainly.systems if name != a]
    b = str(filters.choose_one("System B", others, key="b", width=190))
    effect = filters.choose_number(
        "True gain of A",
        key="effect",
        help="What would matter, on the metric's own scale; negative: A is worse. "
        "Empty: power for the smallest difference found",
        width=120,
    )
    given = {"dataset": row.dataset_uid, "metric": metric, "a": a, "b": b}
    question = ask.choose(
        TestSetPower, {**given, "effect": None if effect is None else f"{effect:.12g}"}
    )
    try:
        found = data.ask(question)
    except StoreError as error:
        st.warning(plain(without_commands(str(error))))
        return None
    assert isinstance(found, DatasetPower)  # of one
    return found, {**parameters_of(question, whole=True), "dataset": row.dataset}


def _show_pictures(study: DatasetPower) -> None:
    """Show the smallest difference found by items, and power: by items, or by difference."""
    if not study.by_size or math.isnan(study.for_effect):
        return
    left, right = st.columns(2, gap="medium")
    sizes = pd.DataFrame(
        {
            "n_items": [row.n_items for row in study.by_size],
            "mde": [row.mde for row in study.by_size],
        }
    )
    with left:
        show_picture(
            found_by_items(
                sizes, n_items=study.n_items, quantity=study.metric.label, effect=study.effect
            ),
            key="found_by_items",
            alt=study.sentence,
        )
    with right:
        _show_power(study)


def _show_power(study: DatasetPower) -> None:
    """Show power by items for the stated difference; by difference where none was stated."""
    curve = study.curve if _is_by_items(study) else study.by_difference
    show_picture(
        power_plot(study), key="power_line", alt=f"Power of {study.dataset.label}: {curve.label}"
    )


def _is_by_items(study: DatasetPower) -> bool:
    return study.effect is not None or study.by != "model"


def power_plot(study: DatasetPower) -> alt.LayerChart:
    """Draw power by items for the stated difference; by difference where none was stated."""
    by_items = _is_by_items(study)
    curve = study.curve if by_items else study.by_difference
    size = numbers.fixed(study.for_effect, places(study))
    at, here = (study.n_items, study.power) if by_items else (study.mde, study.target_power)
    if by_items:  # as the curve has it: other ways to it differ a little
        here = dict(zip(curve.x.tolist(), curve.power.tolist(), strict=True)).get(at, math.nan)
    return power_curve(
        _curve_frame(curve),
        label=f"items, for a difference of {size}" if by_items else "true difference",
        scale="log" if by_items else "linear",
        band="95 % Monte Carlo" if curve.n_iterations else "",
        target=study.target_power,
        asked=(float(at), here, f"{at:,} items" if by_items else size),
        height=260,
    )


def _curve_frame(curve: Curve) -> pd.DataFrame:
    return pd.DataFrame({"x": curve.x, "power": curve.power, "low": curve.low, "high": curve.high})


def _show_sizes(study: DatasetPower) -> None:
    if not study.by_size:
        return
    show_answer(sizes_table(study), filename=f"power_{study.dataset.name}")


def _facts(study: DatasetPower) -> list[tuple[str, str]]:
    """Return what the figures rest on."""
    digits = places(study)
    facts = [
        ("Observed difference", numbers.fixed(study.difference, digits, signed=True)),
        (
            f"Its {numbers.confidence(study.alpha)} interval",
            "" if math.isnan(study.ci[0]) else numbers.interval(*study.ci, signed=True),
        ),
        ("Test", study.test),
    ]
    if study.effect is not None:
        facts += [
            ("Power for the stated difference", numbers.probability(study.power)),
            ("Exaggeration where found (Type M)", numbers.fixed(study.type_m, 2)),
            ("Wrong sign where found (Type S)", numbers.probability(study.type_s)),
        ]
    if study.agreement is not None:
        share = study.agreement
        facts += [
            ("Agreement of the two", numbers.share(share.own, 1.0)),
            (
                "Agreement that such accuracies allow",
                f"{numbers.share(share.least, 1.0)} to {numbers.share(share.most, 1.0)}",
            ),
            (f"Agreement expected ({share.source})", numbers.share(share.expected, 1.0)),
        ]
    if study.design is not None:
        facts += [
            ("Correlation within groups", numbers.fixed(study.design.icc, 2)),
            ("Worth in independent items", numbers.count(study.design.effective_items)),
        ]
    if not math.isnan(study.p_zero):
        facts += [
            ("Items whose exchange changes nothing", numbers.share(study.p_zero, 1.0)),
            ("Scale of the others (b0)", numbers.fixed(study.scale, 2)),
        ]
    return facts
