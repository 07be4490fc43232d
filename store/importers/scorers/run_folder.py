"""What the folder of a run in MLflow's store says of an artefact in it."""

from __future__ import annotations

from pathlib import Path

from store.errors import ImportFormatError
from store.importers.textfile import read_text
from store.importers.yaml_nodes import parse_yaml


def is_artefact(path: Path) -> bool:
    """Return whether a file is an artefact of a run: ``EXPERIMENT/RUN/artifacts/FILE``."""
    return path.parent.name == "artifacts" and (path.parent.parent / "meta.yaml").is_file()


def system_of_run(run: Path) -> str:
    """Return the model that the run's settings name, with the run's name where others have it too.

    As `store.importers.tracked` calls the systems of the figures.
    """
    name = _stated(run / "meta.yaml", "run_name") or _content(run / "tags/mlflow.runName")
    model = _content(run / "params/model")
    if not model:
        return name or run.name
    others = [one for one in run.parent.glob("*/params/model") if _content(one) == model]
    return f"{model} ({name or run.name})" if len(others) > 1 else model


def experiment_of_run(run: Path) -> str:
    """Return the name of the experiment that a run belongs to."""
    return _stated(run.parent / "meta.yaml", "name") or run.parent.name


def dataset_of_run(run: Path) -> str:
    """Return the dataset that the run's settings name, else its experiment."""
    return _content(run / "params/dataset") or experiment_of_run(run)


def _content(path: Path) -> str:
    try:
        return read_text(path, path.name)[0].strip() if path.is_file() else ""
    except ImportFormatError:
        return ""


def _stated(path: Path, key: str) -> str:
    try:
        node = parse_yaml(read_text(path, path.name)[0], path.name)
    except ImportFormatError:
        return ""
    return str(node.plain().get(key) or "") if node is not None and node.is_mapping else ""
