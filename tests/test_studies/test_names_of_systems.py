"""The same judgments of more than two systems under other names say the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from analysis.studies.humans.agreement.study import AgreementStudy, study_agreement
from analysis.studies.humans.gold.study import make_gold
from analysis.studies.humans.judged_units import load_units
from store.arrays import load_matrix
from store.engine import Store
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundlePreference,
    BundleRating,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest
from store.judgments import list_criteria

N_ITEMS, N_SYSTEMS, N_PEOPLE = 40, 4, 3
NAMES = ("ant", "bee", "cat", "dog")
ORDERS = [NAMES, ("bee", "dog", "ant", "cat"), ("cat", "ant", "dog", "bee")]
WORDS = {1.0: "first", -1.0: "second", 0.0: "tie"}


def add(store: Store, dataset: str, names: Sequence[str]) -> None:
    """Store choices, ratings and a metric of the same four systems under these names."""
    rng = np.random.default_rng(0)
    quality = np.arange(4.0) + 0.7 * rng.normal(size=(N_ITEMS, N_SYSTEMS))
    seen = np.round(quality + 0.9 * rng.normal(size=(N_PEOPLE, N_ITEMS, N_SYSTEMS)))
    scores = quality + rng.normal(size=quality.shape)
    every = list(itertools.product(range(N_PEOPLE), range(N_ITEMS)))
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(dataset, items=[BundleItem(f"i{i}") for i in range(N_ITEMS)])],
            metrics=[BundleMetric("metric", higher_is_better=True)],
            runs=[
                BundleRun(name, 0, scores=[BundleScores(0, scores[:, s][:, None])])
                for s, name in enumerate(names)
            ],
            criteria=[
                BundleCriterion("better", 0, kind="preference"),
                BundleCriterion("quality", 0),
            ],
            preferences=[
                BundlePreference(
                    0,
                    f"p{k}",
                    i,
                    names[a],
                    names[b],
                    WORDS[float(np.sign(seen[k, i, a] - seen[k, i, b]))],  # type: ignore[arg-type]
                )
                for k, i in every
                for a, b in itertools.combinations(range(N_SYSTEMS), 2)
            ],
            ratings=[
                BundleRating(1, f"p{k}", i, name, float(seen[k, i, s]))
                for k, i in every
                for s, name in enumerate(names)
            ],
        ),
        actor="tests",
    )


@pytest.fixture
def renamed(store: Store) -> Store:
    """Return a store with one dataset per order of names, the same under each."""
    for number, names in enumerate(ORDERS):
        add(store, f"d{number}", names)
    return store


def told(study: AgreementStudy, names: Sequence[str]) -> dict[str, Any]:
    """Return all numbers of a study, by system in the order of `names`."""
    numbers: dict[str, Any] = {
        "agreement": [study.mean_agreement, *study.agreement_ci, study.base_rate],
        "competence": [row.competence for row in study.annotators],
        "consensus": [row.agreement_with_consensus for row in study.annotators],
        "shared": [*study.pairs_n.reshape(-1).tolist(), study.n_units],
    }
    for row in study.coefficients:
        numbers[f"{row.name}: {row.note}"] = [row.value, row.ci_low, row.ci_high]
    for one in study.metrics:
        numbers[one.name] = [one.agreement, one.difference, one.pvalue, one.n_units]
    strength = {row.system: row.strength for row in study.strengths}
    numbers["strengths"] = [strength[name] for name in names] if strength else []
    return numbers


@pytest.mark.parametrize("gold", ["better", "quality"])
def test_agreement_does_not_depend_on_names(renamed: Store, gold: str) -> None:
    first, *others = [
        told(study_agreement(renamed, f"d{n}", gold=gold, n_resamples=199), names)
        for n, names in enumerate(ORDERS)
    ]
    assert first["shared"][-1] == 6 * N_ITEMS  # each unit once
    for other in others:
        assert other.keys() == first.keys()
        for name, values in first.items():
            assert other[name] == pytest.approx(values, abs=2e-3, nan_ok=True), name


def test_the_sentence_and_the_rows_say_chance_between_either_output(renamed: Store) -> None:
    study = study_agreement(renamed, "d0", gold="better", n_resamples=99)
    # Ties agree half with a choice: they hardly move it from a half.
    assert study.base_rate == pytest.approx(0.5, abs=0.02)
    assert f"where chance would give {study.base_rate:.2f}" in study.sentence
    rows = {row.name: row for row in study.coefficients}
    assert "commonest answer" not in rows
    assert rows["agreement by chance"].note.endswith("else either output alike")
    assert "720 judgments of 240 units" in rows["Krippendorff's alpha, nominal"].note


@pytest.mark.parametrize("rule", ["majority", "mace", "mace-em"])
def test_gold_does_not_depend_on_names(renamed: Store, rule: Any) -> None:
    found = []
    for n, names in enumerate(ORDERS):
        study = make_gold(renamed, f"d{n}", "better", rule=rule, actor="tests")
        assert study.metric is not None
        matrix = load_matrix(renamed, f"d{n}", study.metric.uid)
        found.append(matrix.scores[[matrix.systems.index(name) for name in names], :, 0])
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_units_both_ways(renamed: Store) -> None:
    units = load_units(renamed, next(c for c in list_criteria(renamed) if c.name == "better"))
    assert units.is_turned
    twice = units.both_ways()
    assert twice.n_units == 2 * units.n_units
    assert twice.first.tolist() == [*units.first.tolist(), *units.second.tolist()]
    assert np.array_equal(twice.values[:, units.n_units :], -units.values)
    assert twice.clusters.tolist() == 2 * units.clusters.tolist()
    of_one_pair = units.of((units.first == 0) & (units.second == 1))
    assert not of_one_pair.is_turned
