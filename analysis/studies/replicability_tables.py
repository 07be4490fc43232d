"""The tables of two systems across datasets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from analysis import numbers
from analysis.answer_table import AnswerTable
from analysis.columns import Column, Value, with_interval
from analysis.studies.dependence import ASSUMES, ESTIMATOR_NAMES
from analysis.studies.evidence import DatasetEvidence
from analysis.studies.replicability_result import ReplicabilityResult
from analysis.studies.seed_order import fewest_runs
from analysis.studies.test_names import test_in_words

IDENTIFIED: Final = {
    "holm": ("Holm", "family-wise error, any dependence"),
    "hochberg": ("Hochberg", "family-wise error, independence or positive dependence"),
    "hommel": ("Hommel", "family-wise error, independence or positive dependence"),
    "bh": ("BH", "false discovery rate, independence or positive dependence"),
    "by": ("BY", "false discovery rate, any dependence"),
    "bonferroni": ("Bonferroni", "family-wise error, any dependence"),
}
"""Ways to name datasets, and what each keeps under which assumption."""

_NAMED: Final = ("holm", "hochberg", "hommel", "bh")
"""Those that a table lists; the others are columns to choose."""

Standing = Literal["identified", "small p", "cannot tell", "not testable"]
"""What is to be said of one dataset."""


def title(estimator: str) -> str:
    """Return an estimator's name as it begins a cell."""
    name = ESTIMATOR_NAMES[estimator]
    return name[0].upper() + name[1:]


def counts(study: ReplicabilityResult) -> AnswerTable:
    """Return a row per estimator with its count in each direction, the recommended one first."""
    directions = {
        "a_over_b": study.a_over_b,
        "b_over_a": study.b_over_a,
        "undirected": study.undirected,
    }
    first = study.recommended.estimator
    rows: list[dict[str, Value]] = []
    for name in (first, *(name for name in ESTIMATOR_NAMES if name != first)):
        if name == "joint" and study.joint is None:
            continue
        rows.append(
            {
                "estimator": _titled(study, name),
                **{
                    way: getattr(study.joint, way).k
                    if name == "joint"
                    else getattr(result, f"k_{name}")
                    for way, result in directions.items()
                },
                "assumes": ASSUMES[name],
            }
        )
    rows.append(
        {
            "estimator": f"Count of p ≤ {study.alpha:g}",
            **{way: result.k_count for way, result in directions.items()},
            "assumes": "promises nothing",
        }
    )
    of = "datasets" if len(study.metrics) == 1 else "combinations with a metric"
    return AnswerTable(
        name="counts",
        noun="estimator",
        columns={
            "estimator": Column("estimator", pinned=True),
            "a_over_b": Column(f"{study.system_a} better", "count", is_name=True),
            "b_over_a": Column(f"{study.system_b} better", "count", is_name=True),
            "undirected": Column("without direction", "count"),
            "assumes": Column("assumes about the datasets"),
        },
        rows=rows,
        caption=f"On at least so many {of}",
        notes=(
            f"Of {numbers.counted(study.undirected.n_datasets, 'test')}. Each number is a lower "
            f"bound with confidence {1 - study.alpha:g}, except the plain count of p ≤ "
            f"{study.alpha:g}, which promises nothing. Without direction a dataset counts whoever "
            "is better, as in Dror et al. 2017. With direction only evidence for the named system "
            "counts, each direction with an α of its own, so that it can count more.",
        ),
    )


def _titled(study: ReplicabilityResult, name: str) -> str:
    if name == study.recommended.estimator:
        return f"{title(name)} ({'asked for' if study.recommended.asked_for else 'recommended'})"
    return title(name)


def families(study: ReplicabilityResult) -> AnswerTable:
    """Return a row per family with its counts."""
    by_metric = study.family == "per-dataset"

    def names(positions: Sequence[int]) -> str:
        chosen = [study.datasets[position] for position in positions]
        return ", ".join(e.metric if by_metric else e.dataset for e in chosen)

    return AnswerTable(
        name="families",
        noun="dataset" if by_metric else "metric",
        columns={
            "family": Column("family", pinned=True),
            "n": Column("tests", "count"),
            "a": Column(f"{study.system_a} better", "count", is_name=True),
            "b": Column(f"{study.system_b} better", "count", is_name=True),
            "named_a": Column(f"Holm: {study.system_a} better on", in_report=False),
            "named_b": Column(f"Holm: {study.system_b} better on", in_report=False),
            "estimator": Column("counted by"),
        },
        rows=[
            {
                "family": family.name,
                "n": family.n_testable,
                "a": family.k_a_over_b,
                "b": family.k_b_over_a,
                "named_a": names(family.identified_a),
                "named_b": names(family.identified_b),
                "estimator": title(family.estimator),
            }
            for family in study.families
        ],
        caption="Counts within each family",
        notes=(
            "α holds for each family and direction by itself, not for all of them together. Joint "
            "resampling is over everything together; asked for, families are counted by "
            "Bonferroni.",
        ),
    )


