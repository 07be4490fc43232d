"""Pages in HTML with tables of figures, such as saved leaderboards: headings name the datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import ImportFormatError, NoResultsError
from store.importers.board_tables import BoardTable, Cell, add_boards, is_board
from store.importers.bundle import ImportBundle, ReadOptions, RowProblems
from store.importers.figures import Figures
from store.importers.settings import load_settings
from store.importers.textfile import data_suffix, read_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NAME = "html"
DESCRIPTION = "page in HTML with tables of figures, one line for each system"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_WIDEST = 1000
"""Columns and rows that one cell may span."""
_MOST_CELLS = 1_000_000
"""Cells of a table, those that are spanned too; a page with more was not made to be read."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is a page in HTML."""
    return data_suffix(path) in (".html", ".htm")


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read all tables of a page that list systems; see `markdown_tables.read`."""
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    text, sha256 = read_text(path, settings.shown)
    tables = read_tables(text, settings.shown)
    boards = [table for table in tables if is_board(table)]
    figures = Figures(settings, RowProblems(options.lenient))
    guesses = add_boards(boards, figures, path.name.rpartition(".")[0])
    if not figures.figures:
        raise NoResultsError("a page without tables that list systems.", path=settings.shown)
    told = [f"{len(boards)} tables: one line for each system; the headings name the datasets."]
    if len(boards) < len(tables):
        told.append(f"{len(tables) - len(boards)} tables list no systems and were passed over.")
    return figures.bundle(NAME, settings.files(sha256), told, guesses)


def read_tables(text: str, shown: str) -> list[BoardTable]:
    """Return the tables of a page that hold no tables themselves, with the headings above each.

    Raises
    ------
    ImportFormatError
        Nothing can be made of the page.
    """
    from lxml import etree, html

    try:
        page = html.document_fromstring(text.encode(), html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise ImportFormatError(f"not HTML: {error}.", path=shown) from None
    headings: dict[int, str] = {}
    title = page.findtext(".//title")
    tables = []
    for element in page.iter(*_HEADINGS, "table"):
        if element.tag in _HEADINGS:
            level = int(element.tag[1])
            headings = {at: name for at, name in headings.items() if at < level}
            headings[level] = _text(element)
        elif element.find(".//table") is None:
            above = [*headings.values()] or ([title.strip()] if title else [])
            found = _table(element, above, shown)
            if found is not None:
                tables.append(found)
    return tables


def _table(element: HtmlElement, headings: Sequence[str], shown: str) -> BoardTable | None:
    """Return a table whose last line of head cells names the columns."""
    rows = element.findall(".//tr")
    grid = _grid(rows, shown)
    heads = [n for n, row in enumerate(rows) if len(row) and all(c.tag == "th" for c in row)]
    head = heads[-1] if heads else 0
    width = max(map(len, grid), default=0)
    body = [n for n in range(head + 1, len(grid)) if len(grid[n]) == width]
    if not body or len(grid[head]) != width:
        return None
    caption = element.find("caption")
    return BoardTable(
        headings,
        [cell.text for cell in grid[head]],
        [grid[n] for n in body],
        [rows[n].sourceline for n in body],
        element.sourceline,
        "" if caption is None else _text(caption),
    )


def _grid(rows: Sequence[HtmlElement], shown: str) -> list[list[Cell]]:
    """Return the cells of a table; one that spans several stands in each of them."""
    below: dict[int, tuple[int, Cell]] = {}
    grid: list[list[Cell]] = []
    n_cells = 0
    for row in rows:
        line: list[Cell] = []
        cells = iter([cell for cell in row if cell.tag in ("td", "th")])
        while True:
            left, spanned = below.get(len(line), (0, Cell("")))
            if left:
                below[len(line)] = (left - 1, spanned)
                line.append(spanned)
                continue
            cell = next(cells, None)
            if cell is None:
                break
            if n_cells + len(line) > _MOST_CELLS:
                told = f"a table whose cells span more than {_MOST_CELLS:,} places."
                raise ImportFormatError(told, path=shown, line=cell.sourceline)
            made = Cell(_text(cell), next((a.get("href", "") for a in cell.iter("a")), ""))
            for _ in range(_span(cell, "colspan")):
                below[len(line)] = (_span(cell, "rowspan") - 1, made)
                line.append(made)
        grid.append(line)
        n_cells += len(line)
    return grid


def _span(cell: HtmlElement, name: str) -> int:
    stated = cell.get(name, "1").strip()
    return min(max(1, int(stated[:9])), _WIDEST) if stated.isdecimal() else 1


def _text(element: HtmlElement) -> str:
    """Return what a reader sees."""
    parts = [
        part
        for part in element.xpath(".//text()[not(ancestor::script) and not(ancestor::style)]")
        if isinstance(part, str)
    ]
    return " ".join("".join(parts).split())
