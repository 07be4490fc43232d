"""What the pages about one pair share: its settings, its difference, what it rests on."""

from __future__ import annotations

import math
from typing import Final

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.statistics.intervals.interval import Interval
from analysis.studies.comparison import Comparison
from analysis.studies.pair_analysis import PairAnalysis, PairSettings, decimals_of
from analysis.studies.pair_report import statistic_of
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS
from analysis.studies.test_names import INTERVALS_IN_WORDS
from dashboard import address
from dashboard.charts import group_forest, paired_difference, score_histograms
from dashboard.ui.links import plain
from dashboard.ui.notes import show_facts
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_answer, show_table
from store.records import MetricRecord

_MOST_GROUPS: Final = 20
"""Groups of items that stand open; more are folded."""


def renew_family() -> None:
    """Lead an address of before, whose `family` was a correction, to what it is today."""
    words = {text: name for name, text in CORRECTIONS_IN_WORDS.items()}
    asked = address.value("family") or ""
    correction = words.get(asked, asked)
    if correction not in CORRECTIONS_IN_WORDS or correction == "none":
        return
    query = {name: address.values(name) for name in st.query_params}
    address.redirect("", query | {"family": ["board"], "correction": [correction]})
    st.stop()


def show_test(analysis: PairAnalysis) -> None:
    """Show which test was made, why, and what it says."""
    test = analysis.test
    how = "exact" if test.exact else f"{numbers.count(test.n_resamples)} resamples"
    if not test.exact and not test.n_resamples:
        how = "by formula"
    st.header("Test", anchor=False)
    name = analysis.test_in_words
    st.markdown(plain(f"{name[0].upper()}{name[1:]}, {how}. {test.why}"))
    digits = decimals_of(analysis)
    in_units = analysis.n_units != analysis.n_items
    show_facts(
        [
            ("p", numbers.pvalue(test.pvalue)),
            *statistic_of(analysis),
            ("items", numbers.count(analysis.n_items)),
            ("independent units", numbers.count(analysis.n_units) if in_units else ""),
            ("left out", numbers.count(analysis.n_missing) if analysis.n_missing else ""),
            (
                "found with 80 % probability",
                numbers.fixed(analysis.mde, digits) if math.isfinite(analysis.mde) else "",
            ),
        ]
    )
    st.caption(plain(test.tests_that))


def show_difference(
    analysis: PairAnalysis, chosen: PairSettings, a: str, b: str, metric: MetricRecord | None
) -> None:
    """Draw the difference with its interval, and the margin where there is one."""
    digits = decimals_of(analysis)
    level = f"{100 * (1 - chosen.alpha):g} %"
    label = numbers.fixed(analysis.difference, digits, signed=True)
    frame = pd.DataFrame(
        {
            "method": [f"{level}, {INTERVALS_IN_WORDS[analysis.ci_method]}"],
            "difference": [analysis.difference],
            "low": [analysis.ci[0]],
            "high": [analysis.ci[1]],
            "label": [label],
        }
    )
    quantity = f"difference in {metric.label}" if metric else "difference"
    show_picture(
        paired_difference(
            frame,
            a=a,
            b=b,
            verdict=analysis.verdict,
            quantity=quantity,
            margin=chosen.margin,
            higher_is_better=metric is None or metric.higher_is_better,
        ),
        key="difference",
        alt=f"{quantity}, {a} minus {b}: {label}, {level} interval "
        f"{numbers.interval(*analysis.ci, signed=True)}",
    )


