"""Archives and compressed files: what is in them, and what must not come out of them."""

import bz2
import io
import lzma
import tarfile
import zipfile

import pyarrow as pa
import pytest

from store.errors import ImportFormatError
from store.importers import guard, unpack
from store.importers.detect import read_paths

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
    monkeypatch.setattr(unpack, "MOST_MEMBERS", 10)
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

    monkeypatch.setattr(unpack.Budget, "copy", full)
    with pytest.raises(ImportFormatError, match=r"is full\. Free space, or set TMPDIR"):
        read_paths(write(zipped({"s.csv": LONG}), "r.zip"))


def test_a_zip_that_states_too_much_is_refused_before_it_is_unpacked(write, monkeypatch) -> None:
    monkeypatch.setattr(guard, "SMALL", 1_000)
    monkeypatch.setattr(unpack.Budget, "copy", None)
    with pytest.raises(ImportFormatError, match="times its size"):
        read_paths(write(zipped({"s.csv": bytes(300_000)}), "r.zip"))
