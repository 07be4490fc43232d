"""The ledger of claims: dated statements of what a system reaches.

Append-only: nothing changes or removes a row. A claim that turns out wrong gets evidence that says
so (`store.claim_evidence`). Claims of deleted systems and datasets are hidden and come back
with them; a purge removes them for good.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, get_args

import sqlalchemy as sa

from store.claim_records import ClaimRecord, NewClaim, Origin, Tier
from store.engine import Change, Store
from store.errors import ConflictError, NotFoundError, StoreError
from store.former_names import FormerNames
from store.importers.cells import FIRST_YEAR, aware
from store.importers.kinds import ONE_SCORE
from store.importers.settings import outside_reason
from store.lookup import Kind, find_id, find_metric_id
from store.models import Claim, ClaimEvidence, Dataset, Metric, Run, System, new_uid, utc_now
from store.records import dataset_label

_TIME_ZONES = timedelta(hours=14)
"""It can be tomorrow somewhere."""


class PutClaim(NamedTuple):
    """A claim in the ledger."""

    row: Claim
    is_new: bool


def add_claim(store: Store, claim: NewClaim, *, actor: str) -> ClaimRecord:
    """Put a claim into the ledger; see `add_claims`.

    Raises
    ------
    ConflictError
        As there; or the same claim was withdrawn.
    """
    made = add_claims(store, [claim], actor=actor)[0]
    if made.withdrawn:
        raise ConflictError(
            f"This very claim was withdrawn ('{made.uid}'), and stays so. To state it again, name "
            "the source more exactly (page, table, version)."
        )
    return made


def add_claims(store: Store, claims: Iterable[NewClaim], *, actor: str) -> list[ClaimRecord]:
    """Put claims into the ledger: all of them, or nothing.

    Parameters
    ----------
    store
        Where to.
    claims
        System, dataset and metric must be in the store. A claim that the ledger holds word for
        word stays as it is.
    actor
        Who does it, for the ledger and the audit trail.

    Returns
    -------
    list of ClaimRecord
        One for each claim, in order, known ones included.

    Raises
    ------
    NotFoundError
        A system, dataset, metric or run is not in the store.
    StoreError
        A value, date, source or tier cannot be.
    ConflictError
        The ledger holds the same figure of the same source and day with another quote or link.
    """
    with store.write(actor) as change:
        names, ledger = _Names(change), Ledger(change)
        rows = []
        for claim in claims:
            content = _checked(claim, names.metric(claim.metric)) | names.ids_of(claim)
            rows.append(ledger.put(content).row)
        change.session.flush()
        rows_now = change.session.connection().execute(LIVING_CLAIMS)
        names_then = FormerNames(change.session.connection())
        found = {row.uid: claim_record(row, names_then) for row in rows_now}
        return [found[row.uid] for row in rows]


def list_claims(
    store: Store,
    *,
    system_uid: str | None = None,
    dataset_uid: str | None = None,
    metric_uid: str | None = None,
) -> list[ClaimRecord]:
    """Return claims with their latest verdict, the oldest claim first."""
    given = {"system_uid": system_uid, "dataset_uid": dataset_uid, "metric_uid": metric_uid}
    wanted = {name: uid for name, uid in given.items() if uid is not None}
    with store.read() as connection:
        names = FormerNames(connection)
        rows = connection.execute(_living_claims_of(*wanted), wanted)
        return [claim_record(row, names) for row in rows]


def get_claim(store: Store, uid: str) -> ClaimRecord:
    """Return the claim with that uid.

    Raises
    ------
    NotFoundError
        There is none, or its system or dataset was deleted.
    """
    with store.read() as connection:
        row = connection.execute(LIVING_CLAIMS.where(Claim.uid == uid)).one_or_none()
        names = FormerNames(connection)
    if row is None:
        raise NotFoundError(no_claim(uid))
    return claim_record(row, names)


class Ledger:
    """Adds claims in one transaction. What is there is read once for each dataset."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._known: dict[int, dict[tuple[Any, ...], Claim]] = {}

    def put(self, content: Mapping[str, Any]) -> PutClaim:
        """Add the row of a claim, or recognise it as known; rows are written at the next flush.

        Raises
        ------
        ConflictError
            The ledger holds it with other words.
        """
        known = self._of_dataset(content["dataset_id"])
        identity = tuple(content[name] for name in _IDENTITY)
        row = known.get(identity)
        if row is not None:
            _require_same_words(row, content)
            return PutClaim(row, is_new=False)
        row = known[identity] = Claim(uid=new_uid(), actor=self._change.actor, **content)
        self._change.session.add(row)
        said = {"value": row.value, "claimed_on": row.claimed_on.isoformat(), "source": row.source}
        self._change.record("create", "claim", row.uid, **said)
        return PutClaim(row, is_new=True)

    def _of_dataset(self, dataset_id: int) -> dict[tuple[Any, ...], Claim]:
        if dataset_id not in self._known:
            rows = self._change.session.scalars(
                sa.select(Claim).where(Claim.dataset_id == dataset_id)
            )
            self._known[dataset_id] = {
                tuple(getattr(row, name) for name in _IDENTITY): row for row in rows
            }
        return self._known[dataset_id]


