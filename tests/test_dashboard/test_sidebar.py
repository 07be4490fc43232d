"""The sidebar: one search, places that keep the dataset, and word of a newer state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from store.engine import open_store
from store.tags import add_tag

OpenPage = Callable[..., AppTest]


def html_of(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def found(app: AppTest, words: str) -> str:
    app.text_input(key="search_everything").set_value(words).run()
    assert not app.exception
    return html_of(app)


def test_one_search_finds_every_kind(open_page: OpenPage, filled_path: Path) -> None:
    app = open_page("overview", filled_path)
    text = found(app, "digits")
    assert 'href="board?dataset=digits"' in text
    assert "<small>dataset</small>" in text
    assert "<small>run</small>" in text
    assert "<small>system</small>" in found(app, "extra trees")
    assert "<small>claim</small>" in found(app, "chardet 7.4 encodings")
    text = found(app, "prepositions-3")
    assert "board?dataset=everyday+parses&amp;item=prepositions-3&amp;tab=items" in text
    app.text_input(key="search_everything").set_value("<no such thing>").run()
    assert any("Nothing is called" in block.value for block in app.caption)


def test_places_keep_the_dataset(open_page: OpenPage, filled_path: Path) -> None:
    app = open_page("leaderboard", filled_path, dataset="wine").run()
    assert 'href="board?dataset=wine&amp;metric=accuracy"' in html_of(app)


def test_a_newer_state_is_offered_and_not_forced(
    open_page: OpenPage, example_copy: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = example_copy().path
    app = open_page("overview", path)
    labels = [button.label for button in app.button]
    assert "Show the new state" not in labels
    from dashboard import data
    from dashboard.ui import sidebar

    drawn = data.shown_state()
    monkeypatch.setattr(sidebar, "_show_newer", lambda: _drawn(sidebar, drawn))
    app.run()
    assert "Show the new state" not in [button.label for button in app.button]
    with open_store(path) as store:
        before = store.revision()
        add_tag(store, "dataset", "wine", "x", actor="t")
        assert store.revision() == before  # a tag is no new state of the results
    app.run()
    assert "Show the new state" in [button.label for button in app.button]


def _drawn(sidebar: Any, state: tuple[str, int]) -> None:
    import streamlit as st

    st.session_state[sidebar._DRAWN] = state
    sidebar._look()
