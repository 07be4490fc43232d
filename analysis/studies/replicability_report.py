"""What to write down about two systems across datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis import numbers
from analysis.columns import Column
from analysis.report import Cell, Report, Strong, Table
from analysis.statistics.intervals.interval import Interval
from analysis.studies.dependence import ASSUMES, ESTIMATOR_NAMES
from analysis.studies.new_datasets import NewDatasets

if TYPE_CHECKING:
    from analysis.studies.replicability import ReplicabilityStudy

IDENTIFIED = {
    "holm": ("Holm", "family-wise error, any dependence"),
    "hochberg": ("Hochberg", "family-wise error, independence or positive dependence"),
    "hommel": ("Hommel", "family-wise error, independence or positive dependence"),
    "bh": ("BH", "false discovery rate, independence or positive dependence"),
    "by": ("BY", "false discovery rate, any dependence"),
    "bonferroni": ("Bonferroni", "family-wise error, any dependence"),
}
"""Ways to name datasets, and what each keeps under which assumption."""


def replicability_report(study: ReplicabilityStudy) -> Report:
    """Return the tables: counts, datasets, families, a new dataset."""
    tables = [_counts(study), _datasets(study)]
    if len(study.families) > 1:
        tables.append(_families(study))
    if study.new_datasets is not None:
        tables.append(_new_datasets(study, study.new_datasets))
    if study.seeds:
        tables.append(_seeds(study))
    return Report(
        title=f"{study.system_a} and {study.system_b} across datasets",
        sentences=(study.sentence, study.recommended.because),
        tables=tuple(tables),
        signature=study.signature,
        warnings=study.warnings,
    )


def _counts(study: ReplicabilityStudy) -> Table:
    directions = (study.a_over_b, study.b_over_a, study.undirected)
    rows: list[list[Cell]] = []
    for name in ("bonferroni", "fisher", "simes", "stouffer"):
        counts = [getattr(result, f"k_{name}") for result in directions]
        rows.append(_count_row(study, name, counts))
    if study.joint is not None:
        joint = (study.joint.a_over_b, study.joint.b_over_a, study.joint.undirected)
        rows.append(_count_row(study, "joint", [result.k for result in joint]))
    rows.append(
        [
            f"count of p ≤ {study.alpha:g}",
            *(result.k_count for result in directions),
            "promises nothing",
        ]
    )
    return Table(
        (
            "estimator",
            f"{study.system_a} better",
            f"{study.system_b} better",
            "without direction",
            "assumes",
        ),
        rows,
        caption="On at least so many datasets",
        strong="asked for" if study.recommended.asked_for else "recommended here",
    )


def _count_row(study: ReplicabilityStudy, name: str, counts: list[int]) -> list[Cell]:
    if name == study.recommended.estimator:
        return [Strong(ESTIMATOR_NAMES[name]), *(Strong(k) for k in counts), ASSUMES[name]]
    return [ESTIMATOR_NAMES[name], *counts, ASSUMES[name]]


def _datasets(study: ReplicabilityStudy) -> Table:
    several = len(study.metrics) > 1
    named = study.undirected.identified
    rows: list[list[Cell]] = []
    for k, e in enumerate(study.datasets):
        name = e.name(with_metric=several)
        rows.append(
            [
                Strong(name) if named["holm"][k] else name,
                e.score_a,
                e.score_b,
                e.difference,
                (e.ci_low, e.ci_high),
                e.favours or "",
                e.pvalue,
                "".join("×" if named[m][k] else "·" for m in ("holm", "hochberg", "hommel", "bh")),
            ]
        )
    return Table(
        (
            "dataset",
            study.system_a,
            study.system_b,
            Column("difference", signed=True),
            Column("interval", signed=True),
            "scores better",
            Column("p", "pvalue"),
            "Holm Hochberg Hommel BH",
        ),
        rows,
        caption=f"Differences on each dataset, {', '.join(m.label for m in study.metrics)}",
        strong=f"Holm finds a difference at α = {study.alpha:g}",
    )


def _families(study: ReplicabilityStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            family.name,
            family.n_testable,
            family.k_a_over_b,
            family.k_b_over_a,
            ESTIMATOR_NAMES[family.estimator],
        ]
        for family in study.families
    ]
    return Table(
        (
            "family",
            "tests",
            f"{study.system_a} better",
            f"{study.system_b} better",
            "estimator",
        ),
        rows,
        caption="Counts within each family; the confidence holds for each by itself",
    )


def _new_datasets(study: ReplicabilityStudy, found: NewDatasets) -> Table:
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
    )


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def _seeds(study: ReplicabilityStudy) -> Table:
    several = len(study.metrics) > 1
    rows: list[list[Cell]] = [
        [
            f"{order.dataset} ({order.metric})" if several else order.dataset,
            f"{order.n_runs_a} / {order.n_runs_b}",
            order.a_over_b.violation,
            order.a_over_b.epsilon_min,
            order.a_over_b.pvalue,
            order.b_over_a.pvalue,
            order.better or "",
        ]
        for order in study.seeds
    ]
    return Table(
        (
            "dataset",
            "runs",
            "violation ε",
            f"its bound, {study.system_a} over",
            Column(f"p, {study.system_a} over", "pvalue"),
            Column(f"p, {study.system_b} over", "pvalue"),
            "shown better",
        ),
        rows,
        caption="Almost stochastic order of repeated runs",
        notes=("Shown better: bound below 0.5, and permutation p at most α / (2 · datasets).",),
    )
