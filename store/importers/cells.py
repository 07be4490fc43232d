"""What a table's cell means: a number, a date, a status word, or nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from store.importers.bundle import FloatArray, Status
from store.importers.columnar import PART, Coded, Numbers
from store.importers.kinds import OUTCOME_WORDS

BoolArray = npt.NDArray[np.bool_]

LARGEST = 1e100
"""Size of the largest score: sums and squares of such numbers are still finite."""

_MOST_SHOWN = 60
"""Characters of a cell in a message."""

MISSING_WORDS = frozenset({"", "na", "n/a", "none", "null", "nan", "-", "–", "—"})
TRUTH_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}

_STATUS_SPELLINGS = {
    Status.OK: (
        "ok", "0", "done", "success", "completed", "complete", "scored", "answered", "finished",
        "refused", "refusal",
    ),
    Status.NOT_ATTEMPTED: (
        "not attempted", "1", "skipped", "missing", "absent", "not run", "never ran", "pending",
    ),
    Status.ERROR: ("error", "2", "errored", "crash", "crashed", "exception"),
    Status.SCORED_BY_RULE: ("scored by rule", "3", "by rule", "wrong by rule", "rule", "imputed"),
    Status.UNSCORED: ("unscored", "4", "not scored"),
    Status.JUDGE_FAILED: (
        "judge failed", "5", "judge error", "judge failure", "judging error", "judging failed",
        "grader error", "grader failed", "grading error", "grading failed", "scorer error",
        "scorer failed", "scoring error", "scoring failed", "evaluator error", "evaluator failed",
        "evaluation error", "evaluation failed",
    ),
    Status.TIMED_OUT: ("timed out", "6", "timeout", "time out"),
}  # fmt: skip
STATUS_WORDS = {word: status for status, words in _STATUS_SPELLINGS.items() for word in words}
"""Spellings of a status, in lower case; hyphens and underscores count as blanks. A word such as
"failed" is not among them: it may mean a crash or a wrong answer."""

_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+\s*%?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_TOO_LARGE = re.compile(
    r"[+-]?(inf(inity)?|(\d+(\.\d*)?|\.\d+)e\+?\d{2,}|\d{100,}(\.\d*)?)", re.IGNORECASE
)
"""A number that is refused for its size, once it is known not to be one that is taken."""


class CellError(ValueError):
    """A cell cannot be read; the message says why and what to write."""


def is_infinite(printed: Any) -> bool:
    """Return whether a cell says that something is infinite, and is no large number."""
    return str(printed).strip().lower().lstrip("+-") in ("inf", "infinity")


def too_large(printed: Any) -> str:
    """Return what is said of a number that is no score for its size."""
    if is_infinite(printed):
        return (
            "is infinite: whatever was measured has no value there. Write NA where there is no "
            "score"
        )
    return f"is too large; a score is at most {LARGEST:g} in size"


def quoted(text: str) -> str:
    """Return a cell in quotes as a message shows it: the start of a long one is enough."""
    return repr(text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…")


def no_number(printed: str) -> str:
    """Return what is said of a cell that holds no finite number where a score is wanted."""
    try:
        float(printed)
    except ValueError:
        return f"{quoted(printed)} is no number."
    return f"{quoted(printed)} {too_large(printed)}."


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of cells read as numbers."""

    values: FloatArray
    """Shape (n_rows,); NaN = missing or unreadable."""
    is_percent: BoolArray
    """Shape (n_rows,): the cell carries a percent sign."""
    problems: Sequence[tuple[int, str]]
    """Row index and reason of each cell that cannot be read."""


