"""Reading CSV, TSV, JSON Lines and Parquet into columns, with the line of every row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from store.errors import ImportFormatError
from store.importers.arrow_columns import ArrowCells, ArrowColumn
from store.importers.bundle import RowProblems
from store.importers.columnar import PART
from store.importers.decimal_commas import with_points
from store.importers.delimited import BY_SEMICOLONS, choose_delimiter, names_of_header, read_exactly
from store.importers.guard import (
    CELL_BYTES,
    MOST_COLUMNS,
    require_bytes,
    require_columns,
    require_values,
    status_of,
)
from store.importers.item_mappings import (
    are_outcomes,
    are_solved_or_not,
    flat,
    numbers_by_item,
    spread_systems,
)
from store.importers.json_frames import only_list_below, rows_of_frame
from store.importers.known_metrics import lookup
from store.importers.record_groups import are_metrics, records_by_name
from store.importers.status_words import PEEKED, may_say, names_of_outcomes, outcomes_read
from store.importers.streamed import stream
from store.importers.textfile import (
    data_suffix,
    is_western,
    json_fault,
    opened_whole,
    peek_json,
    peek_text,
    read_json,
    read_text,
    require_characters,
    unique_names,
)
from store.importers.two_headers import joined_header
from store.importers.yaml_nodes import parse_yaml
from store.progress import tell_rows
from store.shown import unguarded
from store.spelling import composed

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

_WESTERN = "Not UTF-8: taken for Windows-1252 (Latin-1). Where letters are wrong, save it as UTF-8."
RECORD_SUFFIXES = frozenset({".json", ".yaml", ".yml"})
"""Files that may hold a list or a mapping of records."""
TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"})
_OF_ALL = frozenset({"model", "model_name", "system", "dataset", "dataset_name", "benchmark"})
"""What an object such as ``metadata`` says of all records beside it."""
_READ_TOGETHER: Final = 1 << 20
"""Rows of Parquet after which memory is given back."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A file as columns of cells."""

    shown: str
    sha256: str
    columns: tuple[str, ...]
    cells: Mapping[str, Sequence[Any]]
    """Column name -> one cell per row: text, or what JSON and Parquet hold."""
    lines: Sequence[int]
    """Line in the file of each row; for Parquet the number of the row."""
    notes: tuple[str, ...] = ()
    """What was found out about the file, one sentence each."""

    def __len__(self) -> int:
        return len(self.lines)


def read_table(
    path: Path, shown: str, problems: RowProblems, *, names_again: bool = False
) -> Table:
    """Read a file of columns, or the records of JSON or YAML.

    Rows that do not fit the header are reported to `problems` and left out. With `names_again` a
    column name may come again; it is then called ``"name (2)"``.

    Raises
    ------
    ImportFormatError
        The file is no table: undecodable, without a header, or with a column name twice.
    """
    table = _read(path, shown, problems, names_again)
    if names_again:  # columns as they stand
        return table
    return _with_outcomes(table, are_records=data_suffix(path) in RECORD_SUFFIXES)


def _read(path: Path, shown: str, problems: RowProblems, names_again: bool) -> Table:
    suffix = data_suffix(path)
    if suffix == ".parquet":
        return _read_parquet(path, shown)
    if suffix in RECORD_SUFFIXES:
        return read_records(path, shown)
    if suffix not in (".jsonl", ".ndjson"):
        streamed = stream(path, shown, suffix, problems, names_again=names_again)
        if streamed is not None:
            content, sha256 = streamed
            return _with_points(Table(shown, sha256, *content))
    text, sha256 = read_text(path, shown)
    if suffix in (".jsonl", ".ndjson") or text.lstrip().startswith("{"):
        table = _read_json_lines(text, shown, sha256, problems)
        tell_rows(len(table))
        return table
    cut = read_exactly(text, suffix, shown, problems, names_again=names_again)
    table = _with_points(Table(shown, sha256, *cut))
    tell_rows(len(table))
    return replace(table, notes=(*table.notes, _WESTERN)) if is_western(path, shown) else table


