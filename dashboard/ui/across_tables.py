"""The tables of the page *Across datasets*, and what its pictures are drawn from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.statistics import Replicability
from analysis.studies.dependence import ASSUMES, ESTIMATOR_NAMES
from analysis.studies.evidence import DatasetEvidence
from analysis.studies.new_datasets import NewDatasets
from analysis.studies.new_datasets_words import new_datasets_in_words
from analysis.studies.replicability import ReplicabilityStudy
from analysis.studies.replicability_report import IDENTIFIED
from analysis.studies.seed_order import fewest_runs
from analysis.studies.test_names import test_in_words
from dashboard.charts import Evidence, paired_difference
from dashboard.charts.names import shorten
from dashboard.ui.links import plain
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table
from store.records import MetricRecord


def title(estimator: str) -> str:
    """Return an estimator's name as it begins a cell."""
    name = ESTIMATOR_NAMES[estimator]
    return name[0].upper() + name[1:]


def curves(study: ReplicabilityStudy, direction: int) -> dict[str, tuple[list[float], int]]:
    """Return the partial-conjunction curve and k̂ of each estimator in one direction."""
    name = ("a_over_b", "b_over_a", "undirected")[direction]
    result: Replicability = getattr(study, name)
    found = {
        title(method): ([float(p) for p in curve], int(getattr(result, f"k_{method}")))
        for method, curve in result.partial_conjunction.items()
    }
    if study.joint is not None:
        joint = getattr(study.joint, name)
        found[title("joint")] = ([float(p) for p in joint.partial_conjunction], joint.k)
    return found


def count_table(study: ReplicabilityStudy, directions: Mapping[str, Replicability]) -> None:
    """Show every estimator's count in every direction, the recommended one first."""
    first = study.recommended.estimator
    mark = "asked for" if study.recommended.asked_for else "recommended"
    rows = []
    for name in (first, *(name for name in ESTIMATOR_NAMES if name != first)):
        if name == "joint":
            if study.joint is None:
                continue
            joint = (study.joint.a_over_b, study.joint.b_over_a, study.joint.undirected)
            counts = [result.k for result in joint]
        else:
            counts = [getattr(result, f"k_{name}") for result in directions.values()]
        rows.append(
            {
                "estimator": title(name) + (f" ({mark})" if name == first else ""),
                **dict(zip(directions, counts, strict=True)),
                "assumes": ASSUMES[name],
            }
        )
    plain_counts = {name: result.k_count for name, result in directions.items()}
    rows.append({"estimator": "Count of p ≤ α", **plain_counts, "assumes": "promises nothing"})
    columns = {
        "estimator": Column("Estimator", pinned=True),
        **{name: Column(shorten(name), "count") for name in directions},
        "assumes": Column("Assumes about the datasets"),
    }
    show_table(
        pd.DataFrame(rows), key="counts", columns=columns, filename="counts", noun="estimator"
    )


def family_table(study: ReplicabilityStudy) -> None:
    """Show the counts within each family."""
    several = study.family == "per-dataset"
    noun = "dataset" if several else "metric"
    frame = pd.DataFrame(
        [
            {
                "family": family.name,
                "n": family.n_testable,
                "a": family.k_a_over_b,
                "b": family.k_b_over_a,
                "named_a": _names(study, family.identified_a, by_metric=several),
                "named_b": _names(study, family.identified_b, by_metric=several),
                "estimator": title(family.estimator),
            }
            for family in study.families
        ]
    )
    columns = {
        "family": Column("Family", pinned=True),
        "n": Column("Tests", "count"),
        "a": Column(f"{shorten(study.system_a)} better", "count"),
        "b": Column(f"{shorten(study.system_b)} better", "count"),
        "named_a": Column(f"Holm: {study.system_a} better on"),
        "named_b": Column(f"Holm: {study.system_b} better on"),
        "estimator": Column("Counted by"),
    }
    show_table(frame, key="families", columns=columns, filename="families", noun=noun)
    st.caption(
        "α holds for each family and direction by itself, not for all of them together. Joint "
        "resampling is over everything together; asked for, families are counted by Bonferroni."
    )


def _names(study: ReplicabilityStudy, positions: Sequence[int], *, by_metric: bool) -> str:
    chosen = [study.datasets[p] for p in positions]
    return ", ".join(e.metric if by_metric else e.dataset for e in chosen)


