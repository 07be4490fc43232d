"""What comes in from strangers: pipes, devices, links, bombs, and names without end."""

import gzip
import io
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from store.engine import open_store
from store.errors import LONGEST_MESSAGE, ImportFormatError, StoreError
from store.importers import bundle, guard
from store.importers.detect import read_paths
from store.importers.guard import files_up_to
from store.ingest import ingest, items

LONG = "system,dataset,item,metric,score\nA,d,1,acc,1\nA,d,2,acc,0\n"


def test_a_pipe_in_a_folder_is_named_and_never_opened(write, tmp_path) -> None:
    write(LONG)
    os.mkfifo(tmp_path / "more.csv")
    found = read_paths([tmp_path])
    assert len(found.bundles) == 1
    assert "named pipe" in str(found.faults[0])
    for given in (tmp_path / "more.csv", "/dev/zero"):
        with pytest.raises(ImportFormatError, match="not a file"):
            read_paths([given])


def test_a_link_that_leads_out_of_a_folder_is_named_and_not_read(write, tmp_path) -> None:
    outside = write(LONG, "outside/s.csv")
    inside = write(LONG.replace("A", "B"), "in/b/s.csv")
    (tmp_path / "in" / "out.csv").symlink_to(outside)
    (tmp_path / "in" / "same.csv").symlink_to(inside)
    (tmp_path / "in" / "nothing.csv").symlink_to(tmp_path / "in" / "gone.csv")
    (tmp_path / "in" / "itself.csv").symlink_to("itself.csv")
    (tmp_path / "in" / "lost.log").symlink_to("gone.log")
    found = read_paths([tmp_path / "in"])
    assert [run.system for one in found.bundles for run in one.runs] == ["B"]
    faults = {fault.path.rpartition("/")[2]: fault.reason for fault in found.faults}
    assert faults.keys() == {"out.csv", "nothing.csv", "itself.csv"}
    assert "leads out" in faults["out.csv"]
    assert all("is not there" in faults[name] for name in ("nothing.csv", "itself.csv"))
    assert len(read_paths([tmp_path / "in" / "out.csv"]).bundles) == 1  # named itself


def test_gzip_that_unpacks_too_far_is_refused_at_once(write, monkeypatch) -> None:
    monkeypatch.setattr(guard, "SMALL", 1_000_000)
    path = write(gzip.compress(LONG.encode() + b"\n" * 3_000_000), "scores.csv.gz")
    with pytest.raises(ImportFormatError, match="300 times its size"):
        read_paths([path])


def test_standard_input_ends_where_it_is_too_much(monkeypatch) -> None:
    class Endless(io.RawIOBase):
        def read(self, size=-1):
            return b"\0" * size

    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": Endless()}))
    with files_up_to(3_000_000, ""), pytest.raises(ImportFormatError, match="more than 3 MB"):
        read_paths(["-"])


def test_cells_and_columns_have_an_end(read, monkeypatch) -> None:
    monkeypatch.setattr("store.importers.delimited.LONGEST_CELL", 2_000)
    with pytest.raises(ImportFormatError, match=r"line 4: a cell has more than 2,000"):
        read(LONG + "A,d," + "x" * 3_000 + ",acc,1\n", format="generic")
    monkeypatch.setattr(guard, "MOST_COLUMNS", 3)
    with pytest.raises(ImportFormatError, match="5 columns"):
        read(LONG, format="generic")
    monkeypatch.setattr("store.importers.known_metrics.lookup", lambda *_: pytest.fail("looked"))
    with pytest.raises(ImportFormatError, match="5 columns"):  # nobody looks at them
        read(LONG)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("N" * 1_001 + ",d,1,acc,1", "1,001 characters"),
        ("A,d," + "N" * 10_001 + ",acc,1", "10,001 characters"),
        ("A,d,1,a\x1b[31mcc,1", r"U\+001B"),
        ("A\x00,d,1,acc,1", "binary file"),
    ],
    ids=["system", "item", "escape", "null"],
)
def test_what_is_no_name_does_not_go_in(read, tmp_path, row, said) -> None:
    store = open_store(tmp_path / "s.db", create=True)
    with pytest.raises(StoreError, match=said) as refused:
        ingest(store, read(f"{LONG}{row}\n"), actor="t", higher_is_better=True)
    assert len(str(refused.value)) < 500


