"""Systems over datasets: what the study says follows from the scores in the store."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from analysis.statistics._typing import FloatArray
from analysis.statistics.across.friedman import FriedmanTest
from analysis.statistics.across.skillings_mack import SkillingsMackTest
from analysis.studies.ranking import study_ranking
from analysis.studies.ranking_words import order_note
from analysis.studies.replicability import ReplicabilitySettings, study_replicability
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest

AddRun = Callable[..., None]
RESAMPLES = 199


def test_the_example_ranks_as_friedman_does(example: Store) -> None:
    study = study_ranking(example, n_resamples=RESAMPLES)
    assert (len(study.systems), len(study.datasets), study.metric.label) == (14, 8, "date_accuracy")
    assert study.complete
    apart = study_ranking(example, metric="language_accuracy", n_resamples=RESAMPLES)
    assert isinstance(apart.rank_test, FriedmanTest)
    statistic, pvalue = stats.friedmanchisquare(*apart.scores)  # these share no item
    assert apart.rank_test.statistic == pytest.approx(statistic)
    assert apart.rank_test.pvalue == pytest.approx(pvalue)
    ranks = stats.rankdata(-study.scores, axis=0).mean(axis=1)
    assert study.mean_ranks == pytest.approx(ranks)
    assert list(study.mean_ranks) == sorted(study.mean_ranks)
    assert np.all(study.rank_low <= study.rank_high)
    assert study.aggregates.mean.value == pytest.approx(study.scores.mean(axis=1))
    assert study.systems[0] == "dateparser 1.5.0, language given"


def test_too_few_datasets_for_wilcoxon_holm_are_told_and_mean_ranks_answer(example: Store) -> None:
    six = ["dateparser 1.5.0, language given", "dateparser 1.5.0", "dateparser 0.4.0"]
    six += ["ctparse 0.3.6", "parsedatetime 2.6", "dateutil 2.9.0"]
    study = study_ranking(example, systems=six, n_resamples=RESAMPLES)
    assert any("Wilcoxon–Holm can tell no pair apart here" in w for w in study.warnings)
    assert study.rule == "stepwise mean ranks"
    assert "stepwise mean ranks, α = 0.05" in study.sentence
    assert study.bars == ((0, 5),)
    assert study.stepwise is not None
    assert study.stepwise_bars
    assert study.different.any()
    # Nobody is told apart whose own order over datasets does not show it.
    assert study.pairs.pvalue[study.different].max() < 0.05
    report = study.report().as_text()
    assert "Every pair over datasets, stepwise mean ranks" in report
    assert "Nemenyi" not in report
    few = study_ranking(example, systems=[six[0], *six[4:]], n_resamples=RESAMPLES)
    assert not any("can tell no pair apart" in w for w in few.warnings)
    assert any("dates: German" in w and "not independent" in w for w in few.warnings)
    assert few.pairs.pvalue_adjusted.min(where=~np.eye(3, dtype=bool), initial=1) < 0.05
    assert "Wilcoxon–Holm" in few.sentence


COMMON = np.random.default_rng(8).normal([[0.2], [0.0], [0.0]], size=(3, 40))


def add_copies(store: Store, own: FloatArray) -> None:
    """Add datasets of the same 40 items; `own` (datasets, systems, items) are scores on others."""
    for k, scores in enumerate(own):
        keys = [*(f"q{i}" for i in range(40)), *(f"{k}-{i}" for i in range(scores.shape[1]))]
        values = np.hstack([COMMON, scores])
        bundle = ImportBundle(
            format="test",
            datasets=[
                BundleDataset(f"copy {k}", items=[BundleItem(key, input_text=key) for key in keys])
            ],
            metrics=[BundleMetric("quality", higher_is_better=True)],
            runs=[
                BundleRun(name, 0, scores=[BundleScores(0, row[:, np.newaxis])])
                for name, row in zip("ABC", values, strict=True)
            ],
        )
        ingest(store, bundle, actor="tests")


def test_copies_of_a_dataset_are_one_dataset(store: Store) -> None:
    add_copies(store, np.empty((8, 3, 0)))
    study = study_ranking(store, n_resamples=RESAMPLES)
    assert "the 8 datasets share items and count as one" in study.sentence
    assert study.n_independent == 1
    assert not study.different.any()
    # The spread of the mean is that of one dataset, not of eight.
    mean = study.aggregates.mean
    order = ["ABC".index(name) for name in study.systems]
    expected = 2 * 1.96 * COMMON.std(axis=1)[order] / np.sqrt(40)
    assert mean.high - mean.low == pytest.approx(expected, rel=0.25)


def test_shared_items_count_on_the_first_dataset_only(store: Store) -> None:
    own = np.random.default_rng(9).normal(size=(6, 3, 30))
    add_copies(store, own)
    study = study_ranking(store, n_resamples=RESAMPLES)
    assert study.n_independent == len(study.datasets) == 6
    assert any("first of them only, and 6 datasets are left" in w for w in study.warnings)
    means = own.mean(axis=2)
    means[0] = np.hstack([COMMON, own[0]]).mean(axis=1)
    statistic, _ = stats.friedmanchisquare(*means.T)
    assert study.rank_test.statistic == pytest.approx(statistic)


def test_datasets_of_which_nothing_is_known_are_no_sample_of_several(
    store: Store, add_run: AddRun
) -> None:
    rng = np.random.default_rng(4)
    for k in range(8):
        base = rng.normal(size=30)
        add_run("A", f"set {k}", list(base + 0.5))
        add_run("B", f"set {k}", list(base))
    study = study_ranking(store, n_resamples=RESAMPLES)
    assert (
        "nothing shows that the datasets share no items, so that the 8 datasets count as one"
        in (study.sentence)
    )
    assert study.n_independent == 1
    assert not study.different.any()
    assert np.isnan(study.aggregates.mean.low).all()
    assert np.isnan(study.rank_low).all()
    assert any("Intervals over datasets are not given" in w for w in study.warnings)
    # Pairs across datasets have the same rule.
    pair = study_replicability(store, "A", "B")
    assert pair.new_datasets is None
    assert any("A new dataset cannot be judged" in w for w in pair.warnings)
    declared = study_ranking(store, dependent=False, n_resamples=RESAMPLES)
    assert declared.n_independent == 8
    assert declared.different[0, 1]
    assert (declared.aggregates.mean.low < declared.aggregates.mean.high).all()
    assert "dependent:no" in declared.signature
    together = study_ranking(store, dependent=True, n_resamples=RESAMPLES)
    assert "were declared dependent and count as one" in together.sentence
    assert not together.different.any()


def test_a_pair_has_the_answer_of_its_ranking(store: Store) -> None:
    add_copies(store, np.random.default_rng(9).normal([[[0.3], [0.0], [0.0]]], size=(6, 3, 30)))
    ranked = study_ranking(store, systems=["A", "B"], n_resamples=RESAMPLES)
    pair = study_replicability(store, "A", "B")
    assert pair.new_datasets is not None
    i, j = ranked.systems.index("A"), ranked.systems.index("B")
    assert pair.new_datasets.over_datasets.pvalue_wilcoxon == ranked.pairs.pvalue[i, j]
    assert pair.new_datasets.over_datasets.mean_difference == ranked.pairs.mean_difference[i, j]
    effects = pair.new_datasets.random_effects
    assert effects is not None
    # Five datasets have 30 items of their own, the first one 70.
    assert effects.standard_errors[1:].min() > 1.2 * effects.standard_errors[0]
    declared = study_replicability(store, "A", "B", ReplicabilitySettings(dependent=False))
    assert "although datasets share items" in declared.sentence


@pytest.mark.parametrize("n_datasets", [2, 3, 4, 5])
def test_nothing_is_told_apart_where_no_p_can_be_small_enough(
    store: Store, add_run: AddRun, n_datasets: int
) -> None:
    for k in range(n_datasets):
        add_run("A", f"set {k}", [1.0, 1.0, 1.0, 0.0 if k else 1.0])
        add_run("B", f"set {k}", [0.0, 1.0, 0.0, 0.0])
    study = study_ranking(store, dependent=False, n_resamples=RESAMPLES)
    floor = 2.0 ** (1 - n_datasets)
    assert study.rank_test.pvalue_permutation == pytest.approx(floor)
    assert study.smallest_pvalue == pytest.approx(floor)
    assert not study.different.any()
    assert f"cannot tell the two apart: with {n_datasets} datasets no" in study.sentence
    assert study.nemenyi is None
    with_a_third = [f"set {k}" for k in range(n_datasets)]
    for name in with_a_third:
        add_run("C", name, [0.0, 0.0, 0.0, 0.0])
    study = study_ranking(store, dependent=False, n_resamples=RESAMPLES)
    assert not study.different.any()
    assert study.nemenyi is not None
    assert "separated from" not in study.sentence


def test_bars_never_join_systems_that_differ(example: Store) -> None:
    study = study_ranking(example, metric="gold_probability", n_resamples=RESAMPLES)
    assert study.nemenyi is not None
    assert study.nemenyi_bars
    for first, last in study.nemenyi_bars:
        assert not study.nemenyi.different[first : last + 1, first : last + 1].any()


def test_lower_is_better_ranks_the_smallest_first(store: Store, add_run: AddRun) -> None:
    for k, dataset in enumerate(("one", "two", "three")):
        for system, shift in (("A", 0.0), ("B", 1.0), ("C", 2.0)):
            scores = [shift + k, shift + k + 0.5, shift + k + 0.25] * 4
            add_run(system, dataset, scores, metric="edits", higher_is_better=False)
    study = study_ranking(store, dependent=False, n_resamples=RESAMPLES)
    assert study.systems == ("A", "B", "C")
    assert list(study.mean_ranks) == [1, 2, 3]
    assert study.aggregates.mean.value == pytest.approx([1.25, 2.25, 3.25])
    assert np.all(study.aggregates.mean.low <= study.aggregates.mean.value)
    assert study.target == pytest.approx(0.25)  # the best one seen
    assert study.aggregates.optimality_gap.value[0] < study.aggregates.optimality_gap.value[2]


def test_missing_systems_are_told_and_bounded(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(0)
    for dataset in ("one", "two", "three", "four"):
        for system, p in (("A", 0.9), ("B", 0.6), ("C", 0.3)):
            if (system, dataset) != ("C", "four"):
                add_run(system, dataset, list((rng.random(40) < p).astype(float)))
    study = study_ranking(store, dependent=False, n_resamples=RESAMPLES)
    assert not study.complete
    assert isinstance(study.rank_test, SkillingsMackTest)
    assert study.nemenyi is None
    assert study.nemenyi_bars is None
    assert any("C has no score on some of the 4 datasets" in w for w in study.warnings)
    last = study.systems.index("C")
    assert study.n_datasets[last] == 3
    scores = study.scores[:, [study.datasets.index(d) for d in ("one", "two", "three")]]
    assert study.aggregates.common.mean.value == pytest.approx(scores.mean(axis=1))
    assert math.isnan(study.scores[last, study.datasets.index("four")])
    assert study.report().as_markdown()
    assert study.report().as_latex()


def test_reported_figures_rank_without_intervals(example: Store) -> None:
    study = study_ranking(example, metric="UAS", reported=True, n_resamples=RESAMPLES)
    assert study.basis == "reported"
    assert np.isnan(study.rank_low).all()
    assert np.isnan(study.aggregates.mean.low).all()
    assert not study.n_items.any()
    named = dict(zip(study.systems, study.scores, strict=True))
    assert "Mate" in named


def test_items_are_the_basis_where_there_are_any(store: Store, add_run: AddRun) -> None:
    for dataset in ("one", "two"):
        for system in ("A", "B"):
            add_run(system, dataset, [1, 0, 1, 1])
    assert study_ranking(store, n_resamples=RESAMPLES).basis == "items"
    with pytest.raises(NotFoundError, match="that are reported"):
        study_ranking(store, reported=True)


def test_an_order_that_depends_on_the_pool_is_told() -> None:
    # B is ahead of A on three of five datasets; on the other two C stands between them.
    between, above = [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]
    observed = np.array([between] * 2 + [above] * 3).T
    note = order_note(observed, ("A", "B", "C"))
    assert note.endswith("without C, B would stand above A.")
    assert order_note(observed[:2], ("A", "B")) == ""
    assert order_note(np.array([[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]]), ("A", "B", "C")) == ""


def test_same_question_same_answer_and_json(example: Store) -> None:
    first, second = (study_ranking(example, n_resamples=RESAMPLES, seed=3) for _ in range(2))
    assert first.signature == second.signature
    assert np.array_equal(first.rank_low, second.rank_low)
    assert np.array_equal(first.aggregates.iqm.low, second.aggregates.iqm.low)
    plain = json.loads(json.dumps(first.to_dict(), allow_nan=False))
    assert {"mean_ranks", "rank_test", "nemenyi", "pairs", "aggregates", "improvement"} <= set(
        plain
    )
    assert plain["aggregates"]["iqm"].keys() == {"value", "low", "high"}
    assert "IQM" in first.report().as_text()


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"alpha": 1.5}, "`alpha` must lie between 0 and 1"),
        ({"seed": -1}, "`seed` must not be negative"),
        ({"n_resamples": 10**12}, "`n_resamples` must be at most 10,000,000"),
        ({"alpha": 1e-17}, "`alpha` must lie between 0 and 1"),
        ({"target": math.inf}, "`target` must be a finite number"),
        ({"metric": "all"}, "'all' is for two systems"),
        ({"n_resamples": 0}, "`n_resamples` must be at least 99"),
    ],
)
def test_settings_are_checked(example: Store, settings: dict[str, float], match: str) -> None:
    with pytest.raises(StoreError, match=match):
        study_ranking(example, **settings)  # type: ignore[arg-type]


def test_unknown_names_and_too_little_are_told(store: Store, add_run: AddRun) -> None:
    with pytest.raises(NotFoundError, match="Fewer than two of the datasets"):
        study_ranking(store)
    add_run("A", "one", [1, 0])
    add_run("B", "one", [1, 1])
    with pytest.raises(NotFoundError, match="Fewer than two of the datasets"):
        study_ranking(store, metric="accuracy")
    with pytest.raises(NotFoundError, match="nobody"):
        study_ranking(store, systems=["nobody"])


def test_only_items_that_all_systems_have_are_compared(store: Store, add_run: AddRun) -> None:
    nan = float("nan")
    easy, hard = [1.0, 1.0, 0.0, 1.0] * 10, [0.0, 0.0, 1.0, 0.0] * 10
    for dataset in ("one", "two", "three"):
        add_run("partial", dataset, [*easy, *[nan] * 40])
        add_run("whole", dataset, [*easy, *hard])
    study = study_ranking(store, n_resamples=RESAMPLES)
    assert "All 2 systems have the same mean rank" in study.sentence
    assert list(study.n_items) == [40, 40, 40]
    assert any(
        "On one only the 40 of 80 items count that all systems have a score on; partial has 40."
        in w
        for w in study.warnings
    )
    add_run("rest", "one", [*[nan] * 40, *hard])
    again = study_ranking(store, n_resamples=RESAMPLES)
    assert "one" not in again.datasets
    assert any("one is left out: no item has a score of all" in w for w in again.warnings)


def test_two_systems_speak_by_their_own_test(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(3)
    for k in range(10):
        base = rng.normal(size=30)
        add_run("A", f"set {k}", list(base + (0.5 if k else -0.01)))
        add_run("B", f"set {k}", list(base))
    study = study_ranking(store, dependent=False, n_resamples=RESAMPLES)
    assert study.rank_test.pvalue_permutation > 0.01
    assert "A has the best mean rank" in study.sentence
    assert "is separated from the other one (Wilcoxon–Holm" in study.sentence


def test_systems_that_share_the_first_place_are_named_together(
    store: Store, add_run: AddRun
) -> None:
    for k in range(3):
        for system in ("A", "B"):
            add_run(system, f"set {k}", [1.0, 1.0, 0.0, 1.0])
        add_run("C", f"set {k}", [0.0, 1.0, 0.0, 1.0])
    study = study_ranking(store, n_resamples=RESAMPLES)
    assert study.sentence.startswith("A and B share the best mean rank, 1.50 of 3 systems")


def test_systems_without_a_common_dataset_have_no_first(store: Store, add_run: AddRun) -> None:
    for dataset, pair in (("one", "AB"), ("two", "AB"), ("three", "CD"), ("four", "CD")):
        for k, system in enumerate(pair):
            add_run(system, dataset, [1.0 - k, 1.0, 0.0, 1.0])
    study = study_ranking(store, dependent=False, n_resamples=RESAMPLES)
    assert study.sentence.startswith("No system can be called first: the 4 systems fall into 2")
    assert study.order_note == ""


def test_figures_that_sources_state_differently_are_told(store: Store) -> None:
    for value in (0.5, 0.9):
        bundle = ImportBundle(
            format="test",
            datasets=[BundleDataset("one"), BundleDataset("two")],
            metrics=[BundleMetric("F1", higher_is_better=True)],
            reported_scores=[
                BundleReportedScore(system, place, 0, value - k / 10, source=f"paper {value}")
                for place in (0, 1)
                for k, system in enumerate("AB")
            ],
        )
        ingest(store, bundle, actor="tests")
    study = study_ranking(store)
    assert study.basis == "reported"
    assert study.scores[0] == pytest.approx([0.9, 0.9])
    assert any("For 4 scores the sources state different figures" in w for w in study.warnings)
