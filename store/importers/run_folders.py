"""Which folder names the system and which the dataset, of the metrics that runs leave in folders.

A library writes files of the same names into the folder of each run: ``bert/mrpc`` beside
``bert/rte`` and ``roberta/mrpc``. The folders are told apart as the paths of tables are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import PathNames
from store.importers.file_names import naming_folders, specific_name
from store.importers.known_names import is_like_dataset
from store.importers.path_names import STEP, names_together, trimmed, without_repeats
from store.importers.places import folder_name, own_name
from store.importers.textfile import data_stem, read_text
from store.importers.tracked import names_of_run
from store.importers.yaml_nodes import parse_yaml

_OF_TASK = re.compile(r"(?:eval|test|dev|predict|all|train)_results?_([a-z]\w*)", re.IGNORECASE)
"""Files of results that are called after their task."""
_FOLD = re.compile(r"(?:.*[-_. ])?(?:fold|split|cv)[-_= ]?(\d+)", re.IGNORECASE)
_OF_SPLIT = re.compile(r"(?<![^\W_])(train|training|test|dev|valid|validation|val)[-_]")
_SPLITS = frozenset({"test", "dev", "valid", "validation", "train", "final", "best", "all"})
_WHAT = "metrics of runs"
_OVERRIDES = ".hydra/overrides.yaml"
_OF_HYDRA = re.compile(r"\d+|[\d_-]+|multirun|outputs?|runs|logs|results", re.IGNORECASE)
"""Folders that are called after a run's number, its day and hour, or after nothing."""
_FEWEST = 2
"""Systems and datasets of which folders tell which is which."""
_SEEDS = ("seed", "random_seed", "trainer.seed")


def names_of_runs(paths: Sequence[Path], answers: Mapping[str, str]) -> dict[Path, PathNames]:
    """Return what the files of runs are called after, where their folders tell it.

    Parameters
    ----------
    paths
        All files of one import with the metrics of a run.
    answers
        What was said to earlier questions.
    """
    found = {path: named for path in paths if (named := _of_task(path)) is not None}
    found |= _of_hydra(paths)
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        bare, _, _ = without_repeats(data_stem(path.name))
        says_nothing = own_name(path) == folder_name(path) or not trimmed(bare)
        if path not in found and says_nothing:
            folders.setdefault(_without_step(path.parent), []).append(path)
    by_folder = _of_folders(list(folders), answers)
    for folder, alike in folders.items():
        for path in alike:
            one = _of_file(path, by_folder.get(folder))
            found |= {path: one} if one is not None else {}
    return found


def split_beside(path: Path) -> str:
    """Return the split that a file is called after, where files beside it are of other splits."""
    match = _OF_SPLIT.search(path.name)
    if match is None:
        return ""
    others = {_OF_SPLIT.sub(f"{split}_", path.name, count=1) for split in _SPLITS} - {path.name}
    return match[1] if any(path.with_name(name).is_file() for name in others) else ""


def _without_step(folder: Path) -> Path:
    """Return the folder of a model of which a folder holds what was kept while it was trained."""
    return folder.parent if STEP.fullmatch(folder.name) else folder


def _of_file(path: Path, named: PathNames | None) -> PathNames | None:
    """Return the names of a file in a folder, with its step of training, seed or run."""
    _, label, seed = without_repeats(data_stem(path.name))
    step = path.parent.name if STEP.fullmatch(path.parent.name) else ""
    if named is None:
        around = _without_step(path.parent)
        if not (label or step) or not specific_name(around.name):
            return None
        named = PathNames(around.name, around.name, "", None, "the names of the folders")
    system = f"{named.system}@{step}" if step else named.system
    label = f"{named.run_label} {label}".strip()
    seed = named.seed if seed is None else seed
    return replace(named, system=system, run_label=label, seed=seed)


def _of_folders(folders: Sequence[Path], answers: Mapping[str, str]) -> dict[Path, PathNames]:
    """Return what folders of runs are called after; those called ``test`` after the one above."""
    idle = {one for one in folders if not trimmed(one.name) and len(folders) > 1}
    if len({folder.name for folder in folders}) == 1 and not idle:
        return _of_one_name(folders)
    above: dict[Path, list[Path]] = {}
    for folder in folders:
        above.setdefault(folder.parent if folder in idle else folder, []).append(folder)
    of_depth: dict[int, list[Path]] = {}
    for top in above:
        of_depth.setdefault(len(top.parts), []).append(top / "results.json")
    found = {}
    for places in of_depth.values():
        for place, named in _of_places(places, answers).items():
            inside = above[place.parent]
            for folder in inside:
                dataset = f"{named.dataset}/{folder.name}" if len(inside) > 1 else named.dataset
                found[folder] = _with_fold(replace(named, dataset=dataset), place.parent)
    return found


