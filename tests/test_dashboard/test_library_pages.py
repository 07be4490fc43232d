"""The library: imports that are undone, things renamed, deleted and brought back, the audit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.ui.dataset_editing import _KINDS
from dashboard.ui.run_difference import differences
from store.datasets import get_dataset, list_overlaps
from store.engine import open_store
from store.history import list_events
from store.import_lists import brought_by, list_imports
from store.lifecycle import delete
from store.naming import merge_systems, rename
from store.reasons import because
from store.runs import list_runs
from store.systems import get_system, list_systems

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


@pytest.fixture
def own_path(example_copy: Callable[[], Any]) -> Path:
    """Return a store with the example content that a test may change."""
    path: Path = example_copy().path
    return path


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


def test_a_system_is_tagged_pinned_and_renamed_on_its_page(
    open_page: OpenPage, text_of: TextOf, own_path: Path
) -> None:
    app = open_page("system", own_path, uid="LDA")
    app = press(app, "Pin")
    assert not app.exception
    field = next(each for each in app.text_input if each.label == "Name")
    field.set_value("Discriminant")
    app = press(app, "Rename")
    assert not app.exception
    with open_store(own_path, read_only=True) as store:
        system = get_system(store, "Discriminant")
    assert system.tags == ("pinned",)
    assert "LDA" in system.aliases
    app = open_page("system", own_path, uid=system.uid)
    next(each for each in app.text_input if each.label == "Name").set_value("k-NN 5")
    app = press(app, "Rename")
    assert "is called 'k-NN 5' already" in text_of(app)


def test_what_was_deleted_comes_back_from_the_trash(
    open_page: OpenPage, text_of: TextOf, own_path: Path
) -> None:
    with open_store(own_path) as store:
        with because("a mistake"):
            delete(store, "system", "LDA", actor="ada")
        rest = [system.name for system in list_systems(store)]
        run = next(r for r in list_runs(store) if r.system == rest[0])
        rename(store, "run", run.uid, "the other", actor="ada")
    app = open_page("trash", own_path)
    assert "system LDA, deleted" in text_of(app)
    app = press(app, "Restore")
    assert not app.exception
    assert "Nothing was deleted" in text_of(app)
    log = open_page("audit", own_path, find="a mistake")
    assert "Showing 1 of" in text_of(log)


def test_a_merge_is_taken_back_in_the_trash(open_page: OpenPage, store_of_two: Path) -> None:
    with open_store(store_of_two) as store:
        merge_systems(store, "old", "new", actor="ada")
    app = press(open_page("trash", store_of_two), "Separate")
    assert not app.exception
    with open_store(store_of_two, read_only=True) as store:
        assert {system.name: system.n_runs for system in list_systems(store)} == {
            "old": 1,
            "new": 1,
        }


@pytest.fixture
def store_of_two(tmp_path: Path) -> Path:
    """Return a store with a system on each of two datasets."""
    import tiebreak

    path = tmp_path / "two.db"
    for system, dataset in (("old", "mail"), ("new", "news")):
        source = tmp_path / f"{system}.csv"
        rows = "".join(f"{system},{dataset},{k},accuracy,{k % 2}\n" for k in range(6))
        source.write_text(f"system,dataset,item,metric,score\n{rows}", encoding="utf-8")
        tiebreak.ingest(source, store=path)
    return path


def test_an_import_is_an_object_that_can_be_undone(
    open_page: OpenPage, text_of: TextOf, store_of_two: Path
) -> None:
    with open_store(store_of_two, read_only=True) as store:
        first = list_imports(store)[0]
        assert [(one.kind, one.label) for one in brought_by(store, first.uid)] == [
            ("dataset", "news"),
            ("system", "new"),
            ("run", "new"),
        ]
    listed = open_page("import_results", store_of_two)
    assert "Imports so far" in text_of(listed)
    app = open_page("import_object", store_of_two, uid=first.uid)
    assert "1 run added" in text_of(app)
    app = press(app, "Undo")
    assert not app.exception
    assert "It was undone on" in text_of(app)
    with open_store(store_of_two, read_only=True) as store:
        assert [system.name for system in list_systems(store)] == ["old"]


def test_the_page_of_an_import_says_what_was_guessed(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    import tiebreak

    path, source = tmp_path / "one.db", tmp_path / "mail.csv"
    source.write_text("system,item,metric,score\nA,1,accuracy,1\nA,2,accuracy,0\n", "utf-8")
    tiebreak.ingest(source, store=path)
    with open_store(path, read_only=True) as store:
        (only,) = list_imports(store)
    app = open_page("import_object", path, uid=only.uid)
    assert "- dataset is mail, from the name of the file" in text_of(app)


def test_two_runs_are_told_apart_by_what_differs(own_path: Path) -> None:
    with open_store(own_path, read_only=True) as store:
        run = list_runs(store)[0]
    one = replace(run, seed=1, config={"model": {"size": "7b", "layers": [1, 2]}, "same": None})
    other = replace(run, seed=2, config={"model": {"size": "13b"}, "same": None})
    assert differences(one, one) == []
    assert differences(one, other) == [
        ("seed", "1", "2"),
        ("config.model.size", "7b", "13b"),
        ("config.model.layers", "[1, 2]", "–"),
    ]


def test_coverage_finds_systems_and_datasets(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("coverage", filled_path, find="k-NN", on="digits")
    assert not app.exception
    assert "Showing 2 of 464 cells" in text_of(app)


def test_a_dataset_is_sealed_and_its_overlaps_are_declared(
    open_page: OpenPage, text_of: TextOf, own_path: Path
) -> None:
    app = press(open_page("dataset", own_path, dataset="wine"), "Seal")
    assert "No item can be added any more." in text_of(app)
    field = next(each for each in app.selectbox if each.label == "This dataset and")
    for kind in ("share items", "are independent"):
        field.set_value("iris")
        next(each for each in app.selectbox if each.label == "What holds").set_value(
            next(name for name, said in _KINDS.items() if said == kind)
        )
        app = press(app, "Declare")
        assert not app.exception
        field = next(each for each in app.selectbox if each.label == "This dataset and")
    with open_store(own_path, read_only=True) as store:
        assert get_dataset(store, "wine").sealed
        wine, iris = (get_dataset(store, name).uid for name in ("wine", "iris"))
        assert list_overlaps(store, [wine, iris]) == []  # what was declared first is replaced
        latest = list_events(store)[0]
    assert (latest.action, latest.detail["before"]) == ("overlap", "shared-items")
