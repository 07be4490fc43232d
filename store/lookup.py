"""From what a person types to a row: by uid, by name, by alias; with suggestions."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal, NamedTuple

import sqlalchemy as sa

from store.errors import NotFoundError
from store.models import AuditEvent, Criterion, Dataset, Metric, Run, System, SystemAlias
from store.spelling import composed

Kind = Literal["system", "dataset", "run"]

_FOLDS = (str, composed, lambda name: composed(name).casefold())
"""What two names may differ in, least first: in nothing, in how accents are written, in case."""

TABLES: dict[Kind, type[System | Dataset | Run]] = {
    "system": System,
    "dataset": Dataset,
    "run": Run,
}

# Built once: to put a query together takes longer than to run it.
_BY_UID = {
    kind: sa.select(table.id, table.deleted_at).where(table.uid == sa.bindparam("uid"))
    for kind, table in TABLES.items()
}
_BY_UIDS = {
    kind: sa.select(table.id, table.uid, table.deleted_at).where(
        table.uid.in_(sa.bindparam("uids", expanding=True))
    )
    for kind, table in TABLES.items()
}
_SYSTEM_NAMES = sa.select(System.name, System.id).where(System.deleted_at.is_(None))
_ALIASES = (
    sa.select(SystemAlias.alias, SystemAlias.system_id, System.name)
    .join(System, System.id == SystemAlias.system_id)
    .where(System.deleted_at.is_(None))
)
_DATASET_NAMES = sa.select(Dataset.id, Dataset.name, Dataset.version).where(
    Dataset.deleted_at.is_(None)
)
_CRITERIA = (
    sa.select(Criterion.id, Criterion.uid, Criterion.name)
    .where(Criterion.dataset_id == sa.bindparam("dataset_id"))
    .order_by(Criterion.id)
)
_MERGES = sa.select(AuditEvent.target_uid, AuditEvent.detail).where(AuditEvent.action == "merge")
_METRIC_BY_UID = sa.select(Metric.id).where(Metric.uid == sa.bindparam("uid"))
_METRIC_NAMES = sa.select(Metric.id, Metric.name, Metric.signature)


class Name(NamedTuple):
    """One way to call a system or dataset."""

    typed: str
    id: int
    label: str
    """What tells it from others that can be called the same."""


def find_id(connection: sa.Connection, kind: Kind, given: str, *, deleted: bool = False) -> int:
    """Return the id of the system, dataset or run that `given` means.

    Parameters
    ----------
    connection
        An open connection.
    kind
        What to look for.
    given
        A uid; for systems a name or alias, for datasets a name or ``name@version``. The case of
        letters is ignored where that leaves no doubt. What was renamed or merged is found by its
        old name or uid too, unless something else is called so now.
    deleted
        Look among the deleted ones too (by uid only: their names may be used again).

    Raises
    ------
    NotFoundError
        Nothing fits; the message lists the nearest names.
    """
    found = connection.execute(_BY_UID[kind], {"uid": given}).one_or_none()
    if found is not None and (deleted or found.deleted_at is None):
        return int(found.id)
    by_name = None if kind == "run" else _by_name(connection, kind, given)
    if by_name is not None:
        return by_name
    successor = _merged_into(connection, kind, given) if found is not None else None
    if kind == "dataset" and found is None:
        successor = _renamed_dataset(connection, given)
        name, _, version = given.partition("@")
        for asked in ((given, ""), (name, version), _parted(given)):
            successor = successor or merged_dataset(connection, *asked)
    if successor is not None:
        return successor
    raise NotFoundError(_not_found(connection, kind, given, deleted=deleted))


def find_ids(connection: sa.Connection, kind: Kind, given: Sequence[str]) -> list[int]:
    """Return the ids that several names mean, in their order: see `find_id`."""
    rows = connection.execute(_BY_UIDS[kind], {"uids": list(given)})
    known = {row.uid: int(row.id) for row in rows if row.deleted_at is None}
    return [known[one] if one in known else find_id(connection, kind, one) for one in given]


def find_metric_id(connection: sa.Connection, given: str) -> int:
    """Return the id of the metric with that uid, name or label (``name [signature]``)."""
    found = connection.scalar(_METRIC_BY_UID, {"uid": given})
    if found is not None:
        return found
    rows = connection.execute(_METRIC_NAMES).all()
    exact = [r for r in rows if given == f"{r.name} [{r.signature}]"]
    exact = exact or [r for r in rows if composed(f"{r.name} [{r.signature}]") == composed(given)]
    same = ([r for r in rows if fold(r.name) == fold(given)] for fold in _FOLDS)
    named = next(filter(None, same), [])
    bare = [r for r in named if not r.signature]
    for candidates in (exact, bare, named):
        if len(candidates) == 1:
            return int(candidates[0].id)
    if named:
        labels = ", ".join(f"'{r.name} [{r.signature}]'" for r in named)
        raise NotFoundError(f"Several metrics are called '{given}': {labels}. Say which one.")
    raise NotFoundError(_suggest("metric", given, [r.name for r in rows]))


def find_criterion_id(connection: sa.Connection, dataset_id: int, given: str) -> int:
    """Return the id of the criterion of a dataset with that uid or name, letter for letter.

    Raises
    ------
    NotFoundError
        There is none; the message lists the nearest names.
    """
    rows = connection.execute(_CRITERIA, {"dataset_id": dataset_id}).all()
    for fold in (str, composed):
        for row in rows:
            if given == row.uid or fold(given) == fold(row.name):
                return int(row.id)
    dataset = connection.scalar(sa.select(Dataset.name).where(Dataset.id == dataset_id))
    if not rows:
        raise NotFoundError(
            f"There is no criterion '{given}': nothing was judged on '{dataset}' yet."
        )
    raise NotFoundError(
        _suggest("criterion", given, [row.name for row in rows], f" on '{dataset}'", "criteria")
    )


def _by_name(connection: sa.Connection, kind: Kind, given: str) -> int | None:
    names = names_of(connection, kind)
    for fold in _FOLDS:
        wanted = fold(given)
        for equals in names:
            meant = {n.id: n.label for n in equals if fold(n.typed) == wanted}
            if len(meant) == 1:
                return next(iter(meant))
            if meant:
                labels = ", ".join(sorted(meant.values()))
                raise NotFoundError(
                    f"'{given}' may be one of several {kind}s: {labels}. Say which one."
                )
    return None


def merged_dataset(connection: sa.Connection, name: str, version: str) -> int | None:
    """Return the id of the living dataset that one of this name was merged into last."""
    query = _MERGES.where(AuditEvent.target_kind == "dataset").order_by(AuditEvent.id.desc())
    for _, told in connection.execute(query):
        if composed(told["name"]) == composed(name) and version in ("", told["version"]):
            row = connection.execute(_BY_UID["dataset"], {"uid": told["merged"]}).one_or_none()
            if row is not None and row.deleted_at is None:
                return None  # it is a dataset of its own again
            return _merged_into(connection, "dataset", told["merged"])
    return None


def _parted(label: str) -> tuple[str, str]:
    """Return name and version of a dataset as pages write it: ``name (version)``."""
    name, _, version = label.rpartition(" (")
    return (name, version[:-1]) if name and version.endswith(")") else (label, "")


def _merged_into(connection: sa.Connection, kind: Kind, uid: str) -> int | None:
    """Return the id of what a system or dataset was merged into, by one or more steps."""
    merges = connection.execute(_MERGES.order_by(AuditEvent.id))
    into = {told["merged"]: kept for kept, told in merges}
    for _ in into:  # as many steps as there are merges, at most
        uid = into.get(uid, "")
        row = connection.execute(_BY_UID[kind], {"uid": uid}).one_or_none()
        if row is None or row.deleted_at is None:
            return None if row is None else int(row.id)
    return None


def _renamed_dataset(connection: sa.Connection, given: str) -> int | None:
    """Return the id of the living dataset that was called so last."""
    name, _, version = given.partition("@")
    query = (
        sa.select(Dataset.id, Dataset.uid, Dataset.deleted_at, Dataset.version, AuditEvent.detail)
        .join(Dataset, Dataset.uid == AuditEvent.target_uid)
        .where(AuditEvent.action == "rename", AuditEvent.target_kind == "dataset")
        .order_by(AuditEvent.id.desc())
    )
    for id_, uid, deleted_at, its_version, told in connection.execute(query).all():
        if composed(told["before"]) == composed(name) and version in ("", its_version):
            found = id_ if deleted_at is None else _merged_into(connection, "dataset", uid)
            if found is not None:
                return int(found)
    return None


def label_of(connection: sa.Connection, kind: Kind, given: str) -> str | None:
    """Return what a system or dataset is called now; None: there is no such one."""
    try:
        found = find_id(connection, kind, given)
    except NotFoundError:
        return None
    first, _ = names_of(connection, kind)
    return next(name.label for name in first if name.id == found)


def names_of(connection: sa.Connection, kind: Kind) -> tuple[list[Name], list[Name]]:
    """Return how the living systems or datasets can be called; the first list has precedence.

    A name goes before an alias, a dataset without a version before those that need theirs.
    """
    if kind == "system":
        names = [Name(name, id_, name) for name, id_ in connection.execute(_SYSTEM_NAMES)]
        return names, [Name(*row) for row in connection.execute(_ALIASES)]
    full, short = [], []
    for id_, name, version in connection.execute(_DATASET_NAMES):
        label = f"{name}@{version}" if version else name
        full.append(Name(label, id_, label))
        if version:
            full.append(Name(f"{name} ({version})", id_, label))  # as the pages write it
            short.append(Name(name, id_, label))
    return full, short


def _not_found(connection: sa.Connection, kind: Kind, given: str, *, deleted: bool) -> str:
    gone = connection.execute(_BY_UID[kind], {"uid": given}).one_or_none()
    if gone is not None:
        return (
            f"The {kind} '{given}' was deleted on {gone.deleted_at:%Y-%m-%d}. "
            f"`tiebreak restore {kind} {given}` brings it back."
        )
    if deleted:
        listing = f"`tiebreak ls {kind}s --deleted` lists them"
        return f"There is no deleted {kind} with the uid '{given}'; {listing}."
    if kind == "run":
        return f"There is no run '{given}'. `tiebreak ls runs` lists them."
    first, second = names_of(connection, kind)
    return _suggest(kind, given, [name.typed for name in first + second])


def _suggest(
    kind: str, given: str, names: list[str], where: str = " in the store", plural: str = ""
) -> str:
    listing = f" `tiebreak ls {plural or kind + 's'}` lists them."
    return f"There is no {kind} '{composed(given)}'{where}.{did_you_mean(given, names)}{listing}"


def did_you_mean(given: str, names: Sequence[str]) -> str:
    """Return " Did you mean 'x'?" with up to three names that are like one; empty without any."""
    given = composed(given)
    folded = {composed(name).casefold(): name for name in names}
    near = [folded[n] for n in difflib.get_close_matches(given.casefold(), folded, 3, 0.5)]
    contained = [name for name in names if given.casefold() in name.casefold()][:3]
    suggestions = list(dict.fromkeys(near + contained))[:3]
    return f" Did you mean {' or '.join(repr(s) for s in suggestions)}?" if suggestions else ""