def evidence_frame(study: ReplicabilityStudy) -> pd.DataFrame:
    """Return one row per dataset and metric: scores, difference, p, what each method names."""
    several = len(study.metrics) > 1
    frame = pd.DataFrame(
        [
            {
                "dataset": e.name(with_metric=several),
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
                "n_items": e.n_items if study.basis == "items" else None,
                "n_missing": e.n_missing if study.basis == "items" else None,
                "test": test_in_words(e.test) if study.basis == "items" else e.test,
                "sidedness": e.sidedness,
                "not_testable": e.not_testable,
                "source": e.source,
            }
            for e in study.datasets
        ]
    )
    for method, named in study.undirected.identified.items():
        frame[method] = ["yes" if yes else "" for yes in named]
    effects = None if study.new_datasets is None else study.new_datasets.random_effects
    if effects is not None:
        frame["shrunken"] = study.metric.sign * effects.shrunken
    if study.joint is not None:
        frame["joint"] = ["yes" if yes else "" for yes in study.joint.undirected.identified]
    frame["p"] = [numbers.pvalue(e.pvalue) if not e.not_testable else "" for e in study.datasets]
    frame["evidence"] = [
        _evidence(e, bool(yes), study.alpha)
        for e, yes in zip(study.datasets, frame["holm"], strict=True)
    ]
    if not study.missing:
        return frame
    absent = pd.DataFrame(
        {
            "dataset": f"{m.dataset} ({m.metric})" if several else m.dataset,
            "dataset_only": m.dataset,
            "metric": m.metric,
            "p": "",
            "evidence": "not testable",
            "not_testable": f"{m.without} has no scores",
        }
        for m in study.missing
    )
    return pd.concat([frame, absent], ignore_index=True)


def differences(
    study: ReplicabilityStudy, frame: pd.DataFrame, metric: MetricRecord
) -> pd.DataFrame:
    """Return what to draw for one metric, turned so that a positive difference favours A."""
    rows = frame[frame["metric"] == metric.label]
    low, high = (rows["ci_low"], rows["ci_high"])[:: metric.sign]
    return rows.assign(
        dataset=rows["dataset_only"],
        difference=metric.sign * rows["difference"],
        low=metric.sign * low,
        high=metric.sign * high,
    )


def evidence_table(study: ReplicabilityStudy, frame: pd.DataFrame) -> None:
    """Show the datasets with scores, p-values and who names them; more columns can be chosen."""
    from_items = study.basis == "items"
    places = _places(study)
    named = {
        method: Column(name, help=f"Names datasets: {keeps}", shown=method != "by")
        for method, (name, keeps) in IDENTIFIED.items()
        if method != "bonferroni"
    }
    columns: dict[str, Column] = {
        "dataset": Column("Dataset", pinned=True),
        "difference": Column(
            "Difference", "difference", decimals=places, ends=("ci_low", "ci_high")
        ),
        "ci_low": Column("From", "difference", decimals=places, shown=False),
        "ci_high": Column("To", "difference", decimals=places, shown=False),
        "pvalue": Column("p", "pvalue", help="Two-sided, or as the source states it"),
        **named,
        "joint": Column(
            "Joint",
            help="Names datasets: family-wise error with the dependence through shared items",
            shown=bool(study.overlaps),
        ),
        "favours": Column("Scores better"),
        "score_a": Column(study.system_a, "number", decimals=places),
        "score_b": Column(study.system_b, "number", decimals=places),
        "not_testable": Column("Why not", shown=bool(frame["not_testable"].any())),
        "pvalue_a_over_b": Column(f"p, {study.system_a} over", "pvalue", shown=False),
        "pvalue_b_over_a": Column(f"p, {study.system_b} over", "pvalue", shown=False),
        "shrunken": Column(
            "Shrunken",
            "difference",
            decimals=places,
            shown=False,
            help="The difference, pulled towards the mean over datasets the more, the noisier",
        ),
        "n_items": Column("Items", "count", shown=from_items),
        "n_missing": Column("Missing", "count", shown=False),
        "test": Column("Test", shown=False),
        "bonferroni": Column("Bonferroni", shown=False),
        "printed": Column("p as printed", shown=False),
        "sidedness": Column("Sidedness", shown=False),
        "source": Column("Source", shown=False),
    }
    columns = {
        name: column
        for name, column in columns.items()
        if name in frame or name not in ("joint", "shrunken")
    }
    show_table(
        frame.drop(columns=["p", "evidence", "dataset_only", "metric"]),
        key="evidence",
        columns=columns,
        filename=f"{study.system_a}_{study.system_b}_across_datasets",
        noun="dataset" if len(study.metrics) == 1 else "test",
    )
    told = "; ".join(
        f"{name} keeps the {keeps}"
        for method, (name, keeps) in IDENTIFIED.items()
        if method != "by"
    )
    if "joint" in frame:
        told += "; Joint keeps the family-wise error, with the dependence through shared items"
    st.caption(f"Who names a dataset, and what that keeps at α = {study.alpha:g}: {told}.")


