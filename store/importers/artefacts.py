"""System and dataset of tables that a tracker keeps with a run, of items that were evaluated.

MLflow has them under ``RUN/artifacts``, W&B under ``files/media/table`` beside the run's settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from store.importers.bundle import PathNames
from store.importers.scorers.run_folder import (
    dataset_of_run,
    is_artefact,
    system_of_run,
)
from store.importers.tracked import names_of_run
from store.importers.wandb import settings_beside
from store.importers.wandb_folder import SUMMARY, run_and_project

_TABLES = ("media", "table")
_BECAUSE = "the run that it belongs to"


def names_of_artefacts(paths: Sequence[Path]) -> dict[Path, PathNames]:
    """Return the names of the tables among files that a tracker keeps with a run."""
    found = {}
    for path in paths:
        full = path.resolve()
        named = _of_mlflow(full) or _of_wandb(full)
        if named is not None:
            found[path] = PathNames(*named, "", None, _BECAUSE)
    return found


def _of_mlflow(path: Path) -> tuple[str, str] | None:
    if not is_artefact(path):
        return None
    run = path.parent.parent
    return system_of_run(run), dataset_of_run(run)


def _of_wandb(path: Path) -> tuple[str, str] | None:
    folders = path.parts[:-1]
    ends = [n for n in range(1, len(folders)) if folders[n - 1 : n + 1] == _TABLES]
    if not ends:
        return None
    summary = Path(*folders[: ends[-1] - 1]) / SUMMARY
    settings = settings_beside(summary)
    if not summary.is_file() and not settings:
        return None
    return names_of_run(settings, *run_and_project(summary))
