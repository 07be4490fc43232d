"""`tiebreak compare` and `tiebreak adhoc`: two systems, from the store or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    ReportStyle,
    SeedOption,
    ShuffleOption,
    UnitSizeOption,
    UnitStatisticOption,
    gave_report,
)
from analysis.statistics import Alternative
from analysis.statistics.description.evaluation_units import UnitStatistic
from analysis.studies.adhoc import AdhocStudy, study_adhoc
from analysis.studies.comparison import Comparison, study_comparison
from analysis.studies.pair_analysis import PairAnalysis, PairSettings, Zeros
from analysis.studies.pair_report import statistic_of
from analysis.studies.pairs_words import Correction
from analysis.studies.test_names import INTERVALS_IN_WORDS, TestName
from store.console import JsonOption, answer, exits_in_words, opened, table
from store.errors import StoreError
from store.importers.score_columns import read_two_columns

app = typer.Typer()

TestOption = Annotated[TestName, typer.Option(help="auto: the test that suits the scores.")]
AlternativeOption = Annotated[
    Alternative, typer.Option(help="greater: the first system is better.")
]
DeltaOption = Annotated[
    float, typer.Option(help="The difference to test against, first minus second.")
]
MarginOption = Annotated[
    float | None, typer.Option(help="Differences below this do not matter: allows 'equivalent'.")
]
ResamplesOption = Annotated[int, typer.Option(help="Resamples, where no exact way is short.")]
ZerosOption = Annotated[Zeros, typer.Option(help="Items without a difference in Wilcoxon's test.")]


@app.command("compare")
@exits_in_words
def compare_command(
    context: typer.Context,
    a: str,
    b: str,
    dataset: Annotated[
        str | None, typer.Option(help="By default the one with most shared items.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="By default the one most used.")] = None,
    test: TestOption = "auto",
    alternative: AlternativeOption = "two-sided",
    delta: DeltaOption = 0.0,
    alpha: AlphaOption = 0.05,
    margin: MarginOption = None,
    n_resamples: ResamplesOption = 9_999,
    seed: SeedOption = 0,
    unit_size: UnitSizeOption = 1,
    unit_statistic: UnitStatisticOption = "mean",
    shuffle_seed: ShuffleOption = None,
    zeros: ZerosOption = "wilcox",
    clusters: Annotated[
        bool | None,
        typer.Option(
            "--clusters/--no-clusters",
            help="Whether groups of items are the units; by default where they join items.",
        ),
    ] = None,
    family: Annotated[
        Literal["none", "board"],
        typer.Option(help="board: also as one of all pairs of the board, with their correction."),
    ] = "none",
    correction: Annotated[
        Correction, typer.Option(help="For the number of pairs, with --family board.")
    ] = "holm",
    by_group: Annotated[bool, typer.Option("--by-group", help="A row per group of items.")] = False,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Say whether A is better than B on a dataset, by how much, and how sure that is."""
    settings = _settings(
        test,
        alternative,
        delta,
        alpha,
        margin,
        n_resamples,
        seed,
        unit_size,
        unit_statistic,
        shuffle_seed,
        zeros,
    )
    with opened(context, read_only=True) as store:
        study = study_comparison(
            store,
            a,
            b,
            dataset=dataset,
            metric=metric,
            settings=settings,
            clusters=clusters,
            correction=correction if family == "board" else None,
        )
    if gave_report(study.report, format, as_json):
        return
    answer(
        "compare",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show_comparison(console, study, by_group),
    )


