"""Dror et al. 2017 through the whole house: from the shipped tables to the study."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from analysis.studies.comparison import study_comparison
from analysis.studies.replicability import (
    ReplicabilitySettings,
    ReplicabilityStudy,
    study_replicability,
)
from analysis.studies.replicability_matrix import study_replicability_matrix
from analysis.studies.seed_order import fewest_runs
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleOverlap,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest

AddRun = Callable[..., None]


def ask(store: Store, a: str, b: str, **settings: Any) -> ReplicabilityStudy:
    """Ask with the given settings."""
    return study_replicability(store, a, b, ReplicabilitySettings(**settings))


# Table 1 and footnote 13: (count, Bonferroni, Fisher) at .05 and .01. `None` is not printed.
PUBLISHED = [
    ("Mate", "SpaCy", (7, 7, 7), (7, 7, 7)),
    ("Mate", "Redshift", (2, 1, 5), (1, 0, 2)),
    ("MIMICK", "Char→Tag", (11, 6, 16), (7, 5, 13)),
    ("AE-SCL-SR", "MSDA", (10, 6, 9), (6, 2, 8)),  # Fisher at .05 is misprinted as 10
    ("W2V", "GloVe", (8, 6, 7), (6, 4, 6)),
]

STARRED = {
    ("Mate", "Redshift", 0.05): ["OntoNotes 5 MZ"],
    ("MIMICK", "Char→Tag", 0.05): [
        f"UD {language}"
        for language in ("Tamil", "Hungarian", "Basque", "Indonesian", "Chinese", "Czech")
    ],
    ("AE-SCL-SR", "MSDA", 0.05): [
        f"Amazon {setup}" for setup in ("B→D", "K→B", "K→D", "D→K", "D→E", "E→D")
    ],
    ("AE-SCL-SR", "MSDA", 0.01): ["Amazon K→D", "Amazon E→D"],
    ("W2V", "GloVe", 0.05): ["WS353", "WS353-SIM", "MC-30", "MEN", "YP-130", "SimLex999"],
    ("W2V", "GloVe", 0.01): ["WS353", "WS353-SIM", "MC-30", "YP-130"],
}


@pytest.mark.parametrize(("a", "b", "at_05", "at_01"), PUBLISHED)
def test_reported_counts_are_those_of_the_paper(
    example: Store, a: str, b: str, at_05: tuple[int, ...], at_01: tuple[int, ...]
) -> None:
    for alpha, expected in ((0.05, at_05), (0.01, at_01)):
        found = ask(example, a, b, reported=True, alpha=alpha).undirected
        assert (found.k_count, found.k_bonferroni, found.k_fisher) == expected


@pytest.mark.parametrize(("a", "b", "alpha"), STARRED)
def test_holm_names_exactly_the_starred_datasets(
    example: Store, a: str, b: str, alpha: float
) -> None:
    study = ask(example, a, b, reported=True, alpha=alpha)
    assert sorted(study.identified(study.undirected, "holm")) == sorted(STARRED[a, b, alpha])


def test_direction_takes_the_languages_away_where_mimick_is_worse(example: Store) -> None:
    study = ask(example, "MIMICK", "Char→Tag", reported=True)
    found = study.a_over_b
    assert (found.k_count, found.k_bonferroni, found.k_fisher) == (7, 3, 4)
    named = study.identified(found, "holm")
    assert sorted(named) == ["UD Chinese", "UD Czech", "UD Hungarian"]
    assert any("Char→Tag on UD Tamil, UD Basque and UD Indonesian" in w for w in study.warnings)


def test_direction_of_the_other_tables(example: Store) -> None:
    sentiment = ask(example, "AE-SCL-SR", "MSDA", reported=True).a_over_b
    assert (sentiment.k_count, sentiment.k_bonferroni, sentiment.k_fisher) == (10, 10, 9)
    words = ask(example, "W2V", "GloVe", reported=True).a_over_b
    assert (words.k_count, words.k_bonferroni, words.k_fisher) == (7, 5, 7)


def test_overlaps_decide_the_estimator(example: Store) -> None:
    expected = {
        "MIMICK": "fisher",  # whose paper takes languages and domains as independent
        "Mate": "fisher",
        "AE-SCL-SR": "bonferroni",
        "W2V": "bonferroni",
    }
    partner = {"MIMICK": "Char→Tag", "Mate": "SpaCy", "AE-SCL-SR": "MSDA", "W2V": "GloVe"}
    for a, estimator in expected.items():
        study = ask(example, a, partner[a], reported=True)
        assert study.recommended.estimator == estimator
        assert len(study.recommended.because) > 20
    forced = ask(example, "W2V", "GloVe", reported=True, dependent=False)
    assert forced.recommended.estimator == "fisher"
    assert "The store disagrees" in forced.recommended.because


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a seeded generator."""
    return np.random.default_rng(7)


