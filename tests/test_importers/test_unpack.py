"""Archives and compressed files: what is in them, and what must not come out of them."""

import bz2
import gzip
import io
import lzma
import shutil
import tarfile
import zipfile
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from store.errors import ImportFormatError
from store.importers import budget, guard, unpack
from store.importers.detect import read_paths
from tests.test_importers.test_sheets import shared

LONG = b"system,dataset,item,metric,score\nA,d,1,acc,1\n"


def zipped(members) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tarred(members, mode="w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("r.zip", zipped({"in/s.csv": LONG}), "r.zip/in/s.csv"),
        ("r.tar.gz", tarred({"in/s.csv": LONG}), "r.tar.gz/in/s.csv"),
        ("r.tar.zst", zstd(tarred({"s.csv": LONG}, "w")), "r.tar.zst/s.csv"),
        ("r.zip", zipped({"in.zip": zipped({"s.csv": LONG})}), "r.zip/in.zip/s.csv"),
        ("s.csv.xz", lzma.compress(LONG), "s.csv"),
        ("s.csv.bz2", bz2.compress(LONG), "s.csv"),
        ("s.csv.zst", zstd(LONG), "s.csv"),
    ],
)
def test_what_is_packed_is_read(write, tmp_path, name, content, shown) -> None:
    path = write(content, name)
    for given in (path, tmp_path):
        (bundle,) = read_paths([given], root=tmp_path).bundles
        assert [file.path for file in bundle.files] == [shown]


def link_in_a_tar() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, kind in (("s.csv", tarfile.SYMTYPE), ("p", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    return packed.getvalue()


def test_links_and_pipes_in_an_archive_are_nothing(write) -> None:
    assert read_paths([write(link_in_a_tar(), "r.tar")]).readings == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.zip", zipped({"../s.csv": LONG}), "would lie outside"),
        ("r.tar.gz", tarred({"/s.csv": LONG}), "would lie outside"),
        ("r.zip", zipped({"s.csv": LONG})[:-30], "cannot be unpacked"),
        ("r.tar.gz", tarred({"s.csv": LONG})[:30], "cannot be unpacked"),
        ("s.csv.xz", b"no xz", "cannot be unpacked"),
        ("s.csv.zst", b"no zstd", "cannot be unpacked"),
        ("r.7z", b"7z", "which is not read here"),
        ("r.zip", zipped({"s.csv": bytes(300_000)}), "times its size"),
        ("r.zip", zipped({f"{n}.csv": LONG for n in range(12)}), "more than 10 files"),
        ("r.tar.gz", tarred({"n" * 300 + ".csv": LONG}), "a name of 304 characters"),
        ("r.zip", zipped({"d/" * 80 + "s.csv": LONG}), "lies 81 folders deep"),
    ],
    ids=["up", "root", "cut zip", "cut tar", "xz", "zstd", "7z", "bomb", "crowd", "name", "deep"],
)
def test_what_must_not_be_unpacked_is_refused(
    write, tmp_path, monkeypatch, name, content, said
) -> None:
    monkeypatch.setattr(budget, "MOST_FILES", 10)
    monkeypatch.setattr(guard, "SMALL", 200_000)
    path = write(content, name)
    with pytest.raises(ImportFormatError, match=said):
        read_paths([path])
    (fault,) = read_paths([tmp_path]).faults
    assert said in str(fault)


def test_a_pattern_finds_what_no_shell_spelled_out(write, tmp_path) -> None:
    write(LONG, "a/s.csv")
    write(LONG, "b/s.csv")
    write("# Notes", "b/README.md")
    assert len(read_paths([tmp_path / "*" / "*.csv"]).bundles) == 2
    with pytest.raises(ImportFormatError, match="no such file"):
        read_paths([tmp_path / "*.tsv"])


def test_a_full_temporary_folder_is_called_so(write, monkeypatch) -> None:
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(unpack, "_copy", full)
    with pytest.raises(ImportFormatError, match=r"is full\. Free space, or set TMPDIR"):
        read_paths(write(zipped({"s.csv": LONG}), "r.zip"))


def test_a_zip_that_states_too_much_is_refused_before_it_is_unpacked(write, monkeypatch) -> None:
    monkeypatch.setattr(guard, "SMALL", 1_000)
    monkeypatch.setattr(unpack, "_copy", None)
    with pytest.raises(ImportFormatError, match="times its size"):
        read_paths(write(zipped({"s.csv": bytes(300_000)}), "r.zip"))


