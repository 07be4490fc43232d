"""A history of claims as the frames that its picture and its tables need."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, cast

import numpy as np
import pandas as pd

from analysis import numbers
from analysis.studies.claims.records import ClaimRow, Step
from analysis.studies.claims.settings import Rule
from analysis.studies.claims.study import ClaimsStudy
from analysis.studies.claims.words import VERDICT_WORDS
from dashboard.charts.claims import LOOKS, Kind
from store.claim_records import EvidenceRecord, Verdict

NOT_SHOWN: Final = 0.005
"""Share of the scores' span below which a stated figure lies on the mark."""


def kind(row: ClaimRow) -> Kind:
    """Return as what a claim is drawn: its verdict in words, or the start of the history."""
    if row.previous is None and row.verdict == "unverifiable":
        return "start"
    return in_words(row.verdict)


def in_words(verdict: str) -> Kind:
    """Return a verdict as people read it."""
    return cast("Kind", VERDICT_WORDS[cast("Verdict", verdict)])


def is_contest(row: ClaimRow) -> bool:
    """Return whether a claim says to be the best; others state a value, which may be wrong."""
    return row.claims_best or row.verdict == "contradicted"


def signed_verdict(verdict: str) -> str:
    """Return a verdict with its sign: ▲ supported."""
    words = in_words(verdict)
    return f"{LOOKS[words].sign} {words}"


def stated(row: ClaimRow) -> float | None:
    """Return the figure that was stated, unless an audit found it and it stands."""
    is_own = row.origin == "found" and row.verdict != "contradicted"
    return None if is_own else row.claimed


def told_verdict(row: ClaimRow) -> str:
    """Return the verdict on a claim; that on a mere value, or on the first score, says so."""
    if kind(row) == "start":
        return f"{LOOKS['start'].sign} first score"
    return signed_verdict(row.verdict) if is_contest(row) else value_verdict(row.verdict)


def value_verdict(verdict: str) -> str:
    """Return the verdict on a claim that only states a value: nobody is shown to be better."""
    return "value confirmed" if verdict == "supported" else f"value {in_words(verdict)}"


def found_verdict(found: EvidenceRecord) -> str:
    """Return the verdict of an audit; a claim without a gain only states a value."""
    is_value = found.verdict == "supported" and found.figures.get("gain") is None
    return value_verdict(found.verdict) if is_value else signed_verdict(found.verdict)


def alone(row: ClaimRow) -> str:
    """Return whether a claim would hold if it were the only one; a dash where nothing is tested."""
    if not math.isfinite(row.pvalue):
        return numbers.MISSING
    return "yes" if row.holds_alone else "no"


def places(study: ClaimsStudy) -> int:
    """Return the decimals that the intervals of the gains support, else one that n items do."""
    widths = [row.ci[1] - row.ci[0] for row in study.rows if math.isfinite(row.ci[0])]
    scores = [abs(look.score) for look in study.looks]
    span = 100.0 if max(scores, default=0.0) > 1.5 else 1.0
    sizes = [row.n_items for row in study.rows if row.n_items]
    return numbers.decimals(
        half_width=float(np.median(widths)) / 2 if widths else None,
        n=max(sizes, default=None),
        span=span,
    )


def look_frame(study: ClaimsStudy) -> pd.DataFrame:
    """Return a row per score, the oldest first."""
    rows = [
        {"when": look.date, "look": look.number, "system": look.system, "score": look.score}
        for look in study.looks
    ]
    return pd.DataFrame(rows, columns=["when", "look", "system", "score"])


def step_frame(steps: Sequence[Step], decimals: int) -> pd.DataFrame:
    """Return a row per move of a frontier."""
    rows = [
        {
            "when": step.date,
            "score": step.score,
            "best shown": step.system,
            "since": numbers.day(step.date),
            "scores": numbers.fixed(step.score, decimals),
            "p against the one before": numbers.pvalue(step.pvalue),
            "shown by": "its own gain" if step.by_itself else "several gains together",
            "by_itself": step.by_itself,
        }
        for step in steps
    ]
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["when", "score"])


def mark_frame(study: ClaimsStudy) -> pd.DataFrame:
    """Return a row per claim as `claims_plot` draws it, with the texts of its tooltip."""
    scores = [look.score for look in study.looks]
    span = max(scores, default=0.0) - min(scores, default=0.0)
    columns = ["when", "system", "score", "verdict", "low", "high", "claimed"]
    rows = [_mark(study, row, span) for row in study.rows if is_contest(row)]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)


def _mark(study: ClaimsStudy, row: ClaimRow, span: float) -> dict[str, object]:
    sign, decimals = study.metric.sign, places(study)
    ends = sorted(row.previous_score + sign * end for end in row.ci)
    claimed = stated(row)
    apart = claimed is not None and abs(claimed - row.score) > NOT_SHOWN * span
    return {
        "when": row.date,
        "system": row.system,
        "score": row.score,
        "verdict": kind(row),
        "low": ends[0],
        "high": ends[1],
        "claimed": claimed if apart else math.nan,
        **_told(row, decimals),
    }


