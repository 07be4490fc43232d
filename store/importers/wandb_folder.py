"""Runs as W&B keeps them on the disk: ``PROJECT/wandb/run-DATE-ID/files/wandb-summary.json``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from store.importers.places import folder_name

SUMMARY = "wandb-summary.json"
_RUN = re.compile(r"(offline-)?run-\d{8}_\d{6}-\w+")
_LATEST = "latest-run"


def run_and_project(path: Path) -> tuple[str, str]:
    """Return what a summary's run and project are called; elsewhere its folder stands for both."""
    folder = _run_folder(path)
    if folder is None:
        return folder_name(path), folder_name(path)
    return folder.name, folder_name(folder)


def grouped(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the summaries of a project's runs together, every other file into a group of its own."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        folder = _run_folder(path) if path.name == SUMMARY else None
        groups.setdefault(path if folder is None else folder.parent, []).append(path)
    return list(groups.values())


def is_copy_of_latest(path: Path) -> bool:
    """Return whether a summary lies in ``latest-run`` and a run beside it has the very same."""
    folder = _run_folder(path)
    if folder is None or folder.name != _LATEST:
        return False
    runs = (one for one in folder.parent.iterdir() if _RUN.fullmatch(one.name))
    summaries = (run / "files" / SUMMARY for run in runs)
    content = path.read_bytes()
    return any(one.is_file() and one.read_bytes() == content for one in summaries)


def _run_folder(path: Path) -> Path | None:
    folder = path.resolve().parent
    if folder.name != "files":
        return None
    is_run = folder.parent.name == _LATEST or _RUN.fullmatch(folder.parent.name)
    return folder.parent if is_run else None
