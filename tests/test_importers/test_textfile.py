"""Bytes and text: encodings, compression, damage."""

import gzip
import io
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from store.errors import ImportFormatError
from store.importers.detect import read_paths
from store.importers.guard import files_up_to
from store.importers.registry import IMPORTERS
from store.importers.score_columns import read_score_columns
from store.importers.textfile import data_stem, data_suffix

LONG = "system,dataset,item,metric,score\nA,d,1,acc,1\nA,d,2,acc,0\n"


def scores_of(bundle):
    return bundle.runs[0].scores[0].values[:, 0].tolist()


@pytest.mark.parametrize(
    "content",
    [
        LONG.encode(),
        b"\xef\xbb\xbf" + LONG.encode(),
        LONG.replace("\n", "\r\n").encode(),
        LONG.replace("\n", "\r").encode(),
        LONG.rstrip("\n").encode(),
        LONG.replace("\n", "\n\n").encode(),
    ],
    ids=["plain", "bom", "crlf", "cr", "no last line end", "empty lines"],
)
def test_usual_spellings_of_a_text_file_are_read_alike(read, content) -> None:
    bundle = read(content)
    assert scores_of(bundle) == [1.0, 0.0]
    assert bundle.datasets[0].items[0].key == "1"


def test_gzip_is_unpacked(read) -> None:
    assert scores_of(read(gzip.compress(LONG.encode()), "scores.csv.gz")) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"scores.csv: the file is empty"),
        (b" \n\n", r"the file is empty"),
        (LONG.encode("utf-16"), r"scores.csv, line 1: the file is in UTF-16. Save it as UTF-8"),
        (
            LONG.replace("A,d,1", "\u00c4,d,1").encode() + b"Ren\xe9,d,1,acc,1\n",
            r"line 4: byte 0xe9 \(number 4 of the line\) is not UTF-8; .*Latin-1.*Save it as UTF-8",
        ),
        (b"\x89?\r\n\x1a\n\0\0", r"line 3: this is a binary file"),
    ],
    ids=["empty", "blank", "utf-16", "mixed", "binary"],
)
def test_unreadable_text_is_named_with_its_place(read, content, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(content)


def test_truncated_gzip_is_an_error(read) -> None:
    whole = gzip.compress(LONG.encode() * 50)
    with pytest.raises(ImportFormatError, match="Compressed file ended early"):
        read(whole[: len(whole) // 2], "scores.csv.gz")


def test_damaged_gzip_is_an_error(read) -> None:
    whole = bytearray(gzip.compress(LONG.encode() * 50))
    whole[20:30] = bytes(10)
    with pytest.raises(ImportFormatError, match="the compressed file is damaged"):
        read(bytes(whole), "scores.csv.gz")


def test_name_says_gzip_but_content_is_not(read) -> None:
    with pytest.raises(ImportFormatError, match=r"ends in .gz but the content is not"):
        read(LONG, "scores.csv.gz")


def test_data_suffix_ignores_compression(tmp_path) -> None:
    assert data_suffix(tmp_path / "Scores.CSV.gz") == ".csv"
    assert data_suffix(tmp_path / "results_2026-01-21T03-44-18.458309.json") == ".json"
    assert data_suffix(tmp_path / "README") == ""


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("in/tur_large.csv", "tur_large"),
        ("scores.CSV.GZ", "scores"),
        ("newstest.de-en", "newstest.de-en"),
        ("a.b.jsonl", "a.b"),
        ("plain", "plain"),
    ],
)
def test_data_stem(name, stem):
    assert data_stem(name) == stem


MB = 1_000_000
ZEROS = gzip.compress(b"\0" * (40 * MB))
ONE_COLUMN = io.BytesIO()
pq.write_table(pa.table({"score": pa.array([1.0] * MB)}), ONE_COLUMN)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("scores.csv.gz", ZEROS),
        ("scores.csv", LONG.encode() + b"\n" * 3 * MB),
        ("scores.parquet", ONE_COLUMN.getvalue()),
        ("scores.csv", b"system,dataset,item,accuracy\n" + b",\n" * 200_000),
    ],
    ids=["gzip", "plain", "parquet", "cells"],
)
def test_file_that_is_too_large_is_refused_by_every_importer(write, name, content) -> None:
    is_table = name.endswith(".parquet") or (name == "scores.csv" and len(content) < MB)
    readers = {"generic", "reported", "judgments"}
    path = write(content, name)
    for format in (None, *(importer.name for importer in IMPORTERS)):
        if is_table and format is not None and format not in readers:
            continue
        with (
            files_up_to(2 * MB, "Take it elsewhere."),
            pytest.raises(ImportFormatError, match=rf"{name}: holds more than 2 MB.*Take it else"),
        ):
            read_paths(path, format=format)


def test_open_file_of_scores_is_refused_like_one_on_disk() -> None:
    with files_up_to(2 * MB, ""), pytest.raises(ImportFormatError, match="more than 2 MB"):
        read_score_columns(io.BytesIO(ZEROS), shown="pasted")


def test_limit_holds_for_its_block_only(write) -> None:
    path = write(LONG.encode() + b"\n" * 3 * MB)
    with files_up_to(2 * MB, ""), pytest.raises(ImportFormatError):
        read_paths(path)
    assert len(read_paths(path).bundles) == 1


def test_memory_stays_near_the_limit(write) -> None:
    path = write(ZEROS, "scores.csv.gz")
    tracemalloc.start()
    try:
        with files_up_to(2 * MB, ""), pytest.raises(ImportFormatError):
            read_paths(path)
        assert tracemalloc.get_traced_memory()[1] < 6 * MB
    finally:
        tracemalloc.stop()


def test_large_file_beside_the_results_is_passed_over(write) -> None:
    write(b"\0" * 3 * MB, "model.bin")
    folder = write(LONG).parent
    with files_up_to(2 * MB, ""):
        found = read_paths(folder)
    assert len(found.bundles) == 1
    assert [ignored.path.rpartition("/")[2] for ignored in found.left_out] == ["model.bin"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"model": "A", "model": "B", "item": 1, "acc": 1}]', "the name 'model' stands twice"),
        ('[{"model": "A", "item": 1, "acc": ' + "9" * 5000 + "}]", "a number has 5,000 digits"),
        ("[{" + ", ".join(f'"k{n}": 1' for n in range(100_001)) + "}]", "100,001 columns"),
    ],
)
def test_json_that_cannot_be_held_is_told_in_words(write, text, told) -> None:
    with pytest.raises(ImportFormatError, match=told):
        read_paths(write(text, "scores.json"))


def test_the_same_value_twice_under_a_name_is_no_fault(write) -> None:
    text = '[{"model": "A", "model": "A", "dataset": "d", "item": 1, "acc": 1}]'
    (bundle,) = read_paths(write(text, "scores.json")).bundles
    assert bundle.runs[0].system == "A"


def test_a_damaged_yaml_is_told_its_line(write) -> None:
    with pytest.raises(ImportFormatError, match="line 2"):
        read_paths(write("a: [1, 2\nb: }\n", "scores.yaml"))
