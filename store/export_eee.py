"""Runs as records of Every Eval Ever: a JSON file each, with the lines of its items beside it.

Version 0.3.0 of its schemas. A record is one trial of a run on one metric, since a line of items
has one score; records of one run have one evaluation id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from store.engine import Store
from store.export_runs import ExportedRun, ScoredMetric, exported_runs, file_name, new_folder
from store.records import ItemRecord, MetricRecord

SCHEMA = "0.3.0"
_UNKNOWN = "unknown"


def export_eee(store: Store, folder: Path, *, dataset: str | None = None) -> int:
    """Write the runs of a dataset, or of all, into a new folder; return how many records.

    Raises
    ------
    StoreError
        The folder is not empty, or there is no such dataset.
    """
    new_folder(store, folder, dataset)
    n_records = 0
    for one in exported_runs(store, dataset):
        organisation, model = _model(one.run.system)
        place = folder / file_name(one.run.dataset) / file_name(organisation) / file_name(model)
        place.mkdir(parents=True, exist_ok=True)
        for scored in one.scores:
            n_records += 1
            _write(one, scored, place / f"{one.run.uid}-{n_records}", folder)
    return n_records


def _write(one: ExportedRun, scored: ScoredMetric, stem: Path, folder: Path) -> None:
    """Write a record and the lines of its items."""
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(one, scored))
    samples = stem.with_name(f"{stem.name}_samples.jsonl")
    samples.write_text(lines, encoding="utf-8", newline="")
    record = _record(one, scored) | {
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": samples.relative_to(folder).as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(lines.encode()).hexdigest(),
            "total_rows": lines.count("\n"),
        }
    }
    text = json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False)
    stem.with_name(f"{stem.name}.json").write_text(text + "\n", encoding="utf-8")


def _model(system: str) -> tuple[str, str]:
    """Return organisation and model of a name such as ``"org/model"``."""
    organisation, found, model = system.partition("/")
    return (organisation, model) if found else (_UNKNOWN, system)


def _record(one: ExportedRun, scored: ScoredMetric) -> dict[str, Any]:
    run = one.run
    organisation, model = _model(run.system)
    generation = {
        str(name): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in (run.config or {}).items()
    }
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _identifier(one),
        **({"evaluation_timestamp": _seconds(run.evaluated_on)} if run.evaluated_on else {}),
        "retrieved_timestamp": _seconds(run.created_at),
        "source_metadata": {
            "source_name": "Tiebreak",
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": run.harness or _UNKNOWN,
            "version": run.harness_version or _UNKNOWN,
        },
        "model_info": {
            "name": model,
            "id": run.system,
            **({"developer": organisation} if organisation != _UNKNOWN else {}),
            "additional_details": {
                "deployment_type": _UNKNOWN,
                "model_availability": _UNKNOWN,
            },
        },
        "evaluation_results": [_result(one, scored, generation)],
    }


def _result(one: ExportedRun, scored: ScoredMetric, generation: dict[str, str]) -> dict[str, Any]:
    run, metric = one.run, scored.metric
    details = {"dataset_version": run.dataset_version} if run.dataset_version else {}
    config = {
        "metric_id": metric.label,
        "metric_name": metric.label,
        "metric_unit": metric.unit or None,
        "lower_is_better": not metric.higher_is_better,
        "score_type": "continuous",
        "min_score": "-Infinity" if metric.lower is None else metric.lower,
        "max_score": "Infinity" if metric.upper is None else metric.upper,
    }
    return {
        "evaluation_result_id": _result_id(one, metric),
        "evaluation_name": run.dataset,
        "source_data": {
            "dataset_name": run.dataset,
            "source_type": "other",
            **({"additional_details": details} if details else {}),
        },
        "metric_config": {name: said for name, said in config.items() if said is not None},
        "score_details": {
            "score": scored.value,
            "uncertainty": {"num_samples": int((~np.isnan(scored.scores)).sum())},
        },
        **({"generation_config": {"additional_details": generation}} if generation else {}),
    }


def _lines(one: ExportedRun, scored: ScoredMetric) -> Iterator[dict[str, Any]]:
    """Yield a line for each item that has a score."""
    for item in one.items:
        score = float(scored.scores[item.position])
        if not np.isnan(score):
            yield _line(one, scored.metric, item, score)


def _line(one: ExportedRun, metric: MetricRecord, item: ItemRecord, score: float) -> dict[str, Any]:
    reference, output = one.references.get(item.position), one.outputs.get(item.position)
    details = {str(name): str(value) for name, value in (item.metadata or {}).items()}
    details |= {"group": item.group} if item.group is not None else {}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _identifier(one),
        "model_id": one.run.system,
        "evaluation_name": one.run.dataset,
        "evaluation_result_id": _result_id(one, metric),
        "sample_id": item.key,
        "sample_hash": None,
        "interaction_type": "single_turn",
        "input": {
            "raw": one.inputs.get(item.position, ""),
            "reference": [] if reference is None else [reference],
        },
        "output": {"raw": [] if output is None else [output]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == metric.upper},
        "metadata": details or None,
    }


def _identifier(one: ExportedRun) -> str:
    return f"{one.run.dataset}/{one.run.system}/{one.name}"


def _result_id(one: ExportedRun, metric: MetricRecord) -> str:
    return f"{_identifier(one)}/{metric.label}"


def _seconds(moment: datetime) -> str:
    return str(int(moment.timestamp()))
