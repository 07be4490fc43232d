"""Results of Terminal-Bench: a ``results.json`` for each run of an agent over the tasks.

The runs of one submission lie in folders side by side; each is a trial. A submission is a folder
``DATE_SYSTEM``; elsewhere, as the harness writes them, it is the runs of one agent and model. Where
a run has no file of its own, those of its trials are read, ``RUN/TASK/TASK.1-of-5/results.json``.
A trial without a verdict (``is_resolved: null``) is missing with the status *error*; the board
counts it as unresolved, and so does ``--missing zero``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    Guess,
    ImportBundle,
    Provenance,
    ReadOptions,
    SourceFile,
    Status,
)
from store.importers.cells import LARGEST, CellError, parse_date
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_stem, data_suffix, peek_json, read_json

NAME = "terminal_bench"
DESCRIPTION = "results.json of Terminal-Bench: a run of an agent over the tasks"
DATASET = "Terminal-Bench"
_METRICS = (
    BundleMetric("resolved", higher_is_better=True, unit="proportion", lower=0.0, upper=1.0),
    BundleMetric("duration", higher_is_better=False, lower=0.0),
    BundleMetric("input_tokens", higher_is_better=False, lower=0.0),
    BundleMetric("output_tokens", higher_is_better=False, lower=0.0),
)
_DATED = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})[_-](.*[A-Za-z].*)")
_TRIAL = re.compile(r"\.\d+-of-\d+(\.|$)")
_RELEASE = re.compile(r"terminal-bench(?:-core)?[:=@]+(v?\d[\d.]*)")
_FAILED = {
    "agent_timeout": Status.TIMED_OUT,
    "test_timeout": Status.JUDGE_FAILED,
    "parse_error": Status.JUDGE_FAILED,
}
"""Modes of failure, of a trial that was not solved: the tests are its judge."""
_ABOVE = 3
"""Folders, from that of the run upwards, of which one may name the submission."""
_VARIANT = re.compile(r"\.(easy|hard|base_with_hint)$")


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether JSON holds trials of tasks."""
    if data_suffix(path) != ".json":
        return False
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    results = content.get("results") if isinstance(content, dict) else None
    if isinstance(content, dict) and {"task_id", "trial_name"} <= content.keys():
        return True
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, dict) and {"task_id", "is_resolved"} <= first.keys()


def _outcome(record: Mapping[str, Any]) -> Status:
    """Return the outcome of a trial; one that was solved before its time was over has answered."""
    if record["is_resolved"]:
        return Status.OK
    usual = Status.OK if record["is_resolved"] is not None else Status.ERROR
    return _FAILED.get(str(record.get("failure_mode")), usual)


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Join the runs of a submission; trials of a run that has a file of its own are left to it."""
    submissions: dict[tuple[Path, str, str], list[Path]] = {}
    runs = {_run_of(path) for path in paths if not _is_trial(path)}
    for path in paths:
        run = _run_of(path)
        is_loose = _is_trial(path) and run not in runs
        folder = _submission_of(run, is_loose)
        is_named = _DATED.fullmatch(folder.name)
        agent, version = ("", "") if is_named else (_agent(run), _version(path))
        submissions.setdefault((folder, agent, version), []).append(path)
    return [sorted(found) for found in submissions.values()]


def _is_trial(path: Path) -> bool:
    return _TRIAL.search(path.parent.name) is not None


def _run_of(path: Path) -> Path:
    folder = path.resolve().parent
    return folder.parent.parent if _is_trial(path) else folder


def _submission_of(run: Path, is_alone: bool) -> Path:
    """Return the folder that names date and system; without one, that around the runs."""
    dated = [one for one in (run, *run.parents)[:_ABOVE] if _DATED.fullmatch(one.name)]
    return dated[-1] if dated else run if is_alone else run.parent


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the runs of one submission; tasks that a run tried several times have more trials.

    Raises
    ------
    ImportFormatError
        A trial names no task, or its verdict is neither true, false nor null.
    """
    settings = load_settings(paths[0], shown[paths[0]], options)
    system, date, guesses = _named(settings, paths)
    system = settings.canonical(system)
    files, trials, stated, n_other = [], [], [], 0
    runs = {_run_of(path) for path in paths if not _is_trial(path)}
    single: dict[Path, list[Any]] = {}
    for path in paths:
        content, sha256 = read_json(path, shown[path])
        files.append(SourceFile(shown[path], sha256))
        if "results" not in content:
            single.setdefault(_run_of(path), []).append(content)
            continue
        of_file = _trials(content["results"], shown[path])
        trials += of_file
        accuracy = content.get("accuracy")
        if isinstance(accuracy, float) and 0 <= accuracy <= 1:
            folder, stem = path.resolve().parent.name, data_stem(path.name)
            n_items, run = len(content["results"]), folder if stem == "results" else stem
            stated.append(
                BundleReportedScore(
                    system, 0, 0, accuracy, None, n_items, date, run, printed=repr(accuracy)
                )
            )
            verdicts = [record["is_resolved"] for trial in of_file for record in trial.values()]
            judged = [verdict for verdict in verdicts if verdict is not None]
            n_other += bool(judged) and abs(sum(judged) / len(judged) - accuracy) > 1e-9
    for run_folder in sorted(single.keys() - runs):
        trials += _trials(single[run_folder], shown[paths[0]])
    keys = sorted({key for trial in trials for key in trial})
    index = {key: i for i, key in enumerate(keys)}
    scores: list[BundleScores] = []
    statuses = {}
    for number, trial in enumerate(trials):
        status = np.full(len(keys), Status.NOT_ATTEMPTED, np.uint8)
        values = np.full((len(_METRICS), len(keys), 1), np.nan)
        for key, record in trial.items():
            at = index[key]
            verdict = record["is_resolved"]
            status[at] = _outcome(record)
            values[0, at] = np.nan if verdict is None else float(verdict)
            if verdict is not None:
                values[1:, at, 0] = _costs(record)
        statuses[number] = status
        kept = [n for n in range(len(_METRICS)) if n == 0 or np.isfinite(values[n]).any()]
        scores += [BundleScores(n, values[n], number) for n in kept]
    version = _version(paths[0])
    n_without = sum(record["is_resolved"] is None for t in trials for record in t.values())
    told = [f"{len(trials)} trials of {len(keys)} tasks; resolved is 1, unresolved 0."]
    if n_without:
        told.append(f"{n_without} trials have no verdict: missing.")
    if n_repeated := sum(len(records) for run, records in single.items() if run in runs):
        told.append(f"{n_repeated} files of single trials repeat those of their runs.")
    if n_other:
        told.append(
            f"{n_other} of {len(runs)} runs state another accuracy than their verdicts give: the "
            "board counts a trial without a verdict as unresolved, as --missing zero does."
        )
    used = sorted({one.metric for one in scores})
    scores = [replace(one, metric=used.index(one.metric)) for one in scores]
    metrics = [_METRICS[number] for number in used]
    items = tuple(BundleItem(key, group=_VARIANT.sub("", key)) for key in keys)
    mapping = settings.mapping
    return ImportBundle(
        NAME,
        [*files, *([mapping.source_file] if mapping.source_file else [])],
        datasets=[settings.dataset_of(settings.dataset or DATASET, items, version=version)],
        metrics=metrics,
        runs=[
            BundleRun(
                system,
                0,
                settings.run_label or "",
                scores,
                statuses,
                provenance=_provenance(settings, date),
            )
        ],
        reported_scores=stated,
        overlaps=mapping.overlaps,
        aliases=mapping.aliases,
        understood=told,
        guesses=guesses,
    )