def datasets(study: ReplicabilityResult) -> AnswerTable:
    """Return a row per dataset and metric: scores, difference, p, and who names it."""
    has_items = study.basis == "items"
    rows = [_row(study, position) for position in range(len(study.datasets))]
    rows += [_absent(study, rows, at) for at in range(len(study.missing))]
    held = set(rows[0]) if rows else set()
    places = _places(study)
    difference = Column("difference", "difference", decimals=places)
    told = {
        "dataset": Column("dataset", pinned=True),
        **with_interval("difference", difference, "ci_low", "ci_high"),
        "pvalue": Column("p", "pvalue", help="Two-sided, or as the source states it"),
        "named_by": Column("named by", help="Procedures that find a difference on this dataset"),
        "favours": Column("scores better"),
        "score_a": Column(study.system_a, "number", decimals=places, is_name=True),
        "score_b": Column(study.system_b, "number", decimals=places, is_name=True),
        "not_testable": Column("why not").when(any(row["not_testable"] for row in rows)),
        "pvalue_a_over_b": Column(f"p, {study.system_a} over", "pvalue").when(False),
        "pvalue_b_over_a": Column(f"p, {study.system_b} over", "pvalue").when(False),
        "shrunken": Column(
            "shrunken",
            "difference",
            decimals=places,
            help="The difference, pulled towards the mean over datasets the more, the noisier",
        ).when(False),
        "n_items": Column("items", "count").when(has_items),
        "n_missing": Column("missing", "count").when(False),
        "test": Column("test").when(False),
        **{
            method: Column(name, help=f"Names datasets: {keeps}").when(False)
            for method, (name, keeps) in IDENTIFIED.items()
        },
        "joint": Column(
            "Joint",
            help="Names datasets: family-wise error with the dependence through shared items",
        ).when(False),
        "printed": Column("p as printed").when(False),
        "sidedness": Column("sidedness").when(False),
        "source": Column("source").when(False),
    }
    holm = [k for k, row in enumerate(rows) if row.get("holm")]
    keeps = "; ".join(f"{IDENTIFIED[m][0]} keeps the {IDENTIFIED[m][1]}" for m in _NAMED)
    if "joint" in held:
        keeps += "; Joint keeps the family-wise error, with the dependence through shared items"
    return AnswerTable(
        name="evidence",
        noun="dataset" if len(study.metrics) == 1 else "test",
        columns={name: column for name, column in told.items() if not rows or name in held},
        rows=rows,
        caption=f"Differences on each dataset, {', '.join(m.label for m in study.metrics)}",
        notes=(f"Who names a dataset, and what that keeps at α = {study.alpha:g}: {keeps}.",),
        strong=f"Holm finds a difference at α = {study.alpha:g}",
        stands_out={"dataset": holm},
    )


def _row(study: ReplicabilityResult, position: int) -> dict[str, Value]:
    e = study.datasets[position]
    named = {m: bool(found[position]) for m, found in study.undirected.identified.items()}
    has_items = study.basis == "items"
    by = [IDENTIFIED[method][0] for method in _NAMED if named[method]]
    row: dict[str, Value] = {
        "dataset": e.name(with_metric=len(study.metrics) > 1),
        "dataset_only": e.dataset,
        "metric": e.metric,
        "score_a": e.score_a,
        "score_b": e.score_b,
        "difference": e.difference,
        "ci_low": e.ci_low,
        "ci_high": e.ci_high,
        "favours": e.favours or "",
        "pvalue": e.pvalue,
        "pvalue_a_over_b": e.pvalue_a_over_b,
        "pvalue_b_over_a": e.pvalue_b_over_a,
        "printed": e.printed,
        "n_items": e.n_items if has_items else None,
        "n_missing": e.n_missing if has_items else None,
        "test": test_in_words(e.test) if has_items else e.test,
        "sidedness": e.sidedness,
        "not_testable": e.not_testable,
        "source": e.source,
        **{method: "yes" if yes else "" for method, yes in named.items()},
        "p": "" if e.not_testable else numbers.pvalue(e.pvalue),
        "evidence": _standing(e, named["holm"], study.alpha),
    }
    if study.new_datasets is not None and study.new_datasets.random_effects is not None:
        row["shrunken"] = study.metric.sign * study.new_datasets.shrunken(position)
    if study.joint is not None:
        is_named = bool(study.joint.undirected.identified[position])
        row["joint"] = "yes" if is_named else ""
        by += ["Joint"] * is_named
    return row | {"named_by": ", ".join(by)}


