"""Boards as Papers with Code and sota-extractor keep them: JSON of tasks, datasets and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import ImportBundle, ReadOptions, RowProblems
from store.importers.cells import CellError, is_missing, parse_date
from store.importers.figures import Figure, Figures
from store.importers.no_metrics import no_metric_by_name
from store.importers.printed import parse_printed
from store.importers.settings import load_settings
from store.importers.textfile import data_suffix, peek_json, read_json

NAME = "paperswithcode"
DESCRIPTION = "boards of Papers with Code or sota-extractor: tasks, datasets and rows in JSON"


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether JSON is a list of tasks with datasets."""
    if data_suffix(path) != ".json":
        return False
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and "task" in first and isinstance(first.get("datasets"), list)


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read all boards of a file, of subtasks and subdatasets too.

    Raises
    ------
    NoResultsError
        No board has a row with a number.
    ImportFormatError
        A figure lies outside its bounds and the import is strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    content, sha256 = read_json(path, settings.shown)
    boards = list(_boards(content if isinstance(content, list) else [content]))
    figures = Figures(settings, RowProblems(options.lenient))
    left: dict[str, None] = {}
    for number, board in enumerate(boards):
        metrics = _metrics(board.rows)
        left |= dict.fromkeys(name for name in _named(board.rows) if name not in metrics)
        sources = _sources(board.rows, path.name)
        for row, source in zip(board.rows, sources, strict=True):
            stated = row.get("metrics")
            if not isinstance(stated, dict):
                continue
            for name in metrics:
                if settings.metric in (None, name):
                    cell = stated.get(name)
                    figures.add(
                        Figure(
                            str(row.get("model_name") or "").strip(),
                            settings.dataset or board.dataset,
                            name,
                            None if is_missing(cell) else cell,
                            column=f"{board.dataset}/{name}",
                            table=str(number),
                            reported_on=_date(row.get("paper_date")),
                            source=source,
                            source_url=str(row.get("paper_url") or "") or None,
                            task=board.task,
                        )
                    )
    if not figures.figures:
        raise NoResultsError("no board has a row with a number.", path=settings.shown)
    told = [f"{len(boards)} boards with {sum(len(board.rows) for board in boards):,} rows."]
    if left:
        told.append(f"Columns that are no metrics were passed over: {', '.join(left)}.")
    return figures.bundle(NAME, settings.files(sha256), told)


@dataclass(frozen=True, slots=True)
class _Board:
    task: str
    dataset: str
    rows: Sequence[Mapping[str, Any]]


def _boards(tasks: Sequence[Any]) -> Iterator[_Board]:
    """Yield the boards of tasks and of what is below them, in their order."""
    waiting = [("", task) for task in reversed(tasks)]
    while waiting:
        task, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        task = str(node.get("task") or task)
        name = node.get("dataset") or node.get("subdataset")
        sota = node.get("sota")
        rows = sota.get("rows") if isinstance(sota, dict) else None
        if name and isinstance(rows, list):
            yield _Board(task, str(name), [row for row in rows if isinstance(row, dict)])
        for key in ("subtasks", "subdatasets", "datasets"):
            below = node.get(key)
            if isinstance(below, list):
                waiting += [(task, one) for one in reversed(below)]


def _named(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    stated = [row.get("metrics") for row in rows]
    return list(dict.fromkeys(name for one in stated if isinstance(one, dict) for name in one))


def _metrics(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns that hold numbers, and are no count of parameters or alike."""
    found = []
    for name in _named(rows):
        cells = [row["metrics"].get(name) for row in rows if isinstance(row.get("metrics"), dict)]
        filled = [cell for cell in cells if not is_missing(cell)]
        n_numbers = sum(map(_is_number, filled))
        if filled and 2 * n_numbers >= len(filled) and no_metric_by_name(name) is None:
            found.append(name)
    return found


def _is_number(cell: Any) -> bool:
    try:
        parse_printed(cell)
    except (CellError, TypeError, ValueError):
        return False
    return True


def _sources(rows: Sequence[Mapping[str, Any]], file: str) -> list[str]:
    """Return the paper of each row, else the file; with the date where a name stands twice."""
    papers = [str(row.get("paper_title") or row.get("paper_url") or file) for row in rows]
    entries = [(str(row.get("model_name")).strip(), p) for row, p in zip(rows, papers, strict=True)]
    counts = Counter(entries)
    seen: Counter[tuple[str, str]] = Counter()
    sources = []
    for row, entry in zip(rows, entries, strict=True):
        date = row.get("paper_date")
        source = f"{entry[1]}, {date}" if counts[entry] > 1 and date else entry[1]
        seen[entry[0], source] += 1
        number = seen[entry[0], source]
        sources.append(source if number == 1 else f"{source}, entry {number}")
    return sources


def _date(stated: Any) -> datetime | None:
    try:
        return parse_date(str(stated))[0] if stated else None
    except CellError:
        return None
