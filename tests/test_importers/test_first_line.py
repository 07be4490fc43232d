"""The first line of a file, or nothing."""

import gzip

import pytest

from store.importers.first_line import first_line


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\tb\nc\n", "a\tb"),
        (b"a\tb\r\nc\r\n", "a\tb"),
        (b"\xef\xbb\xbfa\n", "a"),
        (b"\n\n  a\n", "a"),
        (b"a", "a"),
        (b"", ""),
        (b"a\0b\n", ""),
        (gzip.compress(b"a b\nc\n", mtime=0), "a b"),
        (gzip.compress(b"a b\n" * 9_999, mtime=0)[:40], ""),
        (b"\x1f\x8bnot gzip", ""),
    ],
)
def test_first_line(write, content, expected):
    assert first_line(write(content, "x")) == expected


def test_no_file(tmp_path):
    assert first_line(tmp_path / "none") == ""
    assert first_line(tmp_path) == ""


def test_a_long_file_is_not_read_whole(write):
    assert len(first_line(write(b"x" * 1_000_000, "x"))) == 65_536