def _with_outcomes(table: Table, *, are_records: bool) -> Table:
    """Return a table with truth values where a column says in words what passed."""
    columns, cells, told = outcomes_read(table.columns, table.cells, are_records=are_records)
    if not told:
        return table
    return replace(table, columns=columns, cells=cells, notes=(*table.notes, *told))


def _with_points(table: Table) -> Table:
    """Return a table with decimal points, where a comma can be nothing else than a decimal one."""
    if BY_SEMICOLONS not in table.notes:
        return table
    cells, told = with_points(table.cells)
    return replace(table, cells=cells, notes=(*table.notes, *told)) if told else table


def peek_columns(path: Path) -> tuple[str, ...]:
    """Return the column names of a file, or nothing when it cannot be read as a table.

    Raises
    ------
    ImportFormatError
        There are too many: none of them is looked at.
    """
    try:
        if data_suffix(path) in RECORD_SUFFIXES:
            status = status_of(path)
            columns = _columns_of_records(path, status.st_mtime_ns, status.st_size)
            n_columns = len(columns)
        else:
            n_columns, columns = _columns_of_table(path)
    except (ImportFormatError, OSError, ValueError, RecursionError, csv.Error, StopIteration):
        return ()  # pyarrow's errors are ValueError or OSError
    require_columns(n_columns, path.name)
    return columns


def _columns_of_table(path: Path) -> tuple[int, tuple[str, ...]]:
    """Return how many columns a table has, and their names where they are not too many."""
    if data_suffix(path) == ".parquet":
        import pyarrow.parquet as pq

        names = pq.read_schema(path).names
        return len(names), tuple(names)
    text = peek_text(path)
    if text.lstrip().startswith("{"):
        lines = text.lstrip().split("\n", PEEKED)
        names = tuple(json.loads(lines[0]))
        rest = lines[1:-1] if len(lines) > 1 else ()
        return len(names), _peeked(names, map(json.loads, filter(None, (lines[0], *rest))))
    delimiter, _ = choose_delimiter(text, data_suffix(path))
    end = text.find("\n")
    n_marks = text.count(delimiter, 0, len(text) if end < 0 else end)
    if n_marks >= MOST_COLUMNS:
        return n_marks + 1, ()
    read = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows = (row for row in read if row)
    header = next(rows)
    if delimiter != "\t":
        header = list(map(unguarded, header))
    if len(header) < 2 or "" in header or len(set(header)) < len(header):
        header, _ = joined_header([header, *islice(rows, 3)]) or (header, 1)
    names = tuple(composed(name.strip()) for name in header)
    first_rows = (dict(zip(names, row, strict=False)) for row in rows)
    return len(header), _peeked(names, first_rows)


def _peeked(
    columns: Sequence[str], rows: Iterable[Mapping[str, Any]], *, are_records: bool = False
) -> tuple[str, ...]:
    """Return columns as `_with_outcomes` calls them, by their first rows."""
    if not may_say(columns, are_records=are_records):
        return tuple(columns)
    first = list(islice(rows, PEEKED))
    cells = {c: [row.get(c) for row in first] for c in columns}
    named = names_of_outcomes(columns, cells, are_records=are_records)
    return tuple(named.get(column, column) for column in columns)


@lru_cache(maxsize=64)
def _columns_of_records(path: Path, changed: int, size: int) -> tuple[str, ...]:
    """Return the columns of a file's records; many importers ask for them."""
    if data_suffix(path) == ".json":
        rows = [flat(one) for one in _records(peek_json(path))]
        columns = tuple(dict.fromkeys(k for row in rows for k in row))
        return _peeked(columns, rows, are_records=True)
    return read_records(path, path.name).columns