def _require_same_words(known: Claim, content: Mapping[str, Any]) -> None:
    for name in ("quote", "source_url"):
        if content[name] and getattr(known, name) != content[name]:
            raise ConflictError(
                f"The ledger holds the claim of {known.value:g} from '{known.source}' already, "
                f"with another {name}: {getattr(known, name) or ''!r}. Claims are never "
                "rewritten: name the source more exactly (page, table, version)."
            )


def checked_value(metric: Metric, value: float, printed: str) -> float:
    """Return the value of a claim on a metric.

    Raises
    ------
    StoreError
        It is not finite, or lies outside the metric's bounds.
    """
    if not math.isfinite(value):
        raise StoreError(f"`value` must be a finite number, got {value}.")
    if metric.aggregation in ONE_SCORE:  # the bounds of items bind their mean
        is_low = metric.lower is not None and value < metric.lower
        if is_low or (metric.upper is not None and value > metric.upper):
            reason = outside_reason(value, printed or f"{value:g}", metric.lower, metric.upper)
            raise StoreError(f"`value` of '{metric.name}': {reason}")
    return float(value)


def _checked(claim: NewClaim, metric: Metric) -> dict[str, Any]:
    """Return what a claim says beside its names, in the ledger's own form."""
    require_one_of("tier", claim.tier, get_args(Tier))
    require_one_of("origin", claim.origin, get_args(Origin))
    return {
        "metric_id": metric.id,
        "value": checked_value(metric, claim.value, claim.printed),
        "claimed_on": checked_date(aware(claim.claimed_on)[0]),
        "source": checked_source(claim.source),
        "source_url": checked_url(claim.source_url),
        "quote": claim.quote.strip(),
        "printed": claim.printed.strip(),
        "tier": claim.tier,
        "origin": claim.origin,
    }


def checked_date(moment: datetime) -> datetime:
    """Return the date of a claim; refuse one that is still to come."""
    if moment.year < FIRST_YEAR:
        raise StoreError(f"`claimed_on` lies before {FIRST_YEAR}: {moment.year}. Is it right?")
    if moment > utc_now() + _TIME_ZONES:
        raise StoreError(f"`claimed_on` must not lie in the future, got {moment:%Y-%m-%d}.")
    return moment


def checked_url(url: str | None) -> str | None:
    """Return the address of a source; refuse what a page must not link to."""
    if not url or not url.strip():
        return None
    if not url.strip().lower().startswith(("http://", "https://")):
        raise StoreError(
            f"`source_url` must begin with http:// or https://, got '{url.strip()[:60]}'. Name "
            "other sources in `source`."
        )
    return url.strip()


def checked_source(source: str) -> str:
    """Return the trimmed source of a claim; refuse none, or one that is too long to keep."""
    trimmed = source.strip()
    if not trimmed or len(trimmed) > 1000:
        raise StoreError(
            f"`source` must say in 1 to 1000 characters where the claim stands, got "
            f"{len(trimmed)}: a paper and its table, a page, a person."
        )
    return trimmed


class _Names:
    """Looks every name up once: a thousand claims may be about one dataset and its runs."""

    def __init__(self, change: Change) -> None:
        self._session = change.session
        self._connection = change.session.connection()
        self._known: dict[tuple[Kind, str], int] = {}
        self._metrics: dict[str, Metric] = {}
        self._runs: dict[int, dict[str, tuple[int, int]]] = {}

    def ids_of(self, claim: NewClaim) -> dict[str, int | None]:
        """Return the ids of system, dataset and run."""
        system_id, dataset_id = self._id("system", claim.system), self._id("dataset", claim.dataset)
        run_id = None
        if claim.run is not None:
            run_id, owner = self._runs_of(dataset_id).get(claim.run, (None, None))
            if run_id is None:
                run_id = self._id("run", claim.run)  # says so when there is none
            if owner != system_id:
                raise StoreError(
                    f"`run` '{claim.run}' is not a run of '{claim.system}' on '{claim.dataset}'. "
                    f"`tiebreak show run {claim.run}` says what it is."
                )
        return {"system_id": system_id, "dataset_id": dataset_id, "run_id": run_id}

    def metric(self, given: str) -> Metric:
        """Return a metric."""
        if given not in self._metrics:
            metric_id = find_metric_id(self._connection, given)
            self._metrics[given] = self._session.get_one(Metric, metric_id)
        return self._metrics[given]

    def _id(self, kind: Kind, given: str) -> int:
        if (kind, given) not in self._known:
            self._known[kind, given] = find_id(self._connection, kind, given)
        return self._known[kind, given]

    def _runs_of(self, dataset_id: int) -> dict[str, tuple[int, int]]:
        """Return uid -> id and system of the living runs on a dataset."""
        if dataset_id not in self._runs:
            query = sa.select(Run.uid, Run.id, Run.system_id).where(
                Run.dataset_id == dataset_id, Run.deleted_at.is_(None)
            )
            rows = self._connection.execute(query)
            self._runs[dataset_id] = {uid: (id_, system_id) for uid, id_, system_id in rows}
        return self._runs[dataset_id]


