"""What to write down about agreement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from analysis.columns import Column
from analysis.report import Cell, Report, Strong, Table

if TYPE_CHECKING:
    from analysis.studies.humans.agreement.study import AgreementStudy


def agreement_report(study: AgreementStudy) -> Report:
    """Return the tables of a study of agreement."""
    tables = [_coefficients(study)] if study.coefficients else []
    tables.append(_annotators(study))
    if study.metrics:
        tables.append(_metrics(study))
    if study.strengths:
        tables.append(_strengths(study))
    if study.disagreements:
        tables.append(_disagreements(study))
    return Report(
        title=f"Agreement on {study.criterion.name}, {study.dataset.label}",
        sentences=(study.sentence,),
        tables=tuple(tables),
        signature=study.signature,
        warnings=study.warnings,
    )


def _ends(low: float, high: float) -> tuple[float, float] | None:
    return None if math.isnan(low) else (low, high)


def _coefficients(study: AgreementStudy) -> Table:
    rows: list[list[Cell]] = [
        [row.name, row.value, _ends(row.ci_low, row.ci_high), row.note]
        for row in study.coefficients
    ]
    columns = ("coefficient", Column("value", decimals=3), Column("interval", decimals=3), "of")
    return Table(columns, rows, caption="Agreement between annotators")


def _annotators(study: AgreementStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            row.name,
            row.n_judged,
            row.agreement_with_others,
            row.agreement_with_consensus,
            row.competence,
        ]
        for row in study.annotators
    ]
    columns = (
        "annotator",
        "judged",
        Column("with the others", decimals=3),
        Column("with the consensus", decimals=3),
        Column("competence", decimals=3),
    )
    notes = [f"Consensus: {study.consensus_rule}."]
    return Table(columns, rows, caption="Annotators", notes=notes)


def _metrics(study: AgreementStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            Strong(row.name) if row.verdict == "less" else row.name,
            row.n_units,
            row.agreement,
            _ends(row.ci_low, row.ci_high),
            row.humans,
            row.difference,
            _ends(row.difference_low, row.difference_high),
            row.pvalue_adjusted,
        ]
        for row in study.metrics
    ]
    columns = (
        "metric",
        "units",
        Column("with annotators", decimals=3),
        Column("interval", decimals=3),
        Column("they with each other", decimals=3),
        Column("difference", decimals=3, signed=True),
        Column("interval", decimals=3, signed=True),
        Column("p (Holm)", "pvalue"),
    )
    return Table(
        columns,
        rows,
        caption="Metrics against annotators",
        strong="annotators agree more with each other than with it",
    )


def _disagreements(study: AgreementStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            row.item_key,
            row.what,
            row.spread,
            "; ".join(f"{name}: {said}" for name, said in row.judgments.items()),
        ]
        for row in study.disagreements[:10]
    ]
    columns = ("item", "outputs", Column("spread", decimals=2), "judgments")
    return Table(columns, rows, caption="What annotators differ on most")


def _strengths(study: AgreementStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            row.system,
            row.strength,
            _ends(row.low, row.high),
            row.rank,
            f"{row.rank_low} to {row.rank_high}",
            row.n_choices,
        ]
        for row in study.strengths
    ]
    columns = (
        "system",
        Column("strength", decimals=3, signed=True),
        Column("interval", decimals=3, signed=True),
        "rank",
        "rank interval",
        "choices",
    )
    return Table(columns, rows, caption="Systems by the annotators' choices (Bradley–Terry, log)")