def _read_json_lines(text: str, shown: str, sha256: str, problems: RowProblems) -> Table:
    rows, lines = read_json_objects(text, shown, problems)
    if not rows:
        problems.raise_if_any()
        raise ImportFormatError("no line holds a JSON object.", path=shown)
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    require_columns(len(columns), shown)
    require_bytes(CELL_BYTES * len(rows) * len(columns), shown)
    cells = {name: [row.get(name) for row in rows] for name in columns}
    return Table(shown, sha256, columns, cells, lines)


def read_records(path: Path, shown: str) -> Table:
    """Read the records of a JSON or YAML file as a table; its lines are their numbers.

    A list of mappings is one; so is a mapping with one such list, whose other plain values hold
    for all records, a mapping of mappings, whose keys become the column ``item``, and one of
    ``columns`` and ``data``, as W&B, MLflow and pandas write tables. A mapping of nothing but truth
    values by item, ``{"q1": true, …}``, has a record for each; so has one of records with truth
    values, wherever it stands in the file. A mapping of fewer systems to
    numbers by item, ``{"modelA": {"q1": 1, …}}``, has a record for each number. A mapping
    within a record becomes columns ``name.key``.

    Raises
    ------
    ImportFormatError
        The file is damaged, or holds no records or several lists of them.
    """
    if data_suffix(path) == ".json":
        content, sha256 = read_json(path, shown)
    else:
        text, sha256 = read_text(path, shown)
        root = parse_yaml(text, shown)
        content = None if root is None else root.plain()
    records = _records(content)
    if not records:
        raise ImportFormatError("no list of records, or several of them.", path=shown)
    rows = [flat(record) for record in records]
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    require_columns(len(columns), shown)
    require_bytes(CELL_BYTES * len(rows) * len(columns), shown)
    cells = {name: [row.get(name) for row in rows] for name in columns}
    table = Table(shown, sha256, columns, cells, range(1, len(rows) + 1))
    return _with_outcomes(table, are_records=True)


def _records(content: Any) -> list[dict[str, Any]]:
    if _are_records(content):
        return spread_systems(content)
    if not isinstance(content, dict):
        return []
    if rows := rows_of_frame(content):
        return rows
    if _is_split(content):
        return [dict(zip(content["columns"], row, strict=True)) for row in content["data"]]
    if are_solved_or_not(content):
        return [
            {"item": key, "metric": "correct", "score": int(value)}
            for key, value in content.items()
        ]
    if are_outcomes(content):
        return [{"item": key, **record} for key, record in content.items()]
    lists = [value for value in content.values() if _are_records(value)]
    below = [value for value in content.values() if are_outcomes(value)]
    if len(below) == 1 and not lists:
        plain = _of_all_records(content)
        return [{**plain, "item": key, **record} for key, record in below[0].items()]
    if len(lists) == 1:
        plain = _of_all_records(content)
        return [{**plain, **record} for record in spread_systems(lists[0])]
    if named := records_by_name(content):
        return named
    if not lists and (rows := only_list_below(content)):
        return rows
    if not lists and len(content) > 1 and all(isinstance(v, dict) for v in content.values()):
        if are_metrics(content):
            return []
        if by_item := numbers_by_item(content):
            return by_item
        return [{"item": key, **record} for key, record in content.items()]
    return []


