"""A watched folder: finished files go in once, also after a restart; others are named."""

from __future__ import annotations

import gzip
import json
import os
import time
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store.engine import Store, open_store
from store.errors import StoreError
from store.import_lists import list_imports
from store.runs import list_runs
from store.watch import Watch

NOW = 2_000_000_000.0


def write(path: Path, system: str, *, age: float = 60, n: int = 3, end: str = "") -> Path:
    """Write a file of scores that was last changed `age` seconds before `NOW`."""
    rows = [f"{system},news,q{i},{i % 2}" for i in range(n)]
    path.write_text("\n".join(["system,dataset,item,accuracy", *rows]) + end, encoding="utf-8")
    os.utime(path, (NOW - age, NOW - age))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    with open_store(tmp_path / "s.db", create=True) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def test_finished_files_go_in_once_also_after_a_restart(store: Store, folder: Path) -> None:
    write(folder / "a [1].csv", "A")
    (folder / "deep").mkdir()
    write(folder / "deep" / "b.csv", "B")
    write(folder / "c.csv", "C", age=1)
    write(folder / "d.csv.part", "D")
    write(folder / ".e.csv", "E")
    watch = Watch(store, folder, "test")
    taken = watch.look(NOW)
    assert [(one.entry.files, one.went_in) for one in taken] == [
        (["a [1].csv"], True),
        (["deep/b.csv"], True),
    ]
    assert watch.waiting == 1
    assert watch.look(NOW) == []
    assert [one.entry.files for one in watch.look(NOW + 3)] == [["c.csv"]]
    n_imports = len(list_imports(store))
    write(folder / "copy of a.csv", "A")  # the same content under another name
    assert Watch(store, folder, "test").look(NOW + 9) == []
    (folder / "d.csv.part").rename(folder / "d.csv")
    assert [one.entry.files for one in watch.look(NOW + 9)] == [["d.csv"]]
    assert len(list_imports(store)) == n_imports + 1
    assert sorted(run.system for run in list_runs(store)) == ["A", "B", "C", "D"]


def test_a_link_out_of_the_folder_is_named_and_not_read(store: Store, folder: Path) -> None:
    outside = write(folder.parent / "a.csv", "A")
    (folder / "deep").mkdir()
    inside = write(folder / "b.csv", "B")
    (folder / "deep" / "out.csv").symlink_to(outside)
    (folder / "deep" / "same.csv").symlink_to(inside)
    taken = Watch(store, folder, "test").look(NOW)
    assert [one.entry.files for one in taken if not one.went_in] == [["deep/out.csv"]]
    assert [run.system for run in list_runs(store)] == ["B"]


def packed(path: Path, *names: str) -> None:
    """Put files of its folder into a file, of gzip or ZIP, and remove them."""
    sources = [path.parent / name for name in names]
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(sources[0].read_bytes()))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            for source in sources:
                archive.write(source, source.name)
    for source in sources:
        source.unlink()
    os.utime(path, (NOW - 60, NOW - 60))


def test_packed_files_go_in_once_also_after_a_restart(store: Store, folder: Path) -> None:
    for name in "abc":
        write(folder / f"{name}.csv", name)
    packed(folder / "a.csv.gz", "a.csv")
    packed(folder / "more.zip", "b.csv", "c.csv")
    assert all(one.went_in for one in Watch(store, folder, "test").look(NOW))
    assert {run.system for run in list_runs(store)} == {"a", "b", "c"}
    again = Watch(store, folder, "test")
    assert again.look(NOW) == []
    write(folder / "b.csv", "b")
    write(folder / "d.csv", "d")
    packed(folder / "more.zip", "b.csv", "d.csv")  # one of them is new
    assert [one.entry.files for one in Watch(store, folder, "test").look(NOW)] != []
    assert {run.system for run in list_runs(store)} == {"a", "b", "c", "d"}
    assert Watch(store, folder, "test").look(NOW) == []
    (folder / "more.zip").write_bytes(b"PK damaged")
    os.utime(folder / "more.zip", (NOW - 60, NOW - 60))
    assert [one.went_in for one in Watch(store, folder, "test").look(NOW)] == [False]


def test_file_that_does_not_fit_is_named_once_and_tried_again_when_it_changes(
    store: Store, folder: Path
) -> None:
    bad = write(folder / "bad.csv", "A", end="\nA,news,q9,good")
    write(folder / "good.csv", "B")
    (folder / "notes.txt").write_text("nothing here", encoding="utf-8")
    watch = Watch(store, folder, "test")
    found = {one.entry.files[0]: one for one in watch.look(time.time() + 60)}
    assert found["good.csv"].went_in
    assert found["bad.csv"].entry.is_fault
    assert "line 5" in found["bad.csv"].entry.reason
    assert not found["notes.txt"].entry.is_fault
    assert watch.look(time.time() + 60) == []
    write(bad, "A", age=50)
    assert [one.went_in for one in watch.look(time.time() + 60)] == [True]


def test_other_scores_of_a_known_run_are_left_out_and_told(store: Store, folder: Path) -> None:
    write(folder / "a.csv", "A")
    watch = Watch(store, folder, "test")
    watch.look(NOW)
    path = folder / "b.csv"
    path.write_text("system,dataset,item,accuracy\nA,news,q0,1\n", encoding="utf-8")
    (one,) = watch.look(time.time() + 60)
    assert not one.went_in
    assert one.entry.is_fault
    assert "--replace" in one.entry.reason


def test_store_in_the_folder_is_no_file_of_results(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "A")
    with open_store(tmp_path / "s.db", create=True) as opened:
        (one,) = Watch(opened, tmp_path, "test").look(time.time() + 60)
    assert one.entry.files == ["a.csv"]
    with open_store(tmp_path / "s.db") as opened, pytest.raises(StoreError, match="no folder"):
        Watch(opened, tmp_path / "nowhere", "test").look(NOW)


def test_command_looks_once_or_for_a_while(folder: Path, tmp_path: Path) -> None:
    write(folder / "a.csv", "A")
    words = ["--store", str(tmp_path / "s.db"), "watch", str(folder), "--json"]
    outcome = CliRunner().invoke(app, [*words, "--once"])
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout)["result"] == {
        "taken": [["a.csv"]],
        "left_out": [],
        "waiting": 0,
    }
    (folder / "b.csv").write_text("system,dataset,item,zeal\nA,news,q0,1\n", encoding="utf-8")
    outcome = CliRunner().invoke(app, [*words, "--for", "0", "--rest", "0"])
    assert outcome.exit_code == 3
    (left,) = json.loads(outcome.stdout)["result"]["left_out"]
    assert "zeal" in left["reason"]
    outcome = CliRunner().invoke(app, [*words, "--for", "0", "--rest", "0", "--lower-is-better"])
    assert json.loads(outcome.stdout)["result"]["taken"] == [["b.csv"]]
