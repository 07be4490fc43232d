"""The parts of the page *Claims*: what can be chosen, the picture, the table, a claim by itself."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import streamlit as st

from analysis import numbers
from analysis.studies.claims.records import ClaimRow
from analysis.studies.claims.study import ClaimsStudy
from dashboard import data
from dashboard.charts import claims_plot
from dashboard.charts.claims import LOOKS
from dashboard.charts.names import shorten
from dashboard.ui.badges import badge
from dashboard.ui.claims_choice import RULES_IN_WORDS
from dashboard.ui.claims_frames import (
    claim_frame,
    evidence_frame,
    in_words,
    is_contest,
    look_frame,
    mark_frame,
    places,
    rule_frame,
    signed_verdict,
    stated,
    step_frame,
)
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import Column, show_table

_TO_BE_BEST, _EVERY = "claims to be the best", "all claims"
_MOST_NAMED: Final = 6
_MOST_HOLDERS: Final = 4
_LONGEST_NAME: Final = 36


def show_names(study: ClaimsStudy) -> None:
    """Name the claims that hold and those that were contradicted, right under the answer."""
    lines = []
    for verdict in ("supported", "contradicted"):
        rows = [row for row in study.rows if row.verdict == verdict and is_contest(row)]
        if not rows:
            continue
        sign = LOOKS[in_words(verdict)].sign
        told = [
            badge(verdict, f"{sign} {shorten(row.system, _LONGEST_NAME)}, {numbers.day(row.date)}")
            for row in rows[-_MOST_NAMED:]
        ]
        earlier = len(rows) - len(told)
        more = f"  and {numbers.counted(earlier, 'earlier one')}" if earlier else ""
        lines.append(f"{verdict.capitalize()}: {' '.join(told)}{more}")
    holders = [step.system for step in study.frontier]
    if len(holders) > 1:
        named = [shorten(name, _LONGEST_NAME) for name in holders[-_MOST_HOLDERS:]]
        if len(holders) > _MOST_HOLDERS:
            named.insert(0, "…")
        lines.append(f"Shown to be the best, in turn: {plain(' → '.join(named))}")
    if lines:
        st.markdown("  \n".join(lines))


def basis_in_words(study: ClaimsStudy) -> str:
    """Return on what the verdicts rest, in a line."""
    settings, metric = study.settings, study.metric
    better = "higher is better" if metric.higher_is_better else "lower is better"
    parts = [
        numbers.counted(study.n_looks, "scored system"),
        f"{metric.label}, {better}",
        f"{RULES_IN_WORDS[settings.rule]}, α = {settings.alpha:g}",
    ]
    gain = settings.gain if settings.gain is not None else study.usual_gain
    if gain == gain:
        whose = "asked for" if settings.gain is not None else "the usual one here"
        parts.append(f"gain that matters {numbers.fixed(gain, places(study))} ({whose})")
    return " · ".join(parts)


def show_history(study: ClaimsStudy) -> None:
    """Show the picture: both frontiers, every score, and the claims among them."""
    show_picture(
        claims_plot(
            look_frame(study),
            mark_frame(study),
            step_frame(study.frontier, places(study)),
            step_frame(study.raw, places(study)),
            metric=study.metric.label,
            higher_is_better=study.metric.higher_is_better,
            confidence=1 - study.settings.alpha,
        ),
        key="history",
        alt=study.sentence,
    )


def show_claims(study: ClaimsStudy) -> ClaimRow | None:
    """Show the table of claims; return the one that is selected, if any."""
    only_best = _choose_rows(study) == _TO_BE_BEST
    frame, decimals = claim_frame(study, only_best=only_best), places(study)
    if frame.empty:
        st.markdown("No score of this history passed an earlier one, and nothing was claimed.")
        return None
    level = numbers.confidence(study.settings.alpha)
    has_intervals = bool(frame["ci_low"].notna().any())
    picked = show_table(
        frame,
        key="claims",
        columns={
            "date": Column("Date", "day"),
            "system": Column("System", pinned=True, width="medium"),
            "verdict": Column("Verdict", help="The reason stands in the column Why"),
            "score": Column(study.metric.label, "number", decimals=decimals),
            "claimed": Column(
                "Claimed",
                "number",
                decimals=decimals,
                shown=bool(frame["claimed"].notna().any()),
                help="The figure of the source",
            ),
            "gain": Column(
                "Gain",
                "difference",
                decimals=decimals,
                width=80,
                help="Over the best before, on the items that both have; positive is better",
            ),
            "ci_low": Column(
                "From",
                "difference",
                decimals=decimals,
                width=80,
                shown=has_intervals,
                help=f"{level} interval",
            ),
            "ci_high": Column("To", "difference", decimals=decimals, width=80, shown=has_intervals),
            "pvalue": Column("p", "pvalue", width=80, help="Of this gain alone"),
            "pvalue_sequential": Column(
                "p in sequence",
                "pvalue",
                help=f"With all claims so far; the claim holds up to {study.settings.alpha:g}",
            ),
            "look": Column("Look", "count", help="How many systems were scored by then"),
            "level": Column(
                "Level", "number", decimals=5, shown=False, help="What p has to meet at this look"
            ),
            "mde": Column(
                "Finds gains of",
                "number",
                decimals=decimals,
                help="The smallest true gain that this comparison finds with power "
                f"{study.settings.power:g}",
            ),
            "power": Column(
                "Power", "number", decimals=2, help="For the gain that matters: how often it shows"
            ),
            "type_m": Column(
                "Exaggeration",
                "number",
                decimals=1,
                help="Type M: by which factor a gain that matters is overstated where it shows",
            ),
            "power_claimed": Column(
                "Power as claimed",
                "number",
                decimals=2,
                shown=False,
                help="For a true gain as large as claimed, where the claim came from elsewhere",
            ),
            "why": Column("Why", width="large"),
            "gain_corrected": Column(
                "Corrected gain",
                "difference",
                decimals=decimals,
                shown=False,
                help="Without what is due to only gains being reported",
            ),
            "previous": Column("Best before", shown=False),
            "n_items": Column("Items", "count", shown=False),
            "n_missing": Column("Missing", "count", shown=bool(frame["n_missing"].any())),
            "test": Column("Test", shown=False),
            "basis": Column("Rests on", shown=frame["basis"].nunique() > 1),
            "tier": Column("Tier", shown=False),
            "origin": Column("Origin", shown=False),
            "source": Column("Source", shown=bool((frame["source"] != "").any())),
            "in_ledger": Column(
                "In the ledger", shown=False, help="What the latest audit made of the claim"
            ),
        },
        filename=f"claims_{study.dataset.name}",
        noun="claim",
        select="single-row",
    )
    return None if picked is None else study.rows[int(picked["position"])]


def _choose_rows(study: ClaimsStudy) -> str:
    """Draw the choice of which claims to list, where some of them only state a value."""
    if all(is_contest(row) for row in study.rows):
        return _EVERY
    chosen = st.segmented_control(
        "Which claims",
        [_TO_BE_BEST, _EVERY],
        default=_TO_BE_BEST,
        required=True,
        key="list",
        bind="query-params",
        label_visibility="collapsed",
    )
    return str(chosen)


def show_claim(study: ClaimsStudy, row: ClaimRow) -> None:
    """Show a claim by itself: why it got its verdict, its source, where to go from here."""
    st.header(plain(f"{row.system}, {numbers.day(row.date)}"), anchor=False)
    st.markdown(f"{badge(row.verdict)} {plain(row.why)}")
    decimals = places(study)
    if (claimed := stated(row)) is not None:
        printed = row.printed or f"{claimed:g}"
        st.markdown(f"Claimed: {plain(printed)}, {_source(row)}")
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


def _source(row: ClaimRow) -> str:
    """Return the source as Markdown, with its address where that is one of the web."""
    source = plain(row.source)
    address = row.source_url or ""
    if urlsplit(address).scheme in ("http", "https"):
        safe = address.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
        return f"[{source}]({safe})"
    return f"{source} {plain(address)}".strip()


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
            "signature": Column("Signature", width="large", shown=False),
        },
        filename=f"audits_{row.claim_uid}",
        noun="audit",
    )


def show_rules(study: ClaimsStudy) -> None:
    """Show every rule side by side, and what a Ladder board would have shown."""
    looks = numbers.counted(study.n_looks, "look")
    records = numbers.counted(study.n_records, "record")
    st.markdown(
        plain(
            f"{looks} at this test set, {records}, {study.n_tested:,} tested. The rules differ in "
            "what they keep low and in what they take for granted; claims on one test set are "
            "not independent."
        )
    )
    show_table(
        rule_frame(study, RULES_IN_WORDS),
        key="rules",
        columns={
            "rule": Column("Rule", pinned=True),
            "held": Column("Hold", "count", help=f"Of {study.n_tested:,} tested claims"),
            "systems": Column("Which", width="medium"),
            "controls": Column("Keeps low"),
            "assumes": Column("Takes for granted", width="large"),
        },
        filename=f"rules_{study.dataset.name}",
        noun="rule",
    )
    if not study.ladder:
        st.markdown(plain(f"No Ladder board: {study.ladder_note}"))
    else:
        last = study.ladder[-1]
        moves = numbers.counted(len(study.ladder) - 1, "time")
        st.markdown(
            plain(
                f"A Ladder board, which moves for more than one standard error, would have moved "
                f"{moves} and would show {last.system} with "
                f"{numbers.fixed(last.score, places(study))}. That is no test of a gain."
            )
        )


def differing(study: ClaimsStudy) -> list[str]:
    """Return in words the claims whose verdict here is not that of the ledger."""
    return [
        f"{row.system}: {signed_verdict(row.audited)} in the ledger, "
        f"{signed_verdict(row.verdict)} here"
        for row in study.rows
        if row.audited is not None and row.audited != row.verdict
    ]
