"""MACE against the authors' own tool, and on data made by its own model."""

import csv
import json
import math

import numpy as np
import pytest

from analysis.statistics.annotation.mace import mace

NAN = math.nan
FILES = {
    "example": "examples/example.csv",
    "pos": "examples/pos.csv",
    "rte": "test/rte.csv",
    "temporal": "test/temporal.csv",
    "wsd": "test/wsd.csv",
}


def read_sheet(path):
    """Return labels as numbers in order of their names, and the names."""
    with path.open() as file:
        rows = list(csv.reader(file))
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    names = sorted({cell for row in rows for cell in row if cell.strip()})
    code = {name: float(i) for i, name in enumerate(names)}
    return np.array([[code.get(cell, NAN) for cell in row] for row in rows]).T, names


def named(labels, names):
    return ["" if math.isnan(label) else names[int(label)] for label in labels]


@pytest.mark.shared
@pytest.mark.parametrize("method", ["em", "vb"])
@pytest.mark.parametrize("task", ["example", "pos", "temporal", "wsd"])
def test_labels_and_competences_of_the_java_tool(task, method, shared_folder):
    path = shared_folder / "reference/seed_systems/mace.json"
    reference = json.loads(path.read_text())[f"{task}|{method}|java"]
    sheet, names = read_sheet(shared_folder / "data/mace" / FILES[task])
    found = mace(sheet, method=method, n_restarts=20 if task in ("temporal", "wsd") else 50, rng=0)
    assert found.converged
    assert named(found.labels, names) == reference["predictions"]
    likelihood = reference["log_marginal_likelihood"]
    assert found.log_likelihood >= likelihood - 1e-6
    off = np.abs(found.competence - np.array(reference["competence"])) > 0.02
    if (task, method) == ("wsd", "em"):
        # The tool was stopped after 500 steps, on its way along a ridge for two annotators.
        assert found.log_likelihood > likelihood + 0.005
        assert np.flatnonzero(off).tolist() == [9, 21]
    else:
        assert not off.any()
        assert found.log_likelihood == pytest.approx(likelihood, abs=1e-5)
        entropies = np.array(reference["entropies"], dtype=float)
        assert found.entropy == pytest.approx(entropies, abs=1e-5, nan_ok=True)


@pytest.mark.shared
@pytest.mark.parametrize("method", ["em", "vb"])
def test_many_annotators_as_in_the_java_tool(method, shared_folder):
    path = shared_folder / "reference/seed_systems/mace.json"
    reference = json.loads(path.read_text())[f"rte|{method}|java"]
    sheet, names = read_sheet(shared_folder / "data/mace/test/rte.csv")
    found = mace(sheet, method=method, n_restarts=3, rng=0)
    assert named(found.labels, names) == reference["predictions"]
    assert found.competence == pytest.approx(np.array(reference["competence"]), abs=0.02)
    with (shared_folder / "data/mace/test/rte.key").open() as file:
        key = file.read().split()
    right = np.mean(np.array(named(found.labels, names)) == np.array(key))
    assert right == pytest.approx({"em": 0.92875, "vb": 0.92625}[method])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "n_right"), [("en", 200), ("da", 200), ("hr", 200), ("es", 184)]
)
def test_labels_that_plank_et_al_publish(language, n_right, shared_folder):
    folder = shared_folder / f"data/plank_conll2015/{language}"
    sheet, names = read_sheet(folder / "annotated.csv")
    published = (folder / "prediction").read_text().split()
    found = mace(sheet, method="em", rng=0)
    same = np.array(named(found.labels, names)) == np.array(published)
    assert np.count_nonzero(same) == n_right == len(published)


def simulated(rng, n_units=400, competences=(0.9, 0.7, 0.5, 0.1)):
    """Return labels by the model itself: annotators know the label, or guess."""
    truth = rng.integers(0, 3, n_units).astype(float)
    sheet = np.array(
        [
            np.where(rng.random(n_units) < c, truth, rng.choice(3, n_units, p=[0.6, 0.3, 0.1]))
            for c in competences
        ]
    )
    return sheet, truth


def test_competences_come_back():
    sheet, truth = simulated(np.random.default_rng(5))
    found = mace(sheet, n_restarts=10, rng=1)
    assert found.competence == pytest.approx([0.9, 0.7, 0.5, 0.1], abs=0.08)
    assert np.mean(found.labels == truth) > 0.9
    assert found.converged
    assert found.identified


def test_vb_takes_the_start_with_the_largest_bound():
    # One of few sheets on which the largest normaliser belongs to another start: bound -84.378.
    rng = np.random.default_rng(147)
    shape = int(rng.integers(3, 6)), int(rng.integers(8, 25))
    found = mace(rng.integers(0, 3, shape).astype(float), n_restarts=12, rng=0)
    assert found.bound == pytest.approx(-84.2727, abs=0.01)
    assert found.bound < found.log_likelihood


