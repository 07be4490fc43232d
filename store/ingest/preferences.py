"""Preferences of a bundle: added, recognised as unchanged, or replaced."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, cast

import sqlalchemy as sa

from store.engine import Change, insert_columns
from store.errors import ConflictError, describe_place
from store.importers.bundle import BundlePreference
from store.ingest.ratings import Judged, Outcome
from store.ingest.reconcile import Policy, reconcile
from store.models import Preference

_Key = tuple[int, int, int, int, int]
"""Annotator, item, the two systems by id, replicate."""
_MOST_NAMED = 200
"""Annotators or systems that are named in a query; of more, all rows are read."""
_TURNED = {"first": "second", "second": "first", "tie": "tie"}
_DECIDES = ("choice", "strength", "order", "first_length", "second_length")
_CONTENT = (
    *("first_id", "second_id", "choice", "strength", "order_known"),
    *("first_length", "second_length", "judged_at"),
)


def put_preferences(
    change: Change, judged: Judged, preferences: Sequence[BundlePreference], *, replace: bool
) -> Outcome:
    """Write the preferences on one criterion; a pair in either order is the same judgment.

    Raises
    ------
    ConflictError
        The store holds another choice, strength or order and `replace` is False.
    ImportFormatError
        A system is compared with itself, a strength is no probability, or a comparison is there
        twice.
    """
    known = _stored(change, judged, preferences)
    outcome = Outcome()
    new: dict[_Key, dict[str, Any]] = {}
    seen: set[_Key] = set()
    for preference in preferences:
        content = _content(judged, preference)
        pair = sorted((content["first_id"], content["second_id"]))
        key = (
            judged.annotators[preference.annotator],
            judged.items[preference.item],
            *(pair[0], pair[1]),
            preference.replicate,
        )
        if key in seen:
            raise judged.complaint(
                f"{_described(judged, preference)} is there twice. Number the repeats as "
                "replicates.",
                preference,
            )
        seen.add(key)
        row = known.get(key)
        if row is None:
            new[key] = content
            continue
        met = reconcile(
            _comparable(row, row["first_id"]),
            _comparable(content, row["first_id"]),
            _DECIDES,
            Policy(partial(_conflict, judged, preference), replace, _is_same),
        )
        if met.what == "unchanged":
            outcome.unchanged += 1
            outcome.n_details += len(met.missing)
            if met.missing:
                _fill_in(change, row, met.missing)
        else:
            outcome.replaced.append(_replaced(judged, preference, row, content))
            values = {name: value for name, value in content.items() if value is not None}
            change.session.execute(
                sa.update(Preference)
                .where(Preference.id == row["id"])
                .values(**values, ingest_id=judged.ingest_id)
            )
    outcome.added = len(new)
    _insert(change, judged, new)
    return outcome


def _content(judged: Judged, preference: BundlePreference) -> dict[str, Any]:
    first, second = judged.systems[preference.first], judged.systems[preference.second]
    if first == second:
        raise judged.complaint(
            f"{_described(judged, preference)} compares a system with itself.", preference
        )
    strength = preference.strength
    if strength is not None and not 0 <= strength <= 1:
        raise judged.complaint(
            f"{_described(judged, preference)} has the strength {strength:g}; it is the "
            "probability that the second is better, from 0 to 1.",
            preference,
        )
    values = (
        *(first, second, preference.choice, strength, preference.order_known),
        *(preference.first_length, preference.second_length, preference.judged_at),
    )
    return dict(zip(_CONTENT, values, strict=True))


def _stored(
    change: Change, judged: Judged, preferences: Sequence[BundlePreference]
) -> dict[_Key, dict[str, Any]]:
    """Return what the store holds of the annotators and systems of these preferences."""
    columns = ("id", "annotator_id", "item_id", "replicate", *_CONTENT)
    query = sa.select(*(getattr(Preference, name) for name in columns)).where(
        Preference.criterion_id == judged.criterion.row.id
    )
    annotators = {judged.annotators[one.annotator] for one in preferences}
    systems = {judged.systems[name] for one in preferences for name in (one.first, one.second)}
    if len(annotators) <= _MOST_NAMED:
        query = query.where(Preference.annotator_id.in_(annotators))
    if len(systems) <= _MOST_NAMED:
        query = query.where(Preference.first_id.in_(systems), Preference.second_id.in_(systems))
    rows = change.session.connection().execute(query)
    known: dict[_Key, dict[str, Any]] = {}
    for row in rows:
        low, high = sorted((row.first_id, row.second_id))
        key = (row.annotator_id, row.item_id, low, high, row.replicate)
        known[key] = dict(row._mapping)
    return known


def _oriented(content: dict[str, Any], first_id: int) -> dict[str, Any]:
    """Return the same judgment with that system first."""
    if content["first_id"] == first_id:
        return content
    strength = content["strength"]
    return content | {
        "first_id": content["second_id"],
        "second_id": content["first_id"],
        "choice": _TURNED[content["choice"]],
        "strength": None if strength is None else 1 - strength,
        "first_length": content["second_length"],
        "second_length": content["first_length"],
    }


def _comparable(content: Mapping[str, Any], first_id: int) -> dict[str, Any]:
    """Return what a preference says, with that system first; who was shown first, if known."""
    turned = _oriented(dict(content), first_id)
    said = {name: turned[name] for name in (*_DECIDES, "judged_at") if name != "order"}
    return said | {"order": content["first_id"] if content["order_known"] else None}


def _is_same(known: Any, stated: Any) -> bool:
    if isinstance(known, float):
        return math.isclose(known, stated, rel_tol=0, abs_tol=1e-12)
    return bool(known == stated)


def _fill_in(change: Change, row: dict[str, Any], missing: Mapping[str, Any]) -> None:
    """Add what the store does not know of a preference."""
    known = row | {name: value for name, value in missing.items() if name != "order"}
    if "order" in missing:
        known = _oriented(known, missing["order"]) | {"order_known": True}
    values = {name: known[name] for name in _CONTENT}
    change.session.execute(sa.update(Preference).where(Preference.id == row["id"]).values(**values))


def _described(judged: Judged, preference: BundlePreference) -> str:
    again = f", replicate {preference.replicate}" if preference.replicate else ""
    return (
        f"the comparison of '{preference.first}' with '{preference.second}' by "
        f"'{preference.annotator}' on item '{judged.item_keys[preference.item]}'{again}"
    )


def _conflict(judged: Judged, preference: BundlePreference, name: str, *_: Any) -> ConflictError:
    different = "length of an output" if name.endswith("length") else name
    return ConflictError(
        f"{describe_place(judged.path, preference.line, None)}"
        f"The store holds {_described(judged, preference)} of dataset '{judged.dataset}' for "
        f"'{judged.criterion.row.name}' with another {different}. Nothing was written. If the "
        "file is right, repeat with --replace (the old one stays in the audit trail); if these "
        "are further comparisons, number them as replicates."
    )


def _replaced(
    judged: Judged, preference: BundlePreference, row: dict[str, Any], content: dict[str, Any]
) -> dict[str, Any]:
    old, new = _oriented(row, content["first_id"]), content
    told = {
        "annotator": preference.annotator,
        "item": judged.item_keys[preference.item],
        "first": preference.first,
        "second": preference.second,
        "replicate": preference.replicate,
    }
    for name in ("choice", "strength"):
        told |= {f"old_{name}": old[name], f"new_{name}": new[name]}
    return told


def _insert(change: Change, judged: Judged, new: dict[_Key, dict[str, Any]]) -> None:
    if not new:
        return
    columns: dict[str, Iterable[Any]] = {
        "criterion_id": repeat(judged.criterion.row.id),
        "annotator_id": [key[0] for key in new],
        "item_id": [key[1] for key in new],
        "replicate": [key[-1] for key in new],
        "ingest_id": repeat(judged.ingest_id),
    }
    columns |= {name: [content[name] for content in new.values()] for name in _CONTENT}
    insert_columns(change.session.connection(), cast(sa.Table, Preference.__table__), columns)
