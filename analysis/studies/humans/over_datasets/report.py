"""What to write down about metrics against humans over several datasets."""

from __future__ import annotations

from analysis.report import Report
from analysis.studies.humans.over_datasets import tables
from analysis.studies.humans.over_datasets.result import OverResult
from analysis.studies.humans.over_datasets.words import mean_test_in_words


def over_datasets_report(study: OverResult) -> Report:
    """Return the metrics with their means, and the datasets one by one."""
    return Report(
        title=f"Metrics against '{study.gold}' on {len(study.dataset_labels)} datasets",
        sentences=(study.sentence, mean_test_in_words(study)),
        tables=(tables.metrics(study).as_report(), tables.datasets(study).as_report()),
        signature=study.signature,
        warnings=study.warnings,
    )
