"""Ratings of a bundle: added, recognised as unchanged, or replaced."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple, cast

import sqlalchemy as sa

from store.engine import Change, insert_columns
from store.error_weights import no_weight, weight_of
from store.errors import ConflictError, ImportFormatError, describe_place
from store.importers.bundle import BundleErrorSpan, BundlePreference, BundleRating
from store.importers.cells import LARGEST
from store.ingest.criteria import ResolvedCriterion
from store.ingest.reconcile import Policy, reconcile
from store.ingest.report import IngestReport
from store.models import ErrorSpan, Rating

_Key = tuple[int, int, int | None, int]
"""Annotator, item, system, replicate."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the names in the judgments on one criterion stand for in the store."""

    criterion: ResolvedCriterion
    annotators: dict[str, int]
    systems: dict[str, int]
    items: Sequence[int]
    """Of each item of the bundle's dataset."""
    item_keys: Sequence[str]
    dataset: str
    path: str
    ingest_id: int

    def complaint(self, reason: str, of: BundleRating | BundlePreference) -> ImportFormatError:
        """Return the error that says what is wrong with a judgment on this criterion."""
        name = self.criterion.row.name
        return ImportFormatError(reason, path=self.path, line=of.line, field=name)


@dataclass(slots=True)
class Outcome:
    """What became of the judgments on one criterion."""

    added: int = 0
    unchanged: int = 0
    replaced: list[dict[str, Any]] = field(default_factory=list)
    """Each with what it was, for the audit trail."""
    n_details: int = 0

    @property
    def changed(self) -> bool:
        """Whether what the judgments amount to may have changed."""
        return bool(self.added or self.replaced)

    def tell(self, report: IngestReport) -> None:
        """Add the numbers to a report."""
        report.add("judgment", "added", self.added)
        report.add("judgment", "unchanged", self.unchanged)
        report.add("judgment", "replaced", len(self.replaced))
        report.add("detail", "filled in", self.n_details)


class _Known(NamedTuple):
    id: int
    value: float | None
    has_time: bool


def put_ratings(
    change: Change, judged: Judged, ratings: Sequence[BundleRating], *, replace: bool
) -> Outcome:
    """Write the ratings on one criterion.

    Raises
    ------
    ConflictError
        The store holds another value and `replace` is False.
    ImportFormatError
        A value does not fit the scale, no weight fits an error, or an annotator rates twice.
    """
    criterion_id = judged.criterion.row.id
    known, spans = _stored(change, criterion_id)
    outcome = Outcome()
    value_of = _Valuer(judged)
    new: dict[_Key, tuple[BundleRating, float | None]] = {}
    seen: set[_Key] = set()
    for rating in ratings:
        system_id = None if rating.system is None else judged.systems[rating.system]
        place = judged.items[rating.item]
        key = (judged.annotators[rating.annotator], place, system_id, rating.replicate)
        if key in seen:
            raise judged.complaint(
                f"{_described(judged, rating)} is there twice. Number the repeats as replicates.",
                rating,
            )
        seen.add(key)
        value = value_of(rating)
        row = known.get(key)
        if row is None:
            new[key] = (rating, value)
            continue
        before = {
            "judgment": (row.value, spans.get(row.id, [])),
            "judged_at": row.has_time or None,
        }
        stated = {"judgment": (value, _told(rating.spans)), "judged_at": rating.judged_at}
        text = partial(_conflict, judged, rating, row, value)
        met = reconcile(before, stated, ("judgment",), Policy(text, replace))
        if met.what == "replaced":
            outcome.replaced.append(_replaced(judged, rating, row, value, spans))
            _replace(change, judged, row, rating, value)
            continue
        outcome.unchanged += 1
        if met.missing:
            times = sa.update(Rating).where(Rating.id == row.id)
            change.session.execute(times.values(judged_at=rating.judged_at))
            outcome.n_details += 1
    outcome.added = len(new)
    _insert(change, judged, new)
    return outcome


