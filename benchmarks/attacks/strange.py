"""Files that are not what they say: archives that lie, tables that never end, damaged columns."""

from __future__ import annotations

import bz2
import gzip
import io
import sqlite3
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from benchmarks.attacks.files import GOOD, ROW, written

_XML: Final = '<?xml version="1.0"?>'
_SHEET: Final = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
_TEXT: Final = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>{}</t></is></c></row>{}'
_ENTITIES: Final = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(10))
_MLFLOW: Final = ("experiments", "runs", "metrics", "latest_metrics", "params", "tags")


def _in_memory(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _nested(to: Path) -> Path:
    name, content = "g.csv", GOOD
    for depth in range(60):
        name, content = f"{depth}.zip", _in_memory({name: content})
    return written(to, "nested.zip", content)


def _overlapping(to: Path) -> Path:
    whole, n = _in_memory({"a.csv": b"0" * 10**7}), 20_000
    begin, end = whole.index(b"PK\x01\x02"), whole.rindex(b"PK\x05\x06")
    entries = b"".join(whole[begin:end].replace(b"a.csv", b"%05d" % one) for one in range(n))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, n, n, len(entries), begin, 0)
    return written(to, "overlap.zip", whole[:begin] + entries + tail)


def _lying(to: Path) -> Path:
    whole = bytearray(_in_memory({"a.csv": b"0" * 10**8}))
    begin = whole.index(b"PK\x01\x02")
    whole[begin + 24 : begin + 28] = whole[22:26] = struct.pack("<L", 10)
    return written(to, "lie.zip", bytes(whole))


def _crowded(to: Path) -> Path:
    members = {f"d{number}/x": b"" for number in range(60_000)}
    return written(to, "many.zip", _in_memory(members, zipfile.ZIP_STORED))


def _sparse(to: Path) -> Path:
    head = bytearray(tarfile.TarInfo("s.csv").tobuf(tarfile.GNU_FORMAT))
    head[156:157], head[386:410] = b"S", b"00000000000\0" * 2
    head[483:495], head[148:156] = b"77777777777\0", b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return written(to, "sparse.tar", bytes(head) + bytes(1024))


def _devices(to: Path) -> Path:
    path = to / "devices.tar.gz"
    kinds = (tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.LNKTYPE, tarfile.SYMTYPE)
    with tarfile.open(path, "w:gz") as archive:
        for number, kind in enumerate(kinds):
            member = tarfile.TarInfo(f"{number}")
            member.type, member.linkname, member.devmajor = kind, "/etc", 1
            archive.addfile(member)
        through = tarfile.TarInfo("3/passwd")
        through.size = len(GOOD)
        archive.addfile(through, io.BytesIO(GOOD))
    return path


def _long_path(to: Path) -> Path:
    path = to / "pax.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("x.csv")
        member.pax_headers, member.size = {"path": "a" * 2_000_000}, len(GOOD)
        archive.addfile(member, io.BytesIO(GOOD))
    return path


def _workbook(to: Path, inside: str) -> Path:
    office = "http://schemas.openxmlformats.org"
    name, kind = f"{office}/package/2006", f"{office}/officeDocument/2006/relationships"
    links = '<Relationships xmlns="{0}/relationships">'
    links += '<Relationship Id="r1" Type="{1}" Target="{2}"/></Relationships>'
    members = {
        "[Content_Types].xml": f'<Types xmlns="{name}/content-types"/>',
        "_rels/.rels": links.format(name, f"{kind}/officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{office}/spreadsheetml/2006/main" xmlns:r="{kind}">'
        '<sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": links.format(
            name, f"{kind}/worksheet", "worksheets/sheet1.xml"
        ),
        "xl/worksheets/sheet1.xml": inside,
    }
    whole = _in_memory({name: (_XML + one).encode() for name, one in members.items()})
    return written(to, "w.xlsx", whole)


def _cell(text: str, more: str = "") -> str:
    return f"{_SHEET}{_TEXT.format(text, more)}</sheetData></worksheet>"


def _parquet(to: Path) -> Path:
    table = pa.table({"system": ["a", "b"], "item": ["q", "q"], "score": [1.0, 0.0]})
    metadata = {b"pandas": b"{" * 10**6, b"x": b"y" * 2 * 10**7}
    pq.write_table(table.replace_schema_metadata(metadata), to / "m.parquet")
    return to / "m.parquet"


def _repeated(to: Path) -> Path:
    named = {one: pa.array([one * 900]).dictionary_encode() for one in ("system", "item")}
    zeros = np.zeros(3 * 10**6, np.int32)
    table = {name: one.take(pa.array(zeros)) for name, one in named.items()}
    pq.write_table(pa.table(table | {"score": zeros.astype(float)}), to / "same.parquet")
    return to / "same.parquet"


