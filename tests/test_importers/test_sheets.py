"""Workbooks: each sheet is a table."""

import io
import re
import zipfile

import pytest

from store.errors import ImportFormatError
from store.importers import workbook_bounds
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.unpack import sniffed_suffix

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
ROWS = [["system", "dataset", "item", "acc"], ["A", "d", 1, 0.1], ["A", "d", 2, 1]]


def cell(place, value):
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def workbook(**sheets) -> bytes:
    """Return an Excel workbook; empty rows are left out of the file, as Excel does."""
    names = {name: f"sheet{i}.xml" for i, name in enumerate(sheets, start=1)}
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>'
        + "".join(
            f'<sheet name="{name}" sheetId="{i}" r:id="{file}"/>'
            for i, (name, file) in enumerate(names.items(), start=1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="{file}" Type="{_DOCUMENT}/worksheet" Target="worksheets/{file}"/>'
            for file in names.values()
        )
        + "</Relationships>",
    }
    for name, rows in sheets.items():
        lines = "".join(
            f'<row r="{y}">'
            + "".join(cell(f"{chr(64 + x)}{y}", value) for x, value in enumerate(row, start=1))
            + "</row>"
            for y, row in enumerate(rows, start=1)
            if row
        )
        content = f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        parts[f"xl/worksheets/{names[name]}"] = content
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_one_sheet_is_the_file(read) -> None:
    bundle = read(workbook(Sheet1=ROWS, Sheet2=[]), "scores.xlsx")
    assert [item.key for item in bundle.datasets[0].items] == ["1", "2"]
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [0.1, 1.0]
    assert [file.path for file in bundle.files] == ["scores.xlsx"]


def test_each_sheet_is_a_table_of_its_own(write, tmp_path) -> None:
    plain = [["item", "accuracy"], [1, 1], [2, 0]]
    path = write(workbook(**{"model one": plain, "modeltwo": plain}), "board.xlsm")
    found = read_paths([path], options=ReadOptions(dataset="d"), root=tmp_path)
    assert [b.files[0].path for b in found.bundles] == [
        "board.xlsm/model one",
        "board.xlsm/modeltwo",
    ]
    assert [b.runs[0].system for b in found.bundles] == ["model one", "modeltwo"]


def test_a_fault_has_the_row_of_the_sheet(read) -> None:
    rows = [*ROWS, [], ["A", "d", 3, "bad"]]
    with pytest.raises(ImportFormatError, match=r"scores.xlsx, line 5, field 'acc': 'bad' is not"):
        read(workbook(s=rows), "scores.xlsx")


def test_the_yaml_beside_it_holds(read) -> None:
    rows = [["question", "x"], [1, 0.5], [2, 0.7]]
    yaml = "system: A\ndataset: d\nmetric: acc\ncolumns: {item: question, score: x}\n"
    bundle = read(workbook(s=rows), "scores.xlsx", yaml=yaml)
    assert (bundle.runs[0].system, bundle.metrics[0].name) == ("A", "acc")


def test_a_cell_far_out_is_refused_before_memory_is_taken(read) -> None:
    packed = workbook(s=ROWS)
    far = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(far, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'r="D3"', b'r="XFD1048576"'))
    with pytest.raises(ImportFormatError, match=r"scores.xlsx: a sheet reaches over"):
        read(far.getvalue(), "scores.xlsx")


def shared(texts, rows) -> bytes:
    """Return a workbook of one sheet whose cells are numbers of texts that stand apart."""
    packed = workbook(s=[[0] * len(row) for row in rows])
    cells = iter([number for row in rows for number in row])
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name).decode()
            if "worksheets/" in name:
                content = re.sub(r"><v>0</v>", lambda _: f' t="s"><v>{next(cells)}</v>', content)
            if name.endswith(".rels") and "workbook" in name:
                end = "</Relationships>"
                link = f'<Relationship Id="t" Type="{_DOCUMENT}/sharedStrings" '
                content = content.replace(end, f'{link}Target="sharedStrings.xml"/>{end}')
            new.writestr(name, content)
        listed = "".join(f"<si><t>{text}</t></si>" for text in texts)
        new.writestr("xl/sharedStrings.xml", f'<sst xmlns="{_MAIN}">{listed}</sst>')
    return out.getvalue()