def show_effects(analysis: PairAnalysis) -> None:
    """Show how large the difference is on scales that papers can be compared on."""
    effects = analysis.effect_sizes
    st.header("Size of the effect", anchor=False)
    if effects is None:
        st.markdown("The metric is not a mean over items: there are no effect sizes per item.")
        return
    digits = decimals_of(analysis)
    n = effects.win + effects.tie + effects.loss

    def with_interval(value: float, bounds: Interval, decimals: int) -> str:
        written = numbers.fixed(value, decimals, signed=True)
        if not math.isfinite(bounds.low):
            return written
        low, high = (numbers.fixed(end, decimals, signed=True) for end in bounds[:2])
        return f"{written} ({low} to {high})"

    show_facts(
        [
            ("Cohen's d_z", with_interval(effects.cohens_dz, effects.cohens_dz_ci, 2)),
            ("Hedges' g", with_interval(effects.hedges_g, effects.hedges_g_ci, 2)),
            ("Wilcoxon r", with_interval(effects.wilcoxon_r, effects.wilcoxon_r_ci, 2)),
            ("rank-biserial", with_interval(effects.rank_biserial, effects.rank_biserial_ci, 2)),
            (
                "Hodges–Lehmann",
                with_interval(effects.hodges_lehmann, effects.hodges_lehmann_ci, digits),
            ),
            (
                "wins, ties, losses",
                f"{effects.win:,}, {effects.tie:,}, {effects.loss:,} of {n:,}",
            ),
            (
                "probability of superiority",
                numbers.fixed(effects.probability_of_superiority, 3),
            ),
        ]
    )
    st.caption("Positive speaks for the first system. Intervals at the level of the test.")


def show_groups(study: Comparison) -> None:
    """Show the two systems on each group of items that the dataset declares."""
    if not study.groups:
        return
    told = study.groups_table()
    is_folded = len(told.rows) > _MOST_GROUPS
    if not is_folded:
        st.header("Group by group", anchor=False)
    fold = f"Group by group: {len(told.rows):,} groups"
    a, b = study.system_a, study.system_b
    with st.expander(fold) if is_folded else st.container():
        show_picture(
            group_forest(
                told.frame().rename(columns={"n_items": "n"}),
                a=a,
                b=b,
                quantity=f"difference in {study.metric.label}",
                higher_is_better=study.metric.higher_is_better,
            ),
            key="groups_picture",
            alt=f"Difference between {a} and {b} on each of {len(told.rows)} groups of items.",
        )
        show_answer(told, filename="groups")


def show_data(
    analysis: PairAnalysis, a: str, b: str, metric: MetricRecord | None, *, folded: bool = True
) -> None:
    """Show how the scores spread, and what follows for the choice of a test."""
    found = analysis.diagnostics
    if found is None:
        return
    parts = {
        "a": (found.histogram_a, found.a),
        "b": (found.histogram_b, found.b),
        "difference": (found.histogram_difference, found.difference),
    }
    bins = pd.concat(
        pd.DataFrame(
            {
                "part": part,
                "low": histogram.edges[:-1],
                "high": histogram.edges[1:],
                "items": histogram.counts,
            }
        )
        for part, (histogram, _) in parts.items()
    )
    centres = pd.DataFrame(
        [(part, s.mean, s.median) for part, (_, s) in parts.items()],
        columns=["part", "mean", "median"],
    )
    noun = "unit" if analysis.n_units < analysis.n_items else "item"
    pictures = score_histograms(
        bins, centres, a=a, b=b, metric=metric.label if metric else "score", noun=noun
    )
    place = st.expander("How the scores spread") if folded else st.container()
    with place:
        for column, picture, name in zip(
            st.columns(3), pictures, (a, b, "the difference"), strict=True
        ):
            with column:
                show_picture(picture, key=f"spread_{name}", alt=f"Histogram of {name}.")
        rows = [(name, s) for name, s in ((a, found.a), (b, found.b), ("A − B", found.difference))]
        show_table(
            pd.DataFrame(
                [(name, s.mean, s.median, s.std, s.minimum, s.maximum) for name, s in rows],
                columns=["scores", "mean", "median", "std", "minimum", "maximum"],
            ),
            key="spread",
            columns={
                "scores": Column("Scores", pinned=True),
                "mean": Column("Mean", "number", decimals=4),
                "median": Column("Median", "number", decimals=4),
                "std": Column("SD", "number", decimals=4),
                "minimum": Column("Lowest", "number", decimals=4),
                "maximum": Column("Highest", "number", decimals=4),
            },
            filename="summary",
        )
        note = f" ({found.normality_note})" if found.normality_note else ""
        st.markdown(
            f"Skewness of the differences {numbers.fixed(found.skewness, 2)}; Shapiro–Wilk test "
            f"of normality p {numbers.pvalue(found.normality_pvalue)}{plain(note)}. "
            f"The statistic that suits them: the {found.recommended_statistic}."
        )
