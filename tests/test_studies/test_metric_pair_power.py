"""How large a meta-evaluation must be: sizes, words, refusals, the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.statistics.meta_evaluation.comparison import compare_metrics
from analysis.statistics.meta_evaluation.metric_power import metric_power
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.evidence import load_evidence
from analysis.studies.power.metric_pairs import study_metric_pair_power
from dashboard.cli import app
from store.engine import Store, open_store
from store.errors import NotFoundError, StoreError
from tests.test_studies.judged import add_preferred, add_rated

FEW = {"n_iterations": 30}


def fill(store: Store, *, groups: list[str] | None = None) -> None:
    """Store 6 systems on 24 items, two annotators, two metrics that are not far apart."""
    rng = np.random.default_rng(7)
    truth = rng.normal(size=(6, 1)) + rng.normal(size=(6, 24))
    ratings = np.round(truth + rng.normal(0, 0.3, (2, 6, 24)), 1)
    noise = np.array([0.6, 1.2])[:, None, None] * rng.normal(size=(2, 6, 24))
    add_rated(store, truth + noise, ratings, metrics=["good", "fair"], groups=groups)


def test_power_is_that_of_the_statistics(store: Store) -> None:
    fill(store)
    settings = CorrelationSettings(level="item", coefficient="kendall-b", test="perm-inputs")
    study = study_metric_pair_power(
        store, "talks", "quality", "fair", "good", settings=settings, items=[12, 48], **FEW
    )
    evidence = load_evidence(store, "talks", "quality", metrics=["fair", "good"])
    by_name = dict(zip(evidence.names, evidence.scores, strict=True))
    sides = (by_name["fair"], by_name["good"], evidence.gold)
    asked = {"level": "item", "coefficient": "kendall-b", "test": "perm-inputs"}
    found = metric_power(
        *sides, designs=[(None, 12), (None, 48)], n_iterations=30, n_resamples=199, **asked
    )
    assert [row.power for row in study.by_items] == found.power.tolist()
    assert [row.n_items for row in study.by_items] == [12, 48]
    assert study.by_systems == ()
    assert study.difference == pytest.approx(
        compare_metrics(*sides, n_resamples=9, **asked).difference
    )
    assert study.difference < 0
    assert study.sentence.startswith("On talks (6 systems on 24 items) good is ")
    assert any("error of the simulation alone" in told for told in study.warnings)
    (table,) = study.report().tables
    assert "without that of the difference seen here" in table.notes[0]
    assert study.signature.startswith("power metrics|dataset:talks|gold:quality|")


def test_what_is_drawn_follows_from_the_test(store: Store) -> None:
    fill(store)
    sizes = {}
    for test in ("perm-inputs", "perm-systems", "boot-both"):
        study = study_metric_pair_power(
            store, "talks", "quality", "good", "fair",
            settings=CorrelationSettings(level="item", test=test), n_iterations=3,
        )  # fmt: skip
        sizes[test] = (
            [(row.n_systems, row.n_items) for row in study.by_items],
            [(row.n_systems, row.n_items) for row in study.by_systems],
        )
        every = (*study.by_items, *study.by_systems)
        assert all(row.draws_systems == (test != "perm-inputs") for row in every)
        assert all(row.draws_items == (test != "perm-systems") for row in every)
    items, systems = [12, 48, 96, 192], [4, 12, 24, 48]
    assert sizes["perm-inputs"] == ([(6, n) for n in items], [])
    assert sizes["perm-systems"] == ([], [(n, 24) for n in systems])
    assert sizes["boot-both"] == ([(6, n) for n in items], [(n, 24) for n in systems])


def test_power_is_that_of_the_usual_scale(store: Store) -> None:
    # The metric that is behind scatters more within systems, which its means do not show.
    rng = np.random.default_rng(5)
    truth = rng.normal(size=(10, 1)) + np.zeros(20)
    inner = rng.normal(size=(2, 10, 20))
    inner -= inner.mean(axis=2, keepdims=True)
    own = np.array([0.4, 0.8])[:, None, None] * rng.normal(size=(2, 10, 1))
    scores = truth + own + np.array([3.0, 0.2])[:, None, None] * inner
    add_rated(store, scores, truth[np.newaxis], metrics=["good", "fair"])
    settings = CorrelationSettings(level="system", coefficient="pearson", test="perm-systems")
    study = study_metric_pair_power(
        store, "talks", "quality", "good", "fair", settings=settings, systems=[16], **FEW
    )
    evidence = load_evidence(store, "talks", "quality", metrics=["good", "fair"])
    asked = {"level": "system", "coefficient": "pearson", "test": "perm-systems"}
    by_scale = {
        scale: compare_metrics(*evidence.scores, evidence.gold, scale=scale, **asked).pvalue
        for scale in (None, "system means", "standardised")
    }
    assert study.pvalue == by_scale[None] == by_scale["system means"]
    assert study.pvalue != by_scale["standardised"]


def test_enough_is_the_first_that_reaches_the_power(store: Store) -> None:
    fill(store)
    settings = CorrelationSettings(level="item", test="perm-inputs")
    study = study_metric_pair_power(
        store, "talks", "quality", "good", "fair", settings=settings, power=0.6, items=[3, 8, 100],
        n_iterations=60,
    )  # fmt: skip
    reached = [row.n_items for row in study.by_items if row.power >= 0.6]
    assert study.items_needed == reached[0]
    assert f"these systems and {reached[0]:,} items would find it" in study.sentence
    never = study_metric_pair_power(
        store, "talks", "quality", "good", "fair", settings=settings, power=0.99, items=[3],
        n_iterations=60,
    )  # fmt: skip
    assert never.items_needed is None
    assert "none of the sizes looked at" in never.sentence


def test_luck_with_systems_is_told(store: Store) -> None:
    rng = np.random.default_rng(1)
    truth = 0.3 * rng.normal(size=(8, 1)) + rng.normal(size=(8, 60))
    lucky = 0.3 * rng.normal(size=(2, 8, 1)) + rng.normal(size=(2, 8, 60))
    add_rated(store, truth + lucky, truth[np.newaxis], metrics=["good", "fair"])

    def warned(test: str) -> str:
        study = study_metric_pair_power(
            store, "talks", "quality", "good", "fair",
            settings=CorrelationSettings(level="system", test=test), n_iterations=20,
        )  # fmt: skip
        return " ".join(study.warnings)

    assert "does not count the luck that a metric has with systems" in warned("perm-both")
    assert "luck" not in warned("perm-systems")
    assert "luck" not in warned("perm-inputs")


def test_groups_are_the_units(store: Store) -> None:
    fill(store, groups=[f"document {i // 2}" for i in range(24)])
    study = study_metric_pair_power(
        store, "talks", "quality", "good", "fair",
        settings=CorrelationSettings(level="item", test="perm-inputs"), n_iterations=3,
    )  # fmt: skip
    assert (study.n_items, study.item_noun) == (12, "group")
    assert [row.n_items for row in study.by_items] == [6, 24, 48, 96]


def test_preferences_have_units(store: Store) -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=(2, 40))
    scores = truth + np.array([0.4, 2.0])[:, None, None] * rng.normal(size=(2, 2, 40))
    choices = np.sign(np.rint(truth[0] - truth[1] + rng.normal(0, 0.5, (3, 40))))
    add_preferred(store, scores, choices)
    study = study_metric_pair_power(store, "parses", "better", "m0", "m1", n_iterations=10)
    assert study.kind == "preferences"
    assert study.by_systems == ()
    assert all(row.draws_items and not row.draws_systems for row in study.by_items)


def test_senseless_questions_are_refused(store: Store) -> None:
    fill(store)
    settings = CorrelationSettings(level="item", test="perm-inputs")
    asked = {"settings": settings, **FEW}

    def ask(a: str = "good", b: str = "fair", **change: object) -> None:
        study_metric_pair_power(store, "talks", "quality", a, b, **(asked | change))  # type: ignore[arg-type]

    with pytest.raises(StoreError, match="are one metric, 'good': name two"):
        ask(b="good")
    with pytest.raises(NotFoundError):
        ask(b="nothing")
    with pytest.raises(StoreError, match="24 is what there is"):
        ask(items=[24])
    with pytest.raises(StoreError, match="at least 2 here; got 1"):
        ask(items=[1])
    with pytest.raises(StoreError, match="`systems`: exchange of the two metrics on whole items"):
        ask(systems=[12])
    with pytest.raises(StoreError, match="`power` must lie above `alpha`"):
        ask(power=0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the path of a filled store."""
    store = open_store(tmp_path / "runs.db", create=True)
    fill(store)
    store.close()
    return tmp_path / "runs.db"


def command(folder: Path, *words: str) -> tuple[int, str]:
    """Run the command and return its code and what it says."""
    told = CliRunner().invoke(
        app, ["--store", str(folder), "power", "metrics", "talks", "good", "fair", *words]
    )
    return told.exit_code, told.output


def test_the_command_says_it(folder: Path) -> None:
    words = ["--gold", "quality", "--level", "item", "--test", "boot-both", "--draws", "10"]
    code, told = command(folder, *words, "--items", "12,48", "--systems", "12")
    assert code == 0
    assert "good is 0." in told
    assert "power" in told
    code, told = command(folder, *words, "--items", "12,48", "--json")
    assert code == 0
    data = json.loads(told[told.index("{") :])["result"]
    assert [row["n_items"] for row in data["by_items"]] == [12, 48]
    code, told = command(folder, *words, "--format", "markdown")
    assert code == 0
    assert "| systems |" in told


def test_the_command_refuses_in_words(folder: Path) -> None:
    code, told = command(folder, "--gold", "quality", "--items", "many")
    assert code != 0
    assert "`items` must be whole numbers separated by commas" in told
