"""The glossary: one sentence for each word, each word once, and pages that use it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis import glossary

ROOT = Path(__file__).resolve().parents[1]
TERMS = [term for terms in glossary.SECTIONS.values() for term in terms]


def test_a_word_has_one_meaning_and_its_page_exists() -> None:
    names = [name.casefold() for term in TERMS for name in (term.name, *term.also)]
    assert len(names) == len(set(names))
    for term in TERMS:
        assert term.meaning.endswith("."), term.name
        assert not term.page or (ROOT / "docs" / term.page).exists(), term.page


def test_words_that_pages_ask_for_are_there() -> None:
    asked = {
        word
        for path in (ROOT / "dashboard").rglob("*.py")
        for word in re.findall(r'glossary\.help\("([^"]+)"\)', path.read_text(encoding="utf-8"))
    }
    assert asked
    for word in asked:
        assert glossary.help(word)
    with pytest.raises(KeyError):
        glossary.help("no such word")


def test_title_of_a_column_is_explained_where_it_is_a_word() -> None:
    assert glossary.find("Adjusted p") == glossary.help("adjusted p")
    assert glossary.find("Whatever") is None
