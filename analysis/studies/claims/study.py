"""Which of the records on a test set were real?

Every system that passed the best before it is tested against it on the items that both have, and
the whole sequence is kept honest: the more claims, the more each has to show.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from analysis.report import Report
from analysis.statistics.intervals.differences import score_interval
from analysis.statistics.sequences.record_gain import CorrectedGain, correct_gain
from analysis.statistics.signature import build_signature
from analysis.studies.claims.gains import Gain, compare_looks
from analysis.studies.claims.history import Entry, TimeLine, load_time_line
from analysis.studies.claims.records import ClaimRow, Ends, Look, RuleOutcome, Step
from analysis.studies.claims.report import claims_report
from analysis.studies.claims.sequence import (
    all_rules,
    honest_frontier,
    ladder_frontier,
    put_to_rule,
    raw_frontier,
)
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.verdicts import Case, Stated, check_value, judge, judge_value
from analysis.studies.claims.words import sentence, warn
from analysis.studies.study import Study
from analysis.studies.test_names import to_public
from store.claim_records import ClaimRecord, HistoryRecord, Verdict
from store.dated_scores import list_histories
from store.engine import Store
from store.records import DatasetRecord, MetricRecord

VERDICTS: Final[tuple[Verdict, ...]] = (
    "supported",
    "within-noise",
    "underpowered",
    "unverifiable",
    "contradicted",
)
_NUMBERS: Final = (
    *("previous_score", "gain", "pvalue", "pvalue_sequential", "level", "agreement", "mde"),
    *("mde_at_level", "power", "power_at_level", "power_gain", "claimed_gain", "power_claimed"),
    *("type_m", "gain_corrected"),
)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimsStudy(Study):
    """The claims on a dataset and metric, the oldest first."""

    dataset: DatasetRecord
    metric: MetricRecord
    metrics: tuple[MetricRecord, ...]
    """All metrics of the dataset with dated scores or claims."""
    settings: ClaimSettings
    looks: tuple[Look, ...]
    """Every scored system."""
    rows: tuple[ClaimRow, ...]
    """What was claimed: records that were found, and what the ledger states."""
    raw: tuple[Step, ...]
    """The best score so far."""
    frontier: tuple[Step, ...]
    """The best score that was shown to be one: it moves when its holder is significantly beaten."""
    ladder: tuple[Step, ...]
    """What a Ladder leaderboard would show."""
    ladder_note: str
    """Why there is no Ladder; empty where there is."""
    rules: tuple[RuleOutcome, ...]
    """Every rule for the sequence; claims in the order of `rows`."""
    verdicts: Mapping[Verdict, int]
    """How many claims got which."""
    n_looks: int
    n_records: int
    n_tested: int
    n_held: int
    usual_gain: float
    """Median of the gains of all records; NaN without. Each claim is judged by that of the
    others."""
    n_undated: int
    """Scores without a date, which are left out."""

    def report(self) -> Report:
        """Return what to write down about the claims."""
        return claims_report(self)


def study_claims(
    store: Store,
    dataset: str,
    *,
    metric: str | None = None,
    settings: ClaimSettings = ClaimSettings(),  # noqa: B008 (frozen)
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
    line = load_time_line(store, dataset, metric, settings.order)
    contests = _contests(line)
    gains = []
    for done, at in enumerate(contests):
        if progress is not None:
            progress(done, len(contests))
        before = line.entries[int(line.records.previous[at])]
        gains.append(compare_looks(line, line.entries[at], before, settings))
    looks = [int(line.records.looks[at]) for at in contests]
    levels = put_to_rule(gains, looks, settings, settings.rule)
    corrected = _correct(gains, settings)
    usual = _usual_gain(line, without=-1)
    tests: dict[int, _Tested] = {
        at: _Tested(
            gain=gains[k],
            before=line.entries[int(line.records.previous[at])],
            level=float(levels.levels[k]),
            sequential=float(levels.sequential[k]),
            holds=levels.holds[k] is True,
            corrected=float(corrected.gain_corrected[k]),
            ends=(float(corrected.low[k]), float(corrected.high[k])),
            asked_as=f"look {looks[k]}" if settings.counting == "looks" else f"claim {k + 1}",
        )
        for k, at in enumerate(contests)
    }
    about = [
        (at, claim)
        for at, entry in enumerate(line.entries)
        if not math.isnan(entry.score) and (line.claims_best(at) or entry.claims)
        for claim in entry.claims or (None,)
    ]
    rows = [_row(line, at, claim, tests.get(at), settings) for at, claim in about]
    place = {at: k for k, at in enumerate(contests)}
    held = {at for at, test in tests.items() if test.holds}
    frontier = honest_frontier(line, settings, held)
    ladder, ladder_note = ladder_frontier(line)
    verdicts = Counter(row.verdict for row in rows)
    return ClaimsStudy(
        sentence=sentence(line, rows, frontier, settings),
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
            store=store.revision(),
        ),
        warnings=tuple(warn(line, gains, levels, settings)),
        store_revision=store.revision(),
        dataset=line.dataset,
        metric=line.metric,
        metrics=line.metrics,
        settings=settings,
        looks=tuple(_look(line, at) for at in range(len(line.entries))),
        rows=tuple(rows),
        raw=raw_frontier(line),
        frontier=frontier,
        ladder=ladder,
        ladder_note=ladder_note,
        rules=_per_row(all_rules(gains, looks, settings), [place.get(at) for at, _ in about]),
        verdicts={verdict: verdicts[verdict] for verdict in VERDICTS},
        n_looks=line.records.n_looks,
        n_records=int(line.records.is_record.sum()),
        n_tested=sum(held is not None for held in levels.holds),
        n_held=sum(held is True for held in levels.holds),
        usual_gain=usual,
        n_undated=line.n_undated,
    )


def study_histories(store: Store) -> tuple[HistoryRecord, ...]:
    """Return the datasets and metrics whose claims can be audited: those with two looks or more."""
    return tuple(h for h in list_histories(store) if h.n_scores + h.n_claims > 1)


def _contests(line: TimeLine) -> list[int]:
    """Return the looks that are tested against the best before: those that say to be better."""
    return [
        at
        for at in range(len(line.entries))
        if line.claims_best(at) and line.records.previous[at] >= 0
    ]


def _usual_gain(line: TimeLine, *, without: int) -> float:
    """Return the median gain of the records; NaN without any.

    A claim is not judged by its own gain: the power for that would only repeat its p-value.
    """
    gained = line.records.is_record & (line.records.previous >= 0)
    gains = [float(line.records.gain[at]) for at in np.flatnonzero(gained) if at != without]
    # Without the rounding errors of differences: it is shown, and asked for again.
    return float(f"{np.median(gains):.12g}") if gains else math.nan


def _correct(gains: Sequence[Gain | None], settings: ClaimSettings) -> CorrectedGain:
    return correct_gain(
        [math.nan if g is None else g.gain for g in gains],
        [math.nan if g is None or not g.standard_error > 0 else g.standard_error for g in gains],
        confidence=1 - settings.alpha,
    )


class _Tested(NamedTuple):
    """A look against the best before, and what the sequence makes of it."""

    gain: Gain
    before: Entry
    level: float
    sequential: float
    holds: bool
    corrected: float
    ends: Ends
    asked_as: str
    """"claim 3" or "look 17"."""


def _row(
    line: TimeLine,
    at: int,
    claim: ClaimRecord | None,
    tested: _Tested | None,
    settings: ClaimSettings,
) -> ClaimRow:
    entry = line.entries[at]
    ci_score = _score_interval(line, entry, settings)
    stated = check_value(line, entry, claim, ci_score)
    if tested is None:
        figures = _untested()
        verdict, why = judge_value(entry, stated, is_first=line.claims_best(at))
    else:
        matters = _usual_gain(line, without=at) if settings.gain is None else settings.gain
        figures, case = _figures(line, claim, tested, stated, matters, settings)
        verdict, why = judge(case, settings)
    return ClaimRow(
        claim_uid=None if claim is None else claim.uid,
        origin=None if claim is None else claim.origin,
        tier=None if claim is None else stated.tier,
        date=entry.date if claim is None else claim.claimed_on,
        system=entry.system,
        system_uid=entry.system_uid,
        run_uid=entry.run_uid,
        label=entry.label,
        look=int(line.records.looks[at]),
        is_record=bool(line.records.is_record[at]),
        claims_best=line.claims_best(at),
        claimed=None if claim is None else claim.value,
        printed="" if claim is None else claim.printed,
        source="" if claim is None else claim.source,
        source_url=None if claim is None else claim.source_url,
        quote="" if claim is None else claim.quote,
        score=entry.score,
        ci_score=ci_score,
        **figures,
        verdict=verdict,
        why=why,
        audited=None if claim is None else claim.verdict,
        audited_at=None if claim is None else claim.audited_at,
    )


def _untested() -> dict[str, Any]:
    """Return the figures of a claim that is not tested against an earlier one."""
    return {
        **dict.fromkeys(("previous", "previous_uid", "previous_run_uid", "previous_date")),
        **dict.fromkeys(_NUMBERS, math.nan),
        **dict.fromkeys(("ci", "ci_corrected"), (math.nan, math.nan)),
        "pvalue_bounds": None,
        "holds_alone": False,
        "n_items": 0,
        "n_missing": 0,
        "test": "",
        "basis": "none",
    }


def _figures(
    line: TimeLine,
    claim: ClaimRecord | None,
    tested: _Tested,
    stated: Stated,
    matters: float,
    settings: ClaimSettings,
) -> tuple[dict[str, Any], Case]:
    """Return the figures of a claim that was tested, and what its verdict rests on."""
    gain, before = tested.gain, tested.before
    claimed_gain = math.nan if claim is None else line.gain(claim.value, before.score)
    chance = gain.power_for(matters, settings.alpha)
    as_claimed = None if stated.is_same else gain.power_for(claimed_gain, settings.alpha)
    at_level = gain.power_for(matters, tested.level)
    power_at_level = math.nan if at_level is None else at_level.power
    mde_at_level = gain.smallest_found(tested.level, settings.power)
    known = gain.basis != "bounds" or math.isnan(gain.pvalue)
    figures = {
        "previous": before.system,
        "previous_uid": before.system_uid,
        "previous_run_uid": before.run_uid,
        "previous_date": before.date,
        "previous_score": before.score,
        "gain": gain.gain,
        "ci": gain.ci,
        "pvalue": gain.pvalue,
        "pvalue_sequential": tested.sequential,
        "level": tested.level,
        "holds_alone": gain.gain > 0 and gain.pvalue <= settings.alpha,
        "n_items": gain.n_items,
        "n_missing": gain.n_missing,
        "test": to_public(gain.test),
        "basis": gain.basis,
        "agreement": gain.agreement,
        "pvalue_bounds": None if known else (gain.pvalue_low, gain.pvalue),
        "mde": gain.smallest_found(settings.alpha, settings.power),
        "power": math.nan if chance is None else chance.power,
        "power_at_level": power_at_level,
        "mde_at_level": mde_at_level,
        "power_gain": matters,
        "claimed_gain": claimed_gain,
        "power_claimed": math.nan if as_claimed is None else as_claimed.power,
        "type_m": math.nan if chance is None else chance.type_m,
        "gain_corrected": tested.corrected,
        "ci_corrected": tested.ends,
    }
    case = Case(
        gain=gain,
        level=tested.level,
        holds=tested.holds,
        power=power_at_level,
        power_gain=matters,
        mde=mde_at_level,
        previous=before.system,
        stated=stated,
        asked_as=tested.asked_as,
    )
    return figures, case


def _score_interval(line: TimeLine, entry: Entry, settings: ClaimSettings) -> Ends:
    if entry.scores is None:
        return math.nan, math.nan
    found = score_interval(
        entry.scores,
        aggregation=line.metric.aggregation,
        groups=line.groups,
        confidence_level=1 - settings.alpha,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    return float(found.low), float(found.high)


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
