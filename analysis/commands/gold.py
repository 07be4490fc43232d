"""`tiebreak gold`: one value per item and system from several annotators."""

from __future__ import annotations

import csv
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.options import (
    FormatOption,
    ReportStyle,
    SeedOption,
    gave_report,
    require_new,
)
from analysis.setting import names
from analysis.studies.humans.gold.study import GoldStudy, make_gold
from store.commands.change import parse_weights
from store.console import JsonOption, answer, current_actor, exits_in_words, opened, table
from store.errors import StoreError
from store.export import format_of

app = typer.Typer()


class UnitsFormat(StrEnum):
    """What units and their values are written as."""

    csv = "csv"


@app.command("gold")
@exits_in_words
def gold_command(
    context: typer.Context,
    dataset: Annotated[str, typer.Argument(help="Name or uid.")],
    rule: Annotated[
        Literal["mean", "median", "majority", "z-score", "mace", "mace-em"],
        typer.Option(help="mace: by variational Bayes; mace-em: by maximum likelihood."),
    ],
    criterion: Annotated[
        str | None, typer.Argument(help="What was judged; by default the only criterion.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="Of marked errors: 'Major=5,Minor=1'; by default the criterion's own."),
    ] = None,
    annotators: Annotated[
        Literal["human", "model", "all"] | None,
        typer.Option(help="Whose judgments; by default people's, or models' where there are none."),
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="Of mace: the share of units that keep their label.")
    ] = 1.0,
    controls: Annotated[
        Path | None,
        typer.Option(help="Of mace: a CSV file of known labels, with the header item,label."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write a line per unit to this CSV file as well.")
    ] = None,
    seed: SeedOption = 0,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Make one value of several annotators' judgments, as scores to hold metrics against."""
    format_of(out, None, UnitsFormat)
    require_new(out)
    with opened(context) as store:
        study = make_gold(
            store,
            dataset,
            criterion,
            rule=rule,
            weights=None if weights is None else parse_weights(names(weights) or []),
            annotators=annotators,
            threshold=threshold,
            controls=None if controls is None else _controls(controls),
            seed=seed,
            actor=current_actor(),
        )
    if out is not None:
        out.write_text(study.as_csv(), encoding="utf-8")
    if gave_report(study.report, format, as_json):
        return
    answer(
        "gold",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show(console, study),
    )


def _show(console: Console, study: GoldStudy) -> None:
    console.print(study.sentence, markup=False)
    if study.metric is not None:
        sign = study.metric.sign
        rows: list[list[Any]] = sorted(
            (list(row) for row in zip(study.systems, study.means, study.n_items, strict=True)),
            key=lambda row: -sign * row[1],
        )
        for row in rows:
            row[1] = numbers.fixed(row[1], 3)
        console.print(table("", ("system", "=mean", "=items"), rows))


def _controls(path: Path) -> dict[str, str]:
    """Return item to label, as a file with two columns has them."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}.") from error
    if not rows or [name.strip() for name in rows[0]] != ["item", "label"]:
        raise StoreError(f"{path}: the first line must be 'item,label'.")
    known = {}
    for line, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        if len(row) != 2 or not all(cell.strip() for cell in row):
            raise StoreError(f"{path}, line {line}: write an item and its label.")
        known[row[0].strip()] = row[1].strip()
    return known
