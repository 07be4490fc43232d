"""`tiebreak gate`: a check that fails when a system is worse than its baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import typer
from rich.console import Console

from analysis.choices import MARGIN, Clusters, Draws, Failures, Level, MetricName, Seed
from analysis.commands.asking import answered, asked_of, parameter, with_options
from analysis.commands.terminal import show_report
from analysis.setting import Setting
from analysis.studies.comparison import Compare, Comparison
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.reading import failures_count
from analysis.studies.study import count
from analysis.studies.test_names import Test
from store.console import EXIT_GATE_FAILED, JsonOption, answer, exits_in_words, opened
from store.errors import StoreError
from store.history import head_of_log

app = typer.Typer()


FailIf = Literal["worse", "undecided", "not-better"]
"""What lets a gate fail."""

_PASSING: Final[dict[FailIf, tuple[str, ...]]] = {
    "worse": ("better", "equivalent", "undecided"),
    "undecided": ("better", "equivalent"),
    "not-better": ("better",),
}
"""The verdicts that each gate lets pass."""


class GateError(StoreError):
    """No valid test can let the gate fail, so that passing it would mean nothing."""


@dataclass(frozen=True)
class Gate:
    """Compare a system with its baseline; exit code 1 when it fails, 2 where no test is valid."""

    dataset: Annotated[str, Setting("What both were evaluated on.", flags="--dataset")]
    system: Annotated[str, Setting("The system to be checked.", flags="--system")]
    baseline: Annotated[
        str, Setting("The system that it must hold its own against.", flags="--baseline")
    ]
    fail_if: Annotated[
        FailIf,
        Setting(
            "worse: shown to be worse. undecided: worse, or the data cannot tell. "
            "not-better: anything but shown to be better.",
            flags="--fail-if",
        ),
    ]
    margin: Annotated[
        float | None,
        MARGIN.but("Differences below this do not matter: a loss shown to be smaller passes."),
    ] = None
    metric: MetricName = None
    test: Test = "auto"
    alpha: Level = 0.05
    n_resamples: Draws = 9_999
    seed: Seed = 0
    clusters: Clusters = None
    failures: Failures = None


def _gate(context: typer.Context, **given: Any) -> None:
    gate = asked_of(context, Gate, given)
    asked = Compare(
        gate.system,
        gate.baseline,
        gate.dataset,
        gate.metric,
        PairSettings(
            test=gate.test,
            alpha=gate.alpha,
            margin=gate.margin,
            n_resamples=gate.n_resamples,
            seed=gate.seed,
        ),
        clusters=gate.clusters,
        family="none",
        failures=gate.failures,
    )
    study = answered(context, asked)
    failed: bool | None = None
    refused: GateError | None = None
    found = study.to_dict()
    try:
        failed, why = judge(study, gate.fail_if)
    except GateError as error:
        if not given["as_json"]:
            raise
        refused, why = error, str(error)
        found |= {"verdict": "undecided", "why": "no-valid-test"}
    with opened(context, read_only=True) as store:
        head = head_of_log(store)
        failures = failures_count(store.counting(gate.failures), study.dataset.uid)
    told: dict[str, Any] = {"fail_if": gate.fail_if, "failed": failed, "why": why}
    told |= {"failures": failures, "audit_head": head}
    answer(
        "gate",
        found | {"gate": told},
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=given["as_json"],
        show=lambda console: _show(console, study, bool(failed), why),
    )
    if refused is not None:
        raise refused
    if failed:
        raise typer.Exit(EXIT_GATE_FAILED)


def judge(study: Comparison, fail_if: FailIf) -> tuple[bool, str]:
    """Return whether the gate fails, and why, for a system (A) and its baseline (B).

    Raises
    ------
    GateError
        Nothing can be tested although the two differ, most items have no score from both, or
        there are too few for any of their scores to let the gate fail: a gate that passes then is
        none.
    """
    _require_power_to_fail(study, fail_if)
    found = study.analysis
    names = f"'{study.system_a}'", f"'{study.system_b}'"
    margin = study.settings.margin
    is_small = found.equivalence is not None and found.equivalence.equivalent
    forgiven = study.verdict == "worse" and is_small and fail_if != "not-better"
    failed = study.verdict not in _PASSING[fail_if] and not forgiven
    if study.verdict == "undecided":
        why = f"the data cannot tell whether {names[0]} is better or worse than {names[1]}"
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
        raise GateError(
            f"The gate cannot be decided: nothing can be tested {where}. {found.not_testable} "
            "Give more items with a score from both, or another `--test`."
        )
    if found.n_items < found.n_missing:
        raise GateError(
            f"The gate cannot be decided: {where} only {found.n_items:,} of "
            f"{found.n_items + found.n_missing:,} items have a score from both. Score the others: "
            "what fails is often what is hard."
        )
    least = 2.0 ** (1 - found.n_units)  # if all of them speak for the same side
    if fail_if == "worse" and found.test.exact and least > study.settings.alpha:
        needed = 1 + math.ceil(-math.log2(study.settings.alpha))
        raise GateError(
            f"The gate cannot fail: {where} there {_are(found.n_units)}, and from fewer than "
            f"{needed} no difference can be shown at `--alpha` {study.settings.alpha:g}. Give "
            "more items with a score from both, or use `--fail-if undecided`."
        )


def _are(n_units: int) -> str:
    return f"{'is' if n_units == 1 else 'are'} {count(n_units, 'independent unit')}"


def _show(console: Console, study: Comparison, failed: bool, why: str) -> None:
    console.print(f"{'Gate failed' if failed else 'Gate passed'}: {why}.", markup=False)
    show_report(console, study.report())


app.command("gate")(
    exits_in_words(with_options(_gate, Gate, [parameter("as_json", JsonOption, False)]))
)
