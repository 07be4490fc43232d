"""Runs as a file store of MLflow (``mlruns``), written without MLflow.

A run of MLflow is one trial of a run. Its metrics are the values over the items. The scores of the
items, those of all trials together, are an artefact of the first trial, which `ingest` reads.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from store.engine import Store
from store.export import write_mapping, write_rows
from store.export_runs import ExportedRun, exported_runs, new_folder

_FINISHED, _FAILED = 3, 4
_LOCAL = 4
"""What MLflow writes for a run that was started on this machine."""


def export_mlflow(store: Store, folder: Path, *, dataset: str | None = None) -> int:
    """Write the runs of a dataset, or of all, into a new folder; return how many.

    Raises
    ------
    StoreError
        The folder is not empty, or there is no such dataset.
    """
    new_folder(store, folder, dataset)
    experiments: dict[str, str] = {}
    n_runs = 0
    for _, trials in groupby(exported_runs(store, dataset), key=lambda one: one.run.uid):
        of_run = list(trials)
        known = experiments.get(of_run[0].run.dataset_uid)
        experiment = known or str(len(experiments) + 1)
        if known is None:
            experiments[of_run[0].run.dataset_uid] = experiment
            _write_experiment(folder, experiment, of_run[0])
        places = [_write_run(folder, experiment, one) for one in of_run]
        _write_scores(store, places[0] / "artifacts", of_run)
        n_runs += len(of_run)
    return n_runs


def _write_experiment(folder: Path, number: str, one: ExportedRun) -> None:
    place = folder / number
    place.mkdir()
    created = _milliseconds(one.run.created_at)
    _write_yaml(
        place,
        {
            "artifact_location": place.absolute().as_uri(),
            "creation_time": created,
            "experiment_id": number,
            "last_update_time": created,
            "lifecycle_stage": "active",
            "name": f"{one.run.dataset} {one.run.dataset_version}".strip(),
        },
    )


def _write_run(folder: Path, experiment: str, one: ExportedRun) -> Path:
    run = one.run
    uid = hashlib.sha256(f"{run.uid}/{one.trial}".encode()).hexdigest()[:32]
    place = folder / experiment / uid
    moment = _milliseconds(run.evaluated_on or run.created_at)
    place.mkdir()
    _write_yaml(
        place,
        {
            "artifact_uri": (place / "artifacts").absolute().as_uri(),
            "end_time": moment,
            "entry_point_name": "",
            "experiment_id": experiment,
            "lifecycle_stage": "active",
            "run_id": uid,
            "run_name": f"{run.system} {one.name}",
            "run_uuid": uid,
            "source_name": run.command or "",
            "source_type": _LOCAL,
            "source_version": run.git_commit or "",
            "start_time": moment,
            "status": _FINISHED if run.complete else _FAILED,
            "tags": [],
            "user_id": "",
        },
    )
    params = {
        "system": run.system,
        "dataset": run.dataset,
        "dataset_version": run.dataset_version,
        "seed": run.seed,
    }
    # Settings are tags: as parameters they would name the system when the run goes in again.
    tags = {
        "mlflow.runName": f"{run.system} {one.name}",
        "mlflow.source.git.commit": run.git_commit,
    }
    tags |= {f"config.{name}": value for name, value in (run.config or {}).items()}
    _write_values(place / "params", params)
    _write_values(place / "tags", tags)
    metrics = {found.metric.label: f"{moment} {found.value!r} 0\n" for found in one.scores}
    _write_values(place / "metrics", metrics)
    (place / "artifacts").mkdir()
    return place


def _write_scores(store: Store, folder: Path, trials: list[ExportedRun]) -> None:
    """Write the scores of the items as a table, with what its columns cannot say."""
    rows = [
        {
            "system": one.run.system,
            "dataset": one.run.dataset,
            "dataset_version": one.run.dataset_version or None,
            "run": one.run.label or None,
            "trial": one.trial,
            "item": item.key,
            "group": item.group,
            "metric": found.metric.label,
            "score": float(found.scores[item.position]),
        }
        for one in trials
        for found in one.scores
        for item in one.items
        if not np.isnan(found.scores[item.position])
    ]
    with (folder / "scores.jsonl").open("w", encoding="utf-8") as stream:
        write_rows(rows, None, "jsonl", stream)
    write_mapping(store, folder / "scores.jsonl")


def _write_values(folder: Path, values: Mapping[str, Any]) -> None:
    """Write a file for each value, as MLflow does for metrics, parameters and tags."""
    folder.mkdir()
    for name, value in values.items():
        if value in (None, ""):
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        path = folder / _allowed(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def _write_yaml(folder: Path, content: Mapping[str, Any]) -> None:
    text = yaml.safe_dump(dict(content), allow_unicode=True)
    (folder / "meta.yaml").write_text(text, encoding="utf-8")


def _allowed(name: str) -> str:
    """Return a name with what MLflow allows in one; a dot or slash leads nowhere else."""
    parts = [re.sub(r"[^\w. -]", "_", part) for part in name.split("/")]
    return "/".join(part if part.strip(". ") else "_" for part in parts)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
