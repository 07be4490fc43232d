"""`tiebreak replicability` and `tiebreak simulate`: two systems across datasets."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.options import AlphaOption, SeedOption
from analysis.statistics import Replicability, simulate_overclaiming
from analysis.statistics.planning.sample_size_simulation import (
    DEFAULT_SIZES,
    Distribution,
    simulate_pvalues_by_size,
)
from analysis.studies.replicability import (
    ESTIMATOR_NAMES,
    ReplicabilityStudy,
    study_replicability,
)
from analysis.studies.test_names import TestName, to_statistics
from store.console import JsonOption, answer, exits_in_words, opened, table
from store.errors import StoreError

app = typer.Typer()
simulate_app = typer.Typer(no_args_is_help=True, help="Repeat the simulations of a paper.")
app.add_typer(simulate_app, name="simulate")


class TestChoice(StrEnum):
    """Tests for a pair of systems with item scores."""

    auto = "auto"
    t = "t"
    mcnemar = "mcnemar"
    permutation = "permutation"


class Scenario(StrEnum):
    """Section 5 of Dror et al. 2017."""

    independent = "independent"
    dependent = "dependent"


@app.command("replicability")
@exits_in_words
def replicability_command(
    context: typer.Context,
    a: str,
    b: str,
    metric: Annotated[str | None, typer.Option(help="By default the one on most datasets.")] = None,
    datasets: Annotated[
        str | None, typer.Option(help="Names, separated by commas; by default all.")
    ] = None,
    alpha: AlphaOption = 0.05,
    test: Annotated[TestChoice, typer.Option(help="How item scores are tested.")] = TestChoice.auto,
    reported: Annotated[
        bool, typer.Option("--reported", help="Use the p-values that papers and files state.")
    ] = False,
    dependent: Annotated[
        bool | None,
        typer.Option(
            "--dependent/--independent", help="By default the overlaps in the store decide."
        ),
    ] = None,
    n_resamples: Annotated[int, typer.Option(help="Random sign flips per test.")] = 9_999,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Say on how many datasets, and on which, A is better than B."""
    with opened(context, read_only=True) as store:
        study = study_replicability(
            store,
            a,
            b,
            metric=metric,
            datasets=None if datasets is None else [d.strip() for d in datasets.split(",")],
            alpha=alpha,
            reported=reported,
            test=test.value,
            dependent=dependent,
            n_resamples=n_resamples,
            seed=seed,
        )
    answer(
        "replicability",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show_replicability(console, study),
    )


def _show_replicability(console: Console, study: ReplicabilityStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(study.recommended.because, markup=False)
    directions = {
        "undirected": study.undirected,
        f"{study.system_a} better": study.a_over_b,
        f"{study.system_b} better": study.b_over_a,
    }
    columns = ("datasets with a difference, at least", *(f"={name}" for name in directions))
    console.print(table("", columns, _count_rows(study, directions)))
    columns = (
        "dataset",
        f"={study.system_a}",
        f"={study.system_b}",
        "=difference",
        "=p",
        "favours",
    )
    holm = study.undirected.identified["holm"]
    rows = [
        [e.dataset, e.score_a, e.score_b, e.difference, e.pvalue, e.favours, "Holm" if yes else ""]
        for e, yes in zip(study.datasets, holm, strict=True)
    ]
    console.print(table("", (*columns, "identified"), rows))


def _count_rows(study: ReplicabilityStudy, directions: dict[str, Replicability]) -> list[list[Any]]:
    names = ("count", "bonferroni", "fisher", "simes", "stouffer")
    rows = []
    for name in names:
        title = ESTIMATOR_NAMES.get(name, name.capitalize())
        if name == study.recommended.estimator:
            title += " (recommended)"
        if name == "count":
            title = f"Count of p ≤ {study.alpha:g} (no guarantee)"
        rows.append([title, *(getattr(result, f"k_{name}") for result in directions.values())])
    return rows


@simulate_app.command("replicability")
@exits_in_words
def simulate_replicability_command(
    scenario: Scenario,
    repetitions: Annotated[int, typer.Option(help="Simulated comparisons.")] = 10_000,
    alpha: AlphaOption = 0.05,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Repeat section 5 of Dror et al. 2017: how often each estimator claims what is not there."""
    try:
        result = simulate_overclaiming(
            scenario.value, n_repetitions=repetitions, alpha=alpha, rng=seed
        )
    except ValueError as error:
        raise StoreError(str(error)) from error
    plain = result.to_dict()
    answer(
        "simulate replicability",
        plain,
        store_revision=0,
        signature=result.signature,
        as_json=as_json,
        show=lambda console: console.print(str(result), markup=False),
    )


@simulate_app.command("pvalues")
@exits_in_words
def simulate_pvalues_command(
    distribution: Distribution,
    different: Annotated[
        bool, typer.Option("--different/--same", help="Whether the first system is better.")
    ] = True,
    test: Annotated[
        TestName | None, typer.Option(help="By default t for normal, wilcoxon for beta.")
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of items, separated by commas; 30 to 25,000.")
    ] = None,
    iterations: Annotated[int, typer.Option(help="Simulated comparisons per size.")] = 20,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Repeat figure 5 of NLPStatTest: p-values against the number of items."""
    try:
        result = simulate_pvalues_by_size(
            distribution,
            different=different,
            test=None if test is None else to_statistics(test),
            n_iterations=iterations,
            rng=seed,
            sizes=DEFAULT_SIZES if sizes is None else _whole_numbers(sizes),
        )
    except ValueError as error:
        raise StoreError(str(error)) from error
    rows = zip(result.sizes, result.low, result.mean, result.high, strict=True)
    answer(
        "simulate pvalues",
        result.to_dict(),
        store_revision=0,
        signature=result.signature,
        as_json=as_json,
        show=lambda console: console.print(
            table(
                f"{distribution}, {'different' if different else 'the same'}: p-values",
                ("=items", "=smallest", "=mean", "=largest"),
                [[int(size), *(numbers.pvalue(float(p)) for p in ps)] for size, *ps in rows],
            )
        ),
    )


def _whole_numbers(given: str) -> list[int]:
    try:
        return [int(number) for number in given.split(",")]
    except ValueError:
        raise StoreError(
            f"`--sizes` must be whole numbers, separated by commas, as 30,300; got '{given}'."
        ) from None
