"""`tiebreak gate`: a check that fails when a system is worse than its baseline."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console

from analysis.commands.compare import ResamplesOption, TestOption, pair_facts
from analysis.commands.options import AlphaOption, SeedOption
from analysis.studies.comparison import Comparison, study_comparison
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.study import count
from store.console import EXIT_GATE_FAILED, JsonOption, answer, exits_in_words, opened, table
from store.errors import StoreError

app = typer.Typer()


class FailIf(StrEnum):
    """What lets a gate fail."""

    worse = "worse"
    undecided = "undecided"
    not_better = "not-better"


_PASSING = {
    FailIf.worse: ("better", "equivalent", "undecided"),
    FailIf.undecided: ("better", "equivalent"),
    FailIf.not_better: ("better",),
}
"""The verdicts that each gate lets pass."""


@app.command("gate")
@exits_in_words
def gate_command(
    context: typer.Context,
    dataset: Annotated[str, typer.Option(help="What both were evaluated on.")],
    system: Annotated[str, typer.Option(help="The system to be checked.")],
    baseline: Annotated[str, typer.Option(help="The system that it must hold its own against.")],
    fail_if: Annotated[
        FailIf,
        typer.Option(
            help="worse: shown to be worse. undecided: worse, or not to be told. "
            "not-better: anything but shown to be better."
        ),
    ],
    margin: Annotated[
        float | None,
        typer.Option(
            help="Differences below this do not matter: a loss shown to be smaller passes."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="By default the one most used.")] = None,
    test: TestOption = "auto",
    alpha: AlphaOption = 0.05,
    n_resamples: ResamplesOption = 9_999,
    seed: SeedOption = 0,
    clusters: Annotated[
        bool | None,
        typer.Option(
            "--clusters/--no-clusters",
            help="Whether groups of items are the units; by default where they join items.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a system with its baseline; exit code 1 when the gate fails."""
    settings = PairSettings(
        test=test, alpha=alpha, margin=margin, n_resamples=n_resamples, seed=seed
    )
    with opened(context, read_only=True) as store:
        study = study_comparison(
            store,
            system,
            baseline,
            dataset=dataset,
            metric=metric,
            settings=settings,
            clusters=clusters,
        )
    failed, why = judge(study, fail_if)
    answer(
        "gate",
        study.to_dict() | {"gate": {"fail_if": fail_if.value, "failed": failed, "why": why}},
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show(console, study, failed, why),
    )
    if failed:
        raise typer.Exit(EXIT_GATE_FAILED)


def judge(study: Comparison, fail_if: FailIf) -> tuple[bool, str]:
    """Return whether the gate fails, and why, for a system (A) and its baseline (B).

    Raises
    ------
    StoreError
        Nothing can be tested although the two differ, most items have no score from both, or
        there are too few for any of their scores to let the gate fail: a gate that passes then is
        none.
    """
    _require_power_to_fail(study, fail_if)
    found = study.analysis
    names = f"'{study.system_a}'", f"'{study.system_b}'"
    margin = study.settings.margin
    is_small = found.equivalence is not None and found.equivalence.equivalent
    forgiven = study.verdict == "worse" and is_small and fail_if is not FailIf.not_better
    failed = study.verdict not in _PASSING[fail_if] and not forgiven
    if study.verdict == "undecided":
        why = f"whether {names[0]} is better or worse than {names[1]} cannot be told"
        if found.test.exact and (found.test.pvalue_floor or 0.0) > study.settings.alpha:
            why += "; too few items differ for that"
        elif math.isfinite(found.mde):
            why += f"; a difference of {found.mde:.3g} would have been found with 80 % probability"
    elif study.verdict == "equivalent":
        why = f"{names[0]} and {names[1]} are equivalent within ±{margin:g}"
    else:
        why = f"{names[0]} is {study.verdict} than {names[1]}"
    if forgiven:
        why += f", but by less than the margin of {margin:g}"
    return failed, why


def _require_power_to_fail(study: Comparison, fail_if: FailIf) -> None:
    found = study.analysis
    where = f"between '{study.system_a}' and '{study.system_b}' on '{study.dataset.label}'"
    if found.not_testable and found.difference != 0:  # NaN as well
        raise StoreError(
            f"The gate cannot be decided: nothing can be tested {where}. {found.not_testable} "
            "Give more items with a score from both, or another `--test`."
        )
    if found.n_items < found.n_missing:
        raise StoreError(
            f"The gate cannot be decided: {where} only {found.n_items:,} of "
            f"{found.n_items + found.n_missing:,} items have a score from both. Score the others: "
            "what fails is often what is hard."
        )
    least = 2.0 ** (1 - found.n_units)  # if all of them speak for the same side
    if fail_if is FailIf.worse and found.test.exact and least > study.settings.alpha:
        needed = 1 + math.ceil(-math.log2(study.settings.alpha))
        raise StoreError(
            f"The gate cannot fail: {where} there {_are(found.n_units)}, and from fewer than "
            f"{needed} no difference can be shown at `--alpha` {study.settings.alpha:g}. Give "
            "more items with a score from both, or use `--fail-if undecided`."
        )


def _are(n_units: int) -> str:
    return f"{'is' if n_units == 1 else 'are'} {count(n_units, 'independent unit')}"


def _show(console: Console, study: Comparison, failed: bool, why: str) -> None:
    outcome = "Gate failed" if failed else "Gate passed"
    console.print(f"{outcome}: {why}.", markup=False)
    console.print(study.sentence, markup=False)
    facts = pair_facts(study.analysis, study.system_a, study.system_b)
    console.print(table("", ("", "="), facts))
