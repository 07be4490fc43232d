"""The audit log, chained: each line's hash is of the line and of the hash before it.

Who made a change and what it was may have to be erased (`store.known_people`). So the chain is
over salted digests of these two: where one is changed on request, the line loses its salt, and the
removal's own line says which lines it changed. All else that is changed or missing is seen.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterable
from typing import Any, Final

import sqlalchemy as sa

from store.model_base import utc_now
from store.models import AuditEvent

REMOVAL: Final = "remove name"
"""The recorded action that may change lines of the log."""
_MOST_TOLD: Final = 20
_SPAN: Final = re.compile(r"\b(\d+)(?:-(\d+))?\b", re.ASCII)
_PLAIN: Final = ("via", "action", "target_kind", "target_uid")
_HEAD: Final = sa.select(AuditEvent.chain_hash).order_by(AuditEvent.id.desc()).limit(1)


def head(connection: sa.Connection) -> str:
    """Return the hash of the whole log, 64 hexadecimal digits; empty in a new store.

    Kept elsewhere, it shows later that nothing up to here was changed: `had` and `wrong`.
    """
    return connection.scalar(_HEAD) or ""


def chain(connection: sa.Connection, events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return new rows of the log with what binds them to those before.

    Whoever calls holds the lock of all writers until the rows are committed.
    """
    last, rows = head(connection), []
    for event in events:
        salt, at = secrets.token_hex(16), utc_now()
        actor, detail = _digest(salt, event["actor"]), _digest(salt, event["detail"])
        last = _hash(last, {**event, "at": at}, actor, detail)
        bound = {"salt": salt, "actor_digest": actor, "detail_digest": detail, "chain_hash": last}
        rows.append({**event, "at": at, **bound})
    return rows


def had(connection: sa.Connection, kept: str) -> bool:
    """Return whether the log once ended with that hash."""
    found = sa.select(AuditEvent.id).where(AuditEvent.chain_hash == kept)
    return connection.scalar(found) is not None


def wrong(connection: sa.Connection) -> list[str]:
    """Return what is wrong with the log, one sentence each; the first lines only."""
    last, bare, removed = "", set[int](), set[int]()
    problems: list[str] = []
    query = sa.select(AuditEvent.__table__).order_by(AuditEvent.id)
    for row in connection.execute(query.execution_options(yield_per=1_000)).mappings():
        hashed = _hash(last, row, row["actor_digest"], row["detail_digest"])
        last = row["chain_hash"]
        if row["salt"] is None:
            bare.add(row["id"])
            is_own = True
        else:
            told = _digest(row["salt"], row["actor"]), _digest(row["salt"], row["detail"])
            is_own = told == (row["actor_digest"], row["detail_digest"])
        if hashed != last:
            problems.append(f"Line {row['id']} of the audit log, or one before it, was changed.")
        elif not is_own:
            problems.append(f"Line {row['id']} of the audit log is not what was written.")
        if row["action"] == REMOVAL:
            removed.update(_numbers(row["detail"].get("lines", "")))
    if bare - removed:
        numbers = spans(bare - removed)
        problems.append(f"Lines {numbers} of the audit log were changed, and no removal says so.")
    more = len(problems) - _MOST_TOLD
    return problems[:_MOST_TOLD] + [f"{more:,} more lines of it are wrong."] * (more > 0)


def spans(numbers: Iterable[int]) -> str:
    """Return whole numbers in short: ``"3-5, 9"``."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)


def _numbers(told: object) -> Iterable[int]:
    """Yield the numbers that `spans` told; what was altered since may hold anything."""
    for first, last in _SPAN.findall(str(told)):
        yield from range(int(first), int(last or first) + 1)


def _hash(before: str, row: Any, actor: str, detail: str) -> str:
    at = row["at"].isoformat(timespec="microseconds")
    return _digest(before, [at, *(row[name] for name in _PLAIN), actor, detail])


def _digest(before: str, told: Any) -> str:
    return hashlib.sha256(f"{before} {json.dumps(told, sort_keys=True)}".encode()).hexdigest()
