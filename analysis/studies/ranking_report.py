"""What to write down about a ranking over datasets."""

from __future__ import annotations

from analysis.report import Report
from analysis.studies import ranking_tables as tables
from analysis.studies.ranking_result import RankingResult
from analysis.studies.ranking_words import rank_test_in_words


def ranking_report(study: RankingResult) -> Report:
    """Return the tables of a ranking: ranks, aggregates, scores, pairs."""
    told = [tables.ranks(study, study.rule), tables.aggregates(study, study.aggregates)]
    if not study.complete and study.aggregates.common_datasets.any():
        told.append(tables.aggregates(study, study.aggregates.common))
    told += [tables.scores(study), tables.pairs(study, study.rule)]
    return Report(
        title=f"Ranking over {len(study.datasets)} datasets",
        sentences=tuple(
            filter(None, (study.sentence, rank_test_in_words(study.rank_test), study.order_note))
        ),
        tables=tuple(table.as_report() for table in told),
        signature=study.signature,
        warnings=study.warnings,
    )
