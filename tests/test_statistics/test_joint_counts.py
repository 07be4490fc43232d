import math

import numpy as np
import pytest
from scipy import special, stats

from analysis.statistics.across.joint import counts
from analysis.statistics.across.joint.cells import JointCell
from analysis.statistics.across.joint.counts import joint_counts
from analysis.statistics.across.joint.replicability import joint_replicability
from analysis.statistics.across.replicability import partial_conjunction

NAN = math.nan


def board(n_systems, n_cells, n_items, seed, absent=0.0, spread=0.3):
    """Draw cells that share a third of their items; by the third, lower is better."""
    rng = np.random.default_rng(seed)
    skill = spread * rng.normal(size=(n_systems, 1, 1))
    hard = rng.normal(size=(1, n_items // 3, 1))
    cells = []
    for number in range(n_cells):
        scores = skill + rng.normal(size=(n_systems, n_items, 1))
        scores[:, : n_items // 3] += hard
        scores[rng.random(scores.shape) < absent] = NAN
        if number == 1 and absent:
            scores[0] = NAN
        units = np.arange(n_items) + n_items * (number + 1)
        units[: n_items // 3] = np.arange(n_items // 3)
        sign = -1 if number == 2 else 1
        cells.append(JointCell(sign * scores, "mean", units, sign))
    return cells


@pytest.mark.parametrize("absent", [0.0, 0.1])
def test_every_pair_has_what_it_has_alone(absent):
    cells = board(5, 6, 40, 1, absent)
    found = joint_counts(cells, n_resamples=499, rng=3)
    assert found.n_undecided == 0
    assert found.k.max() > 2
    for i in range(5):
        assert found.k[i, i] == found.n_cells[i, i] == 0
        for j in range(i + 1, 5):
            pair = [c._replace(scores=c.scores[[i, j]]) for c in cells]
            alone = joint_replicability(pair, n_resamples=499, rng=3)
            assert found.k[i, j] == alone.a_over_b.k
            assert found.k[j, i] == alone.b_over_a.k
            assert found.n_cells[i, j] == found.n_cells[j, i] == alone.n_cells
    assert found.n_cells[0, 1] == (5 if absent else 6)


def test_several_metrics_of_the_same_items():
    rng = np.random.default_rng(2)
    total = rng.integers(5, 20, size=(3, 60)).astype(float)
    right = rng.binomial(total.astype(int), np.array([0.8, 0.6, 0.6])[:, np.newaxis])
    f1 = np.stack([right, total - right, total - right + 1], axis=2)
    gold = np.tile(rng.normal(size=60), (3, 1))
    guess = gold + rng.normal(size=(3, 60)) * np.array([0.3, 2.0, 2.0])[:, np.newaxis]
    units = np.arange(60)
    cells = [
        JointCell(np.stack([right, total], axis=2), "ratio", units),
        JointCell(f1, "f1", units),
        JointCell((right / total)[:, :, np.newaxis], "median", units),
        JointCell(np.stack([guess, gold], axis=2), "spearman", units),
    ]
    found = joint_counts(cells)
    assert found.k[0].tolist() == [0, 4, 4]
    assert not found.k[1:, 0].any()


def test_result_does_not_depend_on_threads_or_tiles(monkeypatch):
    cells = board(6, 5, 50, 4)
    found = joint_counts(cells, n_resamples=299, n_threads=1)
    monkeypatch.setattr(counts, "TILE_BYTES", 1)
    again = joint_counts(cells, n_resamples=299, n_threads=3)
    assert np.array_equal(found.k, again.k)
    assert found.signature == again.signature


def test_giving_up_lowers_counts_and_says_so(monkeypatch):
    cells = board(8, 16, 60, 5, spread=0.4)
    found = joint_counts(cells)
    monkeypatch.setattr(counts, "LIMIT", 0)
    single_step = joint_counts(cells)
    assert found.n_undecided == 0 < single_step.n_undecided
    assert np.all(single_step.k <= found.k)
    assert single_step.k.sum() < found.k.sum()


def test_no_cells_no_systems():
    assert joint_counts([]).k.shape == (0, 0)
    nothing = JointCell(np.full((3, 2, 1), NAN), "mean", np.array([0, 1]))
    found = joint_counts([nothing])
    assert not found.k.any()
    assert not found.n_cells.any()


def test_progress_and_refusals():
    seen = []
    joint_counts(board(4, 2, 12, 0), n_threads=1, progress=lambda *step: seen.append(step))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(ValueError, match="`n_resamples` must be at least 99"):
        joint_counts([], alpha=0.01, n_resamples=50)


@pytest.fixture
def repetitions(calibrate_repetitions):
    return calibrate_repetitions // 2


class TestCalibration:
    """P(k > true number) <= alpha, by simulation."""

    def frequency(self, draw, n_true, repetitions, *, fisher=False):
        """Return how often k is larger than the true number, jointly and by Fisher."""
        rng = np.random.default_rng(20_170)
        n_over = n_over_fisher = 0
        for repetition in range(repetitions):
            differences, units = draw(rng)
            cells = [
                JointCell(np.stack([d, np.zeros_like(d)])[:, :, np.newaxis], "mean", u)
                for d, u in zip(differences, units, strict=True)
            ]
            found = joint_counts(cells, n_resamples=99, rng=repetition, n_threads=1)
            n_over += found.k[0, 1] > n_true
            z = np.array([d.sum() / math.sqrt(d @ d) for d in differences])
            curve = partial_conjunction(special.ndtr(-z), "fisher", monotone=True)
            n_over_fisher += np.count_nonzero(curve <= 0.05) > n_true
        return n_over / repetitions, n_over_fisher / repetitions

    @staticmethod
    def bound(repetitions):
        return stats.binom.ppf(0.9999, repetitions, 0.05) / repetitions

    @pytest.mark.parametrize("share", [0.5, 1.0])
    def test_shared_items_without_effects(self, share, repetitions):
        n_cells, n_items = 6, 30
        n_shared = round(share * n_items)

        def draw(rng):
            common, units = rng.standard_t(3, size=n_shared), np.arange(n_items)
            own = rng.standard_t(3, size=(n_cells, n_items))
            own[:, :n_shared] = common + 0.3 * own[:, :n_shared]
            return own, [np.where(units < n_shared, units, units + 100 * c) for c in range(n_cells)]

        joint, fisher = self.frequency(draw, 0, repetitions)
        assert joint <= self.bound(repetitions)
        if share == 1.0:
            assert fisher > 0.1

    @pytest.mark.parametrize("sign", [1, -1])
    def test_worse_and_equal_cells_beside_effects(self, sign, repetitions):
        # Cells 0-2: better; 3-5: equal; 6-7: worse. All look at the same items.
        shift = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, -0.3, -1.0])[:, np.newaxis]
        loading = np.where(np.arange(8) % 2, sign, 1)[:, np.newaxis]

        def draw(rng):
            common = rng.normal(size=30)
            noise = loading * common + 0.5 * rng.normal(size=(8, 30))
            return noise + shift, [np.arange(30)] * 8

        joint, _ = self.frequency(draw, 3, repetitions)
        assert joint <= self.bound(repetitions)

    def test_small_right_or_wrong_test_sets(self, repetitions):
        def draw(rng):
            common = rng.choice([-1.0, 0.0, 1.0], p=[0.15, 0.7, 0.15], size=12)
            flipped = rng.random((8, 12)) < 0.2
            own = rng.choice([-1.0, 0.0, 1.0], p=[0.15, 0.7, 0.15], size=(8, 12))
            drawn = np.where(flipped, own, common)
            drawn[:, 0] = np.where(np.any(drawn, axis=1), drawn[:, 0], rng.choice([-1.0, 1.0]))
            return drawn, [np.arange(12)] * 8

        joint, _ = self.frequency(draw, 0, repetitions)
        assert joint <= self.bound(repetitions)
