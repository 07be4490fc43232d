"""Writing small files and reading them back."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from store.importers.bundle import ImportBundle, ReadOptions
from store.importers.detect import ReadResult, read_paths

Read = Callable[..., ImportBundle]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a file into a folder of its own, and a YAML file beside it."""

    def write_file(content: str | bytes, name: str = "scores.csv", yaml: str = "") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if yaml:
            (path.parent / "tiebreak.yaml").write_text(yaml, encoding="utf-8")
        return path

    return write_file


@pytest.fixture
def read(write: Callable[..., Path], tmp_path: Path) -> Read:
    """Return a function that reads text as if it were a file, with `ReadOptions` as keywords."""

    def read_text(
        content: str | bytes,
        name: str = "scores.csv",
        *,
        yaml: str = "",
        format: str | None = None,
        **options: Any,
    ) -> ImportBundle:
        path = write(content, name, yaml)
        found = read_paths([path], format=format, options=ReadOptions(**options), root=tmp_path)
        (bundle,) = found.bundles
        return bundle

    return read_text


@pytest.fixture
def read_folder(write: Callable[..., Path], tmp_path: Path) -> Callable[..., ReadResult]:
    """Return a function that writes files, JSON or text, into a folder, and reads that."""

    def make(files: Mapping[str, Any], at: str = "lab", **options: Any) -> ReadResult:
        for name, content in files.items():
            write(content if isinstance(content, str) else json.dumps(content), f"{at}/{name}")
        return read_paths(tmp_path / at, root=tmp_path, options=ReadOptions(**options))

    return make
