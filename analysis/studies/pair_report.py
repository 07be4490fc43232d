"""What to write down about two systems: test, α, effect sizes with their estimators, n, power.

The list is NLPStatTest's (Zhu et al. 2020, section 2.4).
"""

from __future__ import annotations

import math

from analysis import numbers
from analysis.columns import Column
from analysis.report import Table
from analysis.studies.family import IN_WORDS, Family
from analysis.studies.pair_analysis import PairAnalysis, PairSettings
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS
from analysis.studies.test_names import INTERVALS_IN_WORDS


def pair_tables(
    analysis: PairAnalysis, settings: PairSettings, a: str, b: str, family: Family | None = None
) -> tuple[Table, ...]:
    """Return the tables of a report: the comparison, its effect sizes, the data."""
    tables = [_test_table(analysis, settings, a, b, family)]
    if analysis.effect_sizes is not None:
        tables.append(_effect_table(analysis))
    if analysis.diagnostics is not None:
        tables.append(_data_table(analysis, a, b))
    return tuple(tables)


def statistic_of(analysis: PairAnalysis) -> list[tuple[str, str]]:
    """Return name and value of the test statistic, where it is not the difference again."""
    test = analysis.test
    if test.statistic_name == "difference":
        return []
    whole = float(test.statistic).is_integer()
    return [(test.statistic_name, numbers.fixed(test.statistic, 0 if whole else 3))]


def _test_table(
    analysis: PairAnalysis, settings: PairSettings, a: str, b: str, family: Family | None
) -> Table:
    low, high = analysis.ci
    test = analysis.test
    half_width = (high - low) / 2 if math.isfinite(high - low) else None
    places = numbers.decimals(half_width=half_width, n=analysis.n_items or None)
    sample = f"{analysis.n_items:,} items"
    if analysis.n_units != analysis.n_items:
        sample += f" in {analysis.n_units:,} units"
    rows: list[tuple[str, str]] = [
        (f"score of {a}", numbers.fixed(analysis.score_a, places)),
        (f"score of {b}", numbers.fixed(analysis.score_b, places)),
        ("difference", numbers.fixed(analysis.difference, places, signed=True)),
        (
            f"{100 * (1 - settings.alpha):g} % interval ({INTERVALS_IN_WORDS[analysis.ci_method]})",
            numbers.interval(low, high, signed=True),
        ),
        ("test", analysis.test_in_words),
        ("alternative", test.alternative),
        *statistic_of(analysis),
        ("p", numbers.pvalue(test.pvalue)),
        ("α", f"{settings.alpha:g}"),
        ("sample size", sample),
        ("left out", f"{analysis.n_missing:,}"),
        ("verdict, alone" if family else "verdict", IN_WORDS[analysis.verdict]),
    ]
    if family is not None:
        adjusted = f"adjusted p ({CORRECTIONS_IN_WORDS[family.correction]})"
        rows += [
            (adjusted, numbers.pvalue(family.pvalue_adjusted)),
            (f"verdict, among {family.name}", IN_WORDS[family.verdict]),
        ]
    if settings.delta:
        rows.append(("difference tested against", f"{settings.delta:g}"))
    if analysis.equivalence is not None:
        rows.append(
            (
                f"p of equivalence within ±{settings.margin:g}",
                numbers.pvalue(analysis.equivalence.pvalue),
            )
        )
    if math.isfinite(analysis.mde):
        rows.append(
            (
                "difference found with 80 % power at this sample size",
                numbers.fixed(analysis.mde, places),
            )
        )
    if test.seed is not None:
        rows.append(("resamples, seed", f"{test.n_resamples:,}, {test.seed}"))
    return Table(("", "value"), rows)


def _effect_table(analysis: PairAnalysis) -> Table:
    effects = analysis.effect_sizes
    assert effects is not None
    rows = [
        ("Cohen's d_z (mean over SD of differences)", effects.cohens_dz, effects.cohens_dz_ci),
        ("Hedges' g", effects.hedges_g, effects.hedges_g_ci),
        ("Wilcoxon r (|Z| over root n)", effects.wilcoxon_r, effects.wilcoxon_r_ci),
        ("rank-biserial correlation", effects.rank_biserial, effects.rank_biserial_ci),
        ("Hodges–Lehmann", effects.hodges_lehmann, effects.hodges_lehmann_ci),
        (
            "probability of superiority",
            effects.probability_of_superiority,
            effects.probability_of_superiority_ci,
        ),
    ]
    return Table(
        ("effect size", Column("estimate", signed=True), Column("interval", signed=True)),
        [(name, value, (bounds.low, bounds.high)) for name, value, bounds in rows],
        caption="Effect sizes",
        notes=(
            f"Wins, ties, losses: {effects.win:,}, {effects.tie:,}, {effects.loss:,}.",
            "Positive speaks for the first system, whichever way the metric runs.",
        ),
    )


def _data_table(analysis: PairAnalysis, a: str, b: str) -> Table:
    found = analysis.diagnostics
    assert found is not None
    sides = ((a, found.a), (b, found.b), ("difference", found.difference))
    return Table(
        ("scores", "mean", "median", "SD", "min", "max"),
        [(name, s.mean, s.median, s.std, s.minimum, s.maximum) for name, s in sides],
        caption="Data",
        notes=(
            f"Skewness of the differences {numbers.fixed(found.skewness, 2)}; Shapiro–Wilk p "
            f"{numbers.pvalue(found.normality_pvalue)}; recommended statistic: "
            f"{found.recommended_statistic}.",
        ),
    )
