"""Help: the method is told on a board of the store, with words of the one glossary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from analysis import glossary
from tests.test_dashboard.tables import data_of

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


def test_the_lesson_has_the_numbers_of_a_board(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("help", filled_path, dataset="digits")
    assert not app.exception
    text = text_of(app).replace("\\", "")
    assert "Extra trees 100 scores 0.980 on digits, over 899 items" in text
    assert "Extra trees 100 does better on 20, RBF SVM (calibrated) on 18" in text
    assert "15 systems make 105 pairs" in text
    assert "The first place of this board after that: tie of 5" in text
    assert glossary.help("possible ranks") in text
    titles = [header.value for header in app.header]
    assert "5. Who compares much finds something" in titles
    assert any("Does it hold elsewhere?" in title for title in titles)


def test_a_store_without_boards_says_so(
    open_page: OpenPage, text_of: TextOf, empty_path: Path
) -> None:
    app = open_page("help", empty_path)
    assert not app.exception
    assert "this store has none yet" in text_of(app)


def test_every_word_stands_in_the_table(open_page: OpenPage, empty_path: Path) -> None:
    (data,) = data_of(open_page("words", empty_path))
    words = next(column for column in data["columns"] if column["name"] == "word")
    assert set(words["texts"]) == {t.name for own in glossary.SECTIONS.values() for t in own}
