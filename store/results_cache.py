"""Computed results, kept in the store so that a shared link opens at once.

It is a cache: what is here can be computed again, and a store that cannot be written to (read-only,
full, at work for somebody else) works just as well without. Keeping a result changes nothing that
is shown, so the store's revision stays and nothing is recorded.

A key holds everything an answer depends on: the question, its settings, the version of the
statistics, and `data_fingerprint`. What nobody asks for any more goes when room is needed, the
oldest first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from store.damage import seen
from store.engine import Store
from store.errors import StoreError
from store.failures import told_of_failures
from store.judgment_queries import FIRST, SECOND, living_preferences, living_ratings
from store.lookup import find_id, find_ids, find_metric_id
from store.metrics import metric_by_id
from store.models import (
    AnalysisResult,
    Annotator,
    AuditEvent,
    Criterion,
    Dataset,
    Item,
    Metric,
    Preference,
    Rating,
    Run,
    ScoreVector,
    System,
    utc_now,
)
from store.natural_order import natural_key

LARGEST_CACHE = 128_000_000
"""Bytes of all kept results together."""
LARGEST_RESULT = LARGEST_CACHE // 2
"""Bytes; what is larger is not kept: it would crowd out all the rest."""

# Built once: to put a query together takes longer than to run it.
_BY_KEY = sa.select(AnalysisResult.payload, AnalysisResult.digest).where(
    AnalysisResult.key == sa.bindparam("key")
)
_SIZES = sa.select(AnalysisResult.id, AnalysisResult.size)
_DATASET = sa.select(Dataset.uid, Dataset.n_items, Dataset.chain_hash).where(
    Dataset.id == sa.bindparam("dataset_id")
)
_GROUPS = (
    sa.select(Item.position, Item.group_key)
    .where(Item.dataset_id == sa.bindparam("dataset_id"), Item.group_key.is_not(None))
    .order_by(Item.position)
)
_DIGESTS = (
    sa.select(System.id, System.uid, System.name, ScoreVector.digest, Run.uid, Run.repeats)
    .join(Run, Run.id == ScoreVector.run_id)
    .join(System, System.id == Run.system_id)
    .where(
        Run.dataset_id == sa.bindparam("dataset_id"),
        ScoreVector.metric_id == sa.bindparam("metric_id"),
        Run.deleted_at.is_(None),
        System.deleted_at.is_(None),
    )
    .order_by(ScoreVector.id)  # that is how `load_matrix` adds them up
)


_IS_AUTOMATIC = sa.select(Metric.source == "automatic", Metric.name).where(
    Metric.id == sa.bindparam("metric_id")
)
_CRITERION = sa.select(
    *(Criterion.id, Criterion.uid, Criterion.kind, Criterion.level, Criterion.higher_is_better),
    *(Criterion.lower, Criterion.upper, Criterion.labels, Criterion.weights),
).where(Criterion.dataset_id == sa.bindparam("dataset_id"), Criterion.name == sa.bindparam("name"))
_LAST_CHANGE = sa.select(sa.func.max(AuditEvent.id)).where(
    AuditEvent.target_kind == "criterion", AuditEvent.target_uid == sa.bindparam("uid")
)
_ANNOTATORS = sa.select(Annotator.uid, Annotator.name, Annotator.kind).where(
    Annotator.dataset_id == sa.bindparam("dataset_id")
)
_JUDGED_SYSTEMS = [
    living_ratings(System.uid, System.name, sa.func.count())
    .where(Rating.criterion_id == sa.bindparam("criterion_id"))
    .group_by(System.uid, System.name)
    .order_by(System.uid),
    living_preferences(FIRST.uid, FIRST.name, SECOND.uid, SECOND.name, sa.func.count())
    .where(Preference.criterion_id == sa.bindparam("criterion_id"))
    .group_by(FIRST.uid, FIRST.name, SECOND.uid, SECOND.name)
    .order_by(FIRST.uid, SECOND.uid),
]


def load_result(store: Store, key: str) -> bytes | None:
    """Return what was saved under that key, byte for byte; ``None`` when there is nothing sound."""
    try:
        with store.read() as connection:
            found = connection.execute(_BY_KEY, {"key": _hashed(key)}).one_or_none()
    except (StoreError, sa.exc.SQLAlchemyError):
        return None
    if found is None or hashlib.sha256(found.payload).hexdigest() != found.digest:
        return None
    return bytes(found.payload)


def save_result(
    store: Store,
    key: str,
    payload: bytes,
    *,
    question: str,
    arguments: Mapping[str, Any] | None = None,
) -> bool:
    """Keep a computed result, if the store can be written to right now.

    Parameters
    ----------
    store
        Where to. Never waits longer than `store.engine.CACHE_WAITS_MS` for another writer.
    key
        Everything the result depends on, as text of any length.
    payload
        The result. It comes back byte for byte; how numbers become bytes is up to the caller.
    question, arguments
        What was asked, for people who look into the store; what JSON does not know becomes text.

    Returns
    -------
    bool
        Whether it was kept. Not being able to is no error.
    """
    if not store.keeps_results or len(payload) > LARGEST_RESULT:
        return False
    hashed = _hashed(key)
    row = {
        "key": hashed,
        "question": question[:100],
        "arguments": _json_safe(arguments or {}),
        "created_at": utc_now(),
        "size": len(payload),
        "digest": hashlib.sha256(payload).hexdigest(),
        "payload": payload,
    }
    try:
        with store.write_cache() as connection:
            if seen(connection):
                return False  # something was left out: after a repair it would be wrong
            connection.execute(sa.delete(AnalysisResult).where(AnalysisResult.key == hashed))
            _make_room(connection, len(payload))
            connection.execute(sa.insert(AnalysisResult), row)
    except StoreError:
        return False
    return True


def data_fingerprint(
    store: Store, dataset: str, metric: str, systems: Sequence[str] | None = None
) -> str:
    """Return a fingerprint of the data that an answer about a dataset and metric rests on.

    Parameters
    ----------
    store
        Where the data are.
    dataset, metric
        Uid or name.
    systems
        Uids or names, in the order of the answer's rows. By default all that have scores, in the
        order of `store.arrays.load_matrix`.

    Returns
    -------
    str
        It changes with the items and their order, their groups, the metric's direction and
        aggregation, the systems and their names and order, how failures count, and every score of
        theirs that is loaded; where the scores come from judgments, with these, too. It does not
        change with anything else: other datasets, metrics or systems; tags; labels and provenance
        of runs.

    Notes
    -----
    Reads the digests that lie beside the scores, never the scores.
    """
    with store.read() as connection:
        which = {
            "dataset_id": find_id(connection, "dataset", dataset),
            "metric_id": find_metric_id(connection, metric),
        }
        found: dict[int, list[str]] = {}
        for system_id, uid, name, *vector in connection.execute(_DIGESTS, which):
            found.setdefault(system_id, [name, uid]).extend(vector)
        if systems is None:
            rows = sorted(found.values(), key=lambda row: natural_key(row[0]))
        else:
            wanted = find_ids(connection, "system", systems)
            rows = [found.get(system_id, [str(system_id)]) for system_id in wanted]
        parts = [
            list(connection.execute(_DATASET, which).one()),
            metric_by_id(connection, which["metric_id"]).to_dict(),
            [list(row) for row in connection.execute(_GROUPS, which)],
            rows,
            *told_of_failures(connection, which["dataset_id"]),
        ]
        is_automatic, name = connection.execute(_IS_AUTOMATIC, which).one()
        if not is_automatic:
            parts += _judgments(connection, which["dataset_id"], name)
    return _hashed(json.dumps(parts))


def _judgments(connection: sa.Connection, dataset_id: int, name: str) -> list[Any]:
    """Return what stands for the judgments on a criterion: each change of them is recorded."""
    which: dict[str, Any] = {"dataset_id": dataset_id, "name": name}
    criterion = connection.execute(_CRITERION, which).one_or_none()
    if criterion is None:  # the scores came without judgments
        return []
    which |= {"criterion_id": criterion.id, "uid": criterion.uid}
    annotators = [list(row) for row in connection.execute(_ANNOTATORS, which)]
    return [
        list(criterion),
        connection.scalar(_LAST_CHANGE, which),
        sorted(annotators, key=lambda row: natural_key(row[1])),
        *([list(row) for row in connection.execute(query, which)] for query in _JUDGED_SYSTEMS),
    ]


def system_fingerprints(store: Store, dataset: str, metric: str) -> dict[str, str]:
    """Return uid -> fingerprint of all systems with item scores on a dataset and metric.

    Each changes with what `data_fingerprint` of that system alone would change with.
    """
    with store.read() as connection:
        which = {
            "dataset_id": find_id(connection, "dataset", dataset),
            "metric_id": find_metric_id(connection, metric),
        }
        found: dict[str, list[str]] = {}
        for _, uid, name, *vector in connection.execute(_DIGESTS, which):
            found.setdefault(uid, [name, uid]).extend(vector)
        common = [
            list(connection.execute(_DATASET, which).one()),
            metric_by_id(connection, which["metric_id"]).to_dict(),
            [list(row) for row in connection.execute(_GROUPS, which)],
            *told_of_failures(connection, which["dataset_id"]),
        ]
    shared = _hashed(json.dumps(common))
    return {uid: _hashed(json.dumps([shared, row])) for uid, row in found.items()}


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _json_safe(arguments: Mapping[str, Any]) -> dict[str, Any]:
    text = json.dumps({str(name): value for name, value in arguments.items()}, default=str)
    safe: dict[str, Any] = json.loads(text, parse_constant=str)  # NaN is no JSON
    return safe


def _make_room(connection: sa.Connection, n_bytes: int) -> None:
    """Remove the oldest results until `n_bytes` more fit."""
    kept = connection.execute(_SIZES).all()
    free = LARGEST_CACHE - n_bytes - sum(size for _, size in kept)
    last = None
    for id_, size in sorted(kept, key=lambda row: row.id):
        if free >= 0:
            break
        last, free = id_, free + size
    if last is not None:
        connection.execute(sa.delete(AnalysisResult).where(AnalysisResult.id <= last))
