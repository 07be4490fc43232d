"""Replicability matrix and Ranking: complete and incomplete tables, figures only, odd links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.ui.links import plain
from store.engine import open_store
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
from store.tags import add_note
from tests.test_dashboard.tables import tables_of

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
PAGES = ("replicability", "ranking")


def write_table(path: Path, present: np.ndarray, *, higher_is_better: bool = True) -> None:
    """Store item scores of systems on the datasets they are `present` on, (systems, datasets)."""
    rng = np.random.Generator(np.random.PCG64(5))
    n_datasets = present.shape[1]
    runs = []
    for dataset in range(n_datasets):
        hard = rng.normal(0.5, 0.1, (60, 1))
        for system in np.flatnonzero(present[:, dataset]):
            scores = hard - 0.05 * system + rng.normal(0, 0.1, (60, 1))
            runs.append(BundleRun(f"system {system}", dataset, "", [BundleScores(0, scores)]))
    store = open_store(path, create=True)
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[
                BundleDataset(f"set {k}", items=[BundleItem(f"{k}-{i}") for i in range(60)])
                for k in range(n_datasets)
            ],
            metrics=[BundleMetric("quality", higher_is_better=higher_is_better)],
            runs=runs,
        ),
        actor="tests",
    )
    store.close()


@pytest.fixture
def holey_path(tmp_path: Path) -> Path:
    """Return a store in which one of four systems lacks two of eight datasets."""
    present = np.ones((4, 8), dtype=bool)
    present[1, :2] = False
    write_table(tmp_path / "holey.db", present)
    return tmp_path / "holey.db"


def test_every_pair_is_counted_and_the_estimator_named(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("replicability", filled_path)
    assert not app.exception
    text = text_of(app)
    assert "half of the datasets they share (8 datasets" in text
    assert "Bonferroni for 91 pairs, which assumes nothing" in text
    assert len(app.get("bidi_component")) > 2  # two are of the address
    frame = tables_of(app)[0]
    assert len(frame) == 91
    assert (frame["k_a_over_b"] <= frame["n_datasets"]).all()
    counts = tables_of(app)[1]
    both = [*frame["k_a_over_b"], *frame["k_b_over_a"]]
    assert counts["pairs"].tolist() == [both.count(k) for k in counts["k"]]


def test_a_note_on_a_system_stands_on_the_page_at_once(
    open_page: OpenPage, text_of: TextOf, holey_path: Path
) -> None:
    pair = {"a": "system 0", "b": "system 2"}
    assert "tuned on these" not in text_of(open_page("across_datasets", holey_path, **pair))
    with open_store(holey_path) as store:
        add_note(store, "system", "system 0", "tuned on these", actor="tests")
    assert "tuned on these" in text_of(open_page("across_datasets", holey_path, **pair))


def test_another_estimator_and_fewer_systems_can_be_asked_for(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page(
        "replicability", filled_path, estimator="Simes", systems="LDA", order="name", alpha="0.01"
    )
    assert not app.exception or "system" in text_of(app)
    app = open_page("replicability", filled_path, estimator="Simes", order="name", alpha="0.01")
    assert not app.exception
    assert "Simes for 91 pairs" in text_of(app)
    assert "for all 182 ordered pairs at once" in text_of(app)
    app = open_page("replicability", filled_path, estimator="Simes", pairs="alone", alpha="0.01")
    assert "each pair by itself" in text_of(app)
    assert "ordered pairs at once" not in text_of(app)


def test_ranking_draws_ranks_aggregates_profiles_and_pairs(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("ranking", filled_path)
    assert not app.exception
    text = text_of(app)
    assert "has the best mean rank" in text
    parts = ["Mean ranks", "Over all datasets", "Profiles", "Pairs"]
    assert [tab.label for tab in app.tabs] == parts
    assert "Friedman test, χ²" in text
    assert "Optimality gap: mean shortfall from 1" in text
    assert len(app.get("vega_lite_chart")) == 3
    ranks, aggregates, scores, pairs = tables_of(app)
    assert list(ranks["place"][:1]) == [1]
    assert aggregates["micro"].notna().all()
    assert len(scores) == 8
    assert len(pairs) == 91


@pytest.mark.parametrize("bars", ["Nemenyi", "Wilcoxon–Holm", "stepwise mean ranks"])
def test_bars_go_by_the_test_asked_for(
    open_page: OpenPage, text_of: TextOf, filled_path: Path, bars: str
) -> None:
    six = [f"dateparser {version}" for version in ("1.5.0", "1.3.0", "0.4.0")]
    six += ["ctparse 0.3.6", "parsedatetime 2.6", "dateutil 2.9.0"]
    app = open_page("ranking", filled_path, bars=bars, systems=six)
    assert not app.exception
    assert ("critical difference" in app.get("vega_lite_chart")[0].proto.spec) == (
        bars == "Nemenyi"
    )
    verdicts = set(tables_of(app)[3]["verdict"])
    assert verdicts == ({"cannot tell"} if bars == "Wilcoxon–Holm" else {"better", "cannot tell"})


def test_reported_figures_are_ranked_without_intervals(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("ranking", filled_path, reported="as reported", metric="token accuracy")
    assert not app.exception
    text = text_of(app)
    assert "MIMICK" in text
    assert "23 datasets" in text
    assert "drawing the items" not in "".join(str(block.value) for block in app.caption)
    assert "rank_low" not in tables_of(app)[0]


def test_what_is_missing_is_said_bounded_and_left_out_of_means(
    open_page: OpenPage, text_of: TextOf, holey_path: Path
) -> None:
    app = open_page("ranking", holey_path)
    assert not app.exception
    text = text_of(app)
    assert "Skillings–Mack test" in text
    assert "Over the 6 of 8 datasets on which every system has a score" in text
    app = open_page("ranking", holey_path, over="all that each has")
    assert not app.exception
    assert "not to be compared where they differ" in text_of(app)
    frame = tables_of(app)[1].set_index("system")
    assert frame.loc["system 1", "n_datasets"] == 6
    app = open_page("replicability", holey_path)
    assert not app.exception
    assert "3 pairs of 6 can be tested on fewer than all 8 datasets" in text_of(app)


def test_lower_is_better_turns_the_order_and_the_profiles(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "errors.db"
    write_table(path, np.ones((3, 7), dtype=bool), higher_is_better=False)
    app = open_page("ranking", path)
    assert not app.exception
    assert "system 2 has the best mean rank" in text_of(app)
    profiles = app.get("vega_lite_chart")[2].proto.spec
    assert "scored below the threshold" in profiles
    assert "step-before" in profiles
    pairs = tables_of(app)[3]
    assert (pairs["mean_difference"] < 0).all()
    assert (pairs["improvement"] > 0.5).all()


@pytest.mark.parametrize("name", PAGES)
def test_two_datasets_and_two_systems_are_enough(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "two.db"
    write_table(path, np.ones((2, 2), dtype=bool))
    app = open_page(name, path)
    assert not app.exception
    assert "system 0" in text_of(app)


@pytest.mark.parametrize("name", PAGES)
def test_one_dataset_is_not_enough_and_the_page_says_so(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "one.db"
    write_table(path, np.ones((3, 1), dtype=bool))
    app = open_page(name, path)
    assert not app.exception
    assert "across datasets yet" in text_of(app)


def test_counts_need_item_scores_and_the_ranking_does_not(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    store = open_store(tmp_path / "papers.db", create=True)
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("news", version=v) for v in ("2023", "2024")],
            metrics=[BundleMetric("F1", higher_is_better=True)],
            reported_scores=[
                BundleReportedScore(f"system {k}", dataset, 0, 80.5 + k + dataset)
                for k in range(3)
                for dataset in range(2)
            ],
        ),
        actor="tests",
    )
    store.close()
    app = open_page("replicability", tmp_path / "papers.db")
    assert not app.exception
    assert "There are no item scores for two systems on several datasets" in text_of(app)
    app = open_page("across_datasets", tmp_path / "papers.db")
    assert not app.exception
    assert "no pair can be tested" in text_of(app)
    app = open_page("ranking", tmp_path / "papers.db")
    assert not app.exception
    assert "2 datasets" in text_of(app)
    app.multiselect(key="datasets").set_value(app.multiselect(key="datasets").options[:1]).run()
    assert not app.exception
    assert "must name at least two datasets to rank" in text_of(app)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("replicability", "metric"),
        ("replicability", "datasets"),
        ("replicability", "systems"),
        ("replicability", "estimator"),
        ("replicability", "order"),
        ("ranking", "reported"),
        ("ranking", "datasets"),
        ("ranking", "highlight"),
    ],
)
def test_a_link_that_asks_for_nonsense_is_told_so(
    open_page: OpenPage, text_of: TextOf, filled_path: Path, name: str, parameter: str
) -> None:
    app = open_page(name, filled_path, **{parameter: "no such thing"})
    assert not app.exception
    assert "no such thing" in text_of(app)


def test_a_choice_of_datasets_does_not_outlive_its_metric(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("ranking", filled_path)
    chosen = ["dates: Dutch", "dates: French", "dates: German"]
    app.multiselect(key="datasets").set_value(chosen).run()
    assert not app.exception
    assert "3 datasets" in text_of(app)
    app.selectbox(key="reported").set_value("reported").run()
    assert not app.exception
    assert "datasets" not in app.query_params
    assert "23 datasets" in text_of(app)


@pytest.mark.parametrize("asked", [None, "*b* :red[c] better", "b"])
def test_names_of_systems_are_no_markup_in_the_choice_of_direction(
    asked: str | None, open_page: OpenPage, tmp_path: Path
) -> None:
    path = tmp_path / "markup.db"
    store = open_store(path, create=True)
    rng = np.random.Generator(np.random.PCG64(5))
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[
                BundleDataset(f"set {k}", items=[BundleItem(f"{k}-{i}") for i in range(30)])
                for k in range(3)
            ],
            metrics=[BundleMetric("quality", higher_is_better=True)],
            runs=[
                BundleRun(system, k, "", [BundleScores(0, rng.random((30, 1)))])
                for k in range(3)
                for system in ("__a__", "*b* :red[c]")
            ],
        ),
        actor="tests",
    )
    store.close()
    link = {"a": "__a__", "b": "*b* :red[c]"} | ({"direction": asked} if asked else {})
    app = open_page("across_datasets", path, **link)
    assert not app.exception
    choice = app.segmented_control(key="direction")
    assert choice.value == ("*b* :red[c] better" if asked else "__a__ better")
    choice.set_value("without direction").run()
    assert app.segmented_control(key="direction").value == "without direction"
    for shown, name in zip(choice.options, ("__a__", "*b* :red[c]"), strict=False):
        assert shown == plain(f"{name} better") != f"{name} better"
