"""Saved views: a short link, and whether the answer is still the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from store.datasets import get_dataset
from store.engine import open_store
from store.errors import ForbiddenError, NotFoundError, StoreError
from store.lifecycle import delete
from store.naming import rename
from store.people import Person, acting_as
from store.runs import list_runs
from store.systems import get_system
from store.views import forget_view, get_view, list_views, save_view
from tests.test_dashboard.tables import link_of, tables_of

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


@pytest.fixture
def board(open_page: OpenPage, example_copy: Callable[[], Any]) -> tuple[AppTest, Path]:
    """Return the board of wine with a saved view of it, and its store."""
    path = example_copy().path
    app = open_page("leaderboard", path, dataset="wine", alpha="0.01")
    assert not app.exception
    app.text_input(key="view_name").set_value("Wine, strictly")
    app.button(key="view_save").click().run()
    assert "‘Wine, strictly’ is saved" in app.success[0].value
    return app, path


def where(view: Any) -> dict[str, str]:
    return {name: texts[0] for name, texts in parse_qs(view.query).items()}


def test_a_view_is_saved_and_says_whether_its_answer_holds(
    board: tuple[AppTest, Path], open_page: OpenPage
) -> None:
    _, path = board
    with open_store(path) as store:
        before = store.revision()
        (view,) = list_views(store)
        assert (view.place, where(view)["alpha"], view.revision) == ("board", "0.01", before)
        app = open_page("leaderboard", path, v=view.uid)
        asked = [json.loads(block.proto.json or "{}") for block in app.get("bidi_component")]
        (to,) = (data["to"] for data in asked if "to" in data)
        assert parse_qs(to.partition("?")[2]) == parse_qs(view.query) | {"v": [view.uid]}

        app = open_page("leaderboard", path, v=view.uid, **where(view))
        assert "the answer is the same" in app.success[0].value
        assert not [button for button in app.button if button.key == "view_save"]
        app = open_page("leaderboard", path, v=view.uid, **where(view) | {"alpha": "0.1"})
        assert "A variation of the view" in app.info[0].value

        leader = next(name for name in view.answer.replace("\\", "").split(" leads")[:1])
        delete(store, "system", leader, actor="tests")
    app = open_page("leaderboard", path, v=view.uid, **where(view))
    assert "the answer has changed. It was: " + view.answer in app.warning[0].value


def test_views_are_listed_and_taken_away(
    board: tuple[AppTest, Path], open_page: OpenPage, text_of: TextOf
) -> None:
    _, path = board
    with open_store(path) as store:
        (view,) = list_views(store)
    app = open_page("views", path)
    assert link_of(app, 0, "name", "Wine, strictly") == f"board?v={view.uid}"
    assert "\\" not in tables_of(app)[0]["answer"][0]  # text, not Markdown
    next(button for button in app.button if button.label == "Take away").click().run()
    assert "No view is saved yet" in text_of(app)
    app = open_page("leaderboard", path, v=view.uid)
    assert f"no saved view '{view.uid}'" in app.warning[0].value.replace("\\", "")


def test_only_its_owner_or_an_admin_takes_a_view_away(example_copy: Callable[[], Any]) -> None:
    with open_store(example_copy().path) as store:
        before = store.revision()
        view = save_view(store, "mine", place="board", query="", answer="A leads", actor="ann")
        assert store.revision() == before < store.last_change()
        with acting_as(Person("bob", "contributor", "page")), pytest.raises(ForbiddenError):
            forget_view(store, view.uid, actor="bob")
        with (
            acting_as(Person("eve", "viewer", "page")),
            pytest.raises(ForbiddenError, match="contributor"),
        ):
            save_view(store, "x", place="board", query="", answer="", actor="eve")
        assert get_view(store, view.uid) == view
        forget_view(store, view.uid, actor="ann")
        with pytest.raises(NotFoundError, match="no saved view"):
            get_view(store, view.uid)
        with pytest.raises(StoreError, match="1 to 200 characters"):
            save_view(store, " ", place="board", query="", answer="", actor="ann")


def led_to(app: AppTest) -> dict[str, list[str]]:
    """Return the query of the address that a page sends the browser to."""
    asked = [json.loads(block.proto.json or "{}") for block in app.get("bidi_component")]
    (to,) = (data["to"] for data in asked if "to" in data)
    return parse_qs(to.partition("?")[2])


def test_addresses_of_before_lead_to_what_was_renamed_or_merged(
    open_page: OpenPage, example_copy: Callable[[], Any]
) -> None:
    path = example_copy().path
    with open_store(path) as store:
        a, b = systems_on(store, "wine")[:2]
        uid = get_system(store, a).uid
        rename(store, "dataset", "wine", "Wine of 1991", actor="ann")
        rename(store, "system", a, "first of all", actor="ann")
    boards = ("leaderboard", "pairs", "items", "claims", "power", "dataset")
    for script, params in {
        **{script: {"dataset": "wine"} for script in boards},
        "compare": {"a": a, "b": b, "dataset": "wine"},
        "across_datasets": {"a": a, "b": b},
        "ranking": {"systems": a},
        "system": {"uid": a},
    }.items():
        to = led_to(open_page(script, path, **params))
        want = {"wine": "Wine of 1991", a: "first of all", b: b}
        assert {name: to[name] for name in params} == {
            name: [want[text]] for name, text in params.items()
        }, script
        app = open_page(script, path, **{name: told[0] for name, told in to.items()})
        assert not app.exception
    assert not open_page("system", path, uid=uid).warning


def test_a_view_of_a_renamed_dataset_is_still_that_view(
    board: tuple[AppTest, Path], open_page: OpenPage
) -> None:
    _, path = board
    with open_store(path) as store:
        (view,) = list_views(store)
        rename(store, "dataset", "wine", "Wine of 1991", actor="ann")
    told = {name: texts[0] for name, texts in parse_qs(view.query).items()}
    to = led_to(open_page("leaderboard", path, v=view.uid, **told))
    assert (to["dataset"], to["v"]) == (["Wine of 1991"], [view.uid])
    app = open_page("leaderboard", path, **{name: texts[0] for name, texts in to.items()})
    assert not any("variation" in one.value for one in app.info)
    assert any("‘Wine, strictly’" in one.value for one in [*app.success, *app.warning])


def systems_on(store: Any, dataset: str) -> list[str]:
    """Return the names of the systems with runs on a dataset."""
    uid = get_dataset(store, dataset).uid
    return list(dict.fromkeys(run.system for run in list_runs(store, dataset_uid=uid)))
