"""What to write down about metrics held against humans."""

from __future__ import annotations

from analysis.numbers import counted
from analysis.report import Report
from analysis.studies.humans.correlations import tables
from analysis.studies.humans.correlations.result import CorrelationsResult
from analysis.studies.humans.correlations.settings import COEFFICIENTS_IN_WORDS, TESTS_IN_WORDS
from analysis.studies.humans.correlations.words import LEVELS_IN_WORDS, gold_in_words


def correlations_report(study: CorrelationsResult) -> Report:
    """Return the tables: coefficients, pairs of metrics, metrics with each other, slices."""
    told = [tables.coefficients(study)]
    if len(study.rows) > 1:
        told += [tables.pvalues(study), tables.between(study)]
    if study.slices:
        told.append(tables.slices(study))
    return Report(
        title=f"Metrics against '{study.gold}' on {study.dataset.label}",
        sentences=tuple(filter(None, (study.sentence, method_in_words(study), _line(study)))),
        tables=tuple(table.as_report() for table in told),
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
