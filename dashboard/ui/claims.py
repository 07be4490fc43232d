"""The parts of the page *Claims*: what can be chosen, the picture, the table, a claim by itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

import altair
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.claims import tables
from analysis.studies.claims.records import ClaimRow, Step
from analysis.studies.claims.settings import RULES_IN_WORDS
from analysis.studies.claims.study import ClaimsStudy
from analysis.studies.claims.tables import places, stated
from analysis.studies.claims.words import SIGNS, is_contest, kind, signed_verdict, told_verdict
from dashboard import address, data
from dashboard.charts import claims_plot
from dashboard.charts.names import shorten
from dashboard.ui import filters
from dashboard.ui.answers import answer
from dashboard.ui.badges import badge
from dashboard.ui.claims_frames import evidence_frame, look_frame, mark_frame, step_frame
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.notes import without_commands
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_answer as show_rows
from dashboard.ui.tables import show_table

_TO_BE_BEST, _EVERY = "claims to be the best", "all claims"
_LISTS = {_TO_BE_BEST: "best", _EVERY: "all"}
_MOST_NAMED: Final = 6
_LONGEST_NAME: Final = 36


def show_answer(study: ClaimsStudy) -> None:
    """Say how many claims hold; what became of the others, and what is best, in smaller type."""
    first, end, rest = study.sentence.partition("). ")
    answer(plain(f"{first}{end}".strip()), plain(rest) or None)


def show_names(study: ClaimsStudy) -> None:
    """Name what was shown to be the best, in turn, and what was contradicted."""
    lines = []
    if len(study.frontier) > 1:
        told = [_step_badge(step, is_first=k == 0) for k, step in enumerate(study.frontier)]
        lines.append(f"Shown to be the best, in turn: {_latest(told)}")
    moved = {(step.system_uid, step.look) for step in study.frontier}
    for verdict in ("supported", "contradicted"):
        rows = [row for row in study.rows if row.verdict == verdict and is_contest(row)]
        if verdict == "supported":
            rows = [row for row in rows if (row.system_uid, row.look) not in moved]
        if rows:
            sign = SIGNS[verdict]
            told = [badge(verdict, _dated(sign, row.system, row.date)) for row in rows]
            lines.append(f"{verdict.capitalize()}: {_latest(told)}")
    if lines:
        st.markdown("  \n".join(lines))


def _step_badge(step: Step, *, is_first: bool) -> str:
    """Return a move of the honest frontier: the first score, one that holds, several together."""
    if is_first:
        return badge("unverifiable", _dated(SIGNS["start"], step.system, step.date))
    if step.by_itself:
        return badge("supported", _dated(SIGNS["supported"], step.system, step.date))
    return badge("unverifiable", _dated("◯", step.system, step.date))


def _dated(sign: str, system: str, day: datetime) -> str:
    return f"{sign} {shorten(system, _LONGEST_NAME)}, {numbers.day(day)}"


def _latest(told: Sequence[str]) -> str:
    """Join the latest badges; say how many came before."""
    earlier = len(told) - _MOST_NAMED
    before = f"{numbers.counted(earlier, 'earlier one')}, " if earlier > 0 else ""
    return before + " ".join(told[-_MOST_NAMED:])


def basis_in_words(study: ClaimsStudy) -> str:
    """Return on what the verdicts rest, in a line."""
    settings, metric = study.settings, study.metric
    better = "higher is better" if metric.higher_is_better else "lower is better"
    parts = [
        numbers.counted(study.n_looks, "score"),
        f"{metric.label}, {better}",
        f"{RULES_IN_WORDS[settings.rule]}, α = {settings.alpha:g}",
    ]
    gain = settings.gain if settings.gain is not None else study.usual_gain
    if gain == gain:
        whose = "asked for" if settings.gain is not None else "the usual one here"
        parts.append(f"gain that matters {numbers.fixed(gain, places(study))} ({whose})")
    return " · ".join(parts)


def history_plot(study: ClaimsStudy) -> altair.LayerChart:
    """Draw both frontiers, every score, and the claims among them."""
    return claims_plot(
        look_frame(study),
        mark_frame(study),
        step_frame(study.frontier, places(study)),
        step_frame(study.raw, places(study)),
        metric=study.metric.label,
        higher_is_better=study.metric.higher_is_better,
        confidence=1 - study.settings.alpha,
    )


def show_history(study: ClaimsStudy) -> None:
    """Show the picture with what it assumes."""
    show_picture(history_plot(study), key="history", alt=study.sentence, filename="claims")
    if len(study.frontier) > 1:
        told = (
            "The heavy line assumes that no system was built from the best of this board or tried "
            "out on this test set."
        )
        if not all(step.by_itself for step in study.frontier[1:]):
            told += " At a ring, several gains together are shown, but not the last one by itself."
        st.caption(told)


def show_claims(study: ClaimsStudy) -> ClaimRow | None:
    """Show the table of claims; return the one that the address asks for, if any."""
    only_best = _choose_rows(study) == _TO_BE_BEST
    told = tables.claims(study, only_best=only_best)
    if not told.rows:
        st.markdown("No score of this history passed an earlier one, and nothing was claimed.")
        return None
    keys = _keys(study.rows)
    show_rows(
        told,
        filename=f"claims_{study.dataset.name}",
        links={"system": address.here_with("claim", [keys[at] for at in told.values("position")])},
        is_main=True,
    )
    filters.tell_unknown("claim", "claim", keys)
    asked = address.value("claim")
    return None if asked is None else study.rows[keys.index(asked)]


def _keys(rows: Sequence[ClaimRow]) -> list[str]:
    """Return what the address calls each claim: system and day, numbered where that is not one."""
    plain_keys = [f"{row.system} {numbers.day(row.date)}" for row in rows]
    return [
        key if (n := plain_keys[:at].count(key)) == 0 else f"{key} ({n + 1})"
        for at, key in enumerate(plain_keys)
    ]


def _choose_rows(study: ClaimsStudy) -> str:
    """Draw the choice of which claims to list, where some of them only state a value."""
    if all(is_contest(row) for row in study.rows):
        return _EVERY
    return filters.choose_part(
        "Which claims", [_TO_BE_BEST, _EVERY], key="list", value=_LISTS.__getitem__
    )


def show_claim(study: ClaimsStudy, row: ClaimRow) -> None:
    """Show a claim by itself: why it got its verdict, its source, where to go from here."""
    st.header(plain(f"{row.system}, {numbers.day(row.date)}"), anchor=False)
    st.markdown(f"{_verdict_badge(row)} {plain(without_commands(row.why))}")
    decimals = places(study)
    if (claimed := stated(row)) is not None:
        printed = numbers.stated(row.printed, claimed)
        st.markdown(f"Claimed: {plain(printed)}, {_source(row)}")
    if row.formerly:
        st.markdown(plain(f"When the claim was made: {row.formerly}."))
    if row.quote:
        st.markdown(f"> {plain(row.quote)}")
    if row.gain_corrected == row.gain_corrected:
        low, high = (numbers.fixed(end, decimals, signed=True) for end in row.ci_corrected)
        st.markdown(
            plain(
                "Only gains become records. Without what that adds, the gain is "
                f"{numbers.fixed(row.gain_corrected, decimals, signed=True)} ({low} to {high})."
            )
        )
    where = {"dataset": study.dataset.label, "metric": study.metric.label}
    if row.previous and row.basis == "items" and row.previous_uid != row.system_uid:
        pair = {"a": row.system, "b": row.previous}
        label = f"{row.system} against {row.previous}"
        show_link(Link(label, "compare", {**where, **pair}))
    if row.run_uid:
        show_link(Link("The run", "run", {"uid": row.run_uid}))
    show_link(Link(row.system, "system", {"uid": row.system_uid}))
    _show_evidence(row, decimals)


def _verdict_badge(row: ClaimRow) -> str:
    """Return the verdict as a badge; one on a mere value, or on the first score, wears no hue."""
    if kind(row) == "start" or not is_contest(row):
        name = "value-confirmed" if row.verdict == "supported" else row.verdict
        return badge(name, told_verdict(row))
    return badge(row.verdict)


def _source(row: ClaimRow) -> str:
    """Return the source as Markdown, with its address where that is one of the web."""
    source = plain(row.source)
    url = row.source_url or ""
    if urlsplit(url).scheme in ("http", "https"):
        safe = url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
        return f"[{source}]({safe})"
    return f"{source} {plain(url)}".strip()


def _show_evidence(row: ClaimRow, decimals: int) -> None:
    """Show what every audit made of a claim."""
    if row.claim_uid is None:
        if row.previous is not None:
            st.caption("Not in the ledger yet: an audit puts it there.")
        return
    evidence = data.evidence(row.claim_uid)
    if not evidence:
        st.caption(f"Claim {row.claim_uid} in the ledger, not audited yet.")
        return
    st.caption(f"What audits made of it; claim {row.claim_uid} in the ledger")
    show_table(
        evidence_frame(evidence),
        key="evidence",
        columns={
            "created_at": Column("Audited", "moment"),
            "verdict": Column("Verdict"),
            "gain": Column("Gain", "difference", decimals=decimals),
            "pvalue": Column("p", "pvalue"),
            "pvalue_sequential": Column("p in sequence", "pvalue"),
            "tier": Column("Tier", shown=False),
            "actor": Column("By"),
            "signature": Column("Signature", shown=False),
        },
        filename=f"audits_{row.claim_uid}",
        noun="audit",
    )


def differing(study: ClaimsStudy) -> list[str]:
    """Return in words the claims whose verdict here is not that of the ledger."""
    return [
        f"{row.system}: {signed_verdict(row.audited)} in the ledger, "
        f"{signed_verdict(row.verdict)} here"
        for row in study.rows
        if row.audited is not None and row.audited != row.verdict
    ]