class _Valuer:
    """Gives the value that is stored for a rating; knows each kind of error after the first."""

    def __init__(self, judged: Judged) -> None:
        self._judged = judged
        row = judged.criterion.row
        self._weights = row.weights or {}
        self._is_penalty = row.kind == "error-spans"
        self._labels = judged.criterion.labels
        self._is_nominal = row.level == "nominal"
        self._lower = -math.inf if row.lower is None else row.lower
        self._upper = math.inf if row.upper is None else row.upper
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, rating: BundleRating) -> float | None:
        """Return the value; ``None`` where the annotator gave none."""
        if self._is_penalty:
            return math.fsum(self._weight(rating, span) for span in rating.spans)
        if math.isnan(rating.value):
            return None
        if self._is_nominal:
            return self._label(rating)
        if abs(rating.value) > LARGEST:
            raise self._judged.complaint(
                f"{_described(self._judged, rating)} is {rating.value:g}; a rating is at most "
                f"{LARGEST:g} in size.",
                rating,
            )
        if not self._lower <= rating.value <= self._upper:
            raise self._judged.complaint(
                f"{_described(self._judged, rating)} is {rating.value:g}, but the scale goes from "
                f"{self._lower:g} to {self._upper:g}.",
                rating,
            )
        return float(rating.value)

    def _label(self, rating: BundleRating) -> float:
        number = int(rating.value)
        if number != rating.value or not 0 <= number < len(self._labels):
            raise self._judged.complaint(
                f"{_described(self._judged, rating)} is {rating.value:g}, but there are labels "
                f"for 0 to {len(self._labels) - 1} only.",
                rating,
            )
        return float(self._labels[number])

    def _weight(self, rating: BundleRating, span: BundleErrorSpan) -> float:
        kind = (span.severity, span.category)
        if kind not in self._known:
            weight = weight_of(self._weights, *kind)
            if weight is None:
                raise self._judged.complaint(
                    f"{_described(self._judged, rating)}: {no_weight(self._weights, *kind)} Give "
                    "it one with --option weights, or with `tiebreak weights` where the store has "
                    "the criterion.",
                    rating,
                )
            self._known[kind] = weight
        return self._known[kind]


def _stored(
    change: Change, criterion_id: int
) -> tuple[dict[_Key, _Known], dict[int, list[tuple[Any, ...]]]]:
    """Return the ratings on a criterion, and what was marked in each."""
    connection = change.session.connection()
    rows = connection.execute(
        sa.select(
            *(Rating.annotator_id, Rating.item_id, Rating.system_id, Rating.replicate),
            *(Rating.id, Rating.value, Rating.judged_at.is_not(None)),
        ).where(Rating.criterion_id == criterion_id)
    )
    known = {
        (by, item, of, k): _Known(id_, value, has_time)
        for by, item, of, k, id_, value, has_time in rows
    }
    spans: dict[int, list[tuple[Any, ...]]] = {}
    if known:
        query = (
            sa.select(ErrorSpan.rating_id, *(getattr(ErrorSpan, name) for name in _SPAN))
            .join(Rating, Rating.id == ErrorSpan.rating_id)
            .where(Rating.criterion_id == criterion_id)
            .order_by(ErrorSpan.id)
        )
        for rating_id, *told in connection.execute(query):
            spans.setdefault(rating_id, []).append(tuple(told))
    return known, spans


_SPAN = ("severity", "category", "start", "end", "text", "in_source", "note")


def _told(spans: Iterable[BundleErrorSpan]) -> list[tuple[Any, ...]]:
    return [tuple(getattr(span, name) for name in _SPAN) for span in spans]


def _described(judged: Judged, rating: BundleRating) -> str:
    of = f" of '{rating.system}'" if rating.system is not None else ""
    again = f", replicate {rating.replicate}" if rating.replicate else ""
    return (
        f"the rating{of} by '{rating.annotator}' on item '{judged.item_keys[rating.item]}'{again}"
    )


