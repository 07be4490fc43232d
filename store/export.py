"""Scores, runs and claims out of the store; scores and claims in files that are read again."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar

from store.claim_evidence import latest_evidence
from store.claim_records import ClaimRecord
from store.claims import list_claims
from store.datasets import get_dataset
from store.engine import Store
from store.errors import StoreError
from store.metrics import get_metric, list_metrics
from store.natural_order import natural_key
from store.records import RunRecord
from store.runs import list_runs
from store.shown import spreadsheet_safe

ExportFormat = Literal["csv", "jsonl", "parquet"]
F = TypeVar("F", bound=StrEnum)

_ENDINGS: Mapping[str, str] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
    ".markdown": "markdown",
}
_OTHER_ENDINGS = (".tsv", ".json", ".gz", ".xlsx", ".html", ".pdf", ".latex")
"""Names that promise what is not written."""


def runs_by_name(store: Store, dataset: str | None = None) -> list[RunRecord]:
    """Return all runs, or those on a dataset (uid or name), by dataset, system and label."""
    wanted = None if dataset is None else get_dataset(store, dataset).uid

    def names(run: RunRecord) -> list[tuple[str, str]]:
        return list(map(natural_key, (run.dataset, run.dataset_version, run.system, run.label)))

    return sorted(list_runs(store, dataset_uid=wanted), key=names)


def run_rows(store: Store) -> Iterator[dict[str, Any]]:
    """Yield one row per run and metric, with provenance."""
    for run in runs_by_name(store):
        for vector in sorted(run.vectors, key=lambda one: (natural_key(one.metric), one.trial)):
            yield _run_columns(run) | {
                "metric": vector.metric,
                "trial": vector.trial,
                "value": vector.value,
                "n_items": run.n_items,
                "n_scored": vector.n_scored,
            }


def claim_rows(
    store: Store, *, dataset: str | None = None, metric: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yield one row per claim: what it states, its latest verdict, and the figures behind that.

    `tiebreak claims import` reads the statements again. An interval takes two columns.
    """
    claims = list_claims(
        store,
        dataset_uid=None if dataset is None else get_dataset(store, dataset).uid,
        metric_uid=None if metric is None else get_metric(store, metric).uid,
    )
    latest = latest_evidence(store)
    figures = [evidence.figures for evidence in latest.values()]
    pairs = {name for said in figures for name, value in said.items() if _is_pair(value)}
    for claim in claims:
        columns = _claim_columns(claim)
        evidence = latest.get(claim.uid)
        for name, value in _flat({} if evidence is None else evidence.figures, pairs).items():
            columns[f"audited {name}" if name in columns else name] = value
        yield columns


def _claim_columns(claim: ClaimRecord) -> dict[str, Any]:
    return {
        "date": claim.claimed_on.isoformat(),
        "system": claim.system,
        "dataset": claim.dataset,
        "metric": claim.metric,
        "value": claim.value,
        "source": claim.source,
        "source_url": claim.source_url,
        "quote": claim.quote or None,
        "printed": claim.printed or None,
        "uid": claim.uid,
        "run": claim.run_uid,
        "origin": claim.origin,
        "tier": claim.tier,
        "verdict": claim.verdict,
        "audited_at": claim.audited_at.isoformat() if claim.audited_at else None,
    }


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _flat(figures: Mapping[str, Any], pairs: set[str]) -> dict[str, Any]:
    """Return figures as the cells of one row; those that are pairs in any row take two."""
    flat: dict[str, Any] = {}
    for name, value in figures.items():
        if _is_pair(value) or (value is None and name in pairs):
            low, high = value or (None, None)
            flat |= {f"{name}_low": low, f"{name}_high": high}
        elif isinstance(value, list | dict):
            flat[name] = json.dumps(value, ensure_ascii=False)
        else:
            flat[name] = value
    return flat


def write_mapping(store: Store, target: Path) -> Path:
    """Write what the columns of exported scores cannot say, as `ingest` reads it beside them.

    That is direction, aggregation, unit and bounds of every metric.

    Raises
    ------
    StoreError
        There is such a file, and it says something else.
    """
    metrics = {
        metric.label: {
            "higher_is_better": metric.higher_is_better,
            "aggregation": metric.aggregation,
        }
        | {
            name: value
            for name in ("unit", "lower", "upper")
            if (value := getattr(metric, name)) not in (None, "")
        }
        for metric in list_metrics(store)
    }
    import yaml

    path = target.with_name(f"{target.name.partition('.')[0]}.tiebreak.yaml")
    text = yaml.safe_dump({"format": "generic", "metrics": metrics}, allow_unicode=True)
    if path.exists():
        if path.read_text(encoding="utf-8") == text:  # of the same scores in another format
            return path
        raise StoreError(f"{path} exists already: name another file with --out.")
    path.write_text(text, encoding="utf-8")
    return path