def _skewed_store(store: Store, rng: np.random.Generator, n_datasets: int, n_items: int) -> None:
    """Store two systems whose item scores differ by 1 less an exponential: no true effect."""
    names = [f"d{k:02d}" for k in range(n_datasets)]
    runs = []
    for place in range(n_datasets):
        base = rng.normal(size=n_items)
        scores = {"A": base + 1 - rng.exponential(size=n_items), "B": base}
        runs += [
            BundleRun(system, place, "", [BundleScores(0, values[:, None])])
            for system, values in scores.items()
        ]
    bundle = ImportBundle(
        format="test",
        datasets=[
            BundleDataset(n, items=[BundleItem(f"q{i}") for i in range(n_items)]) for n in names
        ],
        metrics=[BundleMetric("quality", higher_is_better=True)],
        runs=runs,
    )
    ingest(store, bundle, actor="tests")


def test_unknown_overlap_counts_as_dependence_and_is_said_first(
    example: Store, store: Store, rng: np.random.Generator
) -> None:
    _skewed_store(store, rng, 6, 20)
    study = ask(store, "A", "B")
    first, second = study.sentence.split(". ")[:2]
    assert "Bonferroni, as nothing shows that the datasets share no items" in first
    assert second.startswith("Fisher, valid only if they share none, counts")
    assert study.n_unknown_pairs == 6 * 5 // 2
    for independent in (
        ask(store, "A", "B", dependent=False),
        ask(example, "MIMICK", "Char→Tag", reported=True),
    ):
        assert independent.recommended.estimator == "fisher"
        assert "nothing shows" not in independent.sentence
    assert "at least 4 of 23" in independent.sentence


def test_skewed_differences_are_counted_with_care(store: Store, rng: np.random.Generator) -> None:
    _skewed_store(store, rng, 6, 20)
    study = ask(store, "A", "B", dependent=False)
    plain = ask(store, "A", "B", dependent=False, test="permutation")
    raised = [e.skewed for e in study.datasets]
    assert any(raised)
    for careful, as_it_is in zip(study.datasets, plain.datasets, strict=True):
        assert careful.pvalue_a_over_b >= as_it_is.pvalue_a_over_b
        assert careful.pvalue >= as_it_is.pvalue
        assert not as_it_is.skewed  # a test asked for by name answers as it does
    assert any("lean to one side" in w for w in study.warnings)
    matrix = study_replicability_matrix(store, dependent=False)
    i, j = (matrix.systems.index(name) for name in "AB")
    for estimator in ("bonferroni", "fisher", "simes", "stouffer"):
        assert matrix.k_by_estimator[estimator][i, j] == getattr(study.a_over_b, f"k_{estimator}")
        assert matrix.k_by_estimator[estimator][j, i] == getattr(study.b_over_a, f"k_{estimator}")
    assert any("one-sided p-values are raised" in w for w in matrix.warnings)
    joint = study_replicability_matrix(store, estimator="joint", n_resamples=999)
    alone = ask(store, "A", "B", estimator="joint", n_resamples=999)
    i, j = (joint.systems.index(name) for name in "AB")
    assert joint.k[i, j] == alone.recommended.k_a_over_b


