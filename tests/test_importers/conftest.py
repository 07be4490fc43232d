"""Writing small files and reading them back; what named formats give is held against a record."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks import golden
from store.importers import detect
from store.importers.bundle import ImportBundle, ReadOptions
from store.importers.detect import LeftOutFile, Reading, ReadResult, read_paths

Read = Callable[..., ImportBundle]

_read: list[ImportBundle] = []
"""Bundles of named formats that the running test has read."""


@pytest.fixture(scope="session")
def kept() -> dict[str, golden.Golden]:
    """Return the golden bundles of the tests of named formats, by test."""
    return golden.read_golden(golden.FORMATS) if golden.FORMATS.exists() else {}


@pytest.fixture(autouse=True)
def like_the_record(
    request: pytest.FixtureRequest,
    kept: dict[str, golden.Golden],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Hold what a test reads of named formats against what was recorded of it."""

    def remembered(readings: list[Reading], left_out: list[LeftOutFile]) -> ReadResult:
        found = [one.bundle for one in readings]
        _read.extend(one for one in found if one.format not in golden.OWN_SHAPES)
        return ReadResult(readings, left_out)

    _read.clear()
    monkeypatch.setattr(detect, "ReadResult", remembered)
    yield
    name = request.node.nodeid.removeprefix("tests/test_importers/")
    marks = {mark.name for mark in request.node.iter_markers()}
    if not _read or marks & {"hypothesis", "shared"}:
        return
    record = request.config.getoption("--record-golden")
    if name in kept or record:
        now = golden.counts_and_digests(_read)
        if record:
            kept[name] = now
            golden.write_golden(golden.FORMATS, kept)
        else:
            different = golden.differences(kept[name], now)
            assert not different, "\n".join([*different, "If so intended: make golden"])


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