def format_of(target: Path | None, stated: F | None, written: type[F]) -> F:
    """Return the format that is stated, else the one that the file's name says, else CSV.

    Parameters
    ----------
    target
        The file; ``None`` for standard output.
    stated
        What ``--format`` says, if anything.
    written
        The formats that can be written; CSV is one of them.

    Raises
    ------
    StoreError
        The name promises another format than is written.
    """
    ending = "" if target is None else target.suffix.lower()
    said = _ENDINGS.get(ending)
    names = {str(format): format for format in written}
    if ending in _OTHER_ENDINGS or (said is not None and said not in names):
        usual = {format: name for name, format in reversed(list(_ENDINGS.items()))}
        *others, last = (usual[name] for name in names)
        endings = f"{', '.join(others)} or {last}" if others else last
        raise StoreError(f"--out {target}: no file '{ending}' is written here. Call it {endings}.")
    if stated is not None and said is not None and stated != said:
        raise StoreError(
            f"--out {target} is called like {said}, but --format says {stated}. Leave --format "
            "out, or call the file otherwise."
        )
    return stated or names[said or "csv"]


def require_target(target: Path | None, format: ExportFormat) -> None:
    """Raise `StoreError` where nothing can be written; `target` is ``None`` for a stream."""
    if target is not None and target.exists():
        raise StoreError(f"{target} exists already: name another file with --out.")
    if target is not None and not target.absolute().parent.is_dir():
        raise StoreError(f"The folder {target.parent} does not exist. Make it first.")
    if format == "parquet" and target is None:
        raise StoreError("Parquet needs a file: add --out PATH.")


def write_rows(
    rows: Iterable[Mapping[str, Any]],
    target: Path | None,
    format: ExportFormat,
    stream: TextIO,
    *,
    raw: bool = False,
) -> int:
    """Write rows to a file, or to `stream`; return how many.

    In CSV no text is one that a spreadsheet would compute, unless `raw`; `ingest` reads both alike.

    Raises
    ------
    StoreError
        The target exists, its folder does not, or Parquet is asked for without a file.
    """
    require_target(target, format)
    listed = list(rows)
    columns = list(dict.fromkeys(column for row in listed for column in row))
    if format == "parquet" and target is not None:
        _write_parquet(listed, columns, target)
    elif target is None:
        _write_text(listed, columns, format, stream, raw)
    else:
        with target.open("w", encoding="utf-8", newline="") as file:
            _write_text(listed, columns, format, file, raw)
    return len(listed)


def _run_columns(run: RunRecord) -> dict[str, Any]:
    return {
        "system": run.system,
        "dataset": run.dataset,
        "dataset_version": run.dataset_version or None,
        "run": run.label or None,
        "uid": run.uid,
        "evaluated_on": run.evaluated_on.isoformat() if run.evaluated_on else None,
        "seed": run.seed,
        "harness": run.harness,
        "harness_version": run.harness_version,
        "git_commit": run.git_commit,
        "complete": run.complete,
    }


def _write_text(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    format: ExportFormat,
    file: TextIO,
    raw: bool,
) -> None:
    if format == "jsonl":
        for row in rows:
            known = {name: _known(value) for name, value in row.items()}
            file.write(json.dumps(known, ensure_ascii=False, allow_nan=False) + "\n")
        return
    safe: Callable[[Any], Any] = _known if raw else lambda cell: spreadsheet_safe(_known(cell))
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(safe, columns))
    writer.writerows([safe(row.get(name, "")) for name in columns] for row in rows)


def _known(value: Any) -> Any:
    """Return a value, or nothing where a number is not known: no file says NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _write_parquet(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], target: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    data = {column: _of_one_type([row.get(column) for row in rows]) for column in columns}
    parquet.write_table(pa.table(data), target)


def _of_one_type(cells: list[Any]) -> list[Any]:
    """Return the cells as text where words stand among numbers, as labels among ratings."""
    is_text = {isinstance(cell, str) for cell in cells if cell is not None}
    return cells if len(is_text) < 2 else [None if cell is None else str(cell) for cell in cells]