def test_what_is_counted_stands_beside_the_comparison_by_itself(
    store: Store, add_run: AddRun
) -> None:
    add_run("A", "d", [1] * 17 + [0] * 7 + [1] * 36)
    add_run("B", "d", [0] * 17 + [1] * 7 + [1] * 36)
    alone = study_comparison(store, "A", "B").analysis
    study = study_replicability(store, "A", "B")
    (row,) = study.datasets
    assert row.pvalue_alone == alone.test.pvalue < 0.05 < row.pvalue
    assert (row.ci_low, row.ci_high) == alone.ci
    assert any("on d p is larger than in a comparison" in told for told in study.warnings)


def test_where_a_few_items_decide_nothing_is_counted(store: Store, add_run: AddRun) -> None:
    small = (0.05 + np.linspace(0, 0.01, 29)).tolist()
    for dataset in ("one", "two"):
        add_run("A", dataset, [*small, -0.1], metric="quality")
        add_run("B", dataset, [0.0] * 29 + [0.9], metric="quality")
    study = ask(store, "A", "B", dependent=False)
    assert [e.no_valid_test_for for e in study.datasets] == ["A", "A"]
    assert study.recommended.k_a_over_b == 0
    assert any("such skewed differences with 30 items" in w for w in study.warnings)


def test_losses_that_other_datasets_show_count_where_none_is_seen(
    store: Store, add_run: AddRun
) -> None:
    """Of 40 grades 2 fall by 4, the others rise a little: not on the dataset that has luck."""
    n, other = 40, np.tile([2.0, 3.0], 20)
    gains = np.where(np.arange(n) % 4 == 0, 1.0, 0.0)
    for dataset, n_losses in (("luck", 0), ("d1", 2), ("d2", 2), ("d3", 2)):
        losses = np.where(np.arange(n) % 19 == 1, 4.0, 0.0) * (n_losses > 0)
        add_run("A", dataset, (other + gains).tolist(), metric="grade")
        add_run("B", dataset, (other + losses).tolist(), metric="grade")
    alone = ask(store, "A", "B", datasets=("luck",), dependent=False)
    assert alone.recommended.k_a_over_b == 1
    study = ask(store, "A", "B", dependent=False)
    (luck,) = (e for e in study.datasets if e.dataset == "luck")
    # As likely as 40 items are to hold no loss of 4 if these made good the mean gain of 1/4.
    assert luck.pvalue_a_over_b == luck.pvalue == pytest.approx((4 / 4.25) ** n)
    assert luck.hides_losses
    assert study.recommended.k_a_over_b == study.recommended.k == 0
    assert any("only other datasets" in told for told in study.warnings)
    turned = ask(store, "B", "A", dependent=False)
    assert [e.pvalue_b_over_a for e in turned.datasets] == [
        e.pvalue_a_over_b for e in study.datasets
    ]
    matrix = study_replicability_matrix(store, dependent=False)
    i, j = (matrix.systems.index(name) for name in "AB")
    assert matrix.k[i, j] == 0
    for estimator in ("bonferroni", "fisher", "simes", "stouffer"):
        assert matrix.k_by_estimator[estimator][i, j] == getattr(study.a_over_b, f"k_{estimator}")
    by_name = ask(store, "A", "B", dependent=False, test="permutation")
    assert by_name.recommended.k_a_over_b == 1


def _weak(rng: np.random.Generator, n_items: int = 40) -> tuple[list[float], ...]:
    """Return right-or-wrong scores of two systems with a p of about .05, and of two more."""
    a, b = np.zeros(n_items), np.zeros(n_items)
    a[:11] = b[8:14] = 1.0
    order = rng.permutation(n_items)
    others = rng.integers(0, 2, (2, n_items)).astype(float)
    return a[order].tolist(), b[order].tolist(), *others.tolist()


