"""A model as judge: against people's agreement with each other, and its biases."""

from __future__ import annotations

import math
from typing import Final

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.statistics.annotation.humans_against_metric import HumansAgainstMetric
from analysis.studies.humans.agreement.study import Agreement
from analysis.studies.humans.judges.study import Judges, JudgesStudy
from dashboard import data, human_data
from dashboard.charts import agreement_dots
from dashboard.ui import filters, model_judge_systems
from dashboard.ui.annotators_metrics import VERDICTS
from dashboard.ui.links import plain
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import show_picture
from dashboard.ui.reports import show_report
from dashboard.ui.tables import show_table
from store.errors import StoreError
from store.judgments import CriterionRecord

CONFIDENCE: Final = 0.95
"""Of all intervals of a judge, whatever the level of the tests."""


def show_judge(criterion: CriterionRecord, asked: Agreement) -> dict[str, str | list[str]]:
    """Show how far a model can stand in for people; return the URL parameters that name it.

    Nothing is shown unless people and models judged the same criterion.
    """
    models = human_data.model_judges(criterion)
    if not models:
        return {}
    st.header("A model as judge", anchor=False)
    judge = models[0]
    if len(models) > 1:
        judge = filters.choose_one("Judge", models, key="judge", width=260) or judge
    try:
        study = data.ask(
            Judges(
                criterion.dataset_uid,
                criterion.uid,
                judge,
                alpha=asked.alpha,
                n_resamples=asked.n_resamples,
                seed=asked.seed,
            )
        )
    except StoreError as error:
        st.markdown(plain(str(error)))
        return {"judge": judge}
    st.markdown(plain(study.sentence))
    show_warnings(study.warnings)
    if study.ceiling is not None and math.isfinite(study.ceiling.metric):
        _show_ceiling(study, study.ceiling)
    if any(math.isfinite(row.corrected) for row in study.systems):
        model_judge_systems.show_systems(study, CONFIDENCE)
        model_judge_systems.show_pairs(study)
    _show_place(study)
    _show_length(study)
    show_report(study.report, "judge", key="judge_report", label=f"Report on {plain(study.judge)}")
    st.caption(plain(study.signature))
    return {"judge": judge} if len(models) > 1 else {}


def _show_ceiling(study: JudgesStudy, found: HumansAgainstMetric) -> None:
    """Show the judge's agreement with people beside theirs with each other."""
    st.subheader("Agreement with people", anchor=False)
    frame = ceiling_frame(study, found)
    low, high = found.metric_interval[:2]
    digits = numbers.decimals(half_width=(high - low) / 2 if high > low else None)
    among = bool((frame["mark"] == "annotators").any())
    show_picture(
        agreement_dots(
            frame.assign(label=[numbers.fixed(value, digits) for value in frame["value"]]),
            quantity="mean agreement with a person",
            who="people among themselves",
            confidence=CONFIDENCE,
        ),
        key="ceiling_picture",
        alt=f"{study.judge} agrees with people on {numbers.fixed(found.metric, digits)} of "
        "comparisons"
        + (f", they with each other on {numbers.fixed(found.humans, digits)}." if among else "."),
    )
    show_table(
        frame,
        key="ceiling",
        columns={
            "name": Column("Who", pinned=True),
            "value": Column("With people", "number", decimals=digits, ends=("low", "high")),
            "low": Column("From", "number", decimals=digits, shown=False),
            "high": Column("To", "number", decimals=digits, shown=False),
            "verdict": Column("Verdict", help="Against people's agreement with each other"),
            "pvalue": Column("p", "pvalue", shown=among),
        },
        filename=f"agreement_of_{study.judge}",
        noun="row",
    )


