"""`tiebreak compare` and `tiebreak adhoc`: two systems, from the store or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question, as_values, parameter, with_options
from analysis.commands.options import (
    FormatOption,
    ReportStyle,
    gave_report,
)
from analysis.setting import build
from analysis.studies.adhoc import AdhocStudy, study_adhoc
from analysis.studies.comparison import Compare, Comparison
from analysis.studies.pair_analysis import PairAnalysis, PairSettings
from analysis.studies.pair_report import statistic_of
from analysis.studies.test_names import INTERVALS_IN_WORDS
from store.console import JsonOption, answer, exits_in_words, table
from store.errors import StoreError
from store.importers.score_columns import read_two_columns

app = typer.Typer()


def _adhoc(context: typer.Context, **given: Any) -> None:
    """Compare two columns of scores in a file; nothing is stored."""
    settings = build(PairSettings, as_values(PairSettings, given))
    columns = read_two_columns(given["files"])
    study = study_adhoc(
        *columns,
        names=_two_names(given["names"]),
        settings=settings,
        higher_is_better=not given["lower_is_better"],
    )
    if gave_report(study.report, given["format"], given["as_json"]):
        return
    answer(
        "adhoc",
        study.to_dict(),
        store_revision=0,
        signature=study.signature,
        warnings=study.warnings,
        as_json=given["as_json"],
        show=lambda console: _show_adhoc(console, study),
    )


def _two_names(given: str) -> tuple[str, str]:
    names = [name.strip() for name in given.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise StoreError(f"`--names` must be two different names, as 'mine,theirs'; got '{given}'.")
    return names[0], names[1]


def _show_comparison(console: Console, study: Comparison, *, by_group: bool) -> None:
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


BY_GROUP = Annotated[bool, typer.Option("--by-group", help="A row per group of items.")]
FILES = Annotated[
    list[Path], typer.Argument(help="One file of two columns, or two files of one column.")
]
NAMES = Annotated[str, typer.Option(help="What to call the two, as 'mine,theirs'.")]
LOWER = Annotated[bool, typer.Option("--lower-is-better", help="As for error rates.")]

add_question(app, Compare, _show_comparison, shown={"by_group": (BY_GROUP, False)})
app.command("adhoc")(
    exits_in_words(
        with_options(
            _adhoc,
            PairSettings,
            [
                parameter("files", FILES),
                parameter("names", NAMES, "A,B"),
                parameter("lower_is_better", LOWER, False),
                parameter("format", FormatOption, ReportStyle.table),
                parameter("as_json", JsonOption, False),
            ],
        )
    )
)