def is_missing(cell: Any) -> bool:
    """Return whether a cell is one of the spellings of "no value"."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING_WORDS
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def as_text(cell: Any) -> str:
    """Return a cell as trimmed text; nothing becomes ``""``.

    Raises
    ------
    CellError
        The cell is a list or an object.
    """
    if isinstance(cell, str):
        return cell.strip()
    if cell is None:
        return ""
    if isinstance(cell, (list, dict)):
        raise CellError("holds a list or an object; write one plain value")
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if isinstance(cell, float) and math.isnan(cell) else str(cell)


def read_numbers(cells: Sequence[Any]) -> NumberColumn:
    """Read every cell of a column as a number; equal texts are read once."""
    if isinstance(cells, Coded):
        return _read_coded(cells)
    if isinstance(cells, Numbers):
        return _read_plain(cells)
    plain = _plain_numbers(cells)
    if plain is not None:
        return NumberColumn(plain, np.zeros(len(cells), np.bool_), [])
    known: dict[str, float] = {}
    failed: dict[str, str] = {}
    percent: set[str] = set()
    values: list[float] = []
    problems: list[tuple[int, str]] = []
    for row, cell in enumerate(cells):
        if cell.__class__ is str:
            value = known.get(cell)
            if value is None:
                try:
                    value, is_percent = parse_number(cell)
                    if is_percent:
                        percent.add(cell)
                except CellError as error:
                    value, failed[cell] = math.nan, str(error)
                known[cell] = value
            if failed and cell in failed:
                problems.append((row, failed[cell]))
        else:
            try:
                value = _plain_number(cell)
            except CellError as error:
                value = math.nan
                problems.append((row, str(error)))
        values.append(value)
    if percent:
        is_percent_cell = np.fromiter((cell in percent for cell in cells), np.bool_, len(cells))
    else:
        is_percent_cell = np.zeros(len(cells), np.bool_)
    return NumberColumn(np.array(values, dtype=np.float64), is_percent_cell, problems)


def _read_coded(cells: Coded) -> NumberColumn:
    read = read_numbers(cells.values)
    reasons = dict(read.problems)
    rows = np.flatnonzero(np.isin(cells.codes, list(reasons))).tolist() if reasons else []
    problems = [(row, reasons[int(cells.codes[row])]) for row in rows]
    return NumberColumn(read.values[cells.codes], read.is_percent[cells.codes], problems)


def _read_plain(cells: Numbers) -> NumberColumn:
    """Read a column of numbers; only the odd cells are looked at."""
    odd = dict(cells.odd)
    is_large = (cells.numbers > LARGEST) | (cells.numbers < -LARGEST)
    odd |= {row: cells[row] for row in np.flatnonzero(is_large).tolist()}
    is_percent = np.zeros(len(cells), np.bool_)
    if not odd:
        return NumberColumn(cells.numbers, is_percent, [])
    values = cells.numbers.copy()
    rows = sorted(odd)
    read = read_numbers([odd[row] for row in rows])
    values[rows], is_percent[rows] = read.values, read.is_percent
    return NumberColumn(values, is_percent, [(rows[i], reason) for i, reason in read.problems])


def parse_number(text: str) -> tuple[float, bool]:
    """Return a cell's number (NaN when missing) and whether it carries a percent sign.

    Raises
    ------
    CellError
        Not a number, infinite, or written with a comma.
    """
    trimmed = text.strip()
    lowered = trimmed.lower()
    if lowered in MISSING_WORDS:
        return math.nan, False
    if lowered in TRUTH_WORDS:
        return TRUTH_WORDS[lowered], False
    is_percent = trimmed.endswith("%")
    number = trimmed[:-1].rstrip() if is_percent else trimmed
    if "_" not in number:
        try:
            value = float(number)
        except ValueError:
            pass
        else:
            if abs(value) > LARGEST:
                raise CellError(f"{quoted(trimmed)} {too_large(trimmed)}")
            return value, is_percent
    point, plain = trimmed.replace(",", "."), trimmed.replace(",", "")
    is_grouped = _GROUPED.fullmatch(trimmed) is not None
    if _DECIMAL_COMMA.fullmatch(trimmed):
        grouping = f", or {plain} if the comma groups digits" if is_grouped else ""
        raise CellError(
            f"{quoted(trimmed)} has a decimal comma; write {point} with a point" + grouping
        )
    if is_grouped:
        said = f"has commas between the digits; write {plain}"
        raise CellError(f"{quoted(trimmed)} {said}")
    raise CellError(
        f"{quoted(trimmed)} is not a number; leave the cell empty when there is no score"
    )


def is_empty(cells: Sequence[Any]) -> bool:
    """Return whether no cell holds anything."""
    return all(map(is_missing, cells))


def looks_numeric(cells: Sequence[Any], sample: int = 1_000) -> bool:
    """Return whether at least half of the first cells that hold something are numbers."""
    if isinstance(cells, (Coded, Numbers)):
        cells = _first_filled(cells, sample)
    tried = numeric = 0
    for cell in cells:
        if is_missing(cell):
            continue
        tried += 1
        numeric += _is_meant_as_number(cell)
        if tried == sample:
            break
    return numeric > 0 and 2 * numeric >= tried


def _first_filled(cells: Coded | Numbers, sample: int) -> list[Any]:
    """Return the first cells that hold something; for a plain number any number."""
    found: list[Any] = []
    if isinstance(cells, Coded):
        is_filled = np.array([not is_missing(cell) for cell in cells.values], np.bool_)
    for start in range(0, len(cells), PART):
        if isinstance(cells, Coded):
            part = cells.codes[start : start + PART]
            found += map(cells.values.__getitem__, part[is_filled[part]][:sample].tolist())
        else:
            numbers = cells.numbers[start : start + PART]
            is_seen = ~np.isnan(numbers)
            here = [row for row in cells.odd if start <= row < start + PART]
            is_seen[[row - start for row in here]] = True
            rows = np.flatnonzero(is_seen)[:sample] + start
            found += [cells.odd.get(row, 0.0) for row in rows.tolist()]
        if len(found) >= sample:
            break
    return found[:sample]


def parse_status(text: str) -> Status | None:
    """Return the status that a word stands for; ``None`` for an empty cell.

    Raises
    ------
    CellError
        An unknown word.
    """
    word = text.strip().lower().replace("_", " ").replace("-", " ").strip()
    if word in MISSING_WORDS:
        return None
    if word in STATUS_WORDS:
        return STATUS_WORDS[word]
    if word.endswith((" timeout", " timed out")):  # of the agent, of the network
        return Status.TIMED_OUT
    if word.endswith(" error"):
        return Status.ERROR
    known = ", ".join(OUTCOME_WORDS.values())
    raise CellError(f"{text.strip()!r} is no known status; write one of: {known}")


FIRST_YEAR = 1940
"""Nothing was evaluated before: an earlier year is a mistake."""


_DATES = ("%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d", "%Y/%m/%d %H:%M:%S",
          "%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y")  # fmt: skip
"""Ways to write a date, beside ISO's, of which each can be read in one way only."""


