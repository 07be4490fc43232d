"""All pairs across datasets: the matrix says what each pair's own study says."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import numpy as np
import pytest

from analysis.studies.replicability import ReplicabilitySettings, study_replicability
from analysis.studies.replicability_matrix import study_replicability_matrix
from analysis.studies.replicability_matrix_histogram import histogram
from analysis.studies.replicability_matrix_report import WIDEST_MATRIX, pairs
from store.engine import Store
from store.errors import NotFoundError, StoreError

AddRun = Callable[..., None]
SYSTEMS = ("LDA", "Naive Bayes", "Gaussian process", "Majority class")


@pytest.mark.parametrize("estimator", ["auto", "fisher", "joint"])
def test_every_cell_is_the_pairs_own_study(example: Store, estimator: str) -> None:
    matrix = study_replicability_matrix(
        example, systems=SYSTEMS, estimator=estimator, pairs="alone", n_resamples=999
    )
    for i, a in enumerate(matrix.systems):
        for j, b in enumerate(matrix.systems[:i]):
            settings = ReplicabilitySettings(estimator=estimator, n_resamples=999)
            pair = study_replicability(example, a, b, settings)
            assert pair.recommended.estimator == matrix.estimators[i][j]
            assert pair.recommended.k_a_over_b == matrix.k[i, j]
            assert pair.recommended.k_b_over_a == matrix.k[j, i]
            assert pair.a_over_b.n_datasets == matrix.n_shared[i, j]
            differences = [e.difference for e in pair.datasets]
            assert matrix.mean_difference[i, j] == pytest.approx(np.mean(differences))


@pytest.mark.parametrize("estimator", ["auto", "simes", "joint"])
@pytest.mark.parametrize("how", ["together", "alone"])
def test_the_headline_says_what_the_cells_say(example: Store, how, estimator) -> None:
    study = study_replicability_matrix(
        example, systems=SYSTEMS, pairs=how, estimator=estimator, n_resamples=999
    )
    half = np.maximum(np.ceil(study.n_shared / 2), 1)
    beaten = ((study.k >= half) & (study.n_shared > 0)).sum(axis=1)
    assert f"{study.systems[beaten.argmax()]} is better than {beaten.max()} of 3" in study.sentence
    assert ("all pairs taken together" in study.sentence) == (how == "together")
    level = 0.05 / 12 if how == "together" else 0.05
    alone = study_replicability_matrix(
        example, systems=SYSTEMS, pairs="alone", estimator=estimator, alpha=level, n_resamples=999
    )
    at = [alone.systems.index(name) for name in study.systems]
    np.testing.assert_array_equal(study.k, alone.k[np.ix_(at, at)])
    rows = pairs(study).rows
    cells = {(row["a"], row["b"]): (row["k_a_over_b"], row["k_b_over_a"]) for row in rows}
    for (a, b), found in cells.items():
        i, j = study.systems.index(a), study.systems.index(b)
        assert found == (study.k[i, j], study.k[j, i])
    assert study.to_dict()["pairs"] == how


def test_no_cell_speaks_where_the_headline_says_that_none_is_better(
    store: Store, add_run: AddRun
) -> None:
    """Each pair by itself a system is better on all datasets; of six systems no pair is."""
    for dataset in ("one", "two", "three"):
        for place, system in enumerate("ABCDEF"):
            add_run(system, dataset, [0.0] * 7 * (place > 0) + [1.0] * (30 - 7 * (place > 0)))
    together = study_replicability_matrix(store, dependent=True)
    assert together.n_ordered == 30
    assert "No system is shown better" in together.sentence
    assert "no dataset can be counted for either side in 15 of 15 pairs" in together.sentence
    assert not together.k.any()
    alone = study_replicability_matrix(store, dependent=True, pairs="alone")
    assert alone.k.any()
    assert "No system is shown better" not in alone.sentence


def test_the_best_comes_first_and_the_sentence_names_it(example: Store) -> None:
    study = study_replicability_matrix(example, systems=SYSTEMS)
    lead = study.k.sum(axis=1) - study.k.sum(axis=0)
    assert list(lead) == sorted(lead, reverse=True)
    assert study.systems[-1] == "Majority class"
    assert study.sentence.startswith(study.systems[0])
    assert "Bonferroni for 6 pairs" in study.how
    assert "digits" in study.how
    rows = pairs(study).rows
    assert len(rows) == 6
    leads = [abs(row["k_a_over_b"] - row["k_b_over_a"]) for row in rows]
    assert leads == sorted(leads, reverse=True)


def test_the_histogram_counts_each_pair_in_both_directions(example: Store) -> None:
    study = study_replicability_matrix(example, systems=SYSTEMS)
    table = histogram(study)
    directed = [
        (study.k[i, j], study.k_by_estimator["count"][i, j])
        for i, j in itertools.permutations(range(4), 2)
        if study.n_shared[i, j]
    ]
    for row in table.rows:
        assert row["pairs"] == sum(k == row["k"] for k, _ in directed)
        assert row["count"] == sum(n == row["k"] for _, n in directed)
    assert sum(table.values("pairs")) == len(directed) == 12
    assert table.caption in [each.caption for each in study.report().tables]


def test_independent_datasets_are_counted_by_fisher(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(1)
    for dataset in ("one", "two", "three"):
        for system, p in (("A", 0.9), ("B", 0.5), ("C", 0.5)):
            add_run(system, dataset, list((rng.random(60) < p).astype(float)))
    study = study_replicability_matrix(store, dependent=False)
    assert study.used == {"fisher": 3}
    assert study.k[study.systems.index("A"), study.systems.index("B")] == 3
    assert study.k[study.systems.index("B"), study.systems.index("C")] == 0
    declared = study_replicability_matrix(store, dependent=True)
    assert declared.used == {"bonferroni": 3}


def test_missing_systems_make_the_count_smaller_and_it_is_said(
    store: Store, add_run: AddRun
) -> None:
    for dataset in ("one", "two", "three"):
        for system in ("A", "B", "C"):
            if (system, dataset) != ("C", "three"):
                add_run(system, dataset, [1.0] * 30 if system == "A" else [0.0] * 30)
    study = study_replicability_matrix(store, dependent=False)
    a, b, c = (study.systems.index(name) for name in "ABC")
    assert (study.n_shared[a, b], study.n_shared[a, c]) == (3, 2)
    assert (study.k[a, b], study.k[a, c]) == (3, 2)
    assert any("fewer than all 3 datasets" in w for w in study.warnings)


def test_what_is_kept_is_what_is_computed(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(2)
    for dataset in ("one", "two"):
        for system in ("A", "B", "C"):
            add_run(system, dataset, list(rng.normal(size=40)))
    first, second = study_replicability_matrix(store), study_replicability_matrix(store)
    assert np.array_equal(first.k, second.k)
    assert np.array_equal(first.mean_difference, second.mean_difference, equal_nan=True)


def test_wide_matrices_are_written_pair_by_pair(store: Store, add_run: AddRun) -> None:
    for dataset in ("one", "two"):
        for k in range(WIDEST_MATRIX + 1):
            add_run(f"system {k:02}", dataset, [float(k > i) for i in range(12)])
    study = study_replicability_matrix(store)
    _, table = study.report().tables  # after the histogram
    assert len(table.columns) == 7
    assert len(table.rows) == len(study.systems) * (len(study.systems) - 1) / 2
    narrow = study_replicability_matrix(store, systems=["system 00", "system 11"])
    assert len(narrow.report().tables[0].columns) == 3


def test_study_is_json_and_a_report(example: Store) -> None:
    study = study_replicability_matrix(example, systems=SYSTEMS)
    plain = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert {"systems", "k", "n_shared", "k_by_estimator", "overlaps"} <= set(plain)
    assert len(plain["k"]) == len(SYSTEMS)
    assert "Majority class" in study.report().as_latex()


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"alpha": 0}, "`alpha` must lie between 0 and 1"),
        ({"seed": -1}, "`seed` must not be negative"),
        ({"n_resamples": 0}, "`n_resamples` must be at least 1"),
        ({"estimator": "fisher", "dependent": True}, "`estimator` and `dependent` exclude"),
        ({"estimator": "best"}, "`estimator` must be 'auto' or one of"),
        ({"test": "steiger"}, "`test`"),
    ],
)
def test_settings_are_checked(example: Store, settings: dict[str, object], match: str) -> None:
    with pytest.raises(StoreError, match=match):
        study_replicability_matrix(example, **settings)  # type: ignore[arg-type]


def test_nothing_to_compare_is_told(store: Store) -> None:
    with pytest.raises(NotFoundError, match="No dataset in question has item scores"):
        study_replicability_matrix(store)