def test_texts_that_cells_share_count_as_often_as_they_stand(read, monkeypatch) -> None:
    """A few bytes may name a long text a million times: the reader copies it into each cell."""
    texts = ["system", "item", "acc", "A", "x" * 1_000, "1"]
    packed = shared(texts, [[0, 1, 2], [3, 4, 5]])
    monkeypatch.setattr(workbook_bounds, "_MOST_BYTES", 9_000)
    assert read(packed, "scores.xlsx").datasets[0].items[0].key == "x" * 1_000
    packed = shared(texts, [[0, 1, 2], *[[3, 4, 5]] * 9])
    with pytest.raises(ImportFormatError, match=r"scores.xlsx: a sheet would take .* as .csv"):
        read(packed, "scores.xlsx")


def test_texts_within_cells_count(read, monkeypatch) -> None:
    packed = workbook(s=[["system", "item", "acc"], ["A", "x" * 5_000, 1]])
    read(packed, "scores.xlsx")
    monkeypatch.setattr(workbook_bounds, "_MOST_BYTES", 5_000)
    with pytest.raises(ImportFormatError, match=r"scores.xlsx: a sheet would take"):
        read(packed, "scores.xlsx")


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (workbook(s=ROWS)[:500], "cut.xlsx", "not a whole workbook"),
        (b"PK\x05\x06" + bytes(18), "none.xlsx", "not a whole workbook"),
        (workbook(s=[]), "empty.xlsx", "no sheet of the workbook holds anything"),
        (b"x", "old.xls", r"Save it as .xlsx or .csv"),
    ],
    ids=["cut", "nothing", "empty", "old"],
)
def test_what_is_no_workbook_is_named(read, content, name, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(content, name)


def test_a_workbook_on_standard_input_is_known() -> None:
    assert sniffed_suffix(workbook(s=ROWS)[:100_000]) == ".xlsx"


_ODS = "urn:oasis:names:tc:opendocument:xmlns:"


def open_document(rows, more="", begin="") -> bytes:
    """Return an OpenDocument workbook of one sheet; `more` stands behind its rows."""

    def one(value):
        kind = ' office:value-type="string"'
        if not isinstance(value, str):
            kind = f' office:value-type="float" office:value="{value}"'
        return f"<table:table-cell{kind}><text:p>{value}</text:p></table:table-cell>"

    lines = "".join(f"<table:table-row>{''.join(map(one, row))}</table:table-row>" for row in rows)
    spaces = "".join(f' xmlns:{name}="{_ODS}{name}:1.0"' for name in ("office", "table", "text"))
    xml = (
        f"{begin}<office:document-content{spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="s">{lines}{more}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", xml)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return packed.getvalue()


EMPTY_REST = (
    '<table:table-row table:number-rows-repeated="1048000">'
    '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
)


def test_a_sheet_of_opendocument_is_a_table(read) -> None:
    bundle = read(open_document(ROWS, EMPTY_REST), "scores.ods")
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [0.1, 1.0]
    assert sniffed_suffix(open_document(ROWS)[:4096]) == ".ods"


@pytest.mark.parametrize(
    "cells",
    [
        '<table:table-row table:number-rows-repeated="1000000">'
        '<table:table-cell table:number-columns-repeated="30" office:value-type="float" '
        'office:value="1"><text:p>1</text:p></table:table-cell></table:table-row>',
        EMPTY_REST.replace("1048000", "9000000")
        + "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
        "</table:table-row>",
    ],
)
def test_repeated_cells_are_counted_before_they_are_made(read, cells) -> None:
    with pytest.raises(ImportFormatError, match=r"scores.ods: a sheet reaches over"):
        read(open_document(ROWS, cells), "scores.ods")


@pytest.mark.parametrize(
    "content", [open_document(ROWS)[:300], open_document(ROWS, begin="<!DOCTYPE a>"), b"<a>"]
)
def test_a_damaged_opendocument_is_named(read, content) -> None:
    with pytest.raises(ImportFormatError, match="not a whole workbook"):
        read(content, "scores.ods")