def _of_places(places: Sequence[Path], answers: Mapping[str, str]) -> dict[Path, PathNames]:
    """Return what folders as deep are called after: all together, else below each outer folder.

    ``tuned/TASK/MODEL`` and ``prompted/TASK/MODEL`` tell it one by one.
    """
    found = names_together(places, lambda _: None, answers, _WHAT)
    parts = [place.parts for place in places]
    level = next((i for i, at in enumerate(zip(*parts, strict=True)) if len(set(at)) > 1), None)
    if level is None or not any(named.questions for named in found.values()):
        return found
    outer: dict[str, list[Path]] = {}
    for place in places:
        outer.setdefault(place.parts[level], []).append(place)
    apart: dict[Path, PathNames] = {}
    for inside in outer.values():
        named = names_together(inside, lambda _: None, answers, _WHAT)
        pairs = {(one.system, one.dataset) for one in named.values()}
        n_each = [len(set(names)) for names in zip(*pairs, strict=True)]
        if not pairs or min(n_each) < _FEWEST or any(one.questions for one in named.values()):
            return found
        apart |= named
    return apart


def _with_fold(named: PathNames, folder: Path) -> PathNames:
    """Return the names with the fold of cross-validation: figures of two folds are not joined."""
    number = _FOLD.fullmatch(folder.name)
    label = f"{named.run_label} fold={int(number[1])}".strip() if number else named.run_label
    return replace(named, run_label=label)


def _of_hydra(paths: Sequence[Path]) -> dict[Path, PathNames]:
    """Return the names of runs of Hydra by what was chosen for each, as it keeps it beside them."""
    chosen = {path: one for path in paths if (one := _overrides(path.parent / _OVERRIDES))}
    keys = dict.fromkeys(key for one in chosen.values() for key in one)
    telling = [key for key in keys if len({one.get(key) for one in chosen.values()}) > 1]
    found = {}
    for path, settings in chosen.items():
        around = naming_folders(path)
        project = next((one.name for one in around if not _OF_HYDRA.fullmatch(one.name)), "")
        system, dataset = names_of_run(settings, "", project)
        named = [key for key in settings if settings[key] in (system, dataset)]
        rest = {key: settings.get(key, "") for key in telling if key not in named}
        seed = next((value for key, value in rest.items() if key in _SEEDS), "")
        told = ", ".join(f"{key}={value}" for key, value in rest.items() if key not in _SEEDS)
        system = f"{system} ({told})" if system and told else system or told or project
        label = f"seed={seed}" if seed else ""
        number = int(seed) if seed.isdigit() else None
        found[path] = PathNames(system, dataset, label, number, f"what {_OVERRIDES} says")
    return found


def _overrides(path: Path) -> dict[str, str]:
    """Return the settings in Hydra's list of what was chosen: ``- model=bert``."""
    try:
        root = parse_yaml(read_text(path, path.name)[0], path.name) if path.is_file() else None
    except ImportFormatError:
        return {}
    listed = root.plain() if root is not None else None
    pairs = [str(one).lstrip("+~").partition("=") for one in listed or []]
    return {key: value for key, _, value in pairs if value}


def _of_one_name(folders: Sequence[Path]) -> dict[Path, PathNames]:
    """Return the names of folders that are all called after one dataset."""
    found: dict[Path, PathNames] = {}
    for folder in folders:
        around = naming_folders(folder / "results.json")[1:]
        outer = next((one.name for one in around if specific_name(one.name)), "")
        if outer and is_like_dataset(folder.name):
            found[folder] = PathNames(outer, folder.name, "", None, "the names of the folders")
    return found


def _of_task(path: Path) -> PathNames | None:
    """Return the names of a file such as ``bert_mrpc/eval_results_mrpc.txt``."""
    match = _OF_TASK.fullmatch(data_stem(path.name))
    if match is None or match[1].lower() in _SPLITS:
        return None
    task = match[1]
    folder, label, seed = without_repeats(folder_name(path))
    rest = re.sub(rf"(?<![^\W_]){re.escape(task)}(?![^\W_])", "", folder, flags=re.IGNORECASE)
    system = re.sub(r"([-_. ])[-_. ]+", r"\1", rest).strip("-_. ")
    if not system:
        outer = [one.name for one in naming_folders(path)[1:] if specific_name(one.name)]
        system = outer[0] if outer else folder
    return PathNames(system, task, label, seed, "the names of file and folder")