def _absent(
    study: ReplicabilityResult, rows: Sequence[dict[str, Value]], at: int
) -> dict[str, Value]:
    """Return the row of a dataset on which one of the two has no scores."""
    missing = study.missing[at]
    several = len(study.metrics) > 1
    return dict.fromkeys(rows[0] if rows else ()) | {
        "dataset": f"{missing.dataset} ({missing.metric})" if several else missing.dataset,
        "dataset_only": missing.dataset,
        "metric": missing.metric,
        "p": "",
        "evidence": "not testable",
        "not_testable": f"{missing.without} has no scores",
    }


def _standing(evidence: DatasetEvidence, identified: bool, alpha: float) -> Standing:
    if evidence.not_testable or math.isnan(evidence.pvalue):
        return "not testable"
    if identified:
        return "identified"
    return "small p" if evidence.pvalue <= alpha else "cannot tell"


def _places(study: ReplicabilityResult) -> int:
    known = [abs(e.score_a) for e in study.datasets if not math.isnan(e.score_a)]
    return 2 if np.max(known, initial=0) > 1.5 else 4


def seeds(study: ReplicabilityResult) -> AnswerTable:
    """Return a row per dataset with repeated runs of both: almost stochastic order."""
    several = len(study.metrics) > 1
    n = len(study.seeds)
    return AnswerTable(
        name="seeds",
        noun="dataset",
        columns={
            "dataset": Column("dataset", pinned=True),
            "runs": Column("runs", help=f"Of {study.system_a} and of {study.system_b}"),
            "violation": Column(
                "violation ε", "number", help="0: the first above the second throughout"
            ),
            "better": Column("shown better"),
            "pvalue_a": Column(f"p, {study.system_a} over", "pvalue"),
            "pvalue_b": Column(f"p, {study.system_b} over", "pvalue"),
            "bound_a": Column(f"bound, {study.system_a} over", "number", shown=False),
            "bound_b": Column(f"bound, {study.system_b} over", "number", shown=False),
        },
        rows=[
            {
                "dataset": f"{o.dataset} ({o.metric})" if several else o.dataset,
                "runs": f"{o.n_runs_a} / {o.n_runs_b}",
                "violation": o.a_over_b.violation,
                "better": o.better or "",
                "pvalue_a": o.a_over_b.pvalue,
                "pvalue_b": o.b_over_a.pvalue,
                "bound_a": o.a_over_b.epsilon_min,
                "bound_b": o.b_over_a.epsilon_min,
            }
            for o in study.seeds
        ],
        caption="Almost stochastic order of repeated runs",
        notes=(
            "Almost stochastic order over the scores of repeated runs (del Barrio et al. 2018, "
            "Dror et al. 2019). Better from run to run is shown where the bound of ε is below 0.5 "
            "and the permutation test of the runs agrees. Both are corrected for the number of "
            "datasets and the two directions.",
            f"With {numbers.counted(n, 'dataset')} that takes at least "
            f"{fewest_runs(n, study.alpha)} runs of each system.",
        ),
    )


def overlaps(study: ReplicabilityResult) -> AnswerTable:
    """Return which datasets are not independent, and how that was found."""
    return AnswerTable(
        name="overlaps",
        noun="overlap",
        columns={
            "a": Column("dataset", pinned=True),
            "b": Column("and"),
            "kind": Column("kind"),
            "n": Column("shared items", "count", help="Where found in the items"),
            "note": Column("note"),
        },
        rows=[
            {
                "a": o.dataset_a,
                "b": o.dataset_b,
                "kind": o.kind.replace("-", " "),
                "n": o.n_shared,
                "note": o.note,
            }
            for o in study.overlaps
        ],
        caption="What the datasets share",
    )
