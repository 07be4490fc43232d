"""From what a person types to a row: by uid, by name, by alias; with suggestions."""

from __future__ import annotations

import difflib
from typing import Literal

import sqlalchemy as sa

from store.errors import NotFoundError
from store.models import Dataset, Metric, Run, System, SystemAlias

Kind = Literal["system", "dataset", "run"]

TABLES: dict[Kind, type[System | Dataset | Run]] = {
    "system": System,
    "dataset": Dataset,
    "run": Run,
}


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
        letters is ignored where that leaves no doubt.
    deleted
        Look among the deleted ones too (by uid only: their names may be used again).

    Raises
    ------
    NotFoundError
        Nothing fits; the message lists the nearest names.
    """
    table = TABLES[kind]
    by_uid = sa.select(table.id).where(table.uid == given)
    if not deleted:
        by_uid = by_uid.where(table.deleted_at.is_(None))
    found = connection.scalar(by_uid)
    if found is None and kind != "run":
        found = _by_name(connection, kind, given)
    if found is not None:
        return int(found)
    raise NotFoundError(_not_found(connection, kind, given))


def find_metric_id(connection: sa.Connection, given: str) -> int:
    """Return the id of the metric with that uid, name or label (``name [signature]``)."""
    rows = connection.execute(sa.select(Metric.id, Metric.uid, Metric.name, Metric.signature)).all()
    exact = [r for r in rows if given in (r.uid, f"{r.name} [{r.signature}]")]
    named = [r for r in rows if r.name == given]
    bare = [r for r in named if not r.signature]
    for candidates in (exact, bare, named):
        if len(candidates) == 1:
            return int(candidates[0].id)
    if named:
        signatures = ", ".join(f"'{r.name} [{r.signature}]'" for r in named)
        raise NotFoundError(f"Several metrics are called '{given}': {signatures}. Say which one.")
    raise NotFoundError(_suggest("metric", given, [r.name for r in rows]))


def _by_name(connection: sa.Connection, kind: Kind, given: str) -> int | None:
    names = _names(connection, kind)
    for key in (lambda text: text, str.casefold):
        ids = {id_ for name, id_ in names if key(name) == key(given)}
        if len(ids) == 1:
            return ids.pop()
        if ids:
            wanted = sorted({name for name, id_ in names if id_ in ids})
            raise NotFoundError(
                f"'{given}' may be one of several {kind}s: {', '.join(wanted)}. Say which one."
            )
    return None


def _names(connection: sa.Connection, kind: Kind) -> list[tuple[str, int]]:
    """Return (name, id) for every name by which a living system or dataset can be called."""
    if kind == "system":
        living = System.deleted_at.is_(None)
        names = connection.execute(sa.select(System.name, System.id).where(living)).tuples().all()
        aliases = (
            connection.execute(
                sa.select(SystemAlias.alias, SystemAlias.system_id)
                .join(System, System.id == SystemAlias.system_id)
                .where(living)
            )
            .tuples()
            .all()
        )
        return [*names, *aliases]
    rows = connection.execute(
        sa.select(Dataset.name, Dataset.version, Dataset.id).where(Dataset.deleted_at.is_(None))
    ).all()
    full = [(f"{r.name}@{r.version}", r.id) for r in rows if r.version]
    return [(r.name, r.id) for r in rows] + full


def _not_found(connection: sa.Connection, kind: Kind, given: str) -> str:
    table = TABLES[kind]
    gone = connection.scalar(sa.select(table.deleted_at).where(table.uid == given))
    if gone is not None:
        return (
            f"The {kind} '{given}' was deleted on {gone:%Y-%m-%d}. "
            f"`tiebreak restore {kind} {given}` brings it back."
        )
    if kind == "run":
        return f"There is no run '{given}'. `tiebreak ls runs` lists them."
    return _suggest(kind, given, [name for name, _ in _names(connection, kind)])


def _suggest(kind: str, given: str, names: list[str]) -> str:
    folded = {name.casefold(): name for name in names}
    near = [folded[n] for n in difflib.get_close_matches(given.casefold(), folded, 3, 0.5)]
    contained = [name for name in names if given.casefold() in name.casefold()][:3]
    suggestions = list(dict.fromkeys(near + contained))[:3]
    hint = f" Did you mean {' or '.join(repr(s) for s in suggestions)}?" if suggestions else ""
    listing = f" `tiebreak ls {kind}s` lists them."
    return f"There is no {kind} '{given}' in the store.{hint}{listing}"
