"""Files that are no text: named for what they are, with what helps."""

import pickle

import pytest

from store.errors import ImportFormatError
from store.importers.binaries import may_hold_results, told_of_binary
from store.importers.detect import read_paths


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (pickle.dumps({"a": 1}), "a pickled object of Python.*to_csv"),
        (b"\x93NUMPY\x01\x00v\x00{}", r"an array of NumPy.*numpy\.savetxt"),
        (b"\x89PNG\r\n\x1a\n\x00", r"a picture \(PNG\)"),
        (b"PK\x03\x04abc", r"a ZIP archive, as \.npz"),
        (b"SQLite format 3\x00abc", "a database of SQLite"),
        (b"PAR1abc", r"a Parquet file, not text\. Call it \.parquet"),
        (b"a,b\x00c\n", "this is a binary file"),
    ],
)
def test_a_binary_is_named_for_what_it_is(tmp_path, data, told) -> None:
    path = tmp_path / "scores.bin"
    path.write_bytes(data)
    with pytest.raises(ImportFormatError, match=told):
        read_paths(path)


def test_a_picture_holds_no_results_and_an_array_may() -> None:
    assert may_hold_results(told_of_binary(b"\x93NUMPY\x01\x00"))
    assert may_hold_results(told_of_binary(pickle.dumps([1])))
    assert not may_hold_results(told_of_binary(b"\x89PNG\r\n"))
    assert not may_hold_results("a page without tables that list systems.")