@app.command("adhoc")
@exits_in_words
def adhoc_command(
    files: Annotated[
        list[Path], typer.Argument(help="One file of two columns, or two files of one column.")
    ],
    names: Annotated[str, typer.Option(help="What to call the two, as 'mine,theirs'.")] = "A,B",
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="As for error rates.")
    ] = False,
    test: TestOption = "auto",
    alternative: AlternativeOption = "two-sided",
    delta: DeltaOption = 0.0,
    alpha: AlphaOption = 0.05,
    margin: MarginOption = None,
    n_resamples: ResamplesOption = 9_999,
    seed: SeedOption = 0,
    unit_size: UnitSizeOption = 1,
    unit_statistic: UnitStatisticOption = "mean",
    shuffle_seed: ShuffleOption = None,
    zeros: ZerosOption = "wilcox",
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Compare two columns of scores in a file; nothing is stored."""
    settings = _settings(
        test,
        alternative,
        delta,
        alpha,
        margin,
        n_resamples,
        seed,
        unit_size,
        unit_statistic,
        shuffle_seed,
        zeros,
    )
    columns = read_two_columns(files)
    study = study_adhoc(
        *columns,
        names=_two_names(names),
        settings=settings,
        higher_is_better=not lower_is_better,
    )
    if gave_report(study.report, format, as_json):
        return
    answer(
        "adhoc",
        study.to_dict(),
        store_revision=0,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show_adhoc(console, study),
    )


def _settings(
    test: TestName,
    alternative: Alternative,
    delta: float,
    alpha: float,
    margin: float | None,
    n_resamples: int,
    seed: int,
    unit_size: int,
    unit_statistic: UnitStatistic,
    shuffle_seed: int | None,
    zeros: Zeros,
) -> PairSettings:
    return PairSettings(
        test=test,
        alternative=alternative,
        delta=delta,
        alpha=alpha,
        margin=margin,
        n_resamples=n_resamples,
        seed=seed,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle_seed=shuffle_seed,
        zeros=zeros,
    )


def _two_names(given: str) -> tuple[str, str]:
    names = [name.strip() for name in given.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise StoreError(f"`--names` must be two different names, as 'mine,theirs'; got '{given}'.")
    return names[0], names[1]


def _show_comparison(console: Console, study: Comparison, by_group: bool) -> None:
    console.print(study.sentence, markup=False)
    console.print(table("", ("", "="), pair_facts(study.analysis, study.system_a, study.system_b)))
    if by_group and study.groups:
        columns = ("group", "=items", f"={study.system_a}", f"={study.system_b}", "=difference")
        rows = [
            [
                row.group,
                row.n_items,
                row.score_a,
                row.score_b,
                row.difference,
                numbers.interval(*row.ci, signed=True),
                numbers.pvalue(row.pvalue),
                numbers.pvalue(row.pvalue_adjusted),
            ]
            for row in study.groups
        ]
        console.print(table("", (*columns, "=interval", "=p", "=p (Holm)"), rows))
    elif by_group:
        console.print("The dataset declares no groups of items.")


def pair_facts(analysis: PairAnalysis, a: str, b: str) -> list[list[Any]]:
    """Return what a table of two columns says about a pair."""
    low, high = analysis.ci
    level = f"{100 * (1 - analysis.alpha):g} %"
    rows: list[list[Any]] = [
        [f"score of {a}", analysis.score_a],
        [f"score of {b}", analysis.score_b],
        ["difference", analysis.difference],
        [
            f"{level} interval ({INTERVALS_IN_WORDS[analysis.ci_method]})",
            numbers.interval(low, high, signed=True),
        ],
        ["test", analysis.test_in_words],
        *(list(row) for row in statistic_of(analysis)),
        ["p", numbers.pvalue(analysis.test.pvalue)],
        ["items", analysis.n_items],
        ["left out", analysis.n_missing],
        ["smallest difference found with 80 % power", analysis.mde],
    ]
    effects = analysis.effect_sizes
    if effects is not None:
        rows += [
            ["Cohen's d_z", effects.cohens_dz],
            ["Hedges' g", effects.hedges_g],
            ["Wilcoxon r", effects.wilcoxon_r],
            ["Hodges–Lehmann", effects.hodges_lehmann],
            ["wins / ties / losses", f"{effects.win} / {effects.tie} / {effects.loss}"],
        ]
    if analysis.equivalence is not None:
        rows.append(["p of equivalence (TOST)", numbers.pvalue(analysis.equivalence.pvalue)])
    return rows


def _show_adhoc(console: Console, study: AdhocStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(table("", ("", "="), pair_facts(study.analysis, study.system_a, study.system_b)))
    rows = [[t.test, t.advice, numbers.pvalue(t.pvalue), t.reason] for t in study.tests]
    console.print(table("Tests for these scores", ("test", "advice", "=p", "reason"), rows))
    if study.unit_sizes is not None:
        console.print(
            f"Evaluation units: {study.settings.unit_size} items used, "
            f"{study.unit_sizes.recommended} recommended.",
            markup=False,
        )
