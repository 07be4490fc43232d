"""Systems over datasets: what the study says follows from the scores in the store."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.across.friedman import FriedmanTest
from analysis.statistics.across.skillings_mack import SkillingsMackTest
from analysis.studies.ranking import study_ranking
from analysis.studies.ranking_words import order_note
from store.engine import Store
from store.errors import NotFoundError, StoreError

AddRun = Callable[..., None]
RESAMPLES = 199


def test_the_example_ranks_as_friedman_does(example: Store) -> None:
    study = study_ranking(example, n_resamples=RESAMPLES)
    assert (len(study.systems), len(study.datasets), study.metric.label) == (15, 10, "accuracy")
    assert study.complete
    assert isinstance(study.rank_test, FriedmanTest)
    statistic, pvalue = stats.friedmanchisquare(*study.scores)
    assert study.rank_test.statistic == pytest.approx(statistic)
    assert study.rank_test.pvalue == pytest.approx(pvalue)
    ranks = stats.rankdata(-study.scores, axis=0).mean(axis=1)
    assert study.mean_ranks == pytest.approx(ranks)
    assert list(study.mean_ranks) == sorted(study.mean_ranks)
    assert np.all(study.rank_low <= study.rank_high)
    assert study.aggregates.mean.value == pytest.approx(study.scores.mean(axis=1))
    assert study.systems[-1] == "Majority class"


def test_too_few_datasets_for_wilcoxon_holm_are_told_and_nemenyi_answers(example: Store) -> None:
    study = study_ranking(example, n_resamples=RESAMPLES)
    assert any("Wilcoxon–Holm can tell no pair apart here" in w for w in study.warnings)
    assert "Nemenyi" in study.sentence
    assert study.bars == ((0, 14),)
    few = study_ranking(example, systems=["LDA", "Majority class", "MLP 64"], n_resamples=RESAMPLES)
    assert not any("can tell no pair apart" in w for w in few.warnings)
    assert any("digits" in w and "not independent" in w for w in few.warnings)
    assert few.pairs.pvalue_adjusted.min(where=~np.eye(3, dtype=bool), initial=1) < 0.05
    assert "Wilcoxon–Holm" in few.sentence


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
    study = study_ranking(store, n_resamples=RESAMPLES)
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
    study = study_ranking(store, n_resamples=RESAMPLES)
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
        ({"n_resamples": 0}, "`n_resamples` must be at least 1"),
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
