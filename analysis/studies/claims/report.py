"""Claims to be written down: as text, Markdown, LaTeX."""

from __future__ import annotations

from analysis.report import Report
from analysis.studies.claims import tables
from analysis.studies.claims.result import ClaimsResult


def claims_report(study: ClaimsResult) -> Report:
    """Return the claims, the frontier that was shown, and the rules side by side."""
    told = (tables.claims(study), tables.frontier(study), tables.rules(study))
    return Report(
        title=f"Claims on {study.dataset.label}",
        sentences=(study.sentence,),
        tables=tuple(table.as_report() for table in told if table.rows),
        signature=study.signature,
        warnings=study.warnings,
    )
