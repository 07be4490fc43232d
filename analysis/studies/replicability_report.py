"""What to write down about two systems across datasets."""

from __future__ import annotations

from analysis import numbers
from analysis.columns import Column
from analysis.report import Cell, Report, Table
from analysis.statistics.intervals.interval import Interval
from analysis.studies import replicability_tables as tables
from analysis.studies.new_datasets import NewDatasets
from analysis.studies.new_datasets_words import new_datasets_in_words
from analysis.studies.replicability_result import ReplicabilityResult


def replicability_report(study: ReplicabilityResult) -> Report:
    """Return the tables: counts, datasets, families, a new dataset, runs, what is shared."""
    told = [tables.counts(study), tables.datasets(study)]
    if len(study.families) > 1:
        told.append(tables.families(study))
    after = [tables.seeds(study)] if study.seeds else []
    after += [tables.overlaps(study)] if study.overlaps else []
    new = [] if study.new_datasets is None else [_new_datasets(study, study.new_datasets)]
    return Report(
        title=f"{study.system_a} and {study.system_b} across datasets",
        sentences=(study.sentence, study.recommended.because),
        tables=(
            *(table.as_report() for table in told),
            *new,
            *(table.as_report() for table in after),
        ),
        signature=study.signature,
        warnings=study.warnings,
    )


def _new_datasets(study: ReplicabilityResult, found: NewDatasets) -> Table:
    over = found.over_datasets
    rows: list[list[Cell]] = [
        ["wins/ties/losses", f"{over.wins}/{over.ties}/{over.losses}", None],
        ["mean difference over datasets (t)", over.mean_difference, _ends(over.ci)],
        ["p, paired t over datasets", numbers.pvalue(over.pvalue_t), None],
        ["p, Wilcoxon over datasets", numbers.pvalue(over.pvalue_wilcoxon), None],
        ["p, sign test over datasets", numbers.pvalue(over.pvalue_sign), None],
        ["mean difference (Gumbel)", over.gumbel_mean, _ends(over.gumbel_ci)],
    ]
    effects = found.random_effects
    if effects is not None:
        rows += [
            ["mean difference (random effects)", effects.mean, _ends(effects.ci)],
            [
                "difference on a new dataset (prediction)",
                effects.mean,
                _ends(effects.prediction_interval),
            ],
            [
                f"probability that {study.system_a} is better on a new dataset",
                effects.probability_better_on_new,
                None,
            ],
        ]
    bayesian = found.bayesian
    rows += [
        [
            f"probability that {study.system_a} is better over datasets (Bayesian)",
            bayesian.probability_right,
            None,
        ],
        [
            f"probability that {study.system_b} is better over datasets (Bayesian)",
            bayesian.probability_left,
            None,
        ],
    ]
    if found.margin:
        rows.append(
            [
                f"probability of less than {found.margin:g} either way (Bayesian)",
                bayesian.probability_rope,
                None,
            ]
        )
    return Table(
        ("the datasets as a sample", "value", Column("interval", signed=True)),
        rows,
        caption="On datasets nobody has seen; higher is better for the first system",
        notes=new_datasets_in_words(study),
    )


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high
