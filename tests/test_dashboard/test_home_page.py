"""Home: a row for each board, who leads, whether the lead is real, and what changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.components import Visit
from dashboard.ui import since
from store.engine import open_store
from store.history import list_events
from store.import_lists import list_imports
from store.tags import add_tag
from tests.test_dashboard.tables import data_of

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


def columns_of(app: AppTest) -> dict[str, Any]:
    (data,) = data_of(app)
    return {column["name"]: column for column in data["columns"]}


def test_a_row_leads_to_the_board_the_comparison_and_the_items(
    open_page: OpenPage, filled_path: Path
) -> None:
    app = open_page("overview", filled_path)
    assert not app.exception
    columns = columns_of(app)
    at = columns["dataset"]["texts"].index("digits")
    assert columns["leader"]["texts"][at] == "Extra trees 100"
    assert columns["lead"]["texts"][at] == "tie of 5 among 105 pairs · alone: cannot tell"
    pair = "a=Extra+trees+100&b=RBF+SVM+%28calibrated%29&dataset=digits&metric=accuracy"
    assert columns["dataset"]["href"][at] == "board?dataset=digits&metric=accuracy"
    assert columns["lead"]["href"][at] == f"compare?{pair}"
    assert columns["second"]["href"][at] == f"board?{pair}&tab=items"
    encodings = columns["dataset"]["texts"].index("encodings")
    assert len(columns["history"]["lines"][encodings]) > 5


def test_a_pinned_dataset_stands_first(
    open_page: OpenPage, example_copy: Callable[[], Any]
) -> None:
    path = example_copy().path
    with open_store(path) as store:
        add_tag(store, "dataset", "wine", "pinned", actor="t")
    assert columns_of(open_page("overview", path))["dataset"]["texts"][0] == "★ wine"


def test_what_came_in_since_the_last_visit_is_told(
    open_page: OpenPage, text_of: TextOf, filled_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = Visit(datetime(2020, 1, 1, tzinfo=UTC), is_first=False)
    monkeypatch.setattr(since, "last_visit", lambda *_, **__: long_ago)
    text = text_of(open_page("overview", filled_path))
    assert "Since your last visit, 2020-01-01: 432 new runs on 23 datasets" in text


def test_stated_figures_make_a_board_that_nobody_can_test(
    open_page: OpenPage, filled_path: Path
) -> None:
    app = open_page("overview", filled_path, find="simlex")
    columns = columns_of(app)
    assert columns["dataset"]["texts"] == ["SimLex999"]
    assert columns["lead"]["texts"] == ["stated only"]
    assert columns["lead"].get("href", [""]) == [""]
    (data,) = data_of(app)
    assert not data["searched"]  # one search, over all boards


def test_the_latest_import_is_undone_where_it_is_listed(
    open_page: OpenPage, example_copy: Callable[[], Any]
) -> None:
    path = example_copy().path
    app = open_page("overview", path)
    (shown,) = data_of(app)
    assert shown["counted"].startswith("Boards 1 to 20 of ")
    next(field for field in app.text_input if "why_undo" in str(field.key)).set_value("a trial")
    next(button for button in app.button if button.label == "Undo").click().run()
    assert not app.exception
    assert "The import is undone." in [block.value.replace("\\", "") for block in app.success]
    with open_store(path, read_only=True) as store:
        latest = list_imports(store, limit=1)[0]
        assert latest.undone_at is not None
        assert list_events(store)[0].detail["why"] == "a trial"