def show_new_datasets(study: ReplicabilityStudy, found: NewDatasets) -> None:
    """Show what the datasets as a sample say about others like them."""
    for line in new_datasets_in_words(study):
        st.markdown(plain(line))
    rows = [("mean over datasets (t)", found.over_datasets.mean_difference, found.over_datasets.ci)]
    effects = found.random_effects
    if effects is not None:
        rows = [
            ("mean (random effects)", effects.mean, effects.ci),
            ("a new dataset (prediction)", effects.mean, effects.prediction_interval),
            *rows,
        ]
    rows.append(("mean (Gumbel)", found.over_datasets.gumbel_mean, found.over_datasets.gumbel_ci))
    frame = pd.DataFrame(
        [
            {"method": name, "difference": value, "low": ends.low, "high": ends.high}
            for name, value, ends in rows
        ]
    )
    low, high = float(frame["low"][0]), float(frame["high"][0])
    show_picture(
        paired_difference(
            frame,
            a=study.system_a,
            b=study.system_b,
            verdict="better" if low > 0 else "worse" if high < 0 else "undecided",
            quantity="mean difference over datasets",
            margin=found.margin or None,
        ),
        key="new_dataset",
        alt="Mean difference over datasets with its intervals. "
        + " ".join(new_datasets_in_words(study)),
    )
    st.caption(
        "The datasets are taken as a sample of datasets like them; nothing is said about others. "
        "Higher is better for A."
    )


def seed_table(study: ReplicabilityStudy) -> None:
    """Show the almost stochastic order of repeated runs."""
    several = len(study.metrics) > 1
    frame = pd.DataFrame(
        [
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
        ]
    )
    columns = {
        "dataset": Column("Dataset", pinned=True),
        "runs": Column("Runs", help=plain(f"Of {study.system_a} and of {study.system_b}")),
        "violation": Column("Violation ε", "number", decimals=3, help="0: A above B throughout"),
        "better": Column("Shown better"),
        "pvalue_a": Column(f"p, {shorten(study.system_a)} over", "pvalue"),
        "pvalue_b": Column(f"p, {shorten(study.system_b)} over", "pvalue"),
        "bound_a": Column(f"Bound, {study.system_a} over", "number", decimals=3, shown=False),
        "bound_b": Column(f"Bound, {study.system_b} over", "number", decimals=3, shown=False),
    }
    show_table(frame, key="seeds", columns=columns, filename="seeds", noun="dataset")
    st.caption(
        "Almost stochastic order over the scores of repeated runs (del Barrio et al. 2018, Dror "
        "et al. 2019). Better from run to run is shown where the bound of ε is below 0.5 and the "
        "permutation test of the runs agrees, both corrected for the number of datasets and the "
        "two directions: with "
        f"{numbers.counted(len(study.seeds), 'dataset')} that takes at least "
        f"{fewest_runs(len(study.seeds), study.alpha)} runs of each system."
    )


def overlap_table(study: ReplicabilityStudy) -> None:
    """Show which datasets are not independent, and how that was found."""
    frame = pd.DataFrame(
        [
            {
                "a": o.dataset_a,
                "b": o.dataset_b,
                "kind": o.kind.replace("-", " "),
                "n": o.n_shared,
                "note": o.note,
            }
            for o in study.overlaps
        ]
    )
    columns = {
        "a": Column("Dataset", pinned=True),
        "b": Column("and"),
        "kind": Column("Kind"),
        "n": Column("Shared items", "count", help="Where found in the items"),
        "note": Column("Note"),
    }
    show_table(frame, key="overlaps", columns=columns, filename="overlaps", noun="overlap")


def _places(study: ReplicabilityStudy) -> int:
    largest = max((abs(e.score_a) for e in study.datasets if not math.isnan(e.score_a)), default=1)
    return 2 if largest > 1.5 else 4


def _evidence(evidence: DatasetEvidence, identified: bool, alpha: float) -> Evidence:
    if evidence.not_testable or math.isnan(evidence.pvalue):
        return "not testable"
    if identified:
        return "identified"
    return "small p" if evidence.pvalue <= alpha else "cannot tell"
