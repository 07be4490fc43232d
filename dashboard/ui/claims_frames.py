"""A history of claims as the frames that its picture and its tables need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis import numbers
from analysis.studies.claims.records import ClaimRow, Step
from analysis.studies.claims.study import ClaimsStudy
from analysis.studies.claims.tables import places, stated
from analysis.studies.claims.words import (
    is_contest,
    kind,
    signed_verdict,
    told_verdict,
    value_verdict,
)
from store.claim_records import EvidenceRecord

NOT_SHOWN: Final = 0.005
"""Share of the scores' span below which a stated figure lies on the mark."""


def found_verdict(found: EvidenceRecord) -> str:
    """Return the verdict of an audit; a claim without a gain only states a value."""
    is_value = found.verdict == "supported" and found.figures.get("gain") is None
    return value_verdict(found.verdict) if is_value else signed_verdict(found.verdict)


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
