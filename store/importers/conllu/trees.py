"""Sentences with dependency trees, as CoNLL-U and CoNLL-X write them.

A sentence is a run of lines with ten columns between tabs; empty lines end it, whether or not they
hold blanks. Lines that start with ``#`` are comments. Ranges (``3-4``, words written as one) and
empty nodes (``8.1``) are no tokens. Several tokens may have no head, as some parsers leave them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from store.errors import ImportFormatError

N_COLUMNS = 10
ROOT = 0
"""Number of the head of a token that has none."""
_ID, _FORM, _UPOS, _HEAD, _DEPREL, _MISC = 0, 1, 3, 6, 7, 9
_TOKEN = re.compile(r"[1-9]\d*")
_RANGE = re.compile(r"([1-9]\d*)-([1-9]\d*)")
_EMPTY_NODE = re.compile(r"\d+\.\d+")
_COMMENT = re.compile(r"#\s*(sent_id|text|newdoc id)\s*=\s*(.*?)\s*")
_NEWDOC = re.compile(r"#\s*newdoc\b.*")


@dataclass(frozen=True, slots=True)
class Token:
    """One syntactic word; `head` counts from 1 within the sentence, 0 is the root."""

    form: str
    upos: str
    head: int
    deprel: str
    line: int = 0
    """Of the file, from 1."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence with its tree."""

    tokens: tuple[Token, ...]
    text: str
    """As a comment states it, else the words as written, joined by blanks."""
    block: str
    """The lines of the file."""
    line: int = 1
    """First line in the file, from 1."""
    sent_id: str | None = None
    document: str | None = None
    """Of the ``newdoc`` before it; documents without a name are numbered."""


@dataclass(slots=True)
class _Lines:
    """The lines of one sentence."""

    numbers: list[int]
    rows: list[str]


def read_sentence(text: str, shown: str = "") -> Sentence:
    """Return the only sentence of a text.

    Raises
    ------
    ImportFormatError
        There is none, there are several, or a line is no token; the line is named.
    """
    found = read_sentences(text, shown)
    if len(found) > 1:
        reason = "a second sentence begins where one was expected."
        raise ImportFormatError(reason, path=shown, line=found[1].line)
    return found[0]


def read_sentences(text: str, shown: str = "") -> list[Sentence]:
    """Return all sentences of a file.

    Parameters
    ----------
    text
        Content of the file.
    shown
        How messages name the file.

    Raises
    ------
    ImportFormatError
        There is no sentence, or a line is no token: the columns are not ten, the tokens are not
        numbered from 1, a head is no number or no token of the sentence; the line is named.
    """
    sentences: list[Sentence] = []
    document, n_documents = None, 0
    for lines in _runs_of_lines(text):
        comments, n_new, tokens = _comments(lines.rows)
        n_documents += n_new
        if n_new:
            document = comments.get("newdoc id") or f"document {n_documents}"
        if tokens:
            sentences.append(_sentence(lines, comments, document, shown))
    if not sentences:
        raise ImportFormatError("the file holds no sentence.", path=shown)
    return sentences


def _runs_of_lines(text: str) -> Iterator[_Lines]:
    lines = _Lines([], [])
    for number, raw in enumerate(text.split("\n"), start=1):
        row = raw.rstrip("\r")
        if row.strip():
            lines.numbers.append(number)
            lines.rows.append(row)
        elif lines.rows:
            yield lines
            lines = _Lines([], [])
    if lines.rows:
        yield lines


def _comments(rows: Sequence[str]) -> tuple[dict[str, str], int, int]:
    """Return the comments that mean something, and how many documents and other lines begin."""
    found: dict[str, str] = {}
    n_new = n_other = 0
    for row in rows:
        if not row.startswith("#"):
            n_other += 1
            continue
        if _NEWDOC.fullmatch(row):
            n_new += 1
        if (match := _COMMENT.fullmatch(row)) and match[2]:
            found[match[1]] = match[2]
    return found, n_new, n_other


def _sentence(
    lines: _Lines, comments: dict[str, str], document: str | None, shown: str
) -> Sentence:
    tokens: list[Token] = []
    surface: list[str] = []
    n_covered = 0
    for number, row in zip(lines.numbers, lines.rows, strict=True):
        if row.startswith("#"):
            continue
        cells = row.split("\t")
        if len(cells) != N_COLUMNS:
            columns = f"{len(cells)} column{'s' if len(cells) > 1 else ''}"
            reason = f"{columns} between tabs; a token has {N_COLUMNS}. Mend the line."
            raise ImportFormatError(reason, path=shown, line=number)
        written = cells[_FORM] + ("" if "SpaceAfter=No" in cells[_MISC].split("|") else " ")
        if match := _RANGE.fullmatch(cells[_ID]):
            surface.append(written)
            n_covered = max(n_covered, int(match[2]))
        elif not _EMPTY_NODE.fullmatch(cells[_ID]):
            tokens.append(_token(cells, len(tokens) + 1, shown, number))
            if len(tokens) > n_covered:
                surface.append(written)
    if not tokens:
        reason = "the sentence has no token of its own, only ranges or empty nodes."
        raise ImportFormatError(reason, path=shown, line=lines.numbers[0])
    _require_heads(tokens, shown)
    return Sentence(
        tuple(tokens),
        comments.get("text") or "".join(surface).strip(),
        "\n".join(lines.rows),
        lines.numbers[0],
        comments.get("sent_id"),
        document,
    )


def _token(cells: Sequence[str], expected: int, shown: str, line: int) -> Token:
    number, head = cells[_ID], cells[_HEAD]
    if not _TOKEN.fullmatch(number) or int(number) != expected:
        reason = (
            f"the token is numbered '{number}', expected {expected}. Tokens count from 1 in each "
            "sentence, and an empty line ends a sentence."
        )
        raise ImportFormatError(reason, path=shown, line=line, field="ID")
    if not head.isascii() or not head.isdigit():
        what = "there is no head" if head in ("_", "") else f"the head '{head}' is no number"
        reason = f"{what}; expected the number of a token, or {ROOT} for the root."
        raise ImportFormatError(reason, path=shown, line=line, field="HEAD")
    return Token(cells[_FORM], cells[_UPOS], int(head), cells[_DEPREL], line)


def _require_heads(tokens: Sequence[Token], shown: str) -> None:
    for token in tokens:
        if token.head > len(tokens):
            reason = f"the head is token {token.head}, but the sentence has {len(tokens)}."
            raise ImportFormatError(reason, path=shown, line=token.line, field="HEAD")
