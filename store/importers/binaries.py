"""Files that are no text, named for what they are, with what helps."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 512
"""First bytes that are looked at."""
_PICTURE = "It holds no results: leave it out."
_ARCHIVE = "Unpack it and give what is in it."
_PICKLE = (
    "It is never opened here, for it may run any program. Write its content as text: "
    "`pandas.read_pickle(FILE).to_csv('scores.csv')`, if you trust the file."
)
_KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG", "a picture (PNG)", _PICTURE),
    (b"\xff\xd8\xff", "a picture (JPEG)", _PICTURE),
    (b"GIF8", "a picture (GIF)", _PICTURE),
    (b"%PDF-", "a PDF", "Copy its tables into a CSV file."),
    (b"\x93NUMPY", "an array of NumPy",
     "Write it as text: `numpy.savetxt('scores.txt', numpy.load(FILE))`."),
    (b"PK\x03\x04", "a ZIP archive, as .npz, .pt and .docx are", _ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _ARCHIVE),
    (b"Rar!\x1a\x07", "a RAR archive", _ARCHIVE),
    (b"\xfd7zXZ\x00", "compressed (xz)", "Call it .xz."),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)", "Call it .zst."),
    (b"BZh", "compressed (bzip2)", "Call it .bz2."),
    (b"PAR1", "a Parquet file", "Call it .parquet."),
    (b"ARROW1", "an Arrow file", "Write it as Parquet: `pyarrow.parquet.write_table`."),
    (b"SQLite format 3\x00", "a database of SQLite",
     "Only those of MLflow are read; export the table that holds the results as CSV."),
    (b"\x89HDF", "an HDF5 file", "Write its table as CSV or Parquet."),
    (b"\xd0\xcf\x11\xe0", "a file of an old Office", "Save it as .xlsx or CSV."),
    (b"\x7fELF", "a program", _PICTURE),
)  # fmt: skip
_PICKLED = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))


def told_of_binary(data: bytes) -> str:
    """Return what a file is that begins so, and what helps; nothing where it may be text."""
    for magic, what, helps in _KINDS:
        if data.startswith(magic):
            return f"this is {what}, not text. {helps}"
    if data.startswith(_PICKLED):
        return f"this is a pickled object of Python, not text. {_PICKLE}"
    return ""


def may_hold_results(reason: str) -> bool:
    """Return whether a file was left out for what it is, and results may be in it all the same."""
    is_named = reason.startswith("this is ") and ", not text. " in reason
    return is_named and not reason.endswith(_PICTURE)
