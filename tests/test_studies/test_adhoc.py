"""Two columns of scores through the whole procedure."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from analysis.studies.adhoc import Adhoc, study_adhoc
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.two_columns import TwoColumns
from store.errors import StoreError

RNG = np.random.Generator(np.random.PCG64(3))
U = RNG.normal(0.55, 0.1, 150)
V = U - RNG.normal(0.03, 0.05, 150)


def test_every_stage_is_there() -> None:
    study = study_adhoc(U, V, names=("new", "old"))
    assert study.analysis.verdict == "better"
    assert study.sentence.startswith("new is better than old with 150 items")
    advice = {row.test: row for row in study.tests}
    assert {"t", "wilcoxon", "sign", "permutation", "bootstrap"} <= advice.keys()
    assert all(row.reason for row in study.tests)
    assert any(row.advice == "recommended" for row in study.tests)
    assert study.unit_sizes is not None
    json.dumps(study.to_dict(), allow_nan=False)


def test_lower_is_better() -> None:
    study = study_adhoc(U, V, higher_is_better=False)
    assert study.analysis.verdict == "worse"
    assert study.analysis.difference > 0


def test_units_change_the_sample_but_not_the_items() -> None:
    study = study_adhoc(U, V, settings=PairSettings(unit_size=10, shuffle_seed=13))
    assert (study.analysis.n_items, study.analysis.n_units) == (150, 15)
    assert "150 items in 15 units" in study.sentence


def test_delta_is_tested_on_the_scale_of_the_scores() -> None:
    within = study_adhoc(U, V, settings=PairSettings(test="t", delta=float(np.mean(U - V))))
    assert within.analysis.test.pvalue == pytest.approx(1.0)
    below = study_adhoc(U, V, settings=PairSettings(test="t", delta=1.0))
    assert below.analysis.verdict == "undecided"  # below 1 is not yet below 0
    assert below.analysis.side == -1
    assert "The difference A minus B is below +1 with" in below.sentence
    above = study_adhoc(U, V, settings=PairSettings(test="t", delta=0.001))
    assert above.analysis.verdict == "better"
    turned = study_adhoc(U, V, settings=PairSettings(test="t", delta=1.0), higher_is_better=False)
    assert (turned.analysis.side, turned.analysis.verdict) == (-1, "undecided")


def test_means_that_are_equal_on_paper_are_an_answer() -> None:
    study = study_adhoc(np.array([0.1, 0.4]), np.array([0.2, 0.3]))
    assert study.analysis.difference == 0.0
    assert study.analysis.verdict == "undecided"


def test_no_items_are_promised_for_the_observed_difference() -> None:
    nearer = V[:20] + 0.8 * float(np.mean(U[:20] - V[:20]))
    study = study_adhoc(U[:20], nearer, settings=PairSettings(test="t"))
    assert study.analysis.verdict == "undecided"
    assert "would have been found with 80 % probability" in study.sentence
    for told in (study.sentence, study.report().as_text()):
        assert "would be needed" not in told
        assert "observed difference" not in told
    assert "items_for_observed" not in study.to_dict()


def test_what_no_pvalue_can_show_is_not_promised() -> None:
    study = study_adhoc(U[:3], V[:3])
    assert math.isnan(study.analysis.mde)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_hardly_any_lines(n: int) -> None:
    study = study_adhoc(U[:n], V[:n])
    assert study.analysis.verdict == "undecided"
    json.dumps(study.to_dict(), allow_nan=False)
    assert study.report().as_text()


def test_constant_and_identical_columns() -> None:
    same = study_adhoc(np.full(20, 0.5), np.full(20, 0.5))
    assert same.analysis.test.pvalue == 1.0
    assert same.analysis.verdict == "undecided"
    json.dumps(same.to_dict(), allow_nan=False)


def test_missing_lines_are_left_out_and_said() -> None:
    study = study_adhoc(np.r_[U, math.nan], np.r_[V, 0.2])
    assert study.analysis.n_items == 150
    assert "1 line without a score in one of the columns is left out." in study.warnings


def test_bad_settings_name_the_remedy() -> None:
    with pytest.raises(StoreError, match="`alpha`"):
        study_adhoc(U, V, settings=PairSettings(alpha=2.0))
    with pytest.raises(StoreError, match="finite"):
        study_adhoc(np.r_[U[:3], math.inf], V[:4])


@pytest.mark.parametrize("names", [("mine",), ("mine", "mine"), ("a", "b", "c")])
def test_two_different_names_are_needed(names: tuple[str, ...]) -> None:
    with pytest.raises(StoreError, match="`names` must be two different names"):
        Adhoc(names=names, columns=TwoColumns(U, V)).answer(None)  # type: ignore[arg-type]
