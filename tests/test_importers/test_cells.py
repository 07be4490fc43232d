"""Cells: numbers, missing words, dates, statuses."""

import math
from datetime import UTC, datetime, timedelta
from time import perf_counter

import numpy as np
import pytest

from store.importers.bundle import Status
from store.importers.cells import (
    CellError,
    as_text,
    is_missing,
    looks_numeric,
    parse_date,
    parse_number,
    parse_status,
    read_numbers,
)
from store.importers.kinds import OUTCOME_WORDS


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("0.5", 0.5), (" 1e-3 ", 0.001), ("-0.0", -0.0), (".5", 0.5), ("+2", 2.0)],
        *[("True", 1.0), ("no", 0.0), ("YES", 1.0), ("false", 0.0)],
    ],
)
def test_parse_number_reads_numbers_and_truth(text, value) -> None:
    number, is_percent = parse_number(text)
    assert math.copysign(1, number) == math.copysign(1, value)
    assert (number, is_percent) == (value, False)


@pytest.mark.parametrize("text", ["", " ", "NA", "n/a", "None", "NULL", "nan", "-", "–"])
def test_words_for_nothing_are_missing(text) -> None:
    assert is_missing(text)
    assert math.isnan(parse_number(text)[0])


def test_a_cell_of_many_digits_is_judged_at_once() -> None:
    started = perf_counter()
    assert looks_numeric(["9" * 100_000])
    assert not looks_numeric(["9" * 50_000 + "x"])
    assert perf_counter() - started < 1.0


def test_percent_sign_keeps_the_scale() -> None:
    assert parse_number("74.4%") == (74.4, True)
    assert parse_number("74.4 %") == (74.4, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", "'abc' is not a number; leave the cell empty when there is no score"),
        ("0,75", "'0,75' has a decimal comma; write 0.75 with a point"),
        ("1,250", "write 1.250 with a point, or 1250 if the comma groups digits"),
        ("1,234.5", "'1,234.5' has commas between the digits; write 1234.5"),
        ("inf", "'inf' is infinite: whatever was measured has no value there. Write NA"),
        ("1e999", "is too large; a score is at most 1e"),
        ("1_000", "'1_000' is not a number"),
        ("90.7 ± 0.2", "is not a number"),
        ("x" * 1_000, "^'x{59}…' is not a number"),
        ("9" * 100_000, "^'9{59}…' is too large"),
    ],
)
def test_parse_number_says_what_is_wrong(text, message) -> None:
    with pytest.raises(CellError, match=message):
        parse_number(text)


@pytest.mark.parametrize(
    ("cells", "expected", "problem"),
    [
        (["0.1", "0.2"], [0.1, 0.2], None),
        (["0.1", "", "0.3"], [0.1, math.nan, 0.3], None),
        ([0.1, None], [0.1, math.nan], None),
        (["0.1", "x"], [0.1, math.nan], (1, "'x' is not a number")),
        (["1_0", "2"], [math.nan, 2.0], (0, "'1_0' is not a number")),
        ([1.0, "1_0"], [1.0, math.nan], (1, "'1_0' is not a number")),
    ],
)
def test_read_numbers_keeps_the_place_of_each_cell(cells, expected, problem) -> None:
    column = read_numbers(cells)
    np.testing.assert_array_equal(column.values, expected)
    found = [(row, reason.partition(";")[0]) for row, reason in column.problems]
    assert found == ([problem] if problem else [])


def test_read_numbers_marks_percent_signs() -> None:
    assert read_numbers(["1%", "2", ""]).is_percent.tolist() == [True, False, False]


def test_read_numbers_keeps_every_bit() -> None:
    numbers = [0.1 + 0.2, 5e-324, -0.0, 1e100]
    for cells in (numbers, list(map(repr, numbers))):
        assert read_numbers(cells).values.tobytes() == np.array(numbers).tobytes()


@pytest.mark.parametrize("cell", [[1], {"x": 1}])
def test_nested_values_are_no_numbers(cell) -> None:
    assert "holds a list or an object" in read_numbers([cell]).problems[0][1]
    with pytest.raises(CellError, match="holds a list or an object"):
        as_text(cell)


def test_infinite_json_numbers_are_refused() -> None:
    assert "is infinite" in read_numbers([math.inf, 1.0]).problems[0][1]
    assert "is not a number" in read_numbers([10**400]).problems[0][1]


def test_looks_numeric_counts_what_is_meant_as_a_number() -> None:
    assert looks_numeric(["1", "2", "abc"])
    assert looks_numeric(["0,5", "0,6"])
    assert not looks_numeric(["a", "b", "1"])
    assert not looks_numeric(["", None])
    assert not looks_numeric(["2024-01-01"])


@pytest.mark.parametrize(
    ("word", "status"),
    [
        *[("ok", 0), ("Completed", 0), ("not attempted", 1), ("not_attempted", 1), ("skipped", 1)],
        *[("ERROR", 2), ("scored by rule", 3), ("3", 3), ("unscored", 4), ("Judge-Error", 5)],
        *[("grading failed", 5), ("timed-out", 6), ("agent_timeout", 6), ("network error", 2)],
        *[(word, status) for status, word in OUTCOME_WORDS.items()],
    ],
)
def test_parse_status_knows_common_words(word, status) -> None:
    assert parse_status(word) == Status(status)


def test_parse_status_of_nothing_and_of_an_unclear_word() -> None:
    assert parse_status(" ") is None
    with pytest.raises(CellError, match="'failed' is no known status; write one of: answered"):
        parse_status("failed")


def test_parse_date_assumes_utc_and_says_so() -> None:
    assert parse_date("2025-11-18") == (datetime(2025, 11, 18, tzinfo=UTC), True)
    moment, is_assumed = parse_date("2025-07-11T19:11:52+02:00")
    assert (moment.utcoffset(), is_assumed) == (timedelta(hours=2), False)
    for text in ("18.11.2025", "2025/11/18", "Nov 18, 2025", "18 November 2025"):
        assert parse_date(text) == (datetime(2025, 11, 18, tzinfo=UTC), True)
    for text in ("11/18/2025", "18/11/2025", "18.11.25", "Thursday", "31.02.2025"):
        with pytest.raises(CellError, match=f"'{text}' is no date; write 2025-11-18"):
            parse_date(text)