def ceiling_frame(study: JudgesStudy, found: HumansAgainstMetric) -> pd.DataFrame:
    """Return a row for people, where two judged the same, and one for the judge."""
    rows = []
    if math.isfinite(found.humans):
        who = numbers.counted(study.n_people, "person").replace("persons", "people")
        rows.append((f"the {who}", found.humans, *found.humans_interval[:2], math.nan,
                     "annotators", ""))  # fmt: skip
    if math.isnan(found.pvalue):
        mark = "no comparison"
    elif found.pvalue > study.alpha:
        mark = "undecided"
    else:
        mark = "less" if found.difference > 0 else "more"
    rows.append((study.judge, found.metric, *found.metric_interval[:2], found.pvalue, mark,
                 VERDICTS[mark]))  # fmt: skip
    columns = ["name", "value", "low", "high", "pvalue", "mark", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def _show_place(study: JudgesStudy) -> None:
    """Show how often the output shown first is chosen, where the order is known."""
    rows = [row for row in study.biases if row.position.first.n]
    if not rows:
        return
    st.subheader("Does the place of an output matter?", anchor=False)
    frame = pd.DataFrame(
        {
            "who": [row.who for row in rows],
            "n": [row.position.first.n for row in rows],
            "first": [row.position.first.value for row in rows],
            "balanced": [row.position.balanced.value for row in rows],
            "low": [row.position.balanced.interval[0] for row in rows],
            "high": [row.position.balanced.interval[1] for row in rows],
            "pvalue": [row.position.balanced.pvalue for row in rows],
            "swapped": [row.position.swapped for row in rows],
            "consistent": [row.position.consistent.value for row in rows],
        }
    )
    both = bool(frame["balanced"].notna().any())
    show_table(
        frame,
        key="place",
        columns={
            "who": Column("Who", pinned=True),
            "n": Column("Choices", "count", help="Of which the order is known"),
            "first": Column("First chosen", "number", help="As it is; a tie counts half"),
            "balanced": Column(
                "Orders alike",
                "number",
                shown=both,
                help="With both orders of every pair of systems counted alike: 0.5 without bias",
                ends=("low", "high"),
            ),
            "low": Column("From", "number", shown=False),
            "high": Column("To", "number", shown=False),
            "pvalue": Column("p", "pvalue", shown=both, help="Of 0.5"),
            "swapped": Column("Seen in both orders", "count", shown=bool(frame["swapped"].any())),
            "consistent": Column(
                "Same answer",
                "number",
                shown=bool(frame["consistent"].notna().any()),
                help="Of the outputs seen in both orders",
            ),
        },
        filename=f"place_{study.judge}",
        noun="row",
    )


def _show_length(study: JudgesStudy) -> None:
    """Show how often the longer output is chosen, where lengths are known."""
    rows = [row for row in study.biases if row.length.longer.n]
    if not rows:
        return
    st.subheader("Does the length of an output matter?", anchor=False)
    odds = [[math.exp(value) for value in (row.length.per_doubling,
                                           *row.length.per_doubling_interval[:2])]
            for row in rows]  # fmt: skip
    frame = pd.DataFrame(
        {
            "who": [row.who for row in rows],
            "n": [row.length.longer.n for row in rows],
            "longer": [row.length.longer.value for row in rows],
            "longer_low": [row.length.longer.interval[0] for row in rows],
            "longer_high": [row.length.longer.interval[1] for row in rows],
            "odds": [one[0] for one in odds],
            "odds_low": [one[1] for one in odds],
            "odds_high": [one[2] for one in odds],
            "pvalue": [row.length.per_doubling_pvalue for row in rows],
        }
    )
    fitted = bool(frame["odds"].notna().any())
    show_table(
        frame,
        key="length",
        columns={
            "who": Column("Who", pinned=True),
            "n": Column("Choices", "count", help="Between outputs of different lengths"),
            "longer": Column(
                "Longer chosen",
                "number",
                help="As it is; a tie counts half",
                ends=("longer_low", "longer_high"),
            ),
            "longer_low": Column("From", "number", shown=False),
            "longer_high": Column("To", "number", shown=False),
            "odds": Column(
                "Odds × at twice the length",
                "number",
                decimals=2,
                shown=fitted,
                help="At equal systems; 1 without bias",
                ends=("odds_low", "odds_high"),
            ),
            "odds_low": Column("From", "number", decimals=2, shown=False),
            "odds_high": Column("To", "number", decimals=2, shown=False),
            "pvalue": Column("p", "pvalue", shown=fitted, help="Of 1"),
        },
        filename=f"length_{study.judge}",
        noun="row",
    )
