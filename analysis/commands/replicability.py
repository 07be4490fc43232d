"""`tiebreak replicability`: two systems, or all pairs of them, across datasets."""

from __future__ import annotations

from typing import Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question
from analysis.studies.across_datasets import AcrossDatasets
from analysis.studies.dependence import ESTIMATOR_NAMES, NEED_INDEPENDENCE
from analysis.studies.new_datasets_words import new_datasets_in_words
from analysis.studies.replicability import (
    ReplicabilityStudy,
)
from analysis.studies.replicability_matrix import (
    ReplicabilityMatrixStudy,
)
from store.console import table

app = typer.Typer()

SHORT = {"holm": "Holm", "hochberg": "Hochberg", "hommel": "Hommel", "bh": "BH"}
"""Ways to name datasets that a terminal shows; all are in the JSON."""
MOST_PRINTED = 40
"""Pairs that a terminal shows; all are in the JSON."""


def _show(console: Console, study: ReplicabilityStudy | ReplicabilityMatrixStudy) -> None:
    if isinstance(study, ReplicabilityStudy):
        _show_pair(console, study)
    else:
        _show_matrix(console, study)


def _show_pair(console: Console, study: ReplicabilityStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(study.recommended.because, markup=False)
    columns: tuple[str, ...] = (
        "on at least so many datasets"
        if len(study.metrics) == 1
        else "on at least so many combinations",
        f"={study.system_a} better",
        f"={study.system_b} better",
        "=undirected",
    )
    console.print(table("", columns, _count_rows(study)))
    several = len(study.metrics) > 1
    rows = [
        [
            e.name(with_metric=several),
            e.score_a,
            e.score_b,
            e.difference,
            numbers.interval(e.ci_low, e.ci_high, signed=True),
            numbers.pvalue(e.pvalue),
            e.favours,
            ", ".join(title for title, yes in named.items() if yes[k]),
        ]
        for k, e in enumerate(study.datasets)
        for named in ({t: study.undirected.identified[m] for m, t in SHORT.items()},)
    ]
    columns = (
        "dataset",
        f"={study.system_a}",
        f"={study.system_b}",
        "=difference",
        "=interval",
        "=p",
        "favours",
        "identified",
    )
    console.print(table("", columns, rows))
    if len(study.families) > 1:
        _show_families(console, study)
    if study.new_datasets is not None:
        for line in new_datasets_in_words(study):
            console.print(line, markup=False)


def _show_families(console: Console, study: ReplicabilityStudy) -> None:
    columns = ("family", "=tests", f"={study.system_a} better", f"={study.system_b} better", "by")
    rows = [
        [f.name, f.n_testable, f.k_a_over_b, f.k_b_over_a, ESTIMATOR_NAMES[f.estimator]]
        for f in study.families
    ]
    console.print(table("within each family, α for each by itself", columns, rows))


def _count_rows(study: ReplicabilityStudy) -> list[list[Any]]:
    directions = (study.a_over_b, study.b_over_a, study.undirected)
    rows: list[list[Any]] = []
    for name in ("bonferroni", "fisher", "simes", "stouffer"):
        rows.append([_title(study, name), *(getattr(result, f"k_{name}") for result in directions)])
    if study.joint is not None:
        joint = (study.joint.a_over_b, study.joint.b_over_a, study.joint.undirected)
        rows.append([_title(study, "joint"), *(result.k for result in joint)])
    title = f"Count of p ≤ {study.alpha:g} (no guarantee)"
    rows.append([title, *(result.k_count for result in directions)])
    return rows


def _title(study: ReplicabilityStudy, estimator: str) -> str:
    name = ESTIMATOR_NAMES[estimator]
    name = name[0].upper() + name[1:]
    if estimator != study.recommended.estimator:
        only = study.recommended.known == "unknown" and estimator in NEED_INDEPENDENCE
        return f"{name} (only if no items are shared)" if only else name
    return f"{name} ({'asked for' if study.recommended.asked_for else 'recommended'})"


def _show_matrix(console: Console, study: ReplicabilityMatrixStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(study.how, markup=False)
    rows = study.rows()
    columns = ("a", "b", "=a better", "=b better", "=of datasets", "=mean difference", "estimator")
    printed: list[list[Any]] = [
        [
            row["a"],
            row["b"],
            row["k_a_over_b"],
            row["k_b_over_a"],
            row["n_datasets"],
            row["mean_difference"],
            ESTIMATOR_NAMES.get(row["estimator"], ""),
        ]
        for row in rows[:MOST_PRINTED]
    ]
    console.print(table("on at least so many datasets", columns, printed))
    if len(rows) > MOST_PRINTED:
        console.print(f"… and {len(rows) - MOST_PRINTED:,} more pairs: see --json.")


add_question(app, AcrossDatasets, _show)
