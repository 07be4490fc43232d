"""The hostile oracle: its data are nasty and repeatable, and its comparing finds what is wrong."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pytest

from benchmarks.oracle.__main__ import main
from benchmarks.oracle.cases import KINDS, draw_cases, draw_family, draw_judged, draw_plans
from benchmarks.oracle.comparing import OnPurpose, agrees, agrees_as_drawn, compare, kind_of


def test_the_same_seed_draws_the_same_data_and_another_draws_others() -> None:
    once, again, other = draw_cases(4), draw_cases(4), draw_cases(5)
    for a, b in zip(once, again, strict=True):
        assert (a.name, a.exponent, a.delta) == (b.name, b.exponent, b.delta)
        np.testing.assert_array_equal(a.scores, b.scores)
    assert any(
        a.scores.shape != b.scores.shape or not np.array_equal(a.scores, b.scores, equal_nan=True)
        for a, b in zip(once, other, strict=True)
    )
    assert draw_plans(4) == draw_plans(4)


@pytest.mark.parametrize("seed", range(3))
def test_every_kind_is_what_it_is_called(seed: int) -> None:
    cases = {case.name.rpartition("-")[0]: case for case in draw_cases(seed)}
    assert cases.keys() == KINDS.keys()
    assert np.isin(cases["binary"].scores, (0, 1)).all()
    assert np.unique(cases["ties"].scores).size <= 5
    assert np.isnan(cases["missing"].scores).any()
    assert len(cases["many-items"].scores) > 500
    assert abs(cases["tiny"].scores * cases["tiny"].factor).max() < 1e-6
    assert abs(cases["huge"].scores * cases["huge"].factor).max() > 1e6
    constant = cases["constant"].scores
    assert np.ptp(constant[:, 1] - constant[:, 0]) == 0
    np.testing.assert_array_equal(constant[:, -1], constant[:, 0])
    near = np.diff(cases["near-lattice"].scores[:, :2]).ravel()
    assert np.max(np.abs(near - np.round(near))) < 0.01
    assert cases["disasters"].scores.min() == -100


@pytest.mark.parametrize("case", draw_cases(7), ids=lambda case: case.name)
def test_what_is_written_is_exact(case) -> None:
    scaled = case.scores * case.factor
    np.testing.assert_array_equal(scaled / case.factor, case.scores)
    shown = np.vectorize(lambda x: float(repr(float(x))))(scaled)
    np.testing.assert_array_equal(shown, scaled)


def test_families_and_judgments_have_ties_and_unequal_sizes() -> None:
    family, judged = draw_family(3), draw_judged(3)
    assert len({len(case.scores) for case in family.cases}) > 1
    assert np.unique(judged.gold).size < judged.gold.size
    assert {scores.shape for scores in judged.metrics.values()} == {judged.gold.shape}


@pytest.mark.parametrize(
    ("r", "ours", "size", "same"),
    [
        (0.05, 0.05 * (1 + 1e-12), 0.0, True),
        (0.05, 0.05 * (1 + 1e-8), 0.0, False),
        (1e-120, 2e-120, 0.0, False),
        (1e-300, 2e-300, 0.0, True),
        (0.0, 1e-12, 0.0, False),
        (0.0, 1e-16, 1.0, True),
        (0.05, None, 0.0, False),
        (math.inf, 1e300, 0.0, False),
        (math.inf, math.inf, 0.0, True),
    ],
)
def test_agreement_is_relative(r: float, ours: float | None, size: float, same: bool) -> None:
    assert agrees(r, ours, size) is same


@pytest.mark.parametrize(
    ("r", "ours", "same"),
    [
        (0.5, 0.52, True),
        (0.5, 0.54, False),
        (1.0, 1.0, True),
        (1e-5, 1.2e-5, True),
        (2.7e-4, 9.9e-5, False),
        (8.3e-4, 1.4e-3, True),  # 14 hits where 8 were expected
        (8.3e-4, 9.9e-4, True),
        (2.7e-4, 2e-3, False),
        (1e-30, 3e-30, False),
        (0.5, None, False),
    ],
)
def test_what_is_drawn_is_near(r: float, ours: float | None, same: bool) -> None:
    assert agrees_as_drawn(r, ours) is same


def test_cells_and_drawn_values_are_held_against_the_same_reference() -> None:
    ours = [("cell of c|S0|S1|sign|p", 0.3), ("cell of c|S0|S1|sign|p (drawn)", 0.2501)]
    outcome = compare({"c|S0|S1|sign|p": 0.25}, ours, [])
    assert [one.key for one in outcome.disagreements] == ["cell of c|S0|S1|sign|p"]


def test_what_disagrees_is_named_and_what_is_on_purpose_is_counted_apart() -> None:
    reference = {"c|S0|S1|t|p": 0.5, "c|S0|S1|sign|p": 0.25, "c|S0|S1|hl": math.nan, "c|x": 1.0}
    ours = [
        ("c|S0|S1|t|p", 0.6),
        ("c|S0|S1|sign|p", None),
        ("c|S0|S1|hl", 0.1),
        ("c|S0|S1|dz", None),
        ("c|x", 1.0),
    ]
    rule = OnPurpose("*|sign|p", None, "no test there")
    outcome = compare(reference, ours, [rule])
    assert [one.key for one in outcome.disagreements] == ["c|S0|S1|t|p"]
    assert "0.6" in str(outcome.disagreements[0])
    assert outcome.on_purpose == {"no test there": 1}
    assert outcome.without_reference == {"hl": 1}
    assert outcome.n_compared == 3


def test_a_rule_covers_only_the_value_that_is_meant() -> None:
    outcome = compare({"c|sign|p": 0.25}, [("c|sign|p", 0.9)], [OnPurpose("*|p", None, "none")])
    assert len(outcome.disagreements) == 1


def test_kinds_of_values_bear_no_names() -> None:
    assert kind_of("ties-0|S0|S12|t|0|less|p") == "t|less|p"


def test_without_r_it_says_so_and_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main([]) == 0
    assert "R not found: skipped" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_and_the_commands_agree(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--seed", "11", "--kinds", "small-exact"])
    told = capsys.readouterr().out
    assert code == 0, told
    compared = int(told.split(" values compared")[0].split()[-1].replace(",", ""))
    assert compared > 300
