"""Workbooks of Excel and OpenDocument as a CSV file for each sheet, for all importers of tables."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import IO, Any, NamedTuple

from store.errors import ImportFormatError
from store.importers.budget import Budget
from store.importers.mapping import FOLDER_MAPPING, mapping_path
from store.importers.textfile import data_stem
from store.importers.workbook_bounds import OPEN_DOCUMENT, require_bounds

_WORKBOOKS = (".xlsx", ".xlsm", OPEN_DOCUMENT)
_FOREIGN = (".xls", ".xlsb")
_UNFIT = re.compile(r"[^\w .,()+=-]|^[. ]+|\s+$")


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


def write_sheets(path: Path, folder: Path, shown: str, budget: Budget) -> None:
    """Write each sheet that holds something as a CSV file into an empty folder.

    The file is called after the sheet, and after the workbook when only one sheet holds something.
    A YAML file that belongs to the workbook is put beside them. Rows keep their numbers as lines,
    as long as no cell before them has several lines.

    Raises
    ------
    ImportFormatError
        No whole workbook, one with a password, without any cell, or larger than a workbook of
        results is.
    OverBudgetError
        With it the import unpacks too much.
    """
    require_bounds(path, shown, budget)
    names = _write_all(path, folder, shown, budget)
    if not names:
        raise ImportFormatError("no sheet of the workbook holds anything.", path=shown)
    is_single = len(names) == 1
    for number, (name, written) in enumerate(names, start=1):
        stem = data_stem(path.name) if is_single else _UNFIT.sub("_", name) or f"sheet {number}"
        place = folder / f"{stem}.csv"
        if place.exists():
            place = folder / f"{stem} ({number}).csv"
        written.rename(place)
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


class _Lines(NamedTuple):
    """Takes the lines of a table, and counts them."""

    file: IO[bytes]
    budget: Budget
    shown: str

    def write(self, line: str) -> int:
        """Write a line."""
        data = line.encode()
        self.budget.unpack(self.shown, len(data))
        return self.file.write(data)


def _write_all(path: Path, folder: Path, shown: str, budget: Budget) -> list[tuple[str, Path]]:
    """Write the sheets that hold something, one after another: name of each, and its file."""
    found: list[tuple[str, Path]] = []
    for sheet in _sheets(path, shown):
        place = folder / f".{len(found)}"
        budget.unpack(shown, n_files=1)
        with place.open("wb") as file:
            lines = _Lines(file, budget, shown)
            csv.writer(lines, lineterminator="\n").writerows(_rows(sheet.content, sheet.used))
        found.append((sheet.name, place))
        del sheet  # before the next one is read
    return found


def _sheets(path: Path, shown: str) -> Iterator[_Sheet]:
    import python_calamine as calamine

    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as workbook:
            for about in workbook.sheets_metadata:
                if about.typ == calamine.SheetTypeEnum.WorkSheet:
                    sheet = workbook.get_sheet_by_name(about.name)
                    if used := _used(sheet):
                        yield _Sheet(about.name, sheet, used)
                    del sheet
        return
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
