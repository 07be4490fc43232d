"""`tiebreak gold`: one value per item and system from several annotators."""

from __future__ import annotations

import csv
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.commands.asking import as_values, parameter, told, with_options
from analysis.commands.options import FormatOption, ReportStyle, require_new
from analysis.setting import build
from analysis.studies.humans.gold.study import Gold
from store.commands.file_format import RawOption
from store.console import JsonOption, current_actor, exits_in_words, opened
from store.errors import StoreError
from store.export import format_of
from store.shown import unguarded

app = typer.Typer()

CONTROLS = Annotated[
    Path | None,
    typer.Option(help="Of mace: a CSV file of known labels, with the header item,label."),
]
OUT = Annotated[Path | None, typer.Option(help="Write a line per unit to this CSV file as well.")]


class UnitsFormat(StrEnum):
    """What units and their values are written as."""

    csv = "csv"


def _gold(context: typer.Context, **given: Any) -> None:
    """Make one value of several annotators' judgments, as scores to hold metrics against."""
    controls, out = given["controls"], given["out"]
    format_of(out, None, UnitsFormat)
    require_new(out)
    asked = replace(
        build(Gold, as_values(Gold, given)),
        controls=None if controls is None else _controls(controls),
        actor=current_actor(),
    )
    with opened(context) as store:
        study = asked.answer(store)
    if out is not None:
        out.write_text(study.as_csv(raw=given["raw"]), encoding="utf-8")
    told(asked, study, given["format"], as_json=given["as_json"])


def _controls(path: Path) -> dict[str, str]:
    """Return item to label, as a file with two columns has them."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [list(map(unguarded, row)) for row in csv.reader(file)]
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


app.command("gold")(
    exits_in_words(
        with_options(
            _gold,
            Gold,
            [
                parameter("controls", CONTROLS, None),
                parameter("out", OUT, None),
                parameter("raw", RawOption, False),
                parameter("format", FormatOption, ReportStyle.table),
                parameter("as_json", JsonOption, False),
            ],
        )
    )
)