def test_copies_of_a_dataset_with_generic_names_add_no_evidence(
    store: Store, add_run: AddRun, rng: np.random.Generator
) -> None:
    scores = _weak(rng)
    for dataset in ("one", "two", "three", "four"):
        for system, values in zip("ABCD", scores, strict=True):
            add_run(system, dataset, values)
    study = ask(store, "A", "B")
    assert study.a_over_b.pvalues.min() > 0.05
    assert study.a_over_b.k_fisher >= 1  # which is what it must not say
    assert study.recommended.estimator == "bonferroni"
    assert study.recommended.known == "overlap"
    assert study.recommended.k_a_over_b == 0
    assert "scores of several systems" in study.recommended.because
    assert study.joint is not None
    assert study.joint.a_over_b.k == 0
    assert study.joint.n_shared_units == 40


def test_other_names_and_other_scores_prove_no_independence(
    store: Store, add_run: AddRun, rng: np.random.Generator
) -> None:
    for dataset in ("one", "two", "three"):
        for system, values in zip("ABCD", _weak(rng), strict=True):
            add_run(system, dataset, values)
    study = ask(store, "A", "B")
    assert not study.overlaps
    assert study.recommended.estimator == "bonferroni"
    assert study.recommended.known == "unknown"
    assert study.recommended.k_a_over_b <= study.a_over_b.k_fisher


def test_an_estimator_by_name_says_at_once_what_nothing_shows(
    store: Store, add_run: AddRun, rng: np.random.Generator
) -> None:
    for dataset in ("one", "two", "three", "four"):
        for system, values in zip("AB", _weak(rng), strict=False):
            add_run(system, dataset, values)
    assert ask(store, "A", "B").recommended.known == "unknown"
    for estimator in ("joint", "fisher", "stouffer"):
        study = ask(store, "A", "B", estimator=estimator)
        assert "nothing shows that the datasets share no items" in study.sentence.split(".")[0]
        assert "share items is not known" in study.recommended.because
    assert "nothing shows" not in ask(store, "A", "B", estimator="bonferroni").sentence


def test_known_contents_or_a_declaration_make_datasets_independent(store: Store) -> None:
    def made(kind: str | None, prefix: str, content: bool) -> ImportBundle:
        names = [f"{prefix} {k}" for k in range(3)]
        return ImportBundle(
            format="test",
            datasets=[
                BundleDataset(
                    name,
                    items=[
                        BundleItem(f"q{i}", content_hash=f"{place}{i:02d}" * 21 * content or None)
                        for i in range(20)
                    ],
                )
                for place, name in enumerate(names)
            ],
            metrics=[BundleMetric("accuracy", higher_is_better=True)],
            runs=[
                BundleRun(system, place, "", [BundleScores(0, np.full((20, 1), value))])
                for place in range(3)
                for system, value in (("A", 1.0), ("B", 0.0))
            ],
            overlaps=[]
            if kind is None
            else [
                BundleOverlap(first, second, kind)  # type: ignore[arg-type]
                for first, second in itertools.combinations(names, 2)
            ],
        )

    ingest(store, made(None, "with contents", True), actor="tests")
    ingest(store, made("independent", "declared", False), actor="tests")
    ingest(store, made(None, "unknown", False), actor="tests")
    for prefix, known in (("with contents", "independent"), ("declared", "independent")):
        study = ask(store, "A", "B", datasets=tuple(f"{prefix} {k}" for k in range(3)))
        assert study.recommended.known == known
        assert study.recommended.estimator == "fisher"
    study = ask(store, "A", "B", datasets=("declared 0", "declared 1", "unknown 0"))
    assert study.recommended.estimator == "bonferroni"
    assert study.n_unknown_pairs == 2


def test_turning_the_pair_around_turns_the_answer_around(example: Store) -> None:
    one = ask(example, "MIMICK", "Char→Tag", reported=True)
    other = ask(example, "char→tag", "mimick", reported=True)
    assert list(one.a_over_b.pvalues) == list(other.b_over_a.pvalues)
    assert list(one.b_over_a.pvalues) == list(other.a_over_b.pvalues)
    assert [e.difference for e in one.datasets] == [-e.difference for e in other.datasets]


