"""Put what an audit makes of the claims into the ledger: append-only, and only what is new."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from analysis.statistics.signature import build_signature
from analysis.studies.claims.records import ClaimRow
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import VERDICTS, ClaimsStudy, study_claims, study_histories
from analysis.studies.claims.words import VERDICT_WORDS
from analysis.studies.kept_answers import kept
from analysis.studies.reading import state_of
from analysis.studies.store_parts import each_in_store
from analysis.studies.study import Study, count
from store.claim_evidence import add_all_evidence, list_changed_verdicts
from store.claim_records import (
    ClaimRecord,
    HistoryRecord,
    NewClaim,
    NewEvidence,
    Verdict,
    VerdictChange,
)
from store.claims import add_claims, list_claims
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError
from store.metrics import get_metric
from store.results_cache import system_fingerprints

FOUND: Final = "The runs of this store: it passed the best of its day"
"""Source of the claims that an audit finds."""

_UNUSUAL: Final = (
    "These are not the usual settings. The ledger keeps one verdict for each claim: the next audit "
    "with the usual ones may change it back."
)
_FIGURES: Final = (
    *("score", "previous", "previous_score", "gain", "ci", "pvalue", "pvalue_sequential", "level"),
    *("holds_alone", "n_items", "n_missing", "test", "basis", "agreement", "pvalue_bounds"),
    *("mde", "mde_at_level", "power", "power_at_level", "power_gain", "claimed_gain"),
    *("power_claimed", "type_m", "gain_corrected", "ci_corrected", "look", "why"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A claim whose verdict is another one than the ledger held."""

    claim_uid: str
    dataset: str
    metric: str
    system: str
    date: datetime
    before: Verdict | None
    """``None``: it had none."""
    after: Verdict
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class AuditStudy(Study):
    """What an audit wrote into the ledger."""

    n_histories: int
    n_claims: int
    n_found: int
    """Records that were put into the ledger as claims."""
    n_evidence_added: int
    changes: tuple[Change, ...]
    """Verdicts that are new or other ones, the oldest claim first."""
    verdicts: Mapping[Verdict, int]
    """Of the claims to be the best."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangesStudy(Study):
    """Claims whose verdict is not what it was at some day."""

    since: datetime
    changes: tuple[VerdictChange, ...]
    """The latest first."""


def audit_claims(
    store: Store,
    *,
    dataset: str | None = None,
    metric: str | None = None,
    settings: ClaimSettings = ClaimSettings(),  # noqa: B008 (frozen)
    actor: str,
    progress: Callable[[int, int], None] | None = None,
) -> AuditStudy:
    """Test every claim again, and write down what is new.

    Records over an earlier best that no claim speaks of become claims. A claim gets new evidence
    where its verdict, or the data it rests on, are not those of its latest audit; earlier evidence
    stays. An audit that found nothing new is kept: nothing is tested again until the store changes.

    Parameters
    ----------
    store
        Where the ledger is.
    dataset, metric
        Uid or name; by default all that have two dated scores or claims.
    settings
        As for `study_claims`.
    actor
        Who does it, for the ledger and the audit trail.
    progress
        Called with (histories done, of how many); what it raises stops between two histories.

    Raises
    ------
    NotFoundError
        There is no such dataset or metric, or nothing of it has a date.
    StoreError
        A setting is out of range, or the store cannot be written to.
    """
    settings.check()
    return kept(
        store,
        "claims audit",
        "claims audit",
        {"dataset": dataset, "metric": metric, **asdict(settings)},
        lambda: _audit(store, dataset, metric, settings, actor, progress),
        lambda audit: audit.n_found == audit.n_evidence_added == 0,
    )


def _audit(
    store: Store,
    dataset: str | None,
    metric: str | None,
    settings: ClaimSettings,
    actor: str,
    progress: Callable[[int, int], None] | None,
) -> AuditStudy:
    store = store.counting(settings.failures)
    histories = study_histories(store)
    cells = _cells(store, histories, dataset, metric)
    known = {claim.uid: claim for claim in list_claims(store)}
    verdicts: Counter[Verdict] = Counter()
    changes: list[Change] = []
    n_found = n_added = n_claims = 0
    test = partial(_test_cell, settings=settings, histories=histories, revision=store.revision())
    for study in each_in_store(store, test, cells, progress):
        found = _new_claims(study)
        if found:
            made = add_claims(store, found, actor=actor)
            known |= {claim.uid: claim for claim in made}
            uids = [None if claim.withdrawn else claim.uid for claim in made]
            study = replace(study, rows=_with_claims(study, uids))
            n_found += sum(uid is not None for uid in uids)
        evidence = _new_evidence(store, study, known)
        if evidence:
            add_all_evidence(store, evidence.values(), actor=actor)
            n_added += len(evidence)
        kept = [row for row in study.rows if row.claim_uid is not None]
        n_claims += len(kept)
        verdicts.update(row.verdict for row in kept if row.claims_best)
        changes += [
            _change(study, row)
            for row in kept
            if row.claim_uid in evidence and row.verdict != row.audited
        ]
    return AuditStudy(
        sentence=_sentence(n_claims, n_found, n_added, changes),
        signature=build_signature(
            "claims-audit",
            histories=len(cells),
            rule=settings.rule,
            counting=settings.counting,
            order=settings.order,
            alpha=settings.alpha,
            power=settings.power,
            gain="usual" if settings.gain is None else settings.gain,
            **state_of(store),
        ),
        warnings=() if settings == ClaimSettings() else (_UNUSUAL,),
        store_revision=store.revision(),
        n_histories=len(cells),
        n_claims=n_claims,
        n_found=n_found,
        n_evidence_added=n_added,
        changes=tuple(changes),
        verdicts={verdict: verdicts[verdict] for verdict in VERDICTS},
    )


def _test_cell(
    store: Store,
    cell: tuple[str, str],
    *,
    settings: ClaimSettings,
    histories: Sequence[HistoryRecord],
    revision: int,
) -> ClaimsStudy:
    """Return what is made of the claims on a dataset and metric."""
    dataset, metric = cell
    return study_claims(
        store,
        dataset,
        metric=metric,
        settings=settings,
        histories=histories,
        revision=revision,
    )


def study_changes(store: Store, since: datetime) -> ChangesStudy:
    """Return the claims whose verdict is not what it was then.

    Raises
    ------
    StoreError
        `since` has no time zone.
    """
    changes = list_changed_verdicts(store, since)
    day = f"{since:%Y-%m-%d %H:%M}"
    told = f"No claim has another verdict than on {day}."
    if changes:
        have = "has" if len(changes) == 1 else "have"
        told = f"{count(len(changes), 'claim')} {have} another verdict than on {day}."
    return ChangesStudy(
        sentence=told,
        signature=build_signature("claims-changed", since=day, store=store.revision()),
        warnings=(),
        store_revision=store.revision(),
        since=since,
        changes=tuple(changes),
    )


def _cells(
    store: Store, histories: Sequence[HistoryRecord], dataset: str | None, metric: str | None
) -> list[tuple[str, str]]:
    """Return dataset and metric of every history to audit."""
    wanted = None if dataset is None else get_dataset(store, dataset).uid
    measure = None if metric is None else get_metric(store, metric).uid
    cells = [
        (h.dataset_uid, h.metric_uid)
        for h in histories
        if wanted in (None, h.dataset_uid) and measure in (None, h.metric_uid)
    ]
    if not cells:
        where = f" on '{dataset}'" if dataset else ""
        where += f" for the metric '{metric}'" if metric else ""
        raise NotFoundError(
            f"There is no history of claims{where}: it takes two dated scores or claims. Give "
            "`--date` to `tiebreak ingest`, a column of dates, or state claims with "
            "`tiebreak claims add`."
        )
    return cells


def _new_claims(study: ClaimsStudy) -> list[NewClaim]:
    """Return the records over an earlier best that no claim in the ledger speaks of."""
    return [
        NewClaim(
            system=row.system_uid,
            dataset=study.dataset.uid,
            metric=study.metric.uid,
            value=row.score,
            claimed_on=row.date,
            source=FOUND,
            origin="found",
            run=row.run_uid,
        )
        for row in study.rows
        if _is_new(row)
    ]


def _is_new(row: ClaimRow) -> bool:
    return row.claim_uid is None and row.previous is not None


def _with_claims(study: ClaimsStudy, uids: Iterable[str | None]) -> tuple[ClaimRow, ...]:
    """Return the rows with the claims that were just made of them, in the same order.

    A record whose claim was withdrawn stays without one.
    """
    left = iter(uids)
    return tuple(
        replace(
            row,
            claim_uid=next(left),
            origin="found",
            tier="reproduced" if row.basis == "items" else "reported",
        )
        if _is_new(row)
        else row
        for row in study.rows
    )


def _new_evidence(
    store: Store, study: ClaimsStudy, known: Mapping[str, ClaimRecord]
) -> dict[str, NewEvidence]:
    """Return uid -> evidence for the claims of which the ledger does not know it yet."""
    of_items = system_fingerprints(store, study.dataset.uid, study.metric.uid)
    evidence = {}
    for row in study.rows:
        if row.claim_uid is None:
            continue
        claim = known[row.claim_uid]
        fingerprint = _fingerprint(row, of_items)
        if claim.verdict == row.verdict and claim.fingerprint == fingerprint:
            continue
        evidence[row.claim_uid] = NewEvidence(
            claim=row.claim_uid,
            verdict=row.verdict,
            figures=_figures(row),
            tier=row.tier if row.tier != claim.tier else None,
            signature=study.signature,
            fingerprint=fingerprint,
        )
    return evidence


def _fingerprint(row: ClaimRow, of_items: Mapping[str, str]) -> str:
    """Return a fingerprint of the item scores that a claim rests on; of its figures without."""
    parts = []
    for uid, score in ((row.system_uid, row.score), (row.previous_uid or "", row.previous_score)):
        parts += [uid, of_items.get(uid, repr(score))]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _figures(row: ClaimRow) -> dict[str, Any]:
    return {name: _plain(getattr(row, name)) for name in _FIGURES}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _change(study: ClaimsStudy, row: ClaimRow) -> Change:
    return Change(
        claim_uid=str(row.claim_uid),
        dataset=study.dataset.label,
        metric=study.metric.label,
        system=row.system,
        date=row.date,
        before=row.audited,
        after=row.verdict,
        why=row.why,
    )


def _sentence(n_claims: int, n_found: int, n_added: int, changes: list[Change]) -> str:
    told = f"{count(n_claims, 'claim')} audited"
    if n_found:
        told += f", {n_found:,} of them found among the runs"
    if not n_added:
        return f"{told}: nothing is new, and nothing was written."
    other = [c for c in changes if c.before is not None]
    first = len(changes) - len(other)
    told += f": {first:,} got a first verdict, {len(other):,} another one than before"
    told += f", {n_added - len(changes):,} the same on new data."
    if other:
        named = "; ".join(
            f"{c.system} on {c.dataset}: {VERDICT_WORDS[c.before]}, now {VERDICT_WORDS[c.after]}"
            for c in other[:3]
            if c.before is not None
        )
        told += f" {named}{'; …' if len(other) > 3 else ''}."
    return told
