"""`tiebreak set`: facts on the card of a metric, and what repeats are."""

from __future__ import annotations

from typing import Annotated

import typer

from store.commands.target import Why
from store.console import JsonOption, answer, current_actor, exits_in_words, opened, table
from store.metric_cards import MetricCard, set_metric
from store.reasons import because
from store.repeats import set_repeats

app = typer.Typer()


@app.command("metric")
@exits_in_words
def set_metric_command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Its name, label or uid.")],
    unit: Annotated[str | None, typer.Option(help="As percent, proportion, seconds, USD.")] = None,
    lowest: Annotated[str | None, typer.Option(help="The lowest value possible, or none.")] = None,
    highest: Annotated[str | None, typer.Option(help="The highest possible, or none.")] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="right-wrong, rating, bounded, unbounded, count, time or money."),
    ] = None,
    direction: Annotated[str | None, typer.Option(help="What is better: higher or lower.")] = None,
    aggregation: Annotated[
        str | None, typer.Option(help="How items become one value, as mean or median.")
    ] = None,
    why: Why = "",
    as_json: JsonOption = False,
) -> None:
    """State facts about a metric: unit, range, kind, direction, aggregation. Scores stay."""
    given = {
        **{"unit": unit, "lowest": lowest, "highest": highest, "kind": kind},
        **{"direction": direction, "aggregation": aggregation},
    }
    told = {fact: value for fact, value in given.items() if value is not None}
    with opened(context) as store, because(why):
        card = set_metric(store, name, told, actor=current_actor())
        answer(
            "set metric",
            card.to_dict(),
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(card_table(card)),
        )


@app.command("repeats")
@exits_in_words
def set_repeats_command(
    context: typer.Context,
    dataset: Annotated[str, typer.Argument(help="Its name or uid.")],
    kind: Annotated[str, typer.Argument(help="samples of one system, or seeds: trainings.")],
    system: Annotated[str | None, typer.Option(help="Of this system alone.")] = None,
    why: Why = "",
    as_json: JsonOption = False,
) -> None:
    """Say what the trials of runs are: samples of one system, or seeds."""
    with opened(context) as store, because(why):
        found = set_repeats(store, dataset, kind, actor=current_actor(), system=system)
        rows = [(one.system, one.n_runs, one.n_trials, one.trials_are) for one in found]
        answer(
            "set repeats",
            {"rows": [one.to_dict() for one in found]},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(
                table("", ("system", "runs", "trials", "trials are"), rows)
            ),
        )


def card_table(card: MetricCard) -> object:
    """Return the card as a terminal shows it."""
    rows = [(fact.name, fact.value or "not known", fact.by, fact.at) for fact in card.facts]
    return table(card.metric.label, ("fact", "value", "stated by", "on"), rows)