def test_alias_names_the_same_system(example: Store) -> None:
    assert ask(example, "MIMICK", "CHAR→TAG", reported=True).system_b == "Char→Tag"


def test_runs_are_tested_on_shared_items(store: Store, add_run: AddRun) -> None:
    for name in ("one", "two"):
        add_run("A", name, [1, 1, 1, 1, 1, 1, 1, 1, 0, float("nan")])
        add_run("B", name, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    study = ask(store, "A", "B")
    assert study.basis == "items"
    assert [e.test for e in study.datasets] == ["mcnemar", "mcnemar"]  # 9 items
    assert [e.n_items for e in study.datasets] == [9, 9]
    assert [e.n_missing for e in study.datasets] == [1, 1]
    assert study.datasets[0].pvalue == pytest.approx(2 * 0.5**8)
    assert study.datasets[0].pvalue_a_over_b == pytest.approx(0.5**8)
    assert study.datasets[0].pvalue_b_over_a == 1.0
    assert study.a_over_b.k_fisher == 2
    assert study.b_over_a.k_fisher == 0


def test_lower_is_better_turns_the_side_that_is_favoured(store: Store, add_run: AddRun) -> None:
    for name in ("one", "two"):
        add_run("A", name, [1.0, 1.5, 1.25] * 6, metric="edits", higher_is_better=False)
        add_run("B", name, [2.0, 2.5, 3.25] * 6, metric="edits", higher_is_better=False)
    study = ask(store, "A", "B")
    assert {e.favours for e in study.datasets} == {"A"}
    assert study.datasets[0].difference == pytest.approx(-4 / 3)
    assert study.a_over_b.k_fisher == 2
    assert study.b_over_a.k_fisher == 0


def test_seeds_are_averaged_and_not_counted_as_items(store: Store, add_run: AddRun) -> None:
    for label in ("1", "2", "3"):
        add_run("A", "one", [1, 1, 1, 0], label=label)
        add_run("B", "one", [0, 1, 0, 0], label=label)
    (evidence,) = ask(store, "A", "B").datasets
    assert evidence.n_items == 4
    assert evidence.pvalue == 0.5


def test_identical_systems_are_never_told_apart(store: Store, add_run: AddRun) -> None:
    for name in ("one", "two", "three"):
        for system in ("A", "B"):
            add_run(system, name, [1, 0, 1, 1, 0, 1])
    study = ask(store, "A", "B")
    assert [e.pvalue for e in study.datasets] == [1.0, 1.0, 1.0]
    assert study.undirected.k_count == study.a_over_b.k_fisher == 0
    assert "cannot be separated on any of 3 datasets" in study.sentence


def test_same_question_gives_the_same_answer(example: Store) -> None:
    again = lambda: ask(  # noqa: E731
        example, "Naive Bayes", "LDA", metric="gold_probability", n_resamples=499
    )
    first, second = again(), again()
    assert first.signature == second.signature
    assert [e.pvalue for e in first.datasets] == [e.pvalue for e in second.datasets]


def test_untestable_dataset_is_named_and_not_counted(store: Store, add_run: AddRun) -> None:
    add_run("A", "one", [1, 1, 1, 1, 1, 1, 0, 1])
    add_run("B", "one", [0, 0, 0, 0, 0, 0, 0, 0])
    add_run("A", "two", [1, float("nan")])
    add_run("B", "two", [float("nan"), 1])
    study = ask(store, "A", "B")
    assert study.undirected.n_datasets == 1
    assert study.undirected.n_untestable == 1
    assert math.isnan(next(e.pvalue for e in study.datasets if e.dataset == "two"))
    assert any("two is not testable and not counted" in w for w in study.warnings)


def test_study_is_json_with_names(example: Store) -> None:
    import json

    plain = ask(example, "Mate", "Redshift", reported=True).to_dict()
    json.dumps(plain, allow_nan=False)
    assert plain["undirected"]["identified"]["holm"] == ["OntoNotes 5 MZ"]
    assert len(plain["undirected"]["partial_conjunction"]["fisher"]) == 7
    assert plain["recommended"]["estimator"] == "fisher"
    assert plain["recommended"]["known"] == "independent"
    assert {"dataset", "pvalue", "favours", "difference"} <= set(plain["datasets"][0])


def test_errors_say_what_to_do(example: Store) -> None:
    with pytest.raises(NotFoundError, match="Did you mean 'MIMICK'"):
        ask(example, "Mimik", "Char→Tag", reported=True)
    with pytest.raises(StoreError, match="the same system"):
        ask(example, "MIMICK", "mimick", reported=True)
    with pytest.raises(StoreError, match=r"`alpha` must lie between 0 and 1, .* got 5"):
        ask(example, "Mate", "SpaCy", reported=True, alpha=5)
    with pytest.raises(NotFoundError, match="ask with --reported"):
        ask(example, "Mate", "SpaCy")
    with pytest.raises(NotFoundError, match="No source in the store states p-values"):
        ask(example, "Mate", "MIMICK", reported=True)


def test_a_family_over_metrics_counts_combinations(example: Store) -> None:
    study = ask(example, "MLP 64", "k-NN 5", metric="all", family="per-metric", n_resamples=999)
    assert [m.label for m in study.metrics] == ["accuracy", "gold_probability"]
    assert len(study.datasets) == 10
    assert [f.name for f in study.families] == ["accuracy", "gold_probability"]
    assert [f.n_testable for f in study.families] == [5, 5]
    assert sorted(c for f in study.families for c in f.cells) == list(range(10))
    assert "10 combinations of dataset and metric" in study.sentence
    assert study.recommended.estimator == "bonferroni"
    assert "Several metrics" in study.recommended.because
    assert study.new_datasets is None
    for family, metric in zip(study.families, study.metrics, strict=True):
        alone = ask(example, "MLP 64", "k-NN 5", metric=metric.label, n_resamples=999)
        assert family.k_a_over_b == alone.recommended.k_a_over_b
        named = [study.datasets[k].dataset for k in family.identified_a]
        assert named == alone.identified(alone.a_over_b, "holm")


def test_families_per_dataset_hold_the_metrics(example: Store) -> None:
    study = ask(
        example,
        "MLP 64",
        "k-NN 5",
        metric=("gold_probability", "accuracy"),
        datasets=("iris", "digits"),
        family="per-dataset",
        n_resamples=999,
    )
    assert [f.name for f in study.families] == ["digits", "iris"]
    assert {e.metric for e in study.datasets} == {"accuracy", "gold_probability"}
    assert [f.estimator for f in study.families] == ["bonferroni", "bonferroni"]


def test_joint_resampling_lies_between_what_is_valid_and_what_is_not(example: Store) -> None:
    study = ask(example, "RBF SVM (calibrated)", "Decision tree", estimator="joint")
    assert study.joint is not None
    assert study.recommended.k_a_over_b == study.joint.a_over_b.k
    assert study.recommended.asked_for
    assert study.joint.n_shared_units >= 899  # digits and digits-4x4 are the same images
    places = {e.dataset: k for k, e in enumerate(study.datasets)}
    first, second = places["digits"], places["digits-4x4"]
    assert study.joint.correlation[first, second] > 0.1
    assert abs(study.joint.correlation[first, places["iris"]]) < 1e-12


def test_missing_datasets_are_named(store: Store, add_run: AddRun) -> None:
    for name in ("one", "two"):
        add_run("A", name, [1, 1, 0, 1])
        add_run("B", name, [0, 1, 0, 1])
    add_run("A", "three", [1, 1, 0, 1])
    study = ask(store, "A", "B")
    assert [(m.dataset, m.without) for m in study.missing] == [("three", "B")]
    assert any("B has no scores on three: not counted." in w for w in study.warnings)


def test_intervals_and_a_new_dataset(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(5)
    for k in range(8):
        base = rng.normal(size=50)
        add_run("A", f"set {k}", list(base + 0.5 + 0.2 * rng.normal(size=50)))
        add_run("B", f"set {k}", list(base))
    study = ask(store, "A", "B", margin=0.1, dependent=False)
    for e in study.datasets:
        assert e.ci_low < e.difference < e.ci_high
    found = study.new_datasets
    assert found is not None
    assert (found.over_datasets.wins, found.over_datasets.losses) == (8, 0)
    assert found.over_datasets.pvalue_wilcoxon == pytest.approx(2 / 2**8)
    assert found.random_effects is not None
    assert found.random_effects.mean == pytest.approx(0.5, abs=0.1)
    assert found.bayesian.probability_right > 0.99
    assert found.bayesian.rope == 0.1
    assert "On a new dataset" not in study.report().as_text()
    assert "new dataset" in study.report().as_text()


def test_lower_is_better_on_a_new_dataset_favours_the_smaller(
    store: Store, add_run: AddRun
) -> None:
    for k in range(6):
        scores = [1.0 + (k + i) % 3 / 4 for i in range(12)]
        add_run("A", f"set {k}", scores, metric="edits", higher_is_better=False)
        add_run("B", f"set {k}", [s + 1 for s in scores], metric="edits", higher_is_better=False)
    study = ask(store, "A", "B", dependent=False)
    assert study.new_datasets is not None
    assert study.new_datasets.over_datasets.wins == 6
    assert study.new_datasets.bayesian.probability_right > 0.9


def test_repeated_runs_are_put_in_order(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(6)
    for seed in range(5):
        add_run("A", "one", list((rng.random(50) < 0.9).astype(float)), label=str(seed))
        add_run("B", "one", list((rng.random(50) < 0.3).astype(float)), label=str(seed))
    (order,) = ask(store, "A", "B").seeds
    assert (order.n_runs_a, order.n_runs_b) == (5, 5)
    assert order.a_over_b.violation == 0
    assert order.b_over_a.violation == 1
    assert order.better == "A"


def test_more_datasets_need_more_runs() -> None:
    assert [fewest_runs(n, 0.05) for n in (1, 2, 10, 60)] == [4, 5, 6, 7]


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"estimator": "joint", "reported": True}, "Joint resampling needs item scores"),
        ({"estimator": "simes", "dependent": False}, "`estimator` and `dependent` exclude"),
        ({"margin": -1.0}, "`margin` must be a number above 0"),
        ({"metric": ("LAS", "UAS")}, "no scores to compare for the metric 'LAS'"),
    ],
)
def test_settings_that_do_not_go_together(
    example: Store, settings: dict[str, Any], match: str
) -> None:
    with pytest.raises(StoreError, match=match):
        ask(example, "Mate", "SpaCy", **{"reported": True} | settings)


def test_a_declared_overlap_without_shared_items_is_told(store: Store, add_run: AddRun) -> None:
    bundle = ImportBundle(
        format="test",
        datasets=[
            BundleDataset(name, items=[BundleItem(str(k)) for k in range(30)])
            for name in ("whole", "part")
        ],
        metrics=[BundleMetric("accuracy", higher_is_better=True)],
        runs=[
            BundleRun(system, place, "", [BundleScores(0, np.full((30, 1), value))])
            for place in (0, 1)
            for system, value in (("A", 1.0), ("B", 0.0))
        ],
        overlaps=[BundleOverlap("whole", "part", "contains")],
    )
    ingest(store, bundle, actor="tests")
    study = ask(store, "A", "B")
    assert study.recommended.estimator == "bonferroni"
    assert any("which of their items are the same is not known" in w for w in study.warnings)


def test_joint_resampling_needs_resamples(example: Store) -> None:
    study = ask(example, "LDA", "Naive Bayes", n_resamples=9)
    assert study.joint is None
    with pytest.raises(StoreError, match="needs `n_resamples` of at least 19, got 9"):
        ask(example, "LDA", "Naive Bayes", n_resamples=9, estimator="joint")
