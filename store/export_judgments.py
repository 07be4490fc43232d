"""Judgments out of the store, in tables that are read again with ``--format judgments``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import yaml

from store.datasets import get_dataset
from store.engine import Store
from store.error_weights import parted, weight_of
from store.errors import StoreError
from store.importers.wmt.options import MQM_WEIGHTS
from store.judgment_queries import FIRST, SECOND, in_order, living_preferences, living_ratings
from store.judgment_records import CriterionRecord, Weights
from store.judgments import get_criterion, list_criteria
from store.models import Annotator, Criterion, ErrorSpan, Item, Preference, Rating, System
from store.natural_order import natural_key

_SPAN = ("severity", "category", "start", "end", "text", "in_source", "note")


def chosen_criteria(
    store: Store, dataset: str, criteria: Sequence[str] = ()
) -> list[CriterionRecord]:
    """Return the criteria that go into one table: some of a dataset, or all of them.

    Raises
    ------
    NotFoundError
        There is no such dataset or criterion.
    StoreError
        Nothing was judged, or the criteria cannot meet in one table, as ratings and preferences.
    """
    found = [get_criterion(store, dataset, name) for name in dict.fromkeys(criteria)]
    found = found or sorted(list_criteria(store, dataset), key=lambda one: natural_key(one.name))
    if not found:
        raise StoreError(f"Nothing was judged on '{dataset}' yet.")
    tables: dict[str, list[CriterionRecord]] = {}
    weights = next((record.weights for record in found if record.weights is not None), None)
    for record in found:
        tables.setdefault(_table_of(record, weights), []).append(record)
    if len(tables) > 1:
        options = [
            f"{kind}: " + " ".join(f"--criterion '{record.name}'" for record in records)
            for kind, records in tables.items()
        ]
        raise StoreError(
            f"Judgments on '{dataset}' do not fit in one table. Export them one after the other. "
            f"{'; '.join(options)}."
        )
    return found


def _table_of(record: CriterionRecord, weights: Weights | None) -> str:
    """Return with which other criteria one fits in a table that is read again as it was.

    `weights` are those of the first criterion that has some: a table takes one set of them.
    """
    if record.kind == "preference":
        return "preferences"
    if record.level == "ordinal" and record.labels:  # nothing in a table says their order
        return f"ratings as {', '.join(record.labels)}"
    if record.weights not in (None, weights):
        return f"errors as {', '.join(f'{n} {w:g}' for n, w in (record.weights or {}).items())}"
    return "ratings"


def judgment_rows(store: Store, criteria: Sequence[CriterionRecord]) -> Iterator[dict[str, Any]]:
    """Yield one row for each judgment on criteria of one dataset.

    Rows go by criterion, item, system and annotator, whatever order they came in.
    A value that has a name is written as its label. The rating of an output with marked errors is
    their penalty; the errors themselves are in a column of JSON.
    """
    dataset = get_dataset(store, criteria[0].dataset_uid)
    is_compared = criteria[0].kind == "preference"
    with store.read() as connection:
        for record in criteria:
            criterion_id = connection.scalar(
                sa.select(Criterion.id).where(Criterion.uid == record.uid)
            )
            read = _preferences if is_compared else _ratings
            for row in read(connection, criterion_id or 0, record):
                yield {"dataset": dataset.name} | row


def write_scales(criteria: Sequence[CriterionRecord], target: Path) -> Path:
    """Write what the columns of exported judgments cannot say, as `ingest` reads it beside them.

    That is direction and bounds of every criterion, the order of labels, and weights of errors.

    Raises
    ------
    StoreError
        The file exists.
    """
    notes = {
        record.name: {"higher_is_better": record.higher_is_better}
        | {
            name: value
            for name in ("lower", "upper")
            if (value := getattr(record, name)) is not None
        }
        for record in criteria
    }
    options = {}
    for record in criteria:
        if record.level == "ordinal" and record.labels:
            options["labels"] = ",".join(record.labels)
        if record.kind == "preference":
            options["split"] = "no"  # what was set apart has a criterion of its own already
        if record.weights is not None:
            options["weights"] = _told_weights(record.weights)
    said = {"format": "judgments", "metrics": notes, **({"options": options} if options else {})}
    path = target.with_name(f"{target.name.partition('.')[0]}.tiebreak.yaml")
    if path.exists():
        raise StoreError(f"{path} exists already: name another file with --out.")
    path.write_text(yaml.safe_dump(said, allow_unicode=True), encoding="utf-8")
    return path


def _told_weights(weights: Weights) -> str:
    """Return weights as the option says them; what is not named there keeps its usual weight."""
    usual = {name: weight_of(weights, *parted(name)) for name in MQM_WEIGHTS}
    said = {name: weight for name, weight in usual.items() if weight is not None} | dict(weights)
    return ",".join(f"{name}:{weight!r}" for name, weight in said.items())


def _ratings(
    connection: sa.Connection, criterion_id: int, record: CriterionRecord
) -> Iterator[dict[str, Any]]:
    query = (
        living_ratings(
            *(Annotator.name.label("annotator"), Annotator.kind),
            *(Item.position, Item.key, Item.group_key),
            *(System.name.label("system"), Rating.id, Rating.value, Rating.replicate),
            Rating.judged_at,
        )
        .join(Annotator, Annotator.id == Rating.annotator_id)
        .join(Item, Item.id == Rating.item_id)
        .where(Rating.criterion_id == criterion_id)
    )
    errors = _errors(connection, criterion_id) if record.kind == "error-spans" else None
    for row in in_order(connection.execute(query), "position", "system"):
        value = row.value
        if value is not None and record.labels:
            value = record.labels[int(value)]
        yield {
            "annotator": row.annotator,
            "annotator_kind": row.kind,
            "item": row.key,
            **_unless_none(group=row.group_key, system=row.system),
            "criterion": record.name,
            "scale_level": record.level,
            "rating": value,
            "replicate": row.replicate,
            **_unless_none(judged_at=row.judged_at and row.judged_at.isoformat()),
            **({} if errors is None else {"errors": errors.get(row.id, "[]")}),
        }


def _errors(connection: sa.Connection, criterion_id: int) -> dict[int, str]:
    """Return rating -> its marked errors as JSON."""
    query = (
        sa.select(ErrorSpan.rating_id, *(getattr(ErrorSpan, name) for name in _SPAN))
        .join(Rating, Rating.id == ErrorSpan.rating_id)
        .where(Rating.criterion_id == criterion_id)
        .order_by(ErrorSpan.id)
    )
    found: dict[int, list[dict[str, Any]]] = {}
    for rating_id, *told in connection.execute(query):
        found.setdefault(rating_id, []).append(dict(zip(_SPAN, told, strict=True)))
    return {id_: json.dumps(spans, ensure_ascii=False) for id_, spans in found.items()}


def _preferences(
    connection: sa.Connection, criterion_id: int, record: CriterionRecord
) -> Iterator[dict[str, Any]]:
    query = (
        living_preferences(
            *(Annotator.name.label("annotator"), Annotator.kind),
            *(Item.position, Item.key, Item.group_key),
            *(FIRST.name.label("first"), SECOND.name.label("second"), Preference.choice),
            *(Preference.strength, Preference.order_known, Preference.first_length),
            *(Preference.second_length, Preference.replicate, Preference.judged_at),
        )
        .join(Annotator, Annotator.id == Preference.annotator_id)
        .join(Item, Item.id == Preference.item_id)
        .where(Preference.criterion_id == criterion_id)
    )
    for row in in_order(connection.execute(query), "position", "first", "second"):
        yield {
            "annotator": row.annotator,
            "annotator_kind": row.kind,
            "item": row.key,
            **_unless_none(group=row.group_key),
            "first": row.first,
            "second": row.second,
            "criterion": record.name,
            "choice": row.choice,
            **_unless_none(strength=row.strength),
            "order_known": row.order_known,
            **_unless_none(first_length=row.first_length, second_length=row.second_length),
            "replicate": row.replicate,
            **_unless_none(judged_at=row.judged_at and row.judged_at.isoformat()),
        }


def _unless_none(**cells: Any) -> dict[str, Any]:
    """Return the cells that say something: a column that none fills is left out."""
    return {name: value for name, value in cells.items() if value is not None}