def _trials(records: Sequence[Any], shown: str) -> list[dict[str, Mapping[str, Any]]]:
    """Return task -> record for each trial; a task that stands again belongs to the next one."""
    trials: list[dict[str, Mapping[str, Any]]] = []
    times: dict[str, int] = {}
    for number, record in enumerate(records):
        place = f"results[{number}]"
        key = record.get("task_id") if isinstance(record, dict) else None
        if not isinstance(key, str) or not key:
            raise ImportFormatError("the trial names no task.", path=shown, field=place)
        if record.get("is_resolved") not in (True, False, None):
            reason = f"is_resolved is {record['is_resolved']!r}; it must be true, false or null."
            raise ImportFormatError(reason, path=shown, field=place)
        trial = times[key] = times.get(key, -1) + 1
        if trial == len(trials):
            trials.append({})
        trials[trial][key] = {"is_resolved": None, **record}
    return trials


def _version(path: Path) -> str:
    """Return the version of the tasks, from ``run_metadata.json`` of a run or a folder above."""
    run = _run_of(path)
    stated = _metadata(run).get("dataset_version")
    named = (_RELEASE.fullmatch(folder.name) for folder in run.parents)
    return str(stated or "") or next((match[1] for match in named if match), "")


def _agent(run: Path) -> str:
    """Return the agent of a run with its model, ``agent (org/model)``; empty: nothing says it."""
    stated = _metadata(run)
    agent, model = (str(stated.get(name) or "") for name in ("agent_name", "model_name"))
    return f"{agent} ({model})" if agent and model else agent or model


def _metadata(run: Path) -> Mapping[str, Any]:
    """Return what the harness writes of a run beside its results, if it did."""
    path = run / "run_metadata.json"
    try:
        content = read_json(path, path.name)[0] if path.is_file() else None
    except ImportFormatError:
        return {}
    return content if isinstance(content, dict) else {}


def _costs(record: Mapping[str, Any]) -> list[float]:
    """Return seconds and tokens; tokens of 0 were not counted by the agent."""
    try:
        start = parse_date(str(record.get("agent_started_at")))[0]
        end = parse_date(str(record.get("agent_ended_at")))[0]
        seconds = (end - start).total_seconds()
    except CellError:
        seconds = np.nan
    tokens = [record.get(f"total_{name}_tokens") for name in ("input", "output")]
    return [seconds, *map(_count, tokens)]


def _count(told: Any) -> float:
    """Return a number of tokens; NaN where none was counted, or none that a number can hold."""
    is_counted = isinstance(told, int) and 0 < told <= LARGEST
    return float(told) if is_counted else np.nan


def _named(settings: Settings, paths: Sequence[Path]) -> tuple[str, datetime | None, list[Guess]]:
    """Return system and date, of the submission's folder, or else of what a run states."""
    run = _run_of(paths[0])
    folder = _submission_of(run, len(paths) == 1 or all(map(_is_trial, paths)))
    match = _DATED.fullmatch(folder.name)
    date = None
    if match:
        try:
            date = parse_date("-".join(match.groups()[:3]))[0]
        except CellError:
            match = None
    agent = "" if match else _agent(run)
    if settings.system or agent:
        return settings.system or agent, date, []
    name = match[4] if match else folder.name
    return name, date, [Guess("system", name, "the name of the folder")]


def _provenance(settings: Settings, date: datetime | None) -> Provenance:
    stated = replace(settings.provenance, harness="terminal-bench")
    if stated.evaluated_on is not None or date is None:
        return stated
    return replace(stated, evaluated_on=date, tz_assumed=True)