_IDENTITY = ("system_id", "dataset_id", "metric_id", "claimed_on", "source", "value")


WITHDRAWN = "withdrawn"
"""Signature of the evidence that takes a claim back."""
IS_WITHDRAWN = (
    sa.exists()
    .where(ClaimEvidence.claim_id == Claim.id, ClaimEvidence.signature == WITHDRAWN)
    .correlate(Claim)
)


def _claims_query() -> sa.Select[*tuple[Any, ...]]:
    """Return the query behind every record: living claims with their latest evidence."""
    audits = (
        sa.select(
            ClaimEvidence.claim_id,
            sa.func.max(ClaimEvidence.id).label("last_id"),
            sa.func.count().label("n_audits"),
        )
        .group_by(ClaimEvidence.claim_id)
        .subquery()
    )
    spoken = (
        sa.select(ClaimEvidence.tier)
        .where(ClaimEvidence.claim_id == Claim.id, ClaimEvidence.tier.is_not(None))
        .order_by(ClaimEvidence.id.desc())
        .limit(1)
        .correlate(Claim)
        .scalar_subquery()
    )
    return (
        sa.select(
            *(Claim.id, Claim.uid, Claim.value, Claim.printed, Claim.claimed_on, Claim.source),
            *(Claim.source_url, Claim.quote, Claim.origin, Claim.actor, Claim.created_at),
            *(System.name.label("system"), System.uid.label("system_uid")),
            *(Dataset.name, Dataset.version, Dataset.uid.label("dataset_uid")),
            *(Metric.name.label("metric"), Metric.signature, Metric.uid.label("metric_uid")),
            Run.uid.label("run_uid"),
            sa.func.coalesce(spoken, Claim.tier).label("tier"),
            *(ClaimEvidence.verdict, ClaimEvidence.created_at.label("audited_at")),
            sa.func.coalesce(ClaimEvidence.fingerprint, "").label("fingerprint"),
            sa.func.coalesce(audits.c.n_audits, 0).label("n_audits"),
            IS_WITHDRAWN.label("withdrawn"),
        )
        .join(System, System.id == Claim.system_id)
        .join(Dataset, Dataset.id == Claim.dataset_id)
        .join(Metric, Metric.id == Claim.metric_id)
        .outerjoin(Run, sa.and_(Run.id == Claim.run_id, Run.deleted_at.is_(None)))
        .outerjoin(audits, audits.c.claim_id == Claim.id)
        .outerjoin(ClaimEvidence, ClaimEvidence.id == audits.c.last_id)
        .where(System.deleted_at.is_(None), Dataset.deleted_at.is_(None))
        .order_by(Claim.claimed_on, Claim.id)
    )


LIVING_CLAIMS = _claims_query()  # built once: to put a query together takes longer than to run it

_BY = {"system_uid": System.uid, "dataset_uid": Dataset.uid, "metric_uid": Metric.uid}


@cache
def _living_claims_of(*names: str) -> sa.Select[*tuple[Any, ...]]:
    return LIVING_CLAIMS.where(*(_BY[name] == sa.bindparam(name) for name in names))


def claim_record(row: sa.Row[*tuple[Any, ...]], names: FormerNames) -> ClaimRecord:
    """Return what a row of `LIVING_CLAIMS` says, with what its subjects were called before."""
    said = dict(row._mapping)
    name, version, signature = said.pop("name"), said.pop("version"), said.pop("signature")
    made = {"claim_id": said.pop("id"), "at": row.created_at}
    system = names.then("system", row.system_uid, (row.system, ""), **made)
    dataset = names.then("dataset", row.dataset_uid, (name, version), **made)
    said["system_then"] = system[0] if system else ""
    said["dataset_then"] = dataset_label(*dataset) if dataset else ""
    said["dataset"] = dataset_label(name, version)
    said["metric"] = f"{row.metric} [{signature}]" if signature else row.metric
    return ClaimRecord(**said)


def no_claim(uid: str) -> str:
    """Return what to say of an unknown uid."""
    return f"There is no claim '{uid}' in the ledger."


def require_one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """Refuse a word that is not among those that the ledger knows."""
    if value not in allowed:
        raise StoreError(f"`{name}` must be one of {', '.join(allowed)}, got '{value}'.")
