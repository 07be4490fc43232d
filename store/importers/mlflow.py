"""MLflow's store of runs: its folder ``mlruns``, or its SQLite file.

Both are read as they lie on the disk; MLflow itself is not needed. The value of a metric is its
last one, by step and then by time, as MLflow shows it.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import ImportBundle, ReadOptions, RowProblems, SourceFile
from store.importers.figures import Figures
from store.importers.settings import load_settings
from store.importers.textfile import peek_text, read_bytes, read_text
from store.importers.tracked import TrackedRun, add_runs
from store.importers.yaml_nodes import parse_yaml

NAME = "mlflow"
DESCRIPTION = "MLflow's store of runs: a folder mlruns, or a SQLite file"
SCHEME = "mlflow:"
"""Stands before the place of a store, as in ``mlflow://mlruns``."""
_PARTS = ("metrics", "params", "tags")
_FINISHED = ("3", "FINISHED")
_SQLITE = b"SQLite format 3\0"
_TABLES = {"experiments", "runs", "latest_metrics", "params"}


def local_path(given: Path) -> Path:
    """Return the place of a store that is written as ``mlflow://PLACE``; others as they are."""
    text = str(given)
    if not text.startswith(SCHEME):
        return given
    place = text.removeprefix(SCHEME).lstrip("/")  # a path has no double slashes
    return Path(place) if Path(place).exists() else Path("/", place)


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file belongs to a run or an experiment, or is a database of MLflow."""
    return _run_of(path) is not None or _is_experiment(path) or _is_database(path)


def _run_of(path: Path) -> Path | None:
    """Return the folder of the run that a file belongs to, unless it is an artefact."""
    if path.name == "meta.yaml":
        return path.parent if (path.parent / "metrics").is_dir() else None
    for folder in path.parents:
        if folder.name in _PARTS and (folder.parent / "meta.yaml").is_file():
            return folder.parent
    return None


def _is_experiment(path: Path) -> bool:
    if path.name != "meta.yaml":
        return False
    try:
        return "experiment_id:" in peek_text(path)
    except ImportFormatError:
        return False


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) != _SQLITE:
                return False
        with closing(_connect(path)) as database:
            tables = "SELECT name FROM sqlite_master WHERE type = 'table'"  # a view may never end
            return {row[0] for row in database.execute(tables)} >= _TABLES
    except (OSError, sqlite3.Error):
        return False


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Join the files of a store: all its experiments and their runs."""
    stores: dict[Path, list[Path]] = {}
    for path in paths:
        run = _run_of(path)
        root = run.parent.parent if run else path.parent.parent if path.suffix == ".yaml" else path
        stores.setdefault(root, []).append(path)
    return list(stores.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the finished runs of a store.

    Raises
    ------
    NoResultsError
        No finished run has a metric.
    ImportFormatError
        A file of a run is damaged.
    """
    first = paths[0]
    settings = load_settings(first, shown[first], options)
    files: list[SourceFile] = []
    if _is_database(first):
        files.append(SourceFile(shown[first], read_bytes(first, shown[first]).sha256))
        runs, n_unfinished = _from_database(first, shown[first])
    else:
        runs, n_unfinished = _from_folders(paths, shown, files)
    figures = Figures(settings, RowProblems(options.lenient))
    guesses = add_runs(runs, figures, "MLflow")
    if not figures.figures:
        raise NoResultsError("no finished run has a metric.", path=shown[first])
    told = [f"{len(runs)} finished runs; the value of a metric is its last one."]
    if n_unfinished:
        told.append(f"{n_unfinished} runs did not finish or were deleted, and were left out.")
    mapping = settings.mapping.source_file
    return figures.bundle(NAME, [*files, *([mapping] if mapping else [])], told, guesses)


def _from_folders(
    paths: Sequence[Path], shown: Mapping[Path, str], files: list[SourceFile]
) -> tuple[list[TrackedRun], int]:
    by_run: dict[Path, dict[str, dict[str, Path]]] = {}
    for path in sorted(paths):
        folder = _run_of(path)
        if folder is None:
            continue
        parts = by_run.setdefault(folder, {name: {} for name in _PARTS})
        inside = path.relative_to(folder).parts
        if inside[0] in _PARTS:
            parts[inside[0]]["/".join(inside[1:])] = path
    runs, n_unfinished = [], 0
    for folder, parts in by_run.items():
        meta = _yaml(folder / "meta.yaml")
        if str(meta.get("status")) not in _FINISHED or meta.get("lifecycle_stage") == "deleted":
            n_unfinished += 1
            continue
        metrics = {}
        for name, path in parts["metrics"].items():
            metrics[name], sha256 = _last_value(path, shown[path])
            files.append(SourceFile(shown[path], sha256))
        tags = {name: _content(path) for name, path in parts["tags"].items()}
        experiment = _yaml(folder.parent / "meta.yaml")
        runs.append(
            TrackedRun(
                str(meta.get("run_name") or tags.get("mlflow.runName") or folder.name),
                folder.name[:8],
                str(experiment.get("name") or folder.parent.name),
                {name: _content(path) for name, path in parts["params"].items()},
                metrics,
                _moment(meta.get("end_time")),
                shown=next((shown[path] for path in parts["metrics"].values()), ""),
            )
        )
    return runs, n_unfinished


def _last_value(path: Path, shown: str) -> tuple[float, str]:
    """Return the last value of a metric's file: lines of time, value and step."""
    text, sha256 = read_text(path, shown)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split()
        if not cells:
            continue
        try:
            time, value = int(cells[0]), float(cells[1])
            found.append((int(cells[2]) if len(cells) > 2 else 0, time, number, value))
        except (ValueError, IndexError):
            reason = f"{line[:80]!r} is not a time, a value and a step."
            raise ImportFormatError(reason, path=shown, line=number) from None
    value = max(found)[3]
    return (value if math.isfinite(value) else math.nan), sha256


def _from_database(path: Path, shown: str) -> tuple[list[TrackedRun], int]:
    with closing(_connect(path)) as database:
        try:
            experiments = dict(database.execute("SELECT experiment_id, name FROM experiments"))
            rows = database.execute(
                "SELECT run_uuid, name, experiment_id, status, end_time, lifecycle_stage FROM runs "
                "ORDER BY start_time, run_uuid"
            ).fetchall()
            metrics = _by_run(
                database,
                "SELECT run_uuid, key, CASE WHEN is_nan THEN NULL ELSE value END "
                "FROM latest_metrics ORDER BY key",
            )
            params = _by_run(database, "SELECT run_uuid, key, value FROM params ORDER BY key")
        except sqlite3.Error as error:
            reason = f"cannot be read as a store of MLflow: {error}."
            raise ImportFormatError(reason, path=shown) from None
    runs = [
        TrackedRun(
            str(name or uid),
            str(uid)[:8],
            str(experiments.get(experiment, experiment)),
            {key: str(value) for key, value in params.get(uid, {}).items()},
            metrics.get(uid, {}),
            _moment(end),
            shown=shown,
        )
        for uid, name, experiment, status, end, stage in rows
        if str(status) in _FINISHED and stage != "deleted"
    ]
    return runs, len(rows) - len(runs)


def _by_run(database: sqlite3.Connection, query: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for uid, key, value in database.execute(query):
        found.setdefault(uid, {})[key] = value
    return found


def _yaml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    node = parse_yaml(read_text(path, path.name)[0], path.name)
    return node.plain() if node is not None and node.is_mapping else {}


def _content(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _moment(stated: Any) -> datetime | None:
    """Return the moment of milliseconds since 1970."""
    try:
        return datetime.fromtimestamp(int(stated) / 1000, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
