"""Runs of an experiment tracker: each states figures, and the settings that it had.

A system is the model that the settings name. Runs of one model with other settings are other
systems, told apart by what differs; runs that differ in their seed only are repeats of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from store.importers.bundle import Guess
from store.importers.cells import is_missing
from store.importers.columns import normal_name
from store.importers.figures import Figure, Figures
from store.importers.identity import identity_of
from store.importers.known_metrics import lookup
from store.importers.no_metrics import no_metric_by_name

_MODELS = (
    "system", "model", "model_name", "model_id", "model_label", "model_name_or_path", "base_model",
    "pretrained_model", "llm", "llm_model", "architecture", "arch",
)  # fmt: skip
_DATASETS = (
    "dataset", "dataset_name", "eval_dataset", "benchmark", "task", "task_name", "dataset_id",
    "corpus",
)  # fmt: skip
_VERSIONS = ("dataset_version", "benchmark_version", "task_version")
_REPEATS = {"seed", "random_seed", "random_state", "run", "run_id", "trial", "run_name", "name"}
_MEASURED = frozenset(
    ["train", "training", "val", "valid", "validation", "dev", "eval", "test", "metric", "metrics"]
)
_OF_SETTINGS = frozenset(
    ["config", "configuration", "args", "arguments", "params", "parameters", "settings", "setup",
     "metadata", "meta", "info", "run", "run_info", "experiment", "eval_config", "run_config"]
)  # fmt: skip
"""Under which the settings of a run stand beside its figures."""
_LONGEST = 60
"""Characters of the settings in the name of a system."""
_OF_PROJECT = "the name of the project or file"
_OF_RUN = "the name of the run"
OF_NAMES = (_OF_PROJECT, _OF_RUN)
"""What a guess rests on where no setting says it."""
COUNTERS = frozenset({"epoch", "epochs", "iter", "iteration", "step", "steps", "global_step"})
"""How far a run went: neither a figure nor a setting."""
_OF_TRAINING = COUNTERS | {"grad_norm", "total_flos", "num_input_tokens_seen"}


@dataclass(frozen=True, slots=True)
class TrackedRun:
    """A finished run."""

    name: str
    run_id: str
    project: str
    settings: Mapping[str, str]
    figures: Mapping[str, Any]
    """Metric -> its last value."""
    ended: datetime | None = None
    line: int | None = None
    shown: str = ""
    is_system: bool = False
    """The name stands for the system, as people name the runs of an ablation."""


def is_metric(name: str) -> bool:
    """Return whether a figure of a run is a score: well-known, or measured on a split."""
    if is_about_the_run(name):
        return False
    first, found, _ = name.lower().replace("/", ".").partition(".")
    is_called = name.lower().startswith(("metric_", "metrics_"))
    return lookup(name) is not None or is_called or (bool(found) and first in _MEASURED)


def is_about_the_run(name: str) -> bool:
    """Return whether a figure tells how far a run went or what the machine did."""
    last = name.rpartition("/")[2]
    is_counter = normal_name(last) in _OF_TRAINING or name.startswith(("_", "system/"))
    return is_counter or no_metric_by_name(name) is not None


def add_runs(runs: Sequence[TrackedRun], figures: Figures, tracker: str) -> list[Guess]:
    """Add the figures of runs; return what was guessed of systems and datasets."""
    guesses: dict[tuple[str, str], str] = {}
    runs = [run for run in runs if _has_measured(run)]
    named = _names(runs)
    own = figures.settings
    for run, (system, because) in zip(runs, named, strict=True):
        dataset = next((run.settings[k] for k in _keys(run, _DATASETS)), "")
        if not dataset:
            guesses["dataset", run.project] = _OF_PROJECT
        if own.system is None:
            guesses["system", "each run's name" if run.is_system else system] = because
        source = f"{tracker} run {run.name} ({run.run_id})".lstrip() if run.run_id else run.name
        for metric, value in run.figures.items():
            if is_about_the_run(metric) or own.metric not in (None, metric):
                continue
            figures.add(
                Figure(
                    own.system or system,
                    own.dataset or dataset or run.project,
                    metric,
                    value,
                    line=run.line,
                    column=metric,
                    version=next((run.settings[k] for k in _keys(run, _VERSIONS)), ""),
                    reported_on=run.ended,
                    source=source,
                    shown=run.shown,
                )
            )
    if own.dataset is not None:
        guesses = {key: value for key, value in guesses.items() if key[0] != "dataset"}
    return [Guess(role, value, because) for (role, value), because in guesses.items()]


def _has_measured(run: TrackedRun) -> bool:
    """Return whether a run states a figure; one that only holds other runs has none."""
    return any(
        not is_missing(value) and not is_about_the_run(metric)
        for metric, value in run.figures.items()
    )


def model_said(content: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the model that an entry beside the figures names, and what that entry is called."""
    return _said(content, _MODELS)


