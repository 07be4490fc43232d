"""All pairs of a dataset: agreement with the pair alone, words, what is kept, bad requests."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from analysis.studies import pairs as pairs_module
from analysis.studies.comparison import study_comparison
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.packing import pack, unpack
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.pairs import study_pairs
from analysis.studies.pairs_words import (
    BETTER,
    EQUIVALENT,
    NOT_COMPARABLE,
    UNDECIDED,
    WORSE,
    PairsSettings,
)
from store.engine import Store
from store.errors import NotFoundError, StoreError

AddRun = Callable[..., None]
RNG = np.random.Generator(np.random.PCG64(9))
HARD = RNG.normal(0.5, 0.2, 120)
SCORES = {
    name: (HARD + RNG.normal(shift, 0.1, 120)).tolist()
    for name, shift in (("low", 0.0), ("mid", 0.08), ("top", 0.16), ("mid2", 0.08))
}


@pytest.fixture
def board(store: Store, add_run: AddRun) -> Store:
    """Return a store with four systems on one dataset."""
    for name, scores in SCORES.items():
        add_run(name, "d", scores, metric="quality")
    return store


def test_rows_against_columns_the_best_first(board: Store) -> None:
    study = study_pairs(board, "d")
    assert study.systems[0] == "top"
    assert study.systems[-1] == "low"
    assert study.verdicts[0, -1] == BETTER
    assert study.verdicts[-1, 0] == WORSE
    assert study.difference[0, -1] == -study.difference[-1, 0] > 0
    assert study.n_pairs == 6
    assert study.n_different == sum(row["verdict"] == "better" for row in study.rows())


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_a_cell_is_what_the_pair_alone_gives(board: Store, test: str) -> None:
    study = study_pairs(board, "d", settings=PairsSettings(test=test, correction="none"))
    for i, j in ((0, 1), (2, 3)):
        alone = study_comparison(
            board, study.systems[i], study.systems[j], settings=PairSettings(test=test)
        ).analysis
        assert study.pvalue[i, j] == pytest.approx(alone.test.pvalue, rel=1e-9)
        assert study.difference[i, j] == pytest.approx(alone.difference, rel=1e-12)
        assert study.n_items[i, j] == alone.n_items


def test_the_median_of_many_seeds_does_not_decide(board: Store) -> None:
    first = study_pairs(board, "d", settings=PairsSettings(seed=1))
    second = study_pairs(board, "d", settings=PairsSettings(seed=2))
    assert (first.verdicts == second.verdicts).all()


def test_lower_is_better_turns_order_and_verdicts(store: Store, add_run: AddRun) -> None:
    for name, scores in SCORES.items():
        add_run(name, "d", scores, metric="loss", higher_is_better=False)
    study = study_pairs(store, "d")
    assert study.systems[0] == "low"
    assert study.verdicts[0, -1] == BETTER
    assert study.difference[0, -1] < 0


def test_no_shared_item_is_not_comparable_and_not_undecided(store: Store, add_run: AddRun) -> None:
    nan = math.nan
    add_run("a", "d", [0.1, 0.5, nan, nan])
    add_run("b", "d", [nan, nan, 0.4, 0.2])
    add_run("c", "d", [0.3, 0.2, 0.4, 0.1])
    study = study_pairs(store, "d")
    i, j = study.systems.index("a"), study.systems.index("b")
    assert study.verdicts[i, j] == NOT_COMPARABLE
    assert study.n_items[i, j] == 0
    assert study.n_pairs == 2
    assert any("1 pair cannot be tested" in text for text in study.warnings)
    assert any("Unequal coverage" in text for text in study.warnings)


def test_identical_systems_are_undecided_or_equivalent(store: Store, add_run: AddRun) -> None:
    for name in ("a", "b", "c"):
        add_run(name, "d", SCORES["mid"], metric="quality")
    assert (study_pairs(store, "d").verdicts == UNDECIDED).all()
    assert study_pairs(store, "d").n_different == 0
    study = study_pairs(store, "d", settings=PairsSettings(margin=0.05))
    assert study.verdicts[0, 1] == EQUIVALENT


def test_one_system_is_an_answer(store: Store, add_run: AddRun) -> None:
    add_run("alone", "d", SCORES["mid"], metric="quality")
    study = study_pairs(store, "d")
    assert "there is no pair to compare" in study.sentence
    assert not list(study.rows())


def test_the_result_is_kept_and_comes_back_the_same(
    board: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = study_pairs(board, "d")
    revision = board.revision()

    def fail(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(pairs_module, "pairwise", fail)
    assert study_pairs(board, "d").to_dict() == first.to_dict()
    assert board.revision() == revision
    with pytest.raises(AssertionError, match="computed again"):
        study_pairs(board, "d", settings=PairsSettings(seed=1))


def test_new_scores_are_not_answered_from_what_was_kept(board: Store, add_run: AddRun) -> None:
    before = study_pairs(board, "d")
    add_run("newcomer", "d", [0.9] * 120, metric="quality")
    after = study_pairs(board, "d")
    assert len(after.systems) == len(before.systems) + 1


def test_packing_keeps_every_bit(board: Store) -> None:
    from analysis.statistics.all_pairs.pairwise import pairwise

    result = pairwise(np.array(list(SCORES.values())))
    again = unpack(pack(result))
    assert again.signature == result.signature
    for name in ("difference", "pvalue", "pvalue_adjusted", "ci_low", "n_items", "method"):
        before, after = getattr(result, name), getattr(again, name)
        assert before.dtype == after.dtype
        assert before.tobytes() == after.tobytes()


def test_units_of_fifteen_shuffled_as_in_the_paper(board: Store) -> None:
    settings = PairsSettings(
        test="wilcoxon", correction="bonferroni", unit_size=15, shuffle_seed=13
    )
    study = study_pairs(board, "d", settings=settings)
    assert study.n_items[0, 1] == 8
    assert study.correction == "bonferroni"
    adjusted = np.minimum(1, study.pvalue * 6)
    np.testing.assert_allclose(study.pvalue_adjusted, adjusted, rtol=1e-12)


def test_some_systems_only(board: Store) -> None:
    study = study_pairs(board, "d", systems=["low", "top"])
    assert study.systems == ("top", "low")
    with pytest.raises(StoreError, match="names 'top' more than once"):
        study_pairs(board, "d", systems=["top", "top"])
    with pytest.raises(NotFoundError, match="nobody"):
        study_pairs(board, "d", systems=["top", "nobody"])


def test_cancelling_leaves_nothing_behind(store: Store, add_run: AddRun) -> None:
    for k in range(3):
        add_run(f"s{k}", "d", RNG.normal(size=60).tolist(), metric="quality")

    class Cancelled(Exception):
        pass

    def cancel(done: int, total: int) -> None:
        raise Cancelled

    settings = PairsSettings(correction="max-t")
    with pytest.raises(Cancelled):
        study_pairs(store, "d", settings=settings, progress=cancel)
    assert study_pairs(store, "d", settings=settings).n_pairs == 3


def test_the_json_has_what_the_contract_names(board: Store) -> None:
    plain = study_pairs(board, "d").to_dict()
    json.dumps(plain, allow_nan=False)
    for name in ("difference", "ci_low", "ci_high", "pvalue", "pvalue_adjusted", "n_items"):
        assert len(plain[name]) == len(plain[name][0]) == 4
    assert plain["pvalue"][0][0] is None
    assert plain["test"] == "permutation"
    assert plain["correction"] == "holm"


def test_warnings_say_what_a_correction_promises(board: Store) -> None:
    told = study_pairs(board, "d", settings=PairsSettings(correction="none")).warnings
    assert any(text.startswith("Not corrected") for text in told)
    told = study_pairs(board, "d", settings=PairsSettings(correction="bh")).warnings
    assert any("expected share of false" in text for text in told)


def test_orders_hold_every_system_once(board: Store) -> None:
    study = study_pairs(board, "d")
    assert sorted(study.order_by_cluster) == [0, 1, 2, 3]
    assert [study.systems[i] for i in study.order_by_name] == ["low", "mid", "mid2", "top"]
    told = study.to_dict()
    assert told["order_by_name"] == list(study.order_by_name)
    assert told["order_by_cluster"] == list(study.order_by_cluster)


@pytest.mark.parametrize("margin", [-1.0, 0.0, math.nan, math.inf])
def test_a_margin_must_be_above_zero(board: Store, margin: float) -> None:
    with pytest.raises(StoreError, match="`margin` must be a number above 0"):
        study_pairs(board, "d", settings=PairsSettings(margin=margin))


def test_groups_and_units_exclude_each_other(board: Store) -> None:
    settings = PairsSettings(unit_size=10, clusters=True)
    with pytest.raises(StoreError, match="exclude each other"):
        study_pairs(board, "d", settings=settings)


def test_complaints_name_what_a_person_can_change(board: Store) -> None:
    with pytest.raises(StoreError, match="'permutation'"):
        study_pairs(board, "d", settings=PairsSettings(test="steiger"))


@pytest.mark.parametrize("correction", ["bonferroni", "max-t-single", "tukey"])
def test_simultaneous_intervals_go_with_the_verdicts(board: Store, correction: Any) -> None:
    study = study_pairs(board, "d", settings=PairsSettings(correction=correction))
    for row in study.rows():
        beyond = row["ci_simultaneous_low"] > 0 or row["ci_simultaneous_high"] < 0
        assert beyond == (row["verdict"] in ("better", "worse"))
        assert row["ci_simultaneous_low"] <= row["ci_low"]
        assert row["hedges_g"] == pytest.approx(row["cohens_dz"], rel=0.02)
    assert np.array_equal(study.shown_low, study.ci_simultaneous_low, equal_nan=True)
    assert "all pairs at once" in study.how


def test_tukey_says_where_pairs_scatter_unlike(store: Store, add_run: AddRun) -> None:
    for name, spread in (("a", 0.1), ("b", 0.1), ("c", 1.0)):
        add_run(name, "d", RNG.normal(0.5, spread, 60).tolist(), metric="quality")
    settings = PairsSettings(correction="tukey")
    assert study_pairs(store, "d", settings=settings).sentence.startswith("Tukey's HSD takes")
    for name, scores in zip("efg", np.random.default_rng(3).normal(0.5, 0.1, (3, 60)), strict=True):
        add_run(name, "alike", scores.tolist(), metric="quality")
    assert "Tukey's HSD takes" not in study_pairs(store, "alike", settings=settings).sentence


def test_wilcoxon_of_many_ties_is_one_answer(store: Store, add_run: AddRun) -> None:
    for name, shift in (("a", 0.0), ("b", 4.0)):
        add_run(name, "d", np.round(RNG.normal(shift, 20, 250)).tolist(), metric="quality")
    cell = study_pairs(store, "d", settings=PairsSettings(test="wilcoxon", correction="none"))
    alone = study_comparison(store, "a", "b", settings=PairSettings(test="wilcoxon"))
    assert alone.analysis.test.pvalue == cell.pvalue[0, 1]
    assert not alone.analysis.test.exact


def test_who_skips_the_hard_items_does_not_come_first(store: Store, add_run: AddRun) -> None:
    easy, hard = RNG.normal(0.9, 0.02, 60), RNG.normal(0.3, 0.02, 60)
    add_run("skips", "d", [*easy.tolist(), *[math.nan] * 60], metric="quality")
    add_run("tries", "d", [*(easy + 0.02).tolist(), *hard.tolist()], metric="quality")
    study = study_pairs(store, "d")
    assert study.systems == ("tries", "skips")
    assert [row.system for row in study_leaderboard(store, "d").rows] == ["tries", "skips"]
