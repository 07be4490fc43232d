import doctest
import importlib
import itertools
import json
import math
import pkgutil
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.across import joint as package
from analysis.statistics.across.joint.cells import JointCell
from analysis.statistics.across.joint.counts import joint_counts
from analysis.statistics.across.joint.replicability import joint_replicability
from analysis.statistics.across.joint.statistics import GRID
from analysis.statistics.across.replicability import analyse_replicability
from analysis.statistics.resampling.plan import sign_codes, signs_of
from tests.test_statistics.pairs import signflip

NAN = math.nan
MODULES = [f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]
DIRECTIONS = ("a_over_b", "b_over_a", "undirected")


def cell(differences, units=None, sign=1):
    """Return a cell of two systems that differ by so much."""
    d = np.asarray(differences, dtype=float)
    units = np.arange(d.size) if units is None else np.asarray(units)
    return JointCell(np.stack([d, np.zeros(d.size)])[:, :, np.newaxis], "mean", units, sign)


def dependent_cells(n_cells, n_items, seed, effects=None, share=0.5, rho=1.0):
    """Draw cells of which each has a share of its items in common with all others."""
    rng = np.random.default_rng(seed)
    n_shared = round(share * n_items)
    common = rng.normal(size=n_shared)
    cells = []
    for number in range(n_cells):
        own = rng.normal(size=n_items)
        own[:n_shared] = rho * common + math.sqrt(1 - rho**2) * own[:n_shared]
        units = np.arange(n_items) + n_items * (number + 1)
        units[:n_shared] = np.arange(n_shared)
        cells.append(cell(own + (0.0 if effects is None else effects[number]), units))
    return cells


