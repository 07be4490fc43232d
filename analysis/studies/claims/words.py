"""An audit of claims in words: the answer, and what a reader must know before believing it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis import numbers
from analysis.studies.claims.gains import Gain
from analysis.studies.claims.history import TimeLine
from analysis.studies.claims.records import ClaimRow, Step
from analysis.studies.claims.sequence import Levels
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.study import count, listed
from store.claim_records import Verdict

VERDICT_WORDS: Final[dict[Verdict, str]] = {
    "supported": "supported",
    "within-noise": "within noise",
    "underpowered": "underpowered",
    "unverifiable": "unverifiable",
    "contradicted": "contradicted",
}


SIGNS: Final[dict[str, str]] = {
    "supported": "▲",
    "within noise": "○",
    "underpowered": "◇",
    "unverifiable": "//",
    "contradicted": "▼",
    "start": "■",
}
"""By what is drawn of a claim: the words of its verdict, or the start of the history."""


def kind(row: ClaimRow) -> str:
    """Return as what a claim is drawn: its verdict in words, or the start of the history."""
    if row.previous is None and row.verdict == "unverifiable":
        return "start"
    return VERDICT_WORDS[row.verdict]


def is_contest(row: ClaimRow) -> bool:
    """Return whether a claim says to be the best; others state a value, which may be wrong."""
    return row.claims_best or row.verdict == "contradicted"


def signed_verdict(verdict: Verdict) -> str:
    """Return a verdict with its sign: ▲ supported."""
    words = VERDICT_WORDS[verdict]
    return f"{SIGNS[words]} {words}"


def value_verdict(verdict: Verdict) -> str:
    """Return the verdict on a claim that only states a value: nobody is shown to be better."""
    return "value confirmed" if verdict == "supported" else f"value {VERDICT_WORDS[verdict]}"


def told_verdict(row: ClaimRow) -> str:
    """Return the verdict on a claim; that on a mere value, or on the first score, says so."""
    if kind(row) == "start":
        return f"{SIGNS['start']} first score"
    return signed_verdict(row.verdict) if is_contest(row) else value_verdict(row.verdict)


def sentence(
    line: TimeLine, rows: Sequence[ClaimRow], frontier: Sequence[Step], settings: ClaimSettings
) -> str:
    """Return how many claims hold, of a row per contest, and what is shown to be best."""
    where = f"on {line.dataset.label}"
    looks = count(line.records.n_looks, "score")
    if not rows:
        return f"Of {looks} {where} none passed the best of an earlier day: no claim to test."
    held = sum(row.verdict == "supported" for row in rows)
    claims = count(len(rows), "claim")
    hold = "holds" if 1 in (held, len(rows)) else "hold"
    told = (
        f"{held} of {claims} to be the best {where} {hold} "
        f"(α = {settings.alpha:g} for all of them together, {looks})."
    )
    others = Counter(row.verdict for row in rows if row.verdict != "supported")
    if others:
        parts = [f"{n} {VERDICT_WORDS[v]}" for v, n in others.most_common()]
        told += f" The others: {', '.join(parts)}."
    return f"{told} {_frontiers(line, frontier)}".strip()


def _frontiers(line: TimeLine, frontier: Sequence[Step]) -> str:
    """Say where raw and honest frontier stand today."""
    best = np.flatnonzero(line.records.is_record)[-1]
    named = f"{line.entries[best].system} with {_score(line.entries[best].score)}"
    shown = frontier[-1]
    if len(frontier) < 2:  # nothing was there to hold the first score against
        if shown.look == line.records.looks[best]:
            return f"Best score: {named}, the first one."
        return (
            f"Best score: {named}; not shown to be better than the first one, {shown.system} with "
            f"{_score(shown.score)}."
        )
    if shown.look != line.records.looks[best]:
        return (
            f"Best score: {named}; the best that is shown to be one is {shown.system} with "
            f"{_score(shown.score)}."
        )
    if shown.by_itself:
        return f"Best score: {named}, shown to be better than all before."
    earlier = frontier[-2]
    return (
        f"Best score: {named}, shown to be better than {earlier.system} "
        f"({numbers.day(earlier.date)}) by several gains together, not than the best in between."
    )


def _score(value: float) -> str:
    return f"{value:.4g}"


def warn(
    line: TimeLine, gains: Sequence[Gain | None], levels: Levels, settings: ClaimSettings
) -> list[str]:
    """Return what a reader must know."""
    told = [line.groups_note] if line.groups_note else []
    if line.n_undated:
        have = "has" if line.n_undated == 1 else "have"
        told.append(
            f"{count(line.n_undated, 'score')} {have} no date and {have} no place in the history. "
            "State the day with a claim, or ingest again with `--date`."
        )
    if line.partial:
        named = listed([line.entries[at].system for at in sorted(line.partial)])
        told.append(
            "Runs that did not finish, and scores of less than nine tenths of the items, can be no "
            f"record: {named}."
        )
    days = Counter(entry.date.date() for entry in line.entries)
    if len(days) == 1 and len(line.entries) > 1:
        told.append(
            "All scores are of one day: only the best of them is a record. Dates come from "
            "`--date` at ingest, from a column, or from claims."
        )
    with_items = [g for g in gains if g is not None and g.basis == "items"]
    missing = max((g.n_missing for g in with_items), default=0)
    if missing:
        told.append(
            f"Up to {count(missing, 'item')} have a score from only one of two systems, and are "
            "left out of their comparison."
        )
    floored = sum(
        g is not None and g.floor > level
        for g, level in zip(gains, levels.levels.tolist(), strict=True)
    )
    if floored:
        told.append(
            f"For {count(floored, 'claim')} no resampled p-value can be as small as the level asks "
            "for."
        )
    bare = sum(g is not None and g.basis in ("bounds", "none") for g in gains)
    if bare:
        rest = "rests" if bare == 1 else "rest"
        told.append(
            f"{count(bare, 'claim')} {rest} on figures alone: without item scores only the bounds "
            "of the p-value are known."
        )
    return told


def amount(value: float) -> str:
    """Print a gain with its sign."""
    if math.isnan(value):
        return numbers.MISSING
    return f"{value:+.3g}".replace("-", numbers.MINUS)
