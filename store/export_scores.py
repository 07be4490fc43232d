"""All item scores in a file of long form, written one score vector after another."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

import numpy as np

from store.arrays import item_names
from store.arrow import as_numbers, as_texts, repeated
from store.engine import Store
from store.export import ExportFormat, require_target, runs_by_name
from store.importers.kinds import COMPONENTS, FloatArray, Status, StatusArray
from store.metrics import list_metrics
from store.natural_order import natural_key
from store.records import RunRecord
from store.run_scores import scores_in_turn
from store.shown import spreadsheet_safe

if TYPE_CHECKING:
    import pyarrow as pa

_FIRST: Final = ("system", "dataset", "dataset_version", "run", "trial", "item", "group")
_WORDS: Final = [status.name.lower().replace("_", " ") for status in Status]
_AT_ONCE: Final = 1 << 16
"""Rows that are made at once, so that a long vector takes no more memory than others."""
_ROW_GROUP: Final = 1 << 18
"""Rows of Parquet that are written together."""


class _Items(NamedTuple):
    """The items of a dataset, in order."""

    keys: Sequence[str] | pa.StringArray
    groups: Sequence[str] | pa.StringArray
    """Both for Parquet alone."""
    written: list[str]
    """Key and group as a text format has them; none for Parquet."""

    def part(self, rows: slice) -> _Items:
        """Return some of the items."""
        return _Items(self.keys[rows], self.groups[rows], self.written[rows])


class _Block(NamedTuple):
    """One score vector, or a part of a long one."""

    run: RunRecord
    trial: int
    items: _Items
    metric: str
    status: StatusArray
    scores: FloatArray
    """Shape (n_items, n_components)."""
    names: tuple[str, ...]
    """Of the components."""


def write_scores(
    store: Store,
    target: Path | None,
    format: ExportFormat,
    stream: TextIO,
    *,
    dataset: str | None = None,
    raw: bool = False,
) -> int:
    """Write one row per run, metric, trial and item to a file, or to `stream`; return how many.

    Scores of one component are in ``score``, the components of others in columns of their names.
    In CSV no text is one that a spreadsheet would compute, unless `raw`; `ingest` reads both alike.
    Nothing is held but the items of a dataset and the vectors of a run.

    Raises
    ------
    StoreError
        The target exists, its folder does not, or Parquet is asked for without a file.
    """
    require_target(target, format)
    runs = runs_by_name(store, dataset)
    cells = {"csv": _csv_cell if raw else _safe_cell, "jsonl": _json_cell}
    scores = _Scores(store, runs, cells.get(format))
    if target is not None and format == "parquet":
        return _write_parquet(scores, target)
    write = _write_csv if format == "csv" else _write_jsonl
    if target is None:
        return write(scores, stream)
    with target.open("w", encoding="utf-8", newline="") as file:
        return write(scores, file)


class _Scores:
    """The score vectors of runs, and how their texts are written."""

    def __init__(
        self,
        store: Store,
        runs: Sequence[RunRecord],
        cell: Callable[[str | None], str] | None,
    ) -> None:
        self._store = store
        self.runs = runs
        self._cell = cell
        self._metrics = {metric.uid: metric for metric in list_metrics(store)}
        by_label = {metric.label: metric for metric in self._metrics.values()}
        used = sorted({one.metric for run in runs for one in run.vectors}, key=natural_key)
        self.components = list(
            dict.fromkeys(name for m in used for name in COMPONENTS[by_label[m].aggregation])
        )
        """Columns of scores, in order."""

    def text(self, cell: str | None) -> str:
        """Return a text as it is written."""
        assert self._cell is not None, "Parquet has no texts of its own"
        return self._cell(cell)

    def blocks(self) -> Iterator[_Block]:
        """Yield every score vector."""
        items: dict[str, _Items] = {}
        for run, found in scores_in_turn(self._store, self.runs):
            if run.dataset_uid not in items:
                items[run.dataset_uid] = self._items(run.dataset_uid)
            named = [(self._metrics[vector.metric_uid], vector) for vector in found]
            named.sort(key=lambda one: (natural_key(one[0].label), one[1].trial))
            for metric, vector in named:
                names = COMPONENTS[metric.aggregation]
                of_it, trial = items[run.dataset_uid], vector.trial
                for start in range(0, len(vector.status), _AT_ONCE):
                    rows = slice(start, start + _AT_ONCE)
                    part, status, scores = (
                        of_it.part(rows),
                        vector.status[rows],
                        vector.scores[rows],
                    )
                    yield _Block(run, trial, part, metric.label, status, scores, names)

    def _items(self, dataset_uid: str) -> _Items:
        each = item_names(self._store, dataset_uid)
        if self._cell is None:
            keys, groups = _columns_of(each)
            return _Items(keys, groups, [])
        between = ', "group": ' if self._cell is _json_cell else ","
        return _Items((), (), [f"{self.text(k)}{between}{self.text(g)}" for k, g in each])


def _columns_of(rows: Iterator[tuple[str | None, ...]]) -> list[pa.StringArray]:
    """Return the columns of rows of texts, of which few are there at once as Python has them."""
    import pyarrow as pa

    parts = []
    while part := list(islice(rows, _AT_ONCE)):
        columns = zip(*part, strict=True)
        parts.append([as_texts(list(column)) for column in columns])
    return [pa.concat_arrays(column) for column in zip(*parts, strict=True)]


def _write_csv(scores: _Scores, file: TextIO) -> int:
    n_rows, names = 0, scores.components
    is_empty = True
    for block in scores.blocks():
        if is_empty:
            file.write(",".join((*_FIRST, "metric", "status", *names)) + "\n")
            is_empty = False
        run = block.run
        named = (run.system, run.dataset, run.dataset_version or None, run.label or None)
        head = ",".join((*map(scores.text, named), f"{block.trial},"))
        metric = scores.text(block.metric)
        ends = [f",{metric},{word}," for word in _WORDS]
        cells = _printed(block, "")
        empty = [""] * len(block.status)
        columns = [cells.get(name, empty) for name in names]
        n_rows += _write_lines(file, block, head, ends, map(",".join, zip(*columns, strict=True)))
    if is_empty:
        file.write("\n")
    return n_rows


def _write_jsonl(scores: _Scores, file: TextIO) -> int:
    n_rows = 0
    for block in scores.blocks():
        run = block.run
        named = (run.system, run.dataset, run.dataset_version or None, run.label or None)
        texts = [f'"{name}": {scores.text(t)}' for name, t in zip(_FIRST, named, strict=False)]
        head = "{" + ", ".join((*texts, f'"trial": {block.trial}, "item": '))
        metric = scores.text(block.metric)
        ends = [f', "metric": {metric}, "status": "{word}", ' for word in _WORDS]
        cells = _printed(block, "null")
        pattern = ", ".join(f'"{name}": %s' for name in block.names) + "}"
        tails = map(pattern.__mod__, zip(*(cells[name] for name in block.names), strict=True))
        n_rows += _write_lines(file, block, head, ends, tails)
    return n_rows


def _write_lines(
    file: TextIO, block: _Block, head: str, ends: Sequence[str], tails: Iterator[str]
) -> int:
    rows = zip(block.items.written, block.status.tolist(), tails, strict=True)
    file.writelines([f"{head}{item}{ends[status]}{tail}\n" for item, status, tail in rows])
    return len(block.status)


def _printed(block: _Block, nothing: str) -> dict[str, list[str]]:
    """Return the numbers of each component as text, exactly; `nothing` for NaN."""
    found = {}
    for name, values in zip(block.names, block.scores.T, strict=True):
        texts = list(map(float.__repr__, values.tolist()))
        for row in np.flatnonzero(np.isnan(values)).tolist():
            texts[row] = nothing
        found[name] = texts
    return found


def _csv_cell(cell: str | None) -> str:
    if cell is None:
        return ""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([cell, ""])
    return out.getvalue()[:-1]


def _safe_cell(cell: str | None) -> str:
    return _csv_cell(spreadsheet_safe(cell))


def _json_cell(cell: str | None) -> str:
    return json.dumps(cell, ensure_ascii=False)


def _write_parquet(scores: _Scores, target: Path) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    texts = [name for name in (*_FIRST, "metric", "status") if name != "trial"]
    kinds = {name: pa.string() for name in texts} | {"trial": pa.int64()}
    kinds |= dict.fromkeys(scores.components, pa.float64())
    schema = pa.schema(
        [(name, kinds[name]) for name in (*_FIRST, "metric", "status", *scores.components)]
    )
    words = as_texts(_WORDS)
    n_rows, n_waiting, waiting = 0, 0, []
    with parquet.ParquetWriter(target, schema) as writer:
        for block in scores.blocks():
            waiting.append(_as_arrow(block, scores, schema, words))
            n_rows += len(block.status)
            n_waiting += len(block.status)
            if n_waiting >= _ROW_GROUP:
                writer.write_table(pa.concat_tables(waiting))
                n_waiting, waiting = 0, []
                pa.default_memory_pool().release_unused()
        if waiting:
            writer.write_table(pa.concat_tables(waiting))
    return n_rows


def _as_arrow(block: _Block, scores: _Scores, schema: pa.Schema, words: pa.StringArray) -> pa.Table:
    import pyarrow as pa

    run, n_rows = block.run, len(block.status)
    texts = {
        "system": run.system,
        "dataset": run.dataset,
        "dataset_version": run.dataset_version or None,
        "run": run.label or None,
        "metric": block.metric,
    }
    columns: dict[str, Any] = {name: repeated(text, n_rows) for name, text in texts.items()}
    columns["trial"] = as_numbers(np.full(n_rows, block.trial))
    columns["item"], columns["group"] = block.items.keys, block.items.groups
    columns["status"] = words.take(as_numbers(block.status))
    for name, values in zip(block.names, block.scores.T, strict=True):
        columns[name] = as_numbers(values, ~np.isnan(values))
    for name in scores.components:
        columns.setdefault(name, pa.nulls(n_rows, pa.float64()))
    return pa.table([columns[name] for name in schema.names], schema=schema)