def by_hand(cells, way, alpha, n_resamples, seed):
    """Return k, p-values, adjusted ones and the curve, from all sets of cells."""
    n_units = 1 + max(c.units.max() for c in cells)
    signs = [signs_of(sign_codes(seed, b, n_units)) for b in range(-(-n_resamples // 256))]
    signs = np.concatenate([np.ones((1, n_units)), np.concatenate(signs)[:n_resamples]])
    z = []
    for c in cells:
        d = np.bincount(c.units, weights=c.scores[0, :, 0] - c.scores[1, :, 0], minlength=n_units)
        z.append(c.sign * (signs @ d) / np.sqrt(d @ d))
    z = {"a_over_b": 1, "b_over_a": -1}[way] * np.array(z) if way != "undirected" else np.abs(z)
    z[:, 0] -= 1e-9
    t = np.rint(-2 * GRID * stats.norm.logsf(z))

    def pvalue(chosen):
        drawn = t[list(chosen)].sum(axis=0)
        return np.mean(drawn >= drawn[0])

    n = len(cells)
    curve = [
        max(
            pvalue(chosen)
            for size in range(n - u + 1, n + 1)
            for chosen in itertools.combinations(range(n), size)
        )
        for u in range(1, n + 1)
    ]
    order = np.argsort(-z[:, 0])
    adjusted = np.empty(n)
    for place, c in enumerate(order):
        adjusted[c] = np.mean(z[order[place:]].max(axis=0) >= z[c, 0])
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    k = sum(p <= alpha for p in curve)
    return k, np.mean(z >= z[:, :1], axis=1), adjusted, np.array(curve)


@pytest.mark.parametrize("way", DIRECTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_definition(way, seed):
    effects = np.linspace(-0.1, 0.6, 6) * (1 if seed % 2 else -1)
    cells = dependent_cells(6, 30, seed, effects)
    # Some units are numbers of several items, and lower is better in one cell.
    cells[2] = cells[2]._replace(units=cells[2].units // 2)
    cells[3] = cells[3]._replace(scores=cells[3].scores[::-1], sign=-1)
    # Numbers without gaps, so that both draw the same signs.
    numbers = np.unique(np.concatenate([c.units for c in cells]))
    cells = [c._replace(units=np.searchsorted(numbers, c.units)) for c in cells]
    found = getattr(joint_replicability(cells, n_resamples=499, rng=seed), way)
    k, pvalue, adjusted, curve = by_hand(cells, way, 0.05, 499, seed)
    assert found.decided
    assert found.k == k
    assert np.allclose(found.pvalue, pvalue)
    assert np.allclose(found.pvalue_adjusted, adjusted)
    assert np.array_equal(found.identified, adjusted <= 0.05)
    # The statistic's table is interpolated: a sum or two may change places.
    assert np.allclose(found.partial_conjunction, curve, atol=2 / 500)


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_fisher_on_cells_of_their_own(seed):
    cells = dependent_cells(12, 400, seed, np.linspace(0, 0.25, 12), share=0)
    joint = joint_replicability(cells, rng=seed)
    fisher = analyse_replicability(joint.a_over_b.pvalue)
    assert abs(joint.a_over_b.k - fisher.k_fisher) <= 1
    curve = fisher.partial_conjunction["fisher"]
    assert np.allclose(joint.a_over_b.partial_conjunction, curve, atol=0.015)


def test_pvalues_are_those_of_the_exchange_of_each_cell():
    cells = dependent_cells(3, 60, 1, [0.0, 0.2, 0.4])
    joint = joint_replicability(cells)
    for number, c in enumerate(cells):
        for way, alternative in zip(DIRECTIONS, ("greater", "less", "two-sided"), strict=True):
            alone = signflip(*c.scores[:, :, 0], alternative=alternative, rng=5).pvalue
            assert getattr(joint, way).pvalue[number] == pytest.approx(alone, abs=0.02)


def test_one_cell_counts_if_its_pvalue_is_small():
    for effect in (0.1, 0.3, 0.5):
        found = joint_replicability(dependent_cells(1, 50, 3, [effect])).a_over_b
        assert found.k == int(found.pvalue[0] <= 0.05) == int(found.identified[0])
        assert found.pvalue[0] == found.pvalue_adjusted[0]
        assert found.partial_conjunction[0] == pytest.approx(found.pvalue[0], abs=1e-3)


def test_a_cell_counted_many_times_is_one_piece_of_evidence():
    once = dependent_cells(1, 50, 4, [0.15])
    alone = joint_replicability(once).a_over_b
    many = joint_replicability(once * 9).a_over_b
    assert 0.05 < alone.pvalue[0] < 0.2
    assert np.allclose(many.partial_conjunction, alone.pvalue[0], atol=1e-3)
    assert np.array_equal(many.pvalue_adjusted, np.full(9, alone.pvalue[0]))
    assert many.k == 0
    assert analyse_replicability(many.pvalue).k_fisher > 0
    strong = joint_replicability(dependent_cells(1, 50, 4, [0.6]) * 9)
    assert strong.a_over_b.k == 9
    assert np.allclose(strong.correlation, 1.0)


def test_correlation_is_that_of_the_exchange():
    cells = dependent_cells(3, 40, 2, share=0.5)
    z = [c.scores[0, :, 0] / np.linalg.norm(c.scores[0, :, 0]) for c in cells]
    found = joint_replicability(cells, n_resamples=19).correlation
    assert found[0, 1] == pytest.approx(z[0][:20] @ z[1][:20])
    opposed = joint_replicability([cells[0], cells[0]._replace(sign=-1)], n_resamples=19)
    assert opposed.correlation[0, 1] == pytest.approx(-1.0)


def test_exchanging_the_systems_exchanges_the_directions():
    cells = dependent_cells(5, 30, 6, np.linspace(-0.3, 0.5, 5))
    found = joint_replicability(cells, n_resamples=499)
    turned = joint_replicability(
        [c._replace(scores=c.scores[::-1]) for c in cells], n_resamples=499
    )
    assert np.array_equal(found.statistic, -turned.statistic)
    for one, other in (("a_over_b", "b_over_a"), ("undirected", "undirected")):
        assert getattr(found, one).to_dict() == getattr(turned, other).to_dict()


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_neither_order_nor_scale_nor_missing_items_matter(seed):
    rng = np.random.default_rng(seed)
    cells = dependent_cells(4, 20, seed, np.linspace(0, 0.8, 4))
    found = joint_replicability(cells, n_resamples=99)
    order = rng.permutation(4)
    changed = []
    for number in order:
        scores, units = cells[number].scores, cells[number].units
        items = rng.permutation(20)
        # An item of a known unit that one system has no score for.
        extra = np.array([[[9.0]], [[NAN]]])
        scores = np.concatenate([4 * scores[:, items], extra], axis=1)
        units = np.append(units[items], units[0])
        changed.append(JointCell(scores, "mean", units))
    again = joint_replicability(changed, n_resamples=99)
    for way in DIRECTIONS:
        one, other = getattr(found, way), getattr(again, way)
        assert one.k == other.k
        assert np.array_equal(one.pvalue[order], other.pvalue)
        assert np.array_equal(one.pvalue_adjusted[order], other.pvalue_adjusted)
        assert np.array_equal(one.partial_conjunction, other.partial_conjunction)


def test_cells_that_cannot_be_tested_are_left_out():
    cells = dependent_cells(3, 40, 8, [0.5, 0.0, 0.6])
    nothing = JointCell(np.full((2, 3, 1), NAN), "mean", np.array([1, 2, 3]))
    no_items = JointCell(np.empty((2, 0, 1)), "mean", np.empty(0, np.int64))
    found = joint_replicability([cells[0], nothing, cells[1], no_items, cells[2]], n_resamples=99)
    alone = joint_replicability(cells, n_resamples=99)
    kept = [0, 2, 4]
    assert (found.n_cells, found.n_untestable) == (3, 2)
    assert np.isnan(found.statistic[[1, 3]]).all()
    assert np.isnan(found.correlation[1]).all()
    for way in DIRECTIONS:
        one, other = getattr(found, way), getattr(alone, way)
        assert np.array_equal(one.pvalue[kept], other.pvalue)
        assert np.isnan(one.pvalue_adjusted[[1, 3]]).all()
        assert not one.identified[[1, 3]].any()
        assert one.k == other.k
        assert np.array_equal(one.partial_conjunction, other.partial_conjunction)


def test_no_cells_give_no_effect():
    found = joint_replicability([], n_resamples=99)
    assert found.n_cells == found.a_over_b.k == found.undirected.k == 0
    assert found.a_over_b.partial_conjunction.size == 0


def test_identical_systems_are_testable_without_an_effect():
    found = joint_replicability([cell(np.zeros(5)), cell(np.ones(60))], n_resamples=999)
    assert found.n_cells == 2
    assert found.a_over_b.pvalue.tolist() == [1.0, 0.001]
    assert found.a_over_b.k == 1
    assert found.a_over_b.partial_conjunction.tolist() == [0.001, 1.0]
    assert math.isnan(found.correlation[0, 0])
    assert found.correlation[1, 1] == 1.0


def test_counts_units_that_cells_share():
    cells = [cell([1, 2, 3], [0, 1, 1]), cell([1, 2], [1, 5]), cell([3], [9])]
    assert joint_replicability(cells, n_resamples=99).n_shared_units == 1


def test_result_can_be_written_and_repeated():
    found = joint_replicability(dependent_cells(3, 20, 1), n_resamples=99, rng=7, alpha=0.1)
    written = json.loads(json.dumps(found.to_dict()))
    assert written["a_over_b"]["k"] == found.a_over_b.k
    assert written["signature"] == found.signature
    assert "n:3|untestable:0|shared:10|alpha:0.1|m:99|seed:7" in found.signature
    assert "at least k of 3 cells" in str(found)
    with pytest.raises(ValueError, match="read-only"):
        found.a_over_b.pvalue[0] = 0


def test_progress_counts_to_the_end_and_can_cancel():
    seen = []
    joint_replicability(
        dependent_cells(3, 20, 1), n_resamples=99, progress=lambda *step: seen.append(step)
    )
    assert seen == [(step, 6) for step in range(1, 7)]

    def cancel(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        joint_replicability(dependent_cells(3, 20, 1), n_resamples=99, progress=cancel)


def test_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match=r"`cells\[0\].scores` must be of 2 systems, got 3"):
        joint_replicability([JointCell(np.zeros((3, 1, 1)), "mean", np.array([0]))])
    with pytest.raises(ValueError, match="`alpha` must lie strictly"):
        joint_replicability([], alpha=1.0)
    with pytest.raises(ValueError, match="`n_resamples` must be at least 19"):
        joint_replicability([], n_resamples=18)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_import_does_not_load_the_compiler():
    names = [name for name in MODULES if not name.endswith("_kernels")]
    program = f"import importlib, sys\n[importlib.import_module(n) for n in {names}]\n"
    program += "sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_floor_makes_counts_smaller_and_no_others_larger():
    cells = dependent_cells(4, 20, 3, np.full(4, 1.5))
    free = joint_replicability(cells, n_resamples=999)
    assert free.a_over_b.k == 4
    floor = np.array([[0.0, 0.4], [0.0, 0.0]])
    held = [c._replace(floor=floor) for c in cells[:2]] + cells[2:]
    found = joint_replicability(held, n_resamples=999)
    assert found.a_over_b.k == 2
    assert found.undirected.k <= 2
    assert found.a_over_b.pvalue[0] == pytest.approx(0.4, abs=0.06)
    assert np.array_equal(found.b_over_a.pvalue, free.b_over_a.pvalue)
    counts = joint_counts(held, n_resamples=999)
    assert counts.k[0, 1] == 2
    nothing = [c._replace(floor=np.zeros((2, 2))) for c in cells]
    assert joint_replicability(nothing, n_resamples=999).a_over_b.k == 4