def _told(row: ClaimRow, decimals: int) -> dict[str, str]:
    """Return what the tooltip says of a claim."""
    known = math.isfinite(row.gain)
    gain = numbers.fixed(row.gain, decimals, signed=True)
    if math.isfinite(row.ci[0]):
        ends = [numbers.fixed(end, decimals, signed=True) for end in row.ci]
        gain = f"{gain} ({ends[0]} to {ends[1]})"
    level = f"look {row.look:,}"
    if math.isfinite(row.level):
        level += f", level {row.level:.2g}"
    return {
        "claim": row.system,
        "day": numbers.day(row.date),
        "is": told_verdict(row),
        "scores": numbers.fixed(row.score, decimals),
        "was claimed": numbers.fixed(stated(row), decimals),
        "best before": row.previous or numbers.MISSING,
        "gain": gain if known else numbers.MISSING,
        "p": numbers.pvalue(row.pvalue),
        "p in the sequence": numbers.pvalue(row.pvalue_sequential),
        "at": level,
        "finds gains of": numbers.fixed(row.mde, decimals),
        "power": numbers.probability(row.power),
        "why": row.why,
    }


def claim_frame(study: ClaimsStudy, *, only_best: bool = False) -> pd.DataFrame:
    """Return a row per claim, the latest first, all figures as they are.

    With `only_best` without those that state a value and are right.
    """
    rows = [
        {
            "date": row.date,
            "verdict": told_verdict(row),
            "alone": alone(row),
            "system": row.system,
            "label": row.label,
            "score": row.score,
            "claimed": stated(row),
            "gain": row.gain,
            "ci_low": row.ci[0],
            "ci_high": row.ci[1],
            "pvalue": row.pvalue,
            "pvalue_sequential": row.pvalue_sequential,
            "look": row.look,
            "level": row.level,
            "holds_alone": row.holds_alone,
            "mde": row.mde,
            "power": row.power,
            "power_gain": row.power_gain,
            "claimed_gain": row.claimed_gain,
            "power_claimed": row.power_claimed,
            "type_m": row.type_m,
            "gain_corrected": row.gain_corrected,
            "corrected_low": row.ci_corrected[0],
            "corrected_high": row.ci_corrected[1],
            "why": row.why,
            "previous": row.previous or numbers.MISSING,
            "previous_score": row.previous_score,
            "is_record": row.is_record,
            "claims_best": row.claims_best,
            "n_items": row.n_items,
            "n_missing": row.n_missing,
            "test": row.test,
            "basis": row.basis,
            "agreement": row.agreement,
            "pvalue_least": row.pvalue_bounds[0] if row.pvalue_bounds else None,
            "pvalue_most": row.pvalue_bounds[1] if row.pvalue_bounds else None,
            "origin": row.origin,
            "tier": row.tier,
            "source": row.source,
            "quote": row.quote,
            "source_url": row.source_url,
            "in_ledger": _audited(row),
            "claim_uid": row.claim_uid,
            "system_uid": row.system_uid,
            "run_uid": row.run_uid,
            "position": position,
        }
        for position, row in enumerate(study.rows)
        if is_contest(row) or not only_best
    ]
    frame = pd.DataFrame(rows[::-1])
    floats = ["claimed", "pvalue_least", "pvalue_most"]
    return frame.astype(dict.fromkeys(floats, "float64")) if rows else frame


def _audited(row: ClaimRow) -> str:
    if row.audited is None:
        return numbers.MISSING
    return told_verdict(row) if row.audited == row.verdict else signed_verdict(row.audited)


def rule_frame(study: ClaimsStudy, names: Mapping[Rule, str]) -> pd.DataFrame:
    """Return a row per rule: what it keeps, what it takes for granted, how many claims hold."""
    return pd.DataFrame(
        {
            "rule": [names[rule.rule] for rule in study.rules],
            "held": [rule.n_held for rule in study.rules],
            "controls": [rule.controls for rule in study.rules],
            "assumes": [rule.assumes for rule in study.rules],
            "systems": [
                ", ".join(
                    row.system for row, holds in zip(study.rows, rule.holds, strict=True) if holds
                )
                or numbers.MISSING
                for rule in study.rules
            ],
        }
    )


def evidence_frame(evidence: Sequence[EvidenceRecord]) -> pd.DataFrame:
    """Return a row per audit of a claim, the latest first."""
    rows = [
        {
            "created_at": found.created_at,
            "verdict": found_verdict(found),
            "gain": found.figures.get("gain"),
            "pvalue": found.figures.get("pvalue"),
            "pvalue_sequential": found.figures.get("pvalue_sequential"),
            "tier": found.tier or numbers.MISSING,
            "actor": found.actor,
            "signature": found.signature,
        }
        for found in reversed(evidence)
    ]
    frame = pd.DataFrame(rows)
    floats = ["gain", "pvalue", "pvalue_sequential"]
    return frame.astype(dict.fromkeys(floats, "float64")) if rows else frame
