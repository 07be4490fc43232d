"""`tiebreak settings`: what holds in a store where nobody says otherwise."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from analysis.store_defaults import set_setting, usual
from store.commands.target import Target
from store.console import JsonOption, answer, current_actor, exits_in_words, opened, table
from store.datasets import list_datasets
from store.engine import Store
from store.kept_settings import NAMES
from store.metrics import list_metrics
from store.settings import dataset_settings, store_settings
from store.tags import PIN, add_tag, list_tagged, remove_tag

app = typer.Typer()
DatasetOption = Annotated[
    str | None, typer.Option(help="The dataset that `metric`, `difference` or `failures` is for.")
]
NameOfPinned = Annotated[str, typer.Argument(metavar="NAME", help="Its name or uid.")]
NameArgument = Annotated[str, typer.Argument(help="Of the setting, see `settings ls`.")]


@app.command("ls")
@exits_in_words
def ls(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the settings of the store."""
    with opened(context, read_only=True) as store:
        _tell("settings ls", store, as_json)


@app.command("set")
@exits_in_words
def set_command(
    context: typer.Context,
    name: NameArgument,
    value: Annotated[str, typer.Argument(help="As the option or the address has it.")],
    dataset: DatasetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a value hold wherever nobody says otherwise."""
    with opened(context, create=True) as store:
        set_setting(store, name, value, actor=current_actor(), dataset=dataset)
        _tell("settings set", store, as_json)


@app.command("reset")
@exits_in_words
def reset(
    context: typer.Context,
    name: NameArgument,
    dataset: DatasetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have what comes with Tiebreak hold again."""
    with opened(context) as store:
        set_setting(store, name, None, actor=current_actor(), dataset=dataset)
        _tell("settings reset", store, as_json)


@app.command("pin")
@exits_in_words
def pin(
    context: typer.Context, what: Target, name: NameOfPinned, as_json: JsonOption = False
) -> None:
    """Have a system, dataset or run stand first in lists and on the first page."""
    with opened(context) as store:
        add_tag(store, what.value, name, PIN, actor=current_actor())
        _tell("settings pin", store, as_json)


@app.command("unpin")
@exits_in_words
def unpin(
    context: typer.Context, what: Target, name: NameOfPinned, as_json: JsonOption = False
) -> None:
    """Take a pin away."""
    with opened(context) as store:
        remove_tag(store, what.value, name, PIN, actor=current_actor())
        _tell("settings unpin", store, as_json)


def _tell(command: str, store: Store, as_json: bool) -> None:
    told = store_settings(store)
    rows: list[dict[str, Any]] = [
        {"name": name, "value": told.get(name, usual(name)), "is_set": name in told}
        for name in NAMES
    ]
    datasets = {one.uid: one.label for one in list_datasets(store)}
    metrics = {one.uid: one.label for one in list_metrics(store)}
    rows += [
        {"name": name, "value": metrics.get(value, value), "is_set": True, "dataset": datasets[uid]}
        for uid, own in dataset_settings(store).items()
        if uid in datasets
        for name, value in own.items()
    ]
    pinned = list_tagged(store, PIN)
    grid = table(
        "",
        ("setting", "value", "set by", "for the dataset"),
        [
            (
                *(row["name"], row["value"], "the store" if row["is_set"] else "Tiebreak"),
                row.get("dataset", ""),
            )
            for row in rows
        ]
        + [("pin", f"{one.kind} {one.name}", "the store", "") for one in pinned],
    )
    answer(
        command,
        {"rows": rows, "pinned": [one.to_dict() for one in pinned]},
        store_revision=store.revision(),
        as_json=as_json,
        show=lambda console: console.print(grid),
    )
