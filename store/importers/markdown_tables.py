"""Pages in Markdown with tables of figures, such as NLP-progress: headings name the datasets.

markdown-it reads the page, so that code, escaped bars and links are what they are elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import NoResultsError
from store.importers.board_tables import BoardTable, Cell, add_boards, is_board
from store.importers.bundle import ImportBundle, ReadOptions, RowProblems
from store.importers.figures import Figures
from store.importers.known_metrics import is_quality
from store.importers.known_names import LANGUAGES
from store.importers.lm_eval_tables import add_printed, is_printed, with_filters
from store.importers.path_names import trimmed
from store.importers.settings import load_settings
from store.importers.surroundings import is_given
from store.importers.textfile import data_suffix, read_text

if TYPE_CHECKING:
    from markdown_it.token import Token

NAME = "markdown"
DESCRIPTION = "page in Markdown with tables of figures, one line for each system"
_RULE = re.compile(r"^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-*:?[ \t]*)*\|?[ \t]*$", re.MULTILINE)
_ABOUT = re.compile(
    r"(readme|changelog|changes|contributing|license|history|todo)\b", re.IGNORECASE
)
"""Pages that tell of a project: where they are named, tables of known metrics are read."""

_LONGEST_LEAD = 80
"""Characters of a line above a table that says what the table is."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is a page in Markdown."""
    return data_suffix(path) in (".md", ".markdown")


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read all tables of a page that list systems.

    Raises
    ------
    NoResultsError
        No table lists systems with figures, or a README was not named itself or has no table of
        a known metric.
    ImportFormatError
        A figure lies outside its bounds and the import is strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    is_about = _ABOUT.match(path.name) is not None
    if is_about and not is_given(path.absolute()):
        reason = "a page about the files; name the page itself to have its tables read."
        raise NoResultsError(reason, path=settings.shown)
    text, sha256 = read_text(path, settings.shown)
    tables = read_tables(text) if _RULE.search(text) else []
    if is_about:
        tables = [table for table in tables if sum(map(is_quality, table.columns)) > 0]
        if not tables:
            reason = "a page about the files, without a table of a known metric."
            raise NoResultsError(reason, path=settings.shown)
    boards = [table for table in tables if is_board(table)]
    printed = [table for table in tables if is_printed(table)]
    figures = Figures(settings, RowProblems(options.lenient))
    title = path.name.rpartition(".")[0]
    guesses = add_boards(boards, figures, trimmed(title) or title, _language(path))
    guesses += add_printed(printed, figures, path, text)
    if not figures.figures:
        raise NoResultsError("a page without tables that list systems.", path=settings.shown)
    told = []
    if boards:
        told = [f"{len(boards)} tables: one line for each system; the headings name the datasets."]
    if printed:
        told.append(f"{len(printed)} tables as lm-evaluation-harness prints them.")
    n_passed = len(tables) - len(boards) - len(printed)
    if n_passed:
        told.append(f"{n_passed} tables list no systems and were passed over.")
    return with_filters(figures.bundle(NAME, settings.files(sha256), told, guesses))


def _language(path: Path) -> str:
    """Return the language that the folder of a page is called after, but for English."""
    folder = path.absolute().parent.name
    return folder.capitalize() if folder.lower() in LANGUAGES else ""


def read_tables(text: str) -> list[BoardTable]:
    """Return all tables of a page in Markdown, with the headings above each."""
    from markdown_it import MarkdownIt  # read only when a page is

    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings: dict[int, str] = {}
    tables = []
    lead = ""
    rows: list[list[Cell]] = []
    lines: list[int | None] = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            level = int(token.tag[1:])
            headings = {at: name for at, name in headings.items() if at < level}
            headings[level] = _cell(tokens[number + 1]).text.rstrip(": ")
            lead = ""
        elif token.type == "paragraph_open":
            text = _cell(tokens[number + 1]).text
            lead = text.rstrip(": ") if text.endswith(":") and len(text) <= _LONGEST_LEAD else ""
        elif token.type == "table_open":
            rows, lines = [], []
        elif token.type == "tr_open":
            rows.append([])
            lines.append(token.map[0] + 1 if token.map else None)
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(_cell(tokens[number + 1]))
        elif token.type == "table_close" and rows:
            columns = [cell.text for cell in rows[0]]
            above = [*headings.values()]
            tables.append(BoardTable(above, columns, rows[1:], lines[1:], lines[0], lead))
            lead = ""
    return tables


def _cell(inline: Token) -> Cell:
    """Return what a reader sees of a heading or a cell, and its first link."""
    children = inline.children or []
    shown = [child for child in children if child.type not in ("html_inline", "image")]
    text = "".join(" " if child.type.endswith("break") else child.content for child in shown)
    links = (child.attrGet("href") for child in children if child.type == "link_open")
    return Cell(" ".join(text.replace("\ufeff", "").split()), str(next(links, "")))
