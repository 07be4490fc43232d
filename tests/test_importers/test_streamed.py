"""A large text table is read part by part, and gives exactly what the exact reader gives."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.errors import ImportFormatError
from store.importers import arrow_columns, columnar, generic, streamed
from store.importers.bundle import ReadOptions, RowProblems
from store.importers.cells import looks_numeric, read_numbers
from store.importers.columnar import Coded, Numbers
from store.importers.no_metrics import no_metric
from store.importers.tables import read_table

CELLS = st.sampled_from(
    ["0.5", "0.50", "1", "-2.25", "1e-3", "", "NA", "nan", "inf", "1e300", "50%", "true", "1_000",
     "abc", " 0.5 ", "0,5", "+.5", "nan(1)", "٣", "–", '"', 'a"b', "two\nlines", "é", "\ufeff"]
)  # fmt: skip
NAMES = st.sampled_from(["a", "b", " a", "é", "", "x,y", "1", "01", 'q"', "null"])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Draw a table of scores with what people's files have: marks, blanks, odd rows, line ends."""
    extra = draw(st.sampled_from([(), ("group",), ("note", "trial"), ("status",), ("seed", "acc")]))
    header = ["system", "item", "score", *extra]
    names = st.lists(NAMES, min_size=2, max_size=2)
    row = st.tuples(names, st.lists(CELLS, min_size=1 + len(extra), max_size=1 + len(extra)))
    rows = [[*one, *two] for one, two in draw(st.lists(row, min_size=1, max_size=8))]
    if draw(st.integers(0, 3)) == 0:
        rows.insert(draw(st.integers(0, len(rows))), draw(st.lists(CELLS, max_size=6)))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\r"]))
    mark = draw(st.sampled_from([",", "\t", ";"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, None]))
    out = io.StringIO()
    if quoting is None:  # as a script writes that does not know of marks
        out.write("".join(mark.join(one) + end for one in [header, *rows]))
    else:
        csv.writer(out, delimiter=mark, quoting=quoting, lineterminator=end).writerows(
            [header, *rows]
        )
    text = out.getvalue().encode()
    text = text[: len(text) - draw(st.sampled_from([0, 0, 0, 1, 3]))]
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\n"])) + text


def read_by(path: Path, *, is_streamed: bool, lenient: bool) -> object:
    """Return all that is read of a table and of its scores, or what is said of it."""
    fewest = 0 if is_streamed else 1 << 40
    with (
        patch.object(streamed, "_FEWEST_BYTES", fewest),
        patch.object(streamed, "_PART_BYTES", 24),
        patch.object(arrow_columns, "_MANY", 2),
        patch.object(columnar, "PART", 3),
    ):
        problems = RowProblems(lenient=True)
        try:
            table = read_table(path, "t.csv", problems)
            cells = {name: list(column) for name, column in table.cells.items()}
            numbers = [looks_numeric(column) for column in table.cells.values()]
            reasons = [no_metric("x", column) for column in table.cells.values()]
            read = [read_numbers(column) for column in table.cells.values()]
            found = [(repr(one.values.tolist()), one.is_percent.tolist(), list(one.problems))
                     for one in read]  # fmt: skip
            seen = [table.columns, cells, list(table.lines), table.notes, table.sha256, numbers,
                    reasons, found, problems.raise_if_any()]  # fmt: skip
        except ImportFormatError as error:
            seen = [str(error)]
        options = ReadOptions(dataset="d", metric="m", lenient=lenient, with_text=True)
        try:
            bundle = generic.read([path], options, {path: "t.csv"})
        except ImportFormatError as error:
            return seen, str(error)
    runs = [
        (one.system, one.dataset, one.label, one.provenance, one.outputs,
         {trial: status.tolist() for trial, status in one.statuses.items()},
         [(s.metric, s.trial, repr(s.values.tolist())) for s in one.scores])
        for one in bundle.runs
    ]  # fmt: skip
    told = (bundle.understood, bundle.warnings, bundle.skipped, bundle.guesses)
    return seen, bundle.datasets, bundle.metrics, runs, told, bundle.identities


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts(), lenient=st.booleans())
def test_both_readers_say_the_same(tmp_path: Path, text: bytes, lenient: bool) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    exact = read_by(path, is_streamed=False, lenient=lenient)
    assert read_by(path, is_streamed=True, lenient=lenient) == exact


@pytest.mark.parametrize("packed", [False, True])
def test_plain_tables_are_streamed(tmp_path: Path, packed: bool) -> None:
    """Also those with marks around all texts, line ends of Windows, blank lines and odd rows."""
    rows = "".join(f'"s{n % 3}","q""{n}",{n / 7}\r\n' for n in range(40))
    text = f'"system","item","score"\r\n{rows}\r\n"s1","one too few"\r\ns,i,n/a\r\n'.encode()
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(text) if packed else text)
    problems = RowProblems(lenient=True)
    with (
        patch.object(streamed, "_FEWEST_BYTES", 0),
        patch.object(streamed, "_PART_BYTES", 100),
        patch.object(arrow_columns, "_MANY", 5),
    ):
        got = streamed.stream(path, "t.csv", ".csv", problems, names_again=False)
        assert got is not None
        (columns, cells, lines, _), _ = got
        assert isinstance(cells["system"], Coded)
        assert isinstance(cells["score"], Numbers)
        assert list(cells["score"])[7] == str(7 / 7)
    assert columns == ("system", "item", "score")
    assert (lines[0], lines[39], lines[40]) == (2, 41, 44)
    assert np.isnan(cells["score"].numbers[40])
    (misfit,) = problems.raise_if_any()
    assert misfit.line == 43
    assert "2 cells" in misfit.reason


def test_columns_in_parts_are_one_piece_of_the_widest_type() -> None:
    growing = arrow_columns._Growing(2, np.int8)
    growing.add(np.array([1, 2], np.int8))
    growing.add(np.array([300], np.int16))
    growing.add(np.array([70_000, 5], np.int32))
    assert growing.whole().tolist() == [1, 2, 300, 70_000, 5]
    assert growing.whole().dtype == np.int32
    assert arrow_columns._Growing(9, np.float64).whole().size == 0


@pytest.mark.parametrize("n_rows", [0, 3])
def test_many_texts_turn_to_numbers_with_odd_cells_kept(n_rows, monkeypatch) -> None:
    monkeypatch.setattr(arrow_columns, "_MANY", 30)
    column = arrow_columns.ArrowColumn(n_rows)
    texts = [f"0.{i:03d}" for i in range(100)]
    texts[7], texts[60] = "50%", "n/a"
    for part in (texts[:40], texts[40:]):
        column.add(pa.chunked_array([pa.array(part).dictionary_encode()]))
    read = column.finished(lambda: texts)
    assert isinstance(read, Numbers)
    assert read.odd == {7: "50%"}
    assert read.numbers[99] == 0.099
    assert np.isnan(read.numbers[[7, 60]]).all()