def _of_all_records(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands beside a list of records and holds for each; no stated aggregate does."""
    below = [part for part in content.values() if isinstance(part, dict)]
    named = {k: v for part in below for k, v in part.items() if k in _OF_ALL and isinstance(v, str)}
    plain = {k: v for k, v in content.items() if isinstance(v, (str, int, float))}
    return {**named, **{k: v for k, v in plain.items() if isinstance(v, str) or not lookup(k)}}


def _is_split(content: Mapping[str, Any]) -> bool:
    """Return whether columns and rows stand apart, as W&B, MLflow and pandas write tables."""
    columns, rows = content.get("columns"), content.get("data")
    if not (isinstance(columns, list) and columns and isinstance(rows, list) and rows):
        return False
    has_names = all(isinstance(name, str) for name in columns) and len(set(columns)) == len(columns)
    return has_names and all(isinstance(row, list) and len(row) == len(columns) for row in rows)


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def read_json_objects(
    text: str, shown: str, problems: RowProblems
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the object of each line of JSON Lines, and the line numbers."""
    require_values(text, shown)
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    texts = text.split("\n")
    decode = json.JSONDecoder(object_pairs_hook=unique_names).decode
    last = max((i for i, line in enumerate(texts, start=1) if line.strip()), default=0)
    for number, line in enumerate(texts, start=1):
        if not line.strip():
            continue
        try:
            row = decode(line)
            require_characters(row, line)
        except RecursionError:
            problems.report(shown, number, None, "nested too deeply to be results.")
            continue
        except ValueError as error:
            told = json_fault(error)
            if isinstance(error, json.JSONDecodeError):
                told = f"{error.msg} (column {error.colno})"
            cut = "; the file may be cut off" if number == last else ""
            problems.report(shown, number, None, f"not a JSON object: {told}{cut}.")
            continue
        if not isinstance(row, dict):
            problems.report(shown, number, None, "not a JSON object but a single value or a list.")
            continue
        rows.append(row)
        lines.append(number)
    return rows, lines


def _read_parquet(path: Path, shown: str) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with opened_whole(path, shown) as (sha256, source):
        if not source.read(1):
            raise ImportFormatError("the file is empty.", path=shown)
        try:
            schema = pq.read_schema(source)
            texts = [field.name for field in schema if pa.types.is_string(field.type)]
            file = pq.ParquetFile(source, read_dictionary=texts, pre_buffer=False)
            about = file.metadata
            require_bytes(CELL_BYTES * about.num_rows * about.num_columns, shown)
            header = file.schema_arrow.names
            names, notes = names_of_header(header, shown, line=1, names_again=False)
            columns = [ArrowColumn(about.num_rows) for _ in names]
            # One after another, numbers last: reading names takes more than they take when read.
            order = sorted(range(len(names)), key=lambda n: pa.types.is_floating(schema[n].type))
            for number, groups in product(order, _groups_of_rows(about)):
                name = header[number]
                for batch in file.iter_batches(PART, groups, [name], use_threads=False):
                    columns[number].add(pa.chunked_array([batch.column(name)]))
                    if number == order[-1]:
                        tell_rows(batch.num_rows)
                pa.default_memory_pool().release_unused()
        except (pa.ArrowException, OSError) as error:
            first = str(error).split("\n", 1)[0].rstrip(".")
            raise ImportFormatError(
                f"not a whole Parquet file ({first}). It may be cut off: copy it again.", path=shown
            ) from None
    cells = {
        name: column.finished(partial(_cells_again, path, shown, number))
        for number, (name, column) in enumerate(zip(names, columns, strict=True))
    }
    pa.default_memory_pool().release_unused()
    return Table(shown, sha256, names, cells, range(1, about.num_rows + 1), tuple(notes))


def _groups_of_rows(about: FileMetaData) -> list[list[int]]:
    """Return the row groups of a file of Parquet, small ones together."""
    found: list[list[int]] = []
    n_rows = _READ_TOGETHER
    for group in range(about.num_row_groups):
        if n_rows >= _READ_TOGETHER:
            found.append([])
            n_rows = 0
        found[-1].append(group)
        n_rows += about.row_group(group).num_rows
    return found


def _cells_again(path: Path, shown: str, number: int) -> ArrowCells:
    """Return the cells of a column as they stand in a file of Parquet."""
    import pyarrow.parquet as pq

    with opened_whole(path, shown) as (_, source):
        file = pq.ParquetFile(source)
        column = file.schema_arrow.names[number]
        return ArrowCells(file.read([column]).column(column))
