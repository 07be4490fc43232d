"""Which of the records on a test set were real?

Every system that passed the best before it is tested against it on the items that both have, and
the whole sequence is kept honest: the more claims, the more each has to show.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Final

from analysis.choices import DatasetName
from analysis.question import Progress, Question
from analysis.report import Report
from analysis.setting import Setting
from analysis.statistics.signature import build_signature
from analysis.studies.claims.contests import Contests, find_contests
from analysis.studies.claims.gains import compare_looks
from analysis.studies.claims.history import TimeLine, load_time_line, moment_of
from analysis.studies.claims.records import ClaimRow, Look, RuleOutcome
from analysis.studies.claims.report import claims_report
from analysis.studies.claims.result import ClaimsResult
from analysis.studies.claims.rows import About, claim_row, tested_contests, usual_gain
from analysis.studies.claims.sequence import (
    all_rules,
    honest_frontier,
    ladder_frontier,
    put_to_rule,
    raw_frontier,
)
from analysis.studies.claims.settings import ClaimSettings, Order
from analysis.studies.claims.verdicts import restates
from analysis.studies.claims.words import sentence, warn
from analysis.studies.reading import state_of
from store.claim_records import HistoryRecord, Verdict
from store.dated_scores import list_histories
from store.engine import Store

VERDICTS: Final[tuple[Verdict, ...]] = (
    "supported",
    "within-noise",
    "underpowered",
    "unverifiable",
    "contradicted",
)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimsStudy(ClaimsResult):
    """The claims on a dataset and metric, the oldest first; with what to write down."""

    def report(self) -> Report:
        """Return what to write down about the claims."""
        return claims_report(self)


@dataclass(frozen=True)
class Claims(Question[ClaimsStudy]):
    """Say which claims on a dataset hold; nothing is written."""

    name: ClassVar[str] = "claims"

    dataset: DatasetName
    metric: Annotated[
        str | None,
        Setting("By default the one with most dated scores and claims.", label="Metric"),
    ] = None
    settings: ClaimSettings = ClaimSettings()  # noqa: RUF009 (frozen)

    def answer(self, store: Store, progress: Progress | None = None) -> ClaimsStudy:
        """Return the claims: see `study_claims`."""
        return study_claims(
            store, self.dataset, metric=self.metric, settings=self.settings, progress=progress
        )


def study_claims(
    store: Store,
    dataset: str,
    *,
    metric: str | None = None,
    settings: ClaimSettings = ClaimSettings(),  # noqa: B008 (frozen)
    histories: Sequence[HistoryRecord] | None = None,
    revision: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ClaimsStudy:
    """Audit the claims on a dataset; nothing is written.

    Parameters
    ----------
    store
        Where from.
    dataset, metric
        Uid or name; by default the metric with most dated scores and claims.
    settings
        Level, rule for the sequence, the gain that matters.
    histories
        Those of the store, from a caller that has them.
    revision
        Of the store when an audit of many began; by default that of now.
    progress
        Called with (claims done, of how many); what it raises cancels the work.

    Raises
    ------
    NotFoundError
        There is no such dataset or metric, or nothing of it has a date.
    StoreError
        A setting is out of range.
    """
    settings.check()
    store = store.counting(settings.failures)
    revision = store.revision() if revision is None else revision
    line = load_time_line(store, dataset, metric, settings.order, histories)
    contests = find_contests(line, settings.order)
    gains = []
    for done, contest in enumerate(contests.all):
        if progress is not None:
            progress(done, len(contests.all))
        before = line.entries[contest.before]
        gains.append(compare_looks(line, line.entries[contest.at], before, settings))
    numbers = [contest.number for contest in contests.all]
    levels = put_to_rule(gains, numbers, settings, settings.rule)
    tests = tested_contests(line, contests, gains, levels, settings)
    about = _about(line, contests, settings.order)
    rows = [claim_row(line, one, tests, settings) for one in about]
    held = {test.at for test in tests if test.holds}
    frontier = honest_frontier(line, settings, held)
    ladder, ladder_note = ladder_frontier(line)
    verdicts = Counter(row.verdict for row in rows)
    return ClaimsStudy(
        sentence=sentence(line, _one_per_contest(rows, about), frontier, settings),
        signature=build_signature(
            "claims",
            dataset=line.dataset.label,
            metric=line.metric.label,
            rule=settings.rule,
            counting=settings.counting,
            order=settings.order,
            alpha=settings.alpha,
            power=settings.power,
            gain="usual" if settings.gain is None else settings.gain,
            B=settings.n_resamples,
            seed=settings.seed,
            **state_of(store, line.dataset.uid) | {"store": revision},
        ),
        warnings=tuple(warn(line, gains, levels, settings)),
        store_revision=revision,
        dataset=line.dataset,
        metric=line.metric,
        metrics=line.metrics,
        settings=settings,
        looks=tuple(_look(line, at) for at in range(len(line.entries))),
        rows=tuple(rows),
        raw=raw_frontier(line, settings.order),
        frontier=frontier,
        ladder=ladder,
        ladder_note=ladder_note,
        rules=_per_row(all_rules(gains, numbers, settings), [one.contest for one in about]),
        verdicts={verdict: verdicts[verdict] for verdict in VERDICTS},
        n_looks=line.records.n_looks,
        n_records=int(line.records.is_record.sum()),
        n_tested=sum(held is not None for held in levels.holds),
        n_held=sum(held is True for held in levels.holds),
        usual_gain=usual_gain(line, without=-1),
        n_undated=line.n_undated,
    )


def study_histories(store: Store) -> tuple[HistoryRecord, ...]:
    """Return the datasets and metrics whose claims can be audited: those with two looks or more."""
    return tuple(h for h in list_histories(store) if h.n_scores + h.n_claims > 1)


def _about(line: TimeLine, contests: Contests, order: Order) -> list[About]:
    """Return the claims in the ledger, and the records that no claim restates; the oldest first."""
    found = []
    for at, entry in enumerate(line.entries):
        if math.isnan(entry.score):
            continue
        claims = [About(at, claim, contests.of_claim.get(claim.uid)) for claim in entry.claims]
        record = About(at, None, contests.of_look.get(at))
        told = any(
            one.contest == record.contest
            and (record.contest is not None or moment_of(_date(line, one), order) == line.times[at])
            and (claim.origin == "found" or restates(line, entry, claim))
            for one, claim in zip(claims, entry.claims, strict=True)
        )
        if line.records.is_record[at] and not told:
            found.append(record)
        found += claims
    return sorted(found, key=lambda one: _date(line, one))


def _date(line: TimeLine, about: About) -> datetime:
    return line.entries[about.at].date if about.claim is None else about.claim.claimed_on


def _one_per_contest(rows: Sequence[ClaimRow], about: Sequence[About]) -> list[ClaimRow]:
    """Return a row for each contest: claims that repeat one are no further test."""
    found: dict[int, ClaimRow] = {}
    for row, one in zip(rows, about, strict=True):
        if one.contest is None:
            continue
        if one.contest not in found or row.verdict == "supported":  # an overclaim is another row
            found[one.contest] = row
    return list(found.values())


def _look(line: TimeLine, at: int) -> Look:
    entry = line.entries[at]
    return Look(
        number=int(line.records.looks[at]),
        date=entry.date,
        system=entry.system,
        system_uid=entry.system_uid,
        run_uid=entry.run_uid,
        label=entry.label,
        kind=entry.kind,
        score=entry.score,
        is_record=bool(line.records.is_record[at]),
        n_items=entry.n_items,
    )


def _per_row(rules: Sequence[RuleOutcome], places: Sequence[int | None]) -> tuple[RuleOutcome, ...]:
    """Return what the rules say, for each row: claims about one look share its test."""
    return tuple(
        RuleOutcome(
            rule=found.rule,
            controls=found.controls,
            assumes=found.assumes,
            n_held=found.n_held,
            holds=tuple(None if k is None else found.holds[k] for k in places),
            levels=tuple(math.nan if k is None else found.levels[k] for k in places),
        )
        for found in rules
    )
