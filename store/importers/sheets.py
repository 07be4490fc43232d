"""Workbooks of Excel and OpenDocument as a CSV file for each sheet, for all importers of tables."""

from __future__ import annotations

import csv
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.parsers.expat import ExpatError

from store.errors import ImportFormatError
from store.importers.mapping import FOLDER_MAPPING, mapping_path
from store.importers.ods_bounds import Extents
from store.importers.textfile import data_stem
from store.importers.unpack import Budget

_OPEN_DOCUMENT = ".ods"
_WORKBOOKS = (".xlsx", ".xlsm", _OPEN_DOCUMENT)
_FOREIGN = (".xls", ".xlsb")
_MOST_CELLS: Final = 20_000_000
"""From the first cell of a sheet to its last, the empty ones counted."""
_PART: Final = 1 << 20
_LONGEST_PLACE: Final = 64
_PLACE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]{0,3})(\d{1,7})[\"']")
_UNFIT = re.compile(r"[^\w .,()+=-]|^[. ]+|\s+$")
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError,
    ExpatError, ValueError,
)  # fmt: skip


def is_workbook(path: Path) -> bool:
    """Return whether a file is a workbook that is read here, by its name."""
    return path.suffix.lower() in _WORKBOOKS


def require_known_workbook(path: Path, shown: str) -> None:
    """Raise `ImportFormatError` for a workbook that nothing here reads."""
    if path.suffix.lower() in _FOREIGN:
        raise ImportFormatError(
            f"a workbook ({path.suffix}) that is not read here. Save it as .xlsx or .csv.",
            path=shown,
        )


def write_sheets(path: Path, folder: Path, shown: str) -> None:
    """Write each sheet that holds something as a CSV file into an empty folder.

    The file is called after the sheet, and after the workbook when only one sheet holds something.
    A YAML file that belongs to the workbook is put beside them. Rows keep their numbers as lines,
    as long as no cell before them has several lines.

    Raises
    ------
    ImportFormatError
        No whole workbook, one with a password, without any cell, or larger than a workbook of
        results is.
    """
    _require_bounds(path, shown)
    sheets = _sheets(path, shown)
    if not sheets:
        raise ImportFormatError("no sheet of the workbook holds anything.", path=shown)
    is_single = len(sheets) == 1
    for number, (name, sheet, used) in enumerate(sheets, start=1):
        stem = data_stem(path.name) if is_single else _UNFIT.sub("_", name) or f"sheet {number}"
        place = folder / f"{stem}.csv"
        if place.exists():
            place = folder / f"{stem} ({number}).csv"
        with place.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(_rows(sheet, used))
    described = mapping_path(path)
    if described is not None:
        shutil.copyfile(described, folder / (described.name if is_single else FOLDER_MAPPING))


class _Sheet(NamedTuple):
    """A sheet that holds something."""

    name: str
    content: Any
    """As calamine holds it, in less memory than Python would."""
    used: Sequence[int]
    """Places of the columns that are not empty."""


def _sheets(path: Path, shown: str) -> list[_Sheet]:
    import python_calamine as calamine

    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as workbook:
            sheets = [
                (about.name, workbook.get_sheet_by_name(about.name))
                for about in workbook.sheets_metadata
                if about.typ == calamine.SheetTypeEnum.WorkSheet
            ]
            found = [_Sheet(name, sheet, _used(sheet)) for name, sheet in sheets]
            return [one for one in found if one.used]
    except calamine.PasswordError:
        reason = "the workbook is locked with a password. Save it without one."
    except (calamine.CalamineError, OSError, ValueError) as error:
        told = str(error).split("\n", 1)[0].rstrip(".")
        reason = f"not a whole workbook ({told}). Save or copy it again."
    raise ImportFormatError(reason, path=shown)


def _used(sheet: Any) -> list[int]:
    """Return the places of the columns that hold something."""
    used: set[int] = set()
    for row in sheet.iter_rows():
        used.update(i for i, cell in enumerate(row) if cell != "")
    return sorted(used)


def _rows(sheet: Any, used: Sequence[int]) -> Iterator[list[str]]:
    """Yield rows of text without the columns that are empty; an empty row is an empty list."""
    for row in sheet.iter_rows():
        cells = [_text(row[i]) for i in used]
        yield cells if any(cells) else []


def _text(cell: Any) -> str:
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    return str(cell.total_seconds()) if isinstance(cell, timedelta) else str(cell)


def _require_bounds(path: Path, shown: str) -> None:
    """Refuse a bomb before the workbook is read: by its bytes, or by a cell that is far out."""
    budget = Budget(path.stat().st_size, shown)
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                with archive.open(member) as packed:
                    if path.suffix.lower() == _OPEN_DOCUMENT and member.filename == "content.xml":
                        _count_repeated(packed, budget, shown)
                    else:
                        _count(packed, budget, shown)
    except _DAMAGED as error:
        told = str(error).split("\n", 1)[0].rstrip(".") or type(error).__name__
        reason = f"not a whole workbook ({told}). Save or copy it again."
        raise ImportFormatError(reason, path=shown) from None


def _count(packed: Any, budget: Budget, shown: str) -> None:
    n_rows = n_columns = 1
    tail = b""
    while part := packed.read(_PART):
        budget.count(len(part))
        for letters, digits in _PLACE.findall(tail + part):
            n_rows = max(n_rows, int(digits))
            n_columns = max(n_columns, _column_number(letters))
        tail = part[-_LONGEST_PLACE:]
        _require_cells(n_rows * n_columns, shown)


def _count_repeated(packed: Any, budget: Budget, shown: str) -> None:
    extents = Extents()
    while part := packed.read(_PART):
        budget.count(len(part))
        extents.feed(part)
        _require_cells(extents.n_cells, shown)


def _require_cells(n_cells: int, shown: str) -> None:
    if n_cells > _MOST_CELLS:
        raise ImportFormatError(
            f"a sheet reaches over more than {_MOST_CELLS:,} cells. Delete what stands far "
            "from the table, or save the table as .csv.",
            path=shown,
        )


def _column_number(letters: Sequence[int]) -> int:
    number = 0
    for letter in bytes(letters).upper():
        number = 26 * number + letter - ord("A") + 1
    return number
