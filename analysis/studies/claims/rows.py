"""A row for each claim: what it was tested with, and what that makes of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from analysis.statistics.intervals.scores import score_interval
from analysis.statistics.sequences.record_gain import CorrectedGain, correct_gain
from analysis.studies.claims.contests import Contests
from analysis.studies.claims.gains import Gain
from analysis.studies.claims.history import Entry, TimeLine
from analysis.studies.claims.records import ClaimRow, Ends
from analysis.studies.claims.sequence import Levels
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.verdicts import (
    Case,
    Stated,
    check_value,
    judge,
    judge_value,
    restates,
)
from analysis.studies.test_names import to_public
from store.claim_records import ClaimRecord

_NUMBERS: Final = (
    *("previous_score", "gain", "pvalue", "pvalue_sequential", "level", "agreement", "mde"),
    *("mde_at_level", "power", "power_at_level", "power_gain", "claimed_gain", "power_claimed"),
    *("type_m", "gain_corrected"),
)


class About(NamedTuple):
    """What a row is about."""

    at: int
    claim: ClaimRecord | None
    """``None``: a record that no claim speaks of."""
    contest: int | None
    """``None``: it only states a value, or nothing came before."""


def _correct(gains: Sequence[Gain | None], settings: ClaimSettings) -> CorrectedGain:
    return correct_gain(
        [math.nan if g is None else g.gain for g in gains],
        [math.nan if g is None or not g.standard_error > 0 else g.standard_error for g in gains],
        confidence=1 - settings.alpha,
    )


def usual_gain(line: TimeLine, *, without: int) -> float:
    """Return the median gain of the records; NaN without any.

    A claim is not judged by its own gain: the power for that would only repeat its p-value.
    """
    gained = line.records.is_record & (line.records.previous >= 0)
    if without >= 0:
        gained[without] = False
    gains = line.records.gain[gained]
    # Without the rounding errors of differences: it is shown, and asked for again.
    return float(f"{np.median(gains):.12g}") if gains.size else math.nan


class Tested(NamedTuple):
    """A look against the best before, and what the sequence makes of it."""

    at: int
    gain: Gain
    before: Entry
    level: float
    sequential: float
    holds: bool
    corrected: float
    ends: Ends
    asked_as: str
    """"claim 3" or "look 17"."""


def tested_contests(
    line: TimeLine,
    contests: Contests,
    gains: Sequence[Gain],
    levels: Levels,
    settings: ClaimSettings,
) -> list[Tested]:
    """Return every contest with what the sequence asks of it, in order of time."""
    corrected = _correct(gains, settings)
    by_look = settings.counting == "looks"
    return [
        Tested(
            at=contest.at,
            gain=gains[k],
            before=line.entries[contest.before],
            level=float(levels.levels[k]),
            sequential=float(levels.sequential[k]),
            holds=levels.holds[k] is True,
            corrected=float(corrected.gain_corrected[k]),
            ends=(float(corrected.low[k]), float(corrected.high[k])),
            asked_as=f"look {contest.number}" if by_look else f"claim {k + 1}",
        )
        for k, contest in enumerate(contests.all)
    ]


def claim_row(
    line: TimeLine, about: About, tests: Sequence[Tested], settings: ClaimSettings
) -> ClaimRow:
    """Return what there is for and against a claim, with the verdict."""
    at, claim = about.at, about.claim
    entry = line.entries[at]
    ci_score = _score_interval(line, entry, settings)
    stated = check_value(line, entry, claim, ci_score)
    is_first = bool(line.records.is_record[at] and line.records.previous[at] < 0)
    is_first &= claim is None or restates(line, entry, claim)
    if about.contest is None:
        figures = _untested()
        verdict, why = judge_value(entry, stated, is_first=is_first)
    else:
        matters = usual_gain(line, without=at) if settings.gain is None else settings.gain
        tested = tests[about.contest]
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
        claims_best=about.contest is not None or is_first,
        claimed=None if claim is None else claim.value,
        printed="" if claim is None else claim.printed,
        source="" if claim is None else claim.source,
        source_url=None if claim is None else claim.source_url,
        quote="" if claim is None else claim.quote,
        formerly="" if claim is None else claim.formerly,
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
    tested: Tested,
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
        bounds=line.metric.bounds,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    return float(found.low), float(found.high)
