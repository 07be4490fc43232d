"""`tiebreak simulate`: the simulations of the papers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from analysis import numbers
from analysis.commands.options import AlphaOption, SeedOption
from analysis.statistics import simulate_overclaiming
from analysis.statistics.planning.sample_size_simulation import (
    DEFAULT_SIZES,
    Distribution,
    simulate_pvalues_by_size,
)
from analysis.studies.test_names import TestName, to_statistics
from store.console import JsonOption, answer, exits_in_words, table
from store.errors import StoreError

app = typer.Typer()


class Scenario(StrEnum):
    """Section 5 of Dror et al. 2017."""

    independent = "independent"
    dependent = "dependent"


@app.command("replicability")
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


@app.command("pvalues")
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
