"""No sentence above 35 words: in documents, on pages, in help texts and in messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST_WORDS = 35
MOST_NAMES = 8
"""Of code in a sentence; beyond, it is a list of names, as of URL parameters."""
DOCUMENTS = [
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
    if not path.name.startswith("calibration")  # written by `make calibrate`
]
PACKAGES = ("tiebreak", "store", "analysis", "dashboard")

_ENDS = re.compile(r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bEq)[.!?;:][)*\"']*(?:\s+|$)")
_BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*(?:[*\-#]|\d+\.) )|\n(?=\|)")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text in Markdown, with code as one word."""
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
    for block in _BLOCKS.split(text):
        for part in block.split("|") if block.lstrip().startswith("|") else [block]:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(part.split()))
            yield from _ENDS.split(re.sub(r"`[^`]*`", "code", plain))


def long_ones(text: str) -> list[str]:
    return [
        sentence
        for sentence in sentences(text)
        if sum(any(map(str.isalnum, word)) for word in sentence.split()) > MOST_WORDS
        and sentence.count("code") < MOST_NAMES
    ]


def texts_of(source: str) -> Iterator[str]:
    """Yield the texts of a module that a person may read: not its docstrings and comments."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "code"
                for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside | docstrings
        ):
            yield node.value


def test_a_long_sentence_is_found_and_a_short_one_is_not() -> None:
    long = " ".join(["word"] * 36)
    assert long_ones(f"Short. {long}. Short `a b c`.") == [long]
    assert not long_ones("word " * 35 + ". " + "word " * 35)
    assert list(texts_of('"""Doc."""\nx = f"a {1} b" "c"\n')) == ["a code bc"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_sentences_of_documents_are_short(path: Path) -> None:
    assert not long_ones(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", PACKAGES)
def test_sentences_on_pages_and_in_messages_are_short(package: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}: {sentence}"
        for path in (ROOT / package).rglob("*.py")
        for text in texts_of(path.read_text(encoding="utf-8"))
        if text.count(" ") > MOST_WORDS and re.search("[.,;:]", text)  # else a list of words
        for sentence in long_ones(text)
    }
    assert not found