def test_every_message_has_an_end() -> None:
    error = ImportFormatError("x" * 10**6, path="f", field="y" * 10**6)
    assert len(str(error)) <= LONGEST_MESSAGE + 10
    assert str(error).endswith("xxx")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.json", "[" + ",".join(["{}"] * 60_000) + "]"),
        ("s.jsonl", "".join(f'{{"k{i}": 1}}\n' for i in range(700))),
        ("s.yaml", "- a\n" * 2_500_001),
    ],
    ids=["objects", "a name for each line", "yaml"],
)
def test_small_files_that_become_large_are_refused(write, name, content) -> None:
    with files_up_to(3_000_000, ""), pytest.raises(ImportFormatError, match="MB"):
        read_paths([write(content, name)], format="generic")


def test_views_of_a_database_that_never_end_are_not_asked(tmp_path) -> None:
    path = tmp_path / "mlflow.db"
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x y FROM n"
    with closing(sqlite3.connect(path)) as database:
        for name in ("experiments", "runs", "metrics", "latest_metrics", "params", "tags"):
            database.execute(f"CREATE VIEW {name} AS {endless}")
        database.commit()
    with pytest.raises(ImportFormatError):
        read_paths([path])


@pytest.mark.skipif(sys.platform != "linux", reason="is about names of Linux")
def test_paths_that_no_system_takes_are_errors_in_words(tmp_path) -> None:
    with pytest.raises(ImportFormatError, match="cannot be opened: file name too long"):
        read_paths([tmp_path / ("x" * 5_000)])
    for place in ("/proc/self", "/proc/kmsg", "/proc/self/mem", "/sys/kernel"):
        with pytest.raises(ImportFormatError, match="the system's own"):
            read_paths([place])
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_100):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    try:
        with pytest.raises(ImportFormatError, match=r"holds no file|too long"):
            read_paths([tmp_path])
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)


def test_a_gzip_header_without_end_is_damage(write) -> None:
    packed = gzip.compress(LONG.encode())
    name = b"n" * 300_000 + b"\0"
    path = write(packed[:3] + b"\x08" + packed[4:10] + name + packed[10:], "s.csv.gz")
    with pytest.raises(ImportFormatError, match="header does not end"):
        read_paths([path])


def test_a_table_is_refused_by_the_marks_of_its_header(write) -> None:
    with pytest.raises(ImportFormatError, match="has 200,001 columns"):
        read_paths([write("," * 200_000, "c.csv")])


def test_many_columns_make_no_long_message(write) -> None:
    header = ",".join(["item", *(f"s{n}" for n in range(500))])
    rows = "".join(f"\nq{row}" + ",1" * 500 for row in range(2))
    with pytest.raises(ImportFormatError, match="s29 and 470 more") as told:
        read_paths([write(header + rows + "\n", "w.csv")])
    assert len(str(told.value)) < 500


def test_a_column_that_is_no_dataset_is_not_taken_for_one(tmp_path, read, monkeypatch) -> None:
    monkeypatch.setattr(items, "MOST_DATASETS", 2)
    rows = "".join(f"A,d{n},1,acc,1\n" for n in range(3))
    with (
        open_store(tmp_path / "s.db", create=True) as store,
        pytest.raises(ImportFormatError, match="names 3 datasets, more than 2"),
    ):
        ingest(store, read(LONG.partition("\n")[0] + "\n" + rows), actor="t")


def test_a_strict_import_stops_where_too_much_is_wrong(read, monkeypatch) -> None:
    monkeypatch.setattr(bundle, "_MOST_PROBLEMS", 5)
    with pytest.raises(ImportFormatError, match=r"4 more such problems.* Reading stopped there"):
        read(LONG.partition("\n")[0] + "\n" + "A,d,1,acc,x\n" * 9)


def test_a_folder_that_cannot_be_opened_is_named(write, tmp_path, monkeypatch) -> None:
    write(LONG, "in/s.csv")
    write(LONG, "in/closed/s.csv")
    scandir = os.scandir

    def refused(place):
        if str(place).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refused)
    found = read_paths([tmp_path / "in"])
    assert len(found.bundles) == 1
    assert [fault.reason for fault in found.faults] == ["cannot be opened: permission denied."]