def parse_date(text: str) -> tuple[datetime, bool]:
    """Return an aware datetime and whether UTC was assumed.

    Besides ISO dates there are ``18.11.2025``, ``2025/11/18`` and ``Nov 18, 2025``, whose day and
    month nobody takes for each other.

    Raises
    ------
    CellError
        Not such a date, or before there were computers.
    """
    moment = _moment(text.strip())
    if moment is None:
        raise CellError(
            f"{text.strip()!r} is no date; write 2025-11-18 or 2025-11-18T20:15:00+00:00"
        )
    if moment.year < FIRST_YEAR:
        raise CellError(f"{text.strip()!r} lies before {FIRST_YEAR}; is the year right?")
    return aware(moment)


def _moment(text: str) -> datetime | None:
    """Return the moment that a text states, or ``None``."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    plain = " ".join(text.replace(",", " ").split())
    for pattern in _DATES:
        try:
            return datetime.strptime(plain, pattern)
        except ValueError:
            continue
    return None


def aware(moment: datetime | date) -> tuple[datetime, bool]:
    """Return a datetime with an offset and whether UTC was assumed."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC), True
    return moment, False


def _plain_numbers(cells: Sequence[Any]) -> FloatArray | None:
    """Return the values of a column in which every cell is a plain number, else ``None``."""
    try:
        values = np.fromiter(map(float, cells), np.float64, len(cells))
    except (TypeError, ValueError, OverflowError):
        return None
    if (np.abs(values) > LARGEST).any():
        return None
    if any("_" in cell for cell in cells if cell.__class__ is str):
        return None  # Python reads 1_000 as a number
    return values


def _plain_number(cell: Any) -> float:
    """Read a cell that is not text: from JSON or Parquet."""
    if cell is None:
        return math.nan
    if isinstance(cell, (list, dict)):
        raise CellError("holds a list or an object; write one number")
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        raise CellError(f"{cell!r} is not a number") from None
    if abs(value) > LARGEST:
        raise CellError(f"{cell!r} {too_large(value)}")
    return value


def _is_meant_as_number(cell: Any) -> bool:
    if not isinstance(cell, str):
        return isinstance(cell, (int, float))
    try:
        parse_number(cell)
    except CellError:
        trimmed = cell.strip()
        return any(form.fullmatch(trimmed) for form in (_DECIMAL_COMMA, _GROUPED, _TOO_LARGE))
    return True