def dataset_said(content: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the dataset that an entry beside the figures names, and what that entry is called."""
    return _said(content, _DATASETS)


def _said(content: Mapping[str, Any], wanted: Sequence[str]) -> tuple[str, str] | None:
    """Return the name that an entry states, at the top or among the settings of the run."""
    around = [content, *(v for k, v in content.items() if normal_name(k) in _OF_SETTINGS)]
    for entries in around:
        if isinstance(entries, Mapping):
            by_name = {normal_name(key): key for key in entries}
            for key in (by_name[name] for name in wanted if name in by_name):
                if text := _name_in(entries[key]):
                    return text, key
    return None


def _name_in(value: Any) -> str:
    """Return the name that a text is, or that an object has: ``{"name": "bert", "size": 3}``."""
    if isinstance(value, Mapping):
        value = value.get("name", value.get("id"))
    return value.strip() if isinstance(value, str) else ""


def names_of_run(settings: Mapping[str, str], name: str, project: str) -> tuple[str, str]:
    """Return system and dataset of a run by its settings, else by its own name and its project."""
    run = TrackedRun(name, "", project, settings, {})
    model = next((settings[key] for key in _keys(run, _MODELS)), "")
    return model or name, next((settings[key] for key in _keys(run, _DATASETS)), "") or project


def names_model(settings: Mapping[str, str]) -> bool:
    """Return whether settings say which model it was."""
    return any(settings.values()) and not {normal_name(key) for key in settings}.isdisjoint(_MODELS)


def _keys(run: TrackedRun, wanted: Sequence[str]) -> list[str]:
    """Return the settings of a run that are called so, the surest first."""
    by_name = {normal_name(key): key for key, value in run.settings.items() if value}
    return [by_name[name] for name in wanted if name in by_name]


def _names(runs: Sequence[TrackedRun]) -> list[tuple[str, str]]:
    """Return for each run its system and what the name rests on."""
    models = [
        (run.name, _OF_RUN)
        if run.is_system or not (keys := _keys(run, _MODELS))
        else (identity_of(run.settings[keys[0]], {}).model, f"its setting '{keys[0]}'")
        for run in runs
    ]
    named = []
    for run, (model, because) in zip(runs, models, strict=True):
        alike = [r for r, other in zip(runs, models, strict=True) if other[0] == model]
        differing = _differing(alike)
        told = ", ".join(f"{key}={run.settings.get(key, '')}" for key in differing)
        if not told:
            named.append((model, because))
        elif len(told) > _LONGEST:
            named.append((f"{model} ({run.name})", "runs of this model had other settings"))
        else:
            named.append((f"{model} ({told})", "runs of this model had other settings"))
    return named


def _differing(runs: Sequence[TrackedRun]) -> list[str]:
    """Return the settings in which runs differ, but for seeds and data."""
    keys = sorted({key for run in runs for key in run.settings})
    return [
        key
        for key in keys
        if normal_name(key) not in {*_REPEATS, *_DATASETS, *_VERSIONS, *_MODELS}
        and len({run.settings.get(key, "") for run in runs}) > 1
    ]
