"""The content of a file, whatever it is written in: a tree of mappings, lists and values.

JSON as it is; JSON lines, CSV, TSV, Parquet and Arrow as a list of records; a zip file as its
members. What a table's columns are called can be seen without reading it whole.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems, SourceFile
from store.importers.guard import status_of
from store.importers.recipes.archive import ZIP_MAGIC, Archive
from store.importers.tables import Table, peek_columns, read_json_objects, read_table
from store.importers.textfile import data_suffix, decode, parse_json, peek_json, read_bytes
from store.importers.yaml_nodes import parse_yaml

Kind = Literal["json", "lines", "table", "archive", "yaml"]
_TABLES = frozenset({".csv", ".tsv", ".parquet", ".arrow", ".feather"})
_YAML = frozenset({".yaml", ".yml"})
_FIRST_BYTES = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """What a file holds."""

    kind: Kind
    content: Any
    """A tree; of lines and tables a list of records; of an archive an `Archive`."""
    files: Sequence[SourceFile] = ()
    lines: Sequence[int] = ()
    """Of each record, where the file has lines."""
    columns: Sequence[str] = ()
    """Of a table."""
    shown: str = ""


def read_document(path: Path, shown: str, problems: RowProblems) -> Document:
    """Read a file whole.

    Raises
    ------
    ImportFormatError
        It is damaged: line and column, or the member of an archive, are named.
    """
    suffix = data_suffix(path)
    if suffix in (".parquet", ".csv", ".tsv"):
        return _of_table(read_table(path, shown, problems, names_again=True))
    content = read_bytes(path, shown)
    file = SourceFile(shown, content.sha256)
    if content.data.startswith(ZIP_MAGIC):
        return Document("archive", Archive(content.data, shown), (file,), shown=shown)
    if suffix in (".arrow", ".feather"):
        return _of_arrow(content.data, file)
    text = decode(content.data, shown)
    if suffix in _YAML:
        root = parse_yaml(text, shown)
        return Document("yaml", None if root is None else root.plain(), (file,), shown=shown)
    if _is_lines(text, suffix):
        rows, lines = read_json_objects(text, shown, problems)
        return Document("lines", rows, (file,), lines, shown=shown)
    return Document("json", parse_json(text, shown), (file,), shown=shown)


def parse_tree(text: str, shown: str) -> Any:
    """Return what a text of JSON or JSON lines holds.

    Raises
    ------
    ImportFormatError
        It is neither.
    """
    problems = RowProblems(lenient=False)
    if _is_lines(text, ".jsonl" if shown.endswith(".jsonl") else ""):
        rows, _ = read_json_objects(text, shown, problems)
        problems.raise_if_any()
        return rows
    return parse_json(text, shown)


def _is_lines(text: str, suffix: str) -> bool:
    """Return whether a text has one JSON object a line; the name only helps with a single line."""
    body = text.lstrip()
    first, _, rest = body.partition("\n")
    if not first.startswith("{"):
        return False
    try:
        is_object = isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False
    return is_object and (bool(rest.strip()) or suffix in (".jsonl", ".ndjson"))


def _of_table(table: Table) -> Document:
    names = table.columns
    rows = [
        dict(zip(names, cells, strict=True))
        for cells in zip(*(table.cells[name] for name in names), strict=True)
    ]
    file = SourceFile(table.shown, table.sha256)
    return Document("table", rows, (file,), table.lines, names, table.shown)


def _of_arrow(data: bytes, file: SourceFile) -> Document:
    import pyarrow as pa
    import pyarrow.feather as feather

    try:
        table = feather.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError) as error:
        told = str(error).split("\n", 1)[0].rstrip(".")
        raise ImportFormatError(f"not a whole Arrow file ({told}).", path=file.path) from None
    rows = table.to_pylist()
    return Document("table", rows, (file,), range(1, len(rows) + 1), table.column_names, file.path)


def peek(path: Path) -> Document | None:
    """Return enough of a file to recognise it: the first line, the columns, or a JSON tree."""
    try:
        about = status_of(path)
    except OSError:
        return None
    return _peek(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=2)
def _peek(path: Path, changed: int, size: int) -> Document | None:
    try:
        return _peeked(path)
    except (ImportFormatError, OSError, ValueError, RecursionError):
        return None


def _peeked(path: Path) -> Document | None:
    suffix, name = data_suffix(path), path.name
    with path.open("rb") as file:
        start = file.read(_FIRST_BYTES)
    if start.startswith(ZIP_MAGIC):
        return Document("archive", Archive(path.read_bytes(), name), shown=name)
    if suffix in _TABLES:
        columns = _arrow_columns(path) if suffix in (".arrow", ".feather") else peek_columns(path)
        return Document("table", (), columns=columns, shown=name)
    if suffix in _YAML:
        return Document("yaml", None, shown=name)
    head = start.lstrip()
    if suffix in (".jsonl", ".ndjson") and not path.name.endswith(".gz"):
        line = _first_line(path)
        return Document("lines", [json.loads(line)], shown=name) if line else None
    if suffix != ".json" and head[:1] not in (b"{", b"["):
        return None
    first = head.partition(b"\n")[0]
    if first.startswith(b"{") and len(first) < len(head) and _has_second_line(path):
        row = _object(first)
        if row is not None:
            return Document("lines", [row], shown=name)
    if len(start) < _FIRST_BYTES and head[:1] in (b"{", b"["):
        return Document("json", peek_json(path), shown=name)
    return read_document(path, name, RowProblems(lenient=True))


def peek_yaml(path: Path, keys: Sequence[str]) -> Document:
    """Return the tree of a YAML file; an empty one where it does not begin with some of the keys.

    YAML is slow to read, and most such files are settings.
    """
    try:
        with path.open("rb") as file:
            start = b"\n" + file.read(_FIRST_BYTES)
        if all(b"\n" + key.encode() + b":" in start for key in keys):
            return read_document(path, path.name, RowProblems(lenient=True))
    except (ImportFormatError, OSError, ValueError, RecursionError):
        pass
    return Document("yaml", None, shown=path.name)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                return line
    return b""


def _has_second_line(path: Path) -> bool:
    """Return whether anything follows the first line that is not blank."""
    with path.open("rb") as file:
        return len(list(islice(filter(bytes.strip, file), 2))) == 2


def _arrow_columns(path: Path) -> Sequence[str]:
    import pyarrow.ipc as ipc

    with path.open("rb") as file:
        return tuple(ipc.open_file(file).schema.names)
