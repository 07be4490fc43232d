"""Files that are meant to do harm: bombs, depth, width, links, bytes that a terminal obeys."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

GOOD: Final = b"system,item,accuracy\nmine,q1,1\nmine,q2,0\nyours,q1,0\nyours,q2,1\n"


def _zeros_gz(folder: Path) -> Path:
    member = gzip.compress(bytes(10_000_000), 9)
    path = folder / "bomb.csv.gz"
    path.write_bytes(member * 1_000)
    return path


def _zip(folder: Path, name: str, inside: str, content: bytes, times: int = 1) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(times):
            archive.writestr(inside.format(number), content)
    return path


def written(folder: Path, name: str, content: bytes) -> Path:
    """Write a file; return its path."""
    path = folder / name
    path.write_bytes(content)
    return path


def _tar_of_links(folder: Path) -> Path:
    path = folder / "links.tar"
    with tarfile.open(path, "w") as archive:
        for number, to in enumerate(("/etc/passwd", "../../etc/passwd", "/dev/zero")):
            link = tarfile.TarInfo(f"link{number}.csv")
            link.type, link.linkname = tarfile.SYMTYPE, to
            archive.addfile(link)
        outside = tarfile.TarInfo("../outside.csv")
        outside.size = len(GOOD)
        archive.addfile(outside, io.BytesIO(GOOD))
    return path


def _folder_of(folder: Path, make: Callable[[Path], None]) -> Path:
    inside = folder / "results"
    inside.mkdir()
    make(inside)
    return inside


LAUGHS: Final = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))
    + ']><testsuite><testcase name="&a12;"/></testsuite>'
).encode()
ALIASES: Final = (
    "a0: &a0 [x]\n"
    + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(12))
).encode()
ROW: Final = b"system,item,accuracy\n"

FILES: Final[dict[str, Callable[[Path], Path]]] = {
    "a gzip of 10 MB that unpacks to 10 GB": _zeros_gz,
    "a zip of 1,000 files of 10 MB": lambda to: _zip(to, "b.zip", "{}.csv", bytes(10**7), 1_000),
    "a zip that goes out of its folder": lambda to: _zip(to, "out.zip", "../../x{}.csv", GOOD, 2),
    "a workbook that unpacks to 2 GB": lambda to: _zip(
        to, "b.xlsx", "xl/worksheets/sheet{}.xml", bytes(10**8), 20
    ),
    "an xz of zeros": lambda to: written(to, "b.csv.xz", lzma.compress(bytes(3 * 10**8))),
    "a tar of links to other places": _tar_of_links,
    "JSON 100,000 deep": lambda to: written(to, "deep.json", b"[" * 10**5 + b"]" * 10**5),
    "JSON objects 100,000 deep": lambda to: written(
        to, "deep2.json", b'{"a":' * 10**5 + b"1" + b"}" * 10**5
    ),
    "JSON lines, one of 50 MB": lambda to: written(
        to, "long.jsonl", b'{"system": "' + b"a" * 5 * 10**7 + b'"}\n'
    ),
    "a name of 100 MB": lambda to: written(to, "name.csv", ROW + b"a" * 10**8 + b",q1,1\n"),
    "200,000 columns": lambda to: written(
        to,
        "wide.csv",
        b",".join(b"c%d" % n for n in range(200_000)) + b"\n" + b"1," * 200_000 + b"\n",
    ),
    "a quote that never closes, 50 MB": lambda to: written(
        to, "quote.csv", ROW + b'"' + b"a,b,1\n" * (8 * 10**6)
    ),
    "a number of 100,000 digits": lambda to: written(to, "n.csv", ROW + b"a,q,1" + b"0" * 10**5),
    "bytes of a terminal, and text that runs backwards": lambda to: written(
        to, "esc.csv", ROW + "\x1b[2J\x1b]0;x\x07\u202egnp,q1,1\n".encode()
    ),
    "zero bytes in a table": lambda to: written(to, "zero.csv", ROW + b"a\0b,q1,1\n"),
    "XML that names itself 10^12 times": lambda to: written(to, "laughs.xml", LAUGHS),
    "YAML that names itself 10^12 times": lambda to: written(to, "laughs.yaml", ALIASES),
    "HTML 100,000 deep": lambda to: written(to, "deep.html", b"<table><tr><td>" * 10**5),
    "a pickle called JSON": lambda to: written(
        to, "p.json", b"\x80\x04\x95\x1e\x00\x00\x00cos\nsystem\n(S'touch /tmp/pwned'\ntR."
    ),
    "Parquet that is none": lambda to: written(
        to, "b.parquet", b"PAR1" + b"\xff" * 10**5 + b"PAR1"
    ),
    "a gzip that ends in the middle": lambda to: written(to, "h.csv.gz", gzip.compress(GOOD)[:-9]),
}
"""What is sent to the command and to a server."""


def _with_pipe(inside: Path) -> None:
    os.mkfifo(inside / "pipe.csv")
    (inside / "good.csv").write_bytes(GOOD)


def _with_links(inside: Path) -> None:
    (inside / "good.csv").write_bytes(GOOD)
    (inside / "secret.csv").symlink_to("/etc/passwd")
    (inside / "endless.csv").symlink_to("/dev/zero")
    (inside / "itself").symlink_to(inside)


PLACES: Final[dict[str, Callable[[Path], Path]]] = {
    "/dev/zero": lambda to: Path("/dev/zero"),
    "a folder with a named pipe": lambda to: _folder_of(to, _with_pipe),
    "a path of 5,000 characters": lambda to: Path("x" * 5_000 + ".csv"),
    "the memory of the process itself": lambda to: Path("/proc/self/mem"),
    "a folder with links out of it, to a device and to itself": lambda to: _folder_of(
        to, _with_links
    ),
}
"""What only a command can be given."""