def of_a_bomb(pack) -> bytes:
    """Return archives in an archive, none of which is too much by itself."""
    inner = pack({"s.csv": bytes(150_000)})
    return pack({"in/good.csv": LONG, **{f"in/{n}{SUFFIX[pack]}": inner for n in range(9)}})


SUFFIX = {zipped: ".zip", tarred: ".tar.gz"}


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_archives_in_an_archive_have_one_budget(write, tmp_path, monkeypatch, pack) -> None:
    monkeypatch.setattr(guard, "SMALL", 300_000)
    monkeypatch.setattr(guard, "MOST_RATIO", 20)
    written = []
    copy = unpack._copy
    monkeypatch.setattr(unpack, "_copy", lambda *given: written.append(1) or copy(*given))
    path = write(of_a_bomb(pack), f"bomb{SUFFIX[pack]}")
    with pytest.raises(ImportFormatError, match=rf"^{path}: unpacks to more than 20 times"):
        read_paths([path])
    assert len(written) < 14  # the rest is not even begun
    write(LONG, "good.csv")
    found = read_paths([tmp_path], root=tmp_path)
    assert [file.path for one in found.bundles for file in one.files] == ["good.csv"]
    assert [fault.path for fault in found.faults] == [path.name]


def workbook_of(n_rows: int) -> bytes:
    """Return a workbook that names one text so often."""
    return shared(["system", "item", "acc", "A" * 4_000, "1"], [[0, 1, 2], *[[3, 3, 4]] * n_rows])


def columns_of(n_rows: int, write_it) -> bytes:
    sink = io.BytesIO()
    zeros = pa.array([0.0] * n_rows)
    write_it(pa.table({"system": zeros, "item": zeros, "acc": zeros}), sink)
    return sink.getvalue()


def long_lists(table, sink) -> None:
    rows = pa.ListArray.from_arrays([0, len(table)], table["acc"].combine_chunks())
    pq.write_table(pa.table({"system": ["A"], "acc": rows}), sink)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.parquet", columns_of(40_000, pq.write_table)),
        ("lists.parquet", columns_of(120_000, long_lists)),
        ("s.parquet.gz", gzip.compress(columns_of(40_000, pq.write_table))),
        ("s.feather", columns_of(40_000, partial(feather.write_feather, compression="zstd"))),
        ("s.csv.gz", gzip.compress(b"system,item,acc\n" + b"A,1,1\n" * 60_000)),
        ("log.eval", zipped({f"{n}.json": b"0" * 90_000 for n in range(9)})),
        ("s.xlsx", workbook_of(500)),
    ],
)
def test_what_is_packed_in_columns_is_held_against_what_was_sent(
    write, tmp_path, monkeypatch, name, content
) -> None:
    monkeypatch.setattr(guard, "SMALL", 400_000)
    monkeypatch.setattr(guard, "MOST_RATIO", 30)
    write(content, name)
    (fault,) = read_paths([tmp_path]).faults
    assert "times its size" in str(fault)
    path = write(zipped({name: content}), "in/in.zip")
    (fault,) = read_paths([path.parent]).faults
    assert "times its size" in str(fault)


def test_what_is_refused_file_by_file_takes_no_more_time_than_one_bomb(write, monkeypatch) -> None:
    monkeypatch.setattr(guard, "SMALL", 100_000)
    monkeypatch.setattr(guard, "MOST_RATIO", 20)
    monkeypatch.setattr(budget, "PART", 10_000)
    counted, read = [], budget.Budget.read
    monkeypatch.setattr(budget.Budget, "read", lambda *of: counted.append(of[2]) or read(*of))
    bombs = {f"{n}.csv.gz": gzip.compress(bytes(150_000)) for n in range(9)}
    good = {"0.csv.gz": gzip.compress(LONG), "1_good.csv.gz": gzip.compress(LONG)}
    found = read_paths(write(zipped({**bombs, **good}), "r.zip"))
    assert [file.path.rpartition("/")[2] for one in found.bundles for file in one.files] == [*good]
    assert sum(counted) < 5 * 100_000


def test_a_disk_without_room_refuses_before_anything_is_written(write, monkeypatch) -> None:
    usage = shutil.disk_usage("/")._replace(total=10**9, free=10**8 // 2)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    monkeypatch.setattr(unpack, "_copy", None)
    with pytest.raises(ImportFormatError, match="is full"):
        read_paths(write(zipped({"s.csv": LONG}), "r.zip"))
