"""What the pages say of a test's error rate is what docs/calibration.json counts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from analysis.studies.calibrated import FALSE_ALARMS, caution

FIGURES = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "calibration.json").read_text(encoding="utf-8")
)["figures"]
PEARSON = {"steiger": "steiger pearson", "williams": "williams pearson"}


def test_every_rate_is_the_one_simulated() -> None:
    for population, tests in FALSE_ALARMS.items():
        for test, rates in tests.items():
            for n_items, stated in rates.items():
                repetitions, errors = FIGURES[PEARSON.get(test, test)][population][str(n_items)][:2]
                assert errors / repetitions >= 0.065
                assert stated == f"{100 * errors / repetitions:.0f} %"


@pytest.mark.parametrize("test", ["t", "signflip", "wilcoxon", "bootstrap", "sign"])
def test_no_rate_of_skewed_or_grouped_items_is_left_out(test: str) -> None:
    for population in ("skewed", "clustered"):
        for n_items, (repetitions, errors, *_) in FIGURES[test][population].items():
            if errors / repetitions >= 0.075:
                assert int(n_items) in FALSE_ALARMS[population][test]


def test_a_sentence_where_it_matters_and_none_where_not() -> None:
    calm = {"skewness": 0.0, "clustered": False, "binary": False}
    assert caution("t", n_units=200, **calm) == ""
    assert caution("permutation", n_units=1_000, **calm) == ""
    said = caution("t", n_units=20, **(calm | {"skewness": 2.0}))
    assert "more false alarms than stated (8 % in simulation with 20 items)" in said
    said = caution("t", n_units=300, **(calm | {"clustered": True}))
    assert "takes them as independent" in said
    assert caution("mcnemar", n_units=200, skewness=math.nan, clustered=False, binary=True) == ""
