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


def test_what_a_link_asks_for_outlives_the_filters_of_the_page_that_is_left(
    open_page: Callable[..., AppTest], filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="wine")
    links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
    assert "to_dataset=wine" in links["All pairs of this dataset"]
    assert "to_" not in links["Link to this view"]
    app = open_page("power", filled_path, to_dataset="wine", to_metric="accuracy", to_a="no such")
    assert not app.exception
    assert app.selectbox(key="dataset").value == "wine"
    assert not any(name.startswith("to_") for name in app.query_params)