def _deep(to: Path) -> Path:
    with tarfile.open(to / "deep.tar", "w") as archive:
        for number in range(8_000):
            archive.addfile(tarfile.TarInfo("d/" * 200 + f"{number}.csv"))
    return to / "deep.tar"


def _offsets(to: Path) -> Path:
    offsets = struct.pack("<4i", 0, 2_000_000_000, -5, 7)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"abcdefg")]
    text = pa.Array.from_buffers(pa.string(), 3, buffers)
    columns = [text, text, pa.array([1.0, 0.0, 1.0])]
    batch = pa.record_batch(columns, names=["system", "item", "score"])
    with ipc.new_file(str(to / "o.arrow"), batch.schema) as out:
        out.write_batch(batch)
    return to / "o.arrow"


def _views(to: Path) -> Path:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    with closing(sqlite3.connect(to / "mlflow.db")) as database:
        for name in _MLFLOW:
            database.execute(f"CREATE VIEW {name} AS {endless}")
        database.commit()
    return to / "mlflow.db"


def _merged(to: Path) -> Path:
    lines = [f"a{n + 1}: &a{n + 1} {{<<: [*a{n}, *a{n}, *a{n}, *a{n}]}}" for n in range(25)]
    return written(to, "m.yaml", "\n".join(["a0: &a0 {x: 1}", *lines]).encode())


_SPAN: Final = b"<tr><td colspan=1000000 rowspan=1000000>a</td></tr>"
_FAR: Final = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
_DEFLATED: Final = gzip.compress(ROW)[10:]
_LOOP: Final = b"1\ta\ta\tX\t_\t_\t2\td\t_\t_\n2\tb\tb\tX\t_\t_\t1\td\t_\t_\n\n"

STRANGE: Final[dict[str, Callable[[Path], Path]]] = {
    "a zip in a zip, 60 deep": _nested,
    "a zip of 20,000 names for the same bytes": _overlapping,
    "a zip that lies about its sizes": _lying,
    "a zip of 60,000 empty files": _crowded,
    "a sparse tar of 8 GB": _sparse,
    "a tar of devices, pipes and links, one walked through": _devices,
    "a tar with a path of 2 MB": _long_path,
    "a gzip of 20,000 parts": lambda to: written(
        to, "m.csv.gz", gzip.compress(ROW) + gzip.compress(b"") * 20_000 + gzip.compress(b"a,q,1\n")
    ),
    "a bz2 of zeros": lambda to: written(to, "b.csv.bz2", bz2.compress(bytes(10**9))),
    "a zst of zeros": lambda to: written(
        to, "b.csv.zst", pa.compress(bytes(3 * 10**8), codec="zstd", asbytes=True)
    ),
    "a workbook whose text names itself 10^10 times": lambda to: _workbook(
        to, f'<!DOCTYPE l [<!ENTITY a0 "ha">{_ENTITIES}]>{_cell("&a10;")}'
    ),
    "a workbook that names a file of this machine": lambda to: _workbook(
        to, f'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>{_cell("&x;")}'
    ),
    "a workbook with a cell in its last corner": lambda to: _workbook(to, _cell("system", _FAR)),
    "YAML whose mappings merge 4^25 times": _merged,
    "Parquet with 20 MB of words about itself": _parquet,
    "Arrow whose texts lie outside of it": _offsets,
    "a database of views that never end": _views,
    "HTML with a cell over a million columns": lambda to: written(
        to, "s.html", b"<table>" + _SPAN * 200 + b"</table>"
    ),
    "5 million columns in UTF-16": lambda to: written(
        to, "u.csv", b"\xff\xfe" + ("a," * 5_000_000).encode("utf-16-le")
    ),
    "JSON with 600,000 keys": lambda to: written(
        to, "k.json", b"{" + b",".join(b'"k%d":{}' % n for n in range(600_000)) + b"}"
    ),
    "trees that are rings": lambda to: written(to, "c.conllu", _LOOP * 2_000),
    "a quarter of a million kinds of white space": lambda to: written(
        to, "w.txt", (" \t\u2003\u3000" * 250_000).encode()
    ),
    "a gzip whose header holds a name of 10 MB": lambda to: written(
        to, "n.csv.gz", b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 10**7 + b"\0" + _DEFLATED
    ),
    "a tar of 8,000 files, 200 folders deep": _deep,
    "99 million commas": lambda to: written(to, "commas.csv", b"," * 99_000_000),
    "100,000 datasets": lambda to: written(
        to,
        "datasets.csv",
        b"system,dataset,item,accuracy\n" + b"".join(b"a,d%d,q,1\n" % n for n in range(10**5)),
    ),
    "Parquet that says the same 3 million times": _repeated,
}
"""What is sent to the command and to a server, too."""
