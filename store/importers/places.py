"""What a file or its folder is called, for formats that name neither system nor dataset."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from store.importers.file_names import naming_folders, specific_name
from store.importers.known_names import is_like_dataset
from store.importers.metric_registry import words_of
from store.importers.textfile import data_stem, data_suffix

_NO_NAMES = words_of(
    """junit report reports result results test tests test-results test-reports pytest target build
    surefire-reports out output outputs coverage testsuite unit unittest xunit wandb files mlruns
    data raw latest-run wandb-summary summary scores eval evaluation bleu sacrebleu metrics
    eval_results eval_result eval-results test_results evaluation_results all_results eval_metrics
    test_metrics evals predict_results train_results runs logs experiments
    models cache submission submissions classification_report classification-report clf_report
    class_report"""
)
"""Words that say what is in a file or folder, not what it is about."""


def folder_name(path: Path) -> str:
    """Return the nearest folder above a file that is called after something."""
    names = (folder.name for folder in naming_folders(path.resolve()))
    return next((name for name in names if name and name.lower() not in _NO_NAMES), "results")


def folder_of_system(path: Path) -> str:
    """Return the nearest folder above a file that may be called after a system, not a dataset."""
    names = (folder.name for folder in naming_folders(path.resolve()))
    telling = [name for name in names if name and name.lower() not in _NO_NAMES]
    others = (name for name in telling if not is_like_dataset(specific_name(name) or name))
    return next(others, telling[0] if telling else "results")


def own_name(path: Path) -> str:
    """Return the name of a file without extensions, or its folder's where it says nothing."""
    stem = data_stem(path.name)
    stem = path.stem if path.suffix in (".xml", ".yaml", ".yml") else stem
    says_nothing = stem.lower() in _NO_NAMES or stem.startswith("TEST-")
    return folder_name(path) if says_nothing else stem


def has_fellows(path: Path) -> bool:
    """Return whether two files or more of a folder, of one kind, are called after something."""
    return len(fellows(path, most=2)) > 1


def fellows(path: Path, most: int = 1_000) -> list[str]:
    """Return what files of a folder, of one kind, are called, where that says something."""
    suffix, folder = data_suffix(path), folder_name(path)
    with os.scandir(path.parent) as entries:
        files = (Path(entry.path) for entry in entries if entry.name.endswith(suffix))
        return list(islice((name for one in files if (name := own_name(one)) != folder), most))