def _conflict(
    judged: Judged, rating: BundleRating, row: _Known, value: float | None, *_: Any
) -> ConflictError:
    if row.value == value:
        what = "with other marked errors"
    else:
        old, new = (_as_text(number, judged) for number in (row.value, value))
        what = f"as {old}, the file says {new}"
    return ConflictError(
        f"{describe_place(judged.path, rating.line, None)}"
        f"The store holds {_described(judged, rating)} of dataset '{judged.dataset}' for "
        f"'{judged.criterion.row.name}' {what}. Nothing was written. If the file is right, repeat "
        "with --replace (the old value stays in the audit trail); if these are further ratings, "
        "number them as replicates."
    )


def _as_text(value: float | None, judged: Judged) -> str:
    if value is None:
        return "no value"
    if judged.criterion.row.level == "nominal":
        return f"'{judged.criterion.row.labels[int(value)]}'"
    return f"{value:g}"


def _replaced(
    judged: Judged,
    rating: BundleRating,
    row: _Known,
    value: float | None,
    spans: dict[int, list[tuple[Any, ...]]],
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "annotator": rating.annotator,
        "item": judged.item_keys[rating.item],
        "system": rating.system,
        "replicate": rating.replicate,
        "old": row.value,
        "new": value,
    }
    if row.id in spans or rating.spans:
        told["old_errors"] = [list(span) for span in spans.get(row.id, [])]
    return told


def _replace(
    change: Change, judged: Judged, row: _Known, rating: BundleRating, value: float | None
) -> None:
    session = change.session
    content: dict[str, Any] = {"value": value, "ingest_id": judged.ingest_id}
    if rating.judged_at is not None:
        content["judged_at"] = rating.judged_at
    session.execute(sa.update(Rating).where(Rating.id == row.id).values(**content))
    session.execute(sa.delete(ErrorSpan).where(ErrorSpan.rating_id == row.id))
    _insert_spans(change, [(row.id, rating)])


def _insert(
    change: Change, judged: Judged, new: dict[_Key, tuple[BundleRating, float | None]]
) -> None:
    if not new:
        return
    connection = change.session.connection()
    annotators, items, systems, replicates = zip(*new, strict=True)
    columns: dict[str, Iterable[Any]] = {
        "criterion_id": repeat(judged.criterion.row.id),
        "annotator_id": annotators,
        "item_id": items,
        "system_id": systems,
        "replicate": replicates,
        "value": [value for _, value in new.values()],
        "ingest_id": repeat(judged.ingest_id),
    }
    if any(rating.judged_at is not None for rating, _ in new.values()):
        columns["judged_at"] = [rating.judged_at for rating, _ in new.values()]
    insert_columns(connection, cast(sa.Table, Rating.__table__), columns)
    if not any(rating.spans for rating, _ in new.values()):
        return
    rows = connection.execute(
        sa.select(
            *(Rating.annotator_id, Rating.item_id, Rating.system_id, Rating.replicate, Rating.id)
        ).where(
            Rating.criterion_id == judged.criterion.row.id, Rating.ingest_id == judged.ingest_id
        )
    )
    ids: dict[_Key, int] = {(by, item, of, k): id_ for by, item, of, k, id_ in rows}
    _insert_spans(change, [(ids[key], rating) for key, (rating, _) in new.items()])


def _insert_spans(change: Change, marked: Sequence[tuple[int, BundleRating]]) -> None:
    spans = [(id_, span) for id_, rating in marked for span in rating.spans]
    columns: dict[str, Iterable[Any]] = {"rating_id": [id_ for id_, _ in spans]}
    columns |= {name: [getattr(span, name) for _, span in spans] for name in _SPAN}
    insert_columns(change.session.connection(), cast(sa.Table, ErrorSpan.__table__), columns)