def test_the_bound_is_below_the_probability_of_the_labels():
    sheet = np.array([[0.0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]])
    found = mace(sheet, rng=0)
    rng = np.random.default_rng(1)
    n = 100_000
    competence = rng.beta(0.5, 0.5, (n, 3, 1))  # of knowing; the prior of guessing is the same
    shares = rng.dirichlet([10.0, 10.0], (n, 3))
    likelihood = np.ones(n)
    for unit in sheet.T:
        labels = unit.astype(int)
        guess = (1 - competence[..., 0]) * np.take_along_axis(
            shares, np.tile(labels[None, :, None], (n, 1, 1)), axis=2
        )[..., 0]
        by_truth = [
            np.prod(guess + competence[..., 0] * (labels == truth), axis=1) for truth in (0, 1)
        ]
        likelihood *= np.mean(by_truth, axis=0)
    truth = math.log(likelihood.mean())
    assert truth - 3 < found.bound < truth
    assert mace(sheet, method="em", rng=0).bound == mace(sheet, method="em", rng=0).log_likelihood


def test_posteriors_and_entropies():
    sheet, truth = simulated(np.random.default_rng(6))
    sheet[:, 7] = NAN
    found = mace(sheet, n_restarts=10, rng=1)
    assert np.isnan(found.labels[7])
    assert np.isnan(found.posterior[7]).all()
    assert math.isnan(found.entropy[7])
    rest = np.delete(np.arange(400), 7)
    assert found.posterior[rest].sum(axis=1) == pytest.approx(np.ones(399))
    likeliest = found.values[found.posterior[rest].argmax(axis=1)]
    assert np.array_equal(likeliest, found.labels[rest])
    kept = found.certain(0.5)
    assert np.count_nonzero(kept) >= 200
    assert np.max(found.entropy[kept]) <= np.min(found.entropy[rest][~kept[rest]])
    assert np.mean(found.labels[kept] == truth[kept]) >= np.mean(found.labels[rest] == truth[rest])
    assert np.array_equal(found.certain(1.0), ~np.isnan(found.entropy))


def test_the_same_seed_gives_the_same_labels_in_any_order_of_annotators():
    sheet, _ = simulated(np.random.default_rng(7))
    one, again, other = (
        mace(given, n_restarts=5, rng=rng)
        for given, rng in ((sheet, 3), (sheet, 3), (sheet[::-1], 4))
    )
    assert one.to_dict() == again.to_dict()
    assert np.array_equal(one.labels, other.labels)
    assert other.competence[::-1] == pytest.approx(one.competence, abs=1e-4)


def test_names_of_labels_do_not_matter():
    sheet, _ = simulated(np.random.default_rng(8))
    renamed = np.where(sheet == 0, 9.0, np.where(sheet == 1, -4.0, sheet))
    one, other = (mace(given, n_restarts=5, rng=3) for given in (sheet, renamed))
    assert one.competence == pytest.approx(other.competence, abs=1e-10)
    back = np.where(other.labels == 9, 0.0, np.where(other.labels == -4, 1.0, other.labels))
    assert np.array_equal(one.labels, back)


@pytest.mark.parametrize("seed", range(4))
def test_a_tie_goes_to_the_label_that_came_up_first(seed):
    found = mace([[5.0, 2.0], [2.0, 5.0]], n_restarts=10, rng=seed)
    assert found.values.tolist() == [5.0, 2.0]
    assert found.posterior[0] == pytest.approx([0.5, 0.5], abs=1e-4)
    assert found.labels.tolist() == [5.0, 5.0]


def test_controls_fix_labels_and_priors_lean():
    sheet, truth = simulated(np.random.default_rng(9), n_units=60, competences=(0.5, 0.4))
    controls = np.where(np.arange(60) < 30, truth, NAN)
    found = mace(sheet, controls=controls, n_restarts=10, rng=0)
    assert np.array_equal(found.labels[:30], truth[:30])
    plain = mace(sheet, n_restarts=10, rng=0)
    leaning = mace(sheet, priors=[1, 1, 50], n_restarts=10, rng=0)
    assert np.count_nonzero(leaning.labels == 2) > np.count_nonzero(plain.labels == 2)


def test_control_items_tell_who_is_right_of_two():
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 2, 200).astype(float)
    knows = np.where(rng.random(200) < 0.95, truth, 1 - truth)
    guesses = rng.integers(0, 2, 200).astype(float)
    found = mace([guesses, knows], controls=truth, n_restarts=10, rng=0)
    assert found.competence[1] > 0.8
    assert found.competence[0] < 0.3


def test_nothing_to_judge():
    for sheet in (np.empty((0, 3)), np.full((2, 3), NAN)):
        found = mace(sheet)
        assert np.isnan(found.labels).all()
        assert found.posterior.shape == (3, 0)
        assert not found.certain(1.0).any()
    found = mace([[1, 1, 1], [NAN, NAN, NAN]], rng=0)
    assert found.labels.tolist() == [1, 1, 1]
    assert math.isnan(found.competence[1])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "gibbs"}, "`method` must be one of"),
        ({"alpha": 0}, "`alpha` must be a positive number"),
        ({"priors": [1]}, "`priors` must be positive weights of the 2 labels"),
        ({"priors": [1, 0]}, "`priors` must be positive weights"),
        ({"controls": [1, 0]}, "`controls` must have one label per unit"),
        ({"controls": [NAN, 7, NAN]}, "`controls` holds 7 at 1"),
        ({"n_restarts": 0}, "`n_restarts` must be at least 1"),
    ],
)
def test_wrong_settings_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        mace([[0, 1, 0], [0, 1, 1]], **settings)


def test_a_threshold_that_keeps_nothing_is_refused():
    with pytest.raises(ValueError, match="`threshold` must be above 0"):
        mace([[0, 1, 0], [0, 1, 1]]).certain(0)
