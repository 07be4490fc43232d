"""Which systems do annotators choose: one strength per system."""

from __future__ import annotations

from analysis import numbers
from analysis.studies.humans.agreement import tables
from analysis.studies.humans.agreement.study import AgreementStudy, StrengthRow
from dashboard.charts import strength_dots
from dashboard.ui.links import page_urls
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_answer


def show_strengths(study: AgreementStudy) -> None:
    """Show a strength per system with the interval of its rank, the best on top."""
    told = tables.strengths(study)
    frame = told.frame()
    best = study.strengths[0]
    show_picture(
        strength_dots(
            frame.assign(label=[_ranks(row) for row in study.strengths]),
            confidence=0.95,
        ),
        key="strengths_picture",
        alt=f"{numbers.counted(len(frame), 'system')} by the choices of annotators, {best.system} "
        f"on top with rank {_ranks(best)}.",
    )
    show_answer(
        told,
        filename=f"strengths_{study.criterion.name}",
        links={"system": page_urls("system", {}, uid=told.values("system_uid"))},
    )


def _ranks(row: StrengthRow) -> str:
    low, high = numbers.count(row.rank_low), numbers.count(row.rank_high)
    return low if low == high else f"{low} to {high}"
