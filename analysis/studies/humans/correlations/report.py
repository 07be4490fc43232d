"""What to write down about metrics held against humans."""

from __future__ import annotations

import math

from analysis.columns import Column
from analysis.numbers import counted
from analysis.report import Cell, Report, Strong, Table
from analysis.studies.humans.correlations.result import CorrelationsResult
from analysis.studies.humans.correlations.settings import COEFFICIENTS_IN_WORDS, TESTS_IN_WORDS
from analysis.studies.humans.correlations.words import LEVELS_IN_WORDS, gold_in_words


def correlations_report(study: CorrelationsResult) -> Report:
    """Return the tables: coefficients, pairs of metrics, metrics with each other, slices."""
    return Report(
        title=f"Metrics against '{study.gold}' on {study.dataset.label}",
        sentences=tuple(filter(None, (study.sentence, method_in_words(study), _line(study)))),
        tables=tuple(
            filter(None, (_coefficients(study), _pvalues(study), _between(study), _slices(study)))
        ),
        signature=study.signature,
        warnings=study.warnings,
    )


def method_in_words(study: CorrelationsResult) -> str:
    """Say how coefficients are taken and compared."""
    level = "" if study.kind == "preferences" else f" {LEVELS_IN_WORDS[study.level]}"
    exact = " (all of them)" if study.exact else ""
    gold = gold_in_words(study.gold_rule)
    text = f"{COEFFICIENTS_IN_WORDS[study.coefficient]}{level}; {gold}."
    n_pairs = len(study.rows) * (len(study.rows) - 1) // 2
    if n_pairs:
        text += (
            f" Metrics are compared by {TESTS_IN_WORDS[study.test]}{exact}, corrected over "
            f"{counted(n_pairs, 'pair')} ({study.correction})."
        )
    return text


def _line(study: CorrelationsResult) -> str:
    line = study.human_line
    if line is None:
        return ""
    return (
        f"Human line: {line.value:.3f}, {line.how} ({line.n_annotators} annotators, "
        f"{line.low:.3f} to {line.high:.3f})."
    )


def _coefficients(study: CorrelationsResult) -> Table:
    rows: list[list[Cell]] = []
    has_outliers = any(not math.isnan(row.without_outliers) for row in study.rows)
    for row in study.rows:
        best = row.versus_best in ("reference", "undecided", "better")
        cells: list[Cell] = [
            Strong(row.metric) if best else row.metric,
            row.coefficient,
            row.ci,
            row.n,
            row.group,
            row.pvalue_vs_best,
        ]
        if study.reference is not None:
            cells.append(row.pvalue_vs_reference)
        rows.append([*cells, row.without_outliers] if has_outliers else cells)
    columns: list[str | Column] = [
        "metric",
        Column(COEFFICIENTS_IN_WORDS[study.coefficient], decimals=3),
        Column("interval", decimals=3),
        "n",
        "group",
        Column("p, against the best", "pvalue"),
    ]
    if study.reference is not None:
        columns.append(Column(f"p, against {study.reference}", "pvalue"))
    if has_outliers:
        columns.append(Column("without outlying systems", decimals=3))
    return Table(
        columns,
        rows,
        caption=f"Correlation with '{study.gold}' on {study.dataset.label}",
        notes=("Metrics that share a letter cannot be separated.",) if len(rows) > 1 else (),
        strong="cannot be separated from the best",
    )


def _matrix(study: CorrelationsResult, values: object, caption: str, kind: str) -> Table | None:
    if len(study.metrics) < 2:
        return None
    columns: list[str | Column] = ["metric"]
    columns += [
        Column(name, "pvalue") if kind == "pvalue" else Column(name, decimals=3)
        for name in study.metrics
    ]
    rows: list[list[Cell]] = [
        [name, *(None if i == j else float(values[i, j]) for j in range(len(study.metrics)))]  # type: ignore[index]
        for i, name in enumerate(study.metrics)
    ]
    return Table(columns, rows, caption=caption)


def _pvalues(study: CorrelationsResult) -> Table | None:
    caption = f"Adjusted p-values of the metric pairs ({study.correction})"
    return _matrix(study, study.pvalue_adjusted, caption, "pvalue")


def _between(study: CorrelationsResult) -> Table | None:
    return _matrix(study, study.between, "Correlation of the metrics with each other", "number")


def _slices(study: CorrelationsResult) -> Table | None:
    if not study.slices:
        return None
    columns: list[str | Column] = [study.by or "slice", "items"]
    columns += [Column(name, decimals=3) for name in study.metrics]
    rows: list[list[Cell]] = [[one.slice, one.n_items, *one.values] for one in study.slices]
    return Table(columns, rows, caption=f"Correlation by {study.by}")
