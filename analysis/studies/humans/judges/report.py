"""What to write down about a judge."""

from __future__ import annotations

from analysis.report import Report
from analysis.studies.humans.judges import tables
from analysis.studies.humans.judges.result import JudgesResult


def judges_report(study: JudgesResult) -> Report:
    """Return the tables of a study of a judge."""
    told = [tables.ceiling(study), tables.systems(study), tables.pairs(study)]
    told += [tables.place(study), tables.length(study)]
    return Report(
        title=f"{study.judge} as a judge of {study.criterion.name}, {study.dataset.label}",
        sentences=(study.sentence,),
        tables=tuple(table.as_report() for table in told if table.rows),
        signature=study.signature,
        warnings=study.warnings,
    )
