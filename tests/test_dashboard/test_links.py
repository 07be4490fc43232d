"""Names in Markdown: nothing in them is markup, and no address becomes a link."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.ui.links import plain


@pytest.mark.parametrize(
    "name",
    [
        "BERT (Google) https://github.com/google-research/bert #61",
        "see HTTP://example.org",
        "www.example.org",
        "WWW.example.org",
        "someone@example.org",
        "mailto:someone@example.org",
    ],
)
def test_an_address_in_a_name_is_broken_by_a_sign_of_no_width(name: str) -> None:
    escaped = plain(name)
    shown = escaped.replace("\\", "")
    assert shown.replace("\N{WORD JOINER}", "") == name
    assert "://" not in shown
    assert "www." not in shown.lower()
    assert "@e" not in shown


def test_other_names_keep_their_letters() -> None:
    assert plain("a: b/c, d//e") == "a\\: b/c, d//e"


def test_a_choice_is_written_as_the_machine_says_it_and_words_are_understood(
    open_page: Callable[..., AppTest], filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="wine", interval="what suits the scores")
    assert app.selectbox(key="interval").value == "auto"
    app.selectbox(key="correction").set_value("none").run()
    assert app.query_params["correction"] == "none"
    assert app.query_params["dataset"] == "wine"


def test_a_setting_of_a_place_that_was_left_is_not_written(
    open_page: Callable[..., AppTest], filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="wine")
    app.session_state["address_page"] = "of a place that was begun meanwhile"
    app.selectbox(key="correction").set_value("none").run()
    assert "correction" not in app.query_params
    app.selectbox(key="correction").set_value("none").run()
    assert app.query_params["correction"] == "none"


def test_what_does_not_fit_a_new_choice_leaves_the_address(
    open_page: Callable[..., AppTest], filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="wine", metric="accuracy")
    other = next(o for o in app.selectbox(key="dataset").options if "UD Tamil" in o)
    app.selectbox(key="dataset").set_value(other).run()
    assert not app.warning
    assert "metric" not in app.query_params or app.selectbox(key="metric").value == "accuracy"
    app = open_page("leaderboard", filled_path, dataset=other, metric="no such metric")
    assert "no such metric" in app.warning[0].value
