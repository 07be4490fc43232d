"""Logs of one model and task that ran with other settings: these tell systems and datasets apart.

A harness that keeps a log for each run states what the task was given (``task_args``), how it was
solved and how texts were generated. Where logs of one import differ in that, they are no repeats:
what chooses data is in the name of the dataset, any other setting in that of the system. Logs that
began in the same second are kept apart by the id of their task.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from store.importers.bundle import Guess, ImportBundle
from store.importers.columns import normal_name
from store.importers.metric_registry import words_of
from store.spelling import composed

_ARGUMENTS: Final = ("task_args", "solver_args")
_GENERATED: Final = words_of(
    "temperature top_p top_k max_tokens best_of frequency_penalty presence_penalty "
    "reasoning_effort reasoning_tokens effort"
)
"""Settings of generation that change the texts."""
_DATA: Final = words_of(
    "dataset dataset_name dataset_path dataset_file data_path data_file subset split language "
    "languages lang locale subject subjects category categories domain domains topic config "
    "difficulty level"
)
"""Settings that choose items, and no way of answering them."""
_NOT_TOLD: Final = words_of(
    "seed random_seed shuffle limit epochs max_samples num_samples n_samples sample_ids sample_id "
    "max_connections max_tasks max_retries sandbox debug verbose cache log_dir output_dir"
)
"""Settings that make repeats, parts or copies of a run."""
_LONGEST_VALUE: Final = 40
_LONGEST: Final = 80
"""Characters of all settings in a name; longer ones stay in the configuration of the run."""
_BECAUSE = "logs of this import had other settings"


def with_settings_apart(bundles: Sequence[ImportBundle]) -> list[ImportBundle]:
    """Return the bundles, with systems, datasets and runs named by what their logs differ in."""
    found = list(bundles)
    logs = [number for number, one in enumerate(found) if _is_log(one)]
    if len(logs) < 2:
        return found
    for number, told in _told(found, logs, on_data=True):
        found[number] = _on_dataset(found[number], told)
    for number, told in _told(found, logs, on_data=False):
        found[number] = _of_system(found[number], told)
    return _with_labels(found, logs)


def _is_log(bundle: ImportBundle) -> bool:
    """Return whether a bundle is a log of one run that states what its task was given."""
    return (
        len(bundle.datasets) == 1
        and len({(run.system, run.label) for run in bundle.runs}) == 1
        and "task_id" in (bundle.runs[0].provenance.config or {})
    )


def _settings(bundle: ImportBundle) -> dict[str, str]:
    """Return what a log was run with: name of the setting -> its value as text."""
    config = bundle.runs[0].provenance.config or {}
    stated: dict[str, Any] = {}
    for part in _ARGUMENTS:
        arguments = config.get(part)
        stated |= arguments if isinstance(arguments, Mapping) else {}
    generated = config.get("generate")
    if isinstance(generated, Mapping):
        stated |= {name: one for name, one in generated.items() if name in _GENERATED}
    stated["solver"] = config.get("solver")
    told = {name: _shown(name, value) for name, value in stated.items() if value is not None}
    return {name: value for name, value in told.items() if normal_name(name) not in _NOT_TOLD}


def _shown(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return PurePath(text).name if normal_name(name).endswith(("path", "file")) else text


def _told(
    bundles: Sequence[ImportBundle], logs: Sequence[int], *, on_data: bool
) -> Iterator[tuple[int, str]]:
    """Yield the logs that have others beside them with other settings, and what tells them apart.

    What chooses data is compared over all systems of a task, anything else over those of one.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for number in logs:
        bundle = bundles[number]
        dataset = bundle.datasets[0]
        about = (dataset.name, dataset.version, "" if on_data else bundle.runs[0].system)
        alike.setdefault(tuple(map(composed, about)), []).append(number)
    for group in alike.values():
        settings = {number: _settings(bundles[number]) for number in group}
        names = sorted({name for one in settings.values() for name in one})
        differing = [
            name
            for name in names
            if (normal_name(name) in _DATA) == on_data
            and len({one.get(name) for one in settings.values()}) > 1
            and all(len(one.get(name, "")) <= _LONGEST_VALUE for one in settings.values())
        ]
        for number, one in settings.items():
            told = ", ".join(f"{name}={one[name]}" for name in differing if name in one)
            if told and len(told) <= _LONGEST:
                yield number, told


def _on_dataset(bundle: ImportBundle, told: str) -> ImportBundle:
    dataset = bundle.datasets[0]
    name = f"{dataset.name} ({told})"
    return replace(
        bundle,
        datasets=[replace(dataset, name=name)],
        guesses=[*bundle.guesses, Guess(f"dataset of {dataset.name}", name, _BECAUSE)],
    )


def _of_system(bundle: ImportBundle, told: str) -> ImportBundle:
    former = bundle.runs[0].system
    name = f"{former} ({told})"
    stated = {"model": former, **bundle.identities.get(former, {})}
    variant = ", ".join(filter(None, (stated.get("prompt_variant", ""), told)))
    return replace(
        bundle,
        runs=[replace(run, system=name) for run in bundle.runs],
        reported_scores=[
            replace(one, system=name if one.system == former else one.system)
            for one in bundle.reported_scores
        ],
        identities={name: {**stated, "prompt_variant": variant}},
        guesses=[*bundle.guesses, Guess(f"system of {former}", name, _BECAUSE)],
    )


def _with_labels(bundles: list[ImportBundle], logs: Sequence[int]) -> list[ImportBundle]:
    """Return the bundles, with the id of the task where runs of other tasks are called alike."""
    alike: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for number in logs:
        bundle = bundles[number]
        run, dataset = bundle.runs[0], bundle.datasets[0]
        key = (*map(composed, (run.system, dataset.name, dataset.version)), run.label)
        task = str((run.provenance.config or {})["task_id"])
        alike.setdefault(key, {}).setdefault(task, []).append(number)
    found = list(bundles)
    for tasks in alike.values():
        for task, numbers in tasks.items() if len(tasks) > 1 else ():
            for number in numbers:
                runs = [replace(run, label=f"{run.label}, {task}") for run in found[number].runs]
                found[number] = replace(found[number], runs=runs)
    return found
