"""Names of strangers on a terminal and in a spreadsheet."""

import csv
import io
import json

import pandas as pd
import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from dashboard.cli import app
from dashboard.ui.tables import to_csv
from store.console import MOST_FITTED_ROWS, TextConsole, table
from store.importers.bundle import RowProblems
from store.importers.detect import read_paths
from store.importers.tables import peek_columns, read_table
from store.shown import spreadsheet_safe, unguarded, visible

HOSTILE = "a\x1b[31mb\x07\u202ec\x9b2J\x7f"


def test_a_terminal_obeys_no_name_and_a_pipe_gets_it_whole() -> None:
    shown, piped = io.StringIO(), io.StringIO()
    for file, is_terminal in ((shown, True), (piped, False)):
        console = TextConsole(file=file, force_terminal=is_terminal, color_system=None)
        console.print(HOSTILE, markup=False)
        console.print(table("", ("name",), [(HOSTILE,)]))
    assert not set("\x1b\x07\u202e\x9b\x7f") & set(shown.getvalue())
    assert shown.getvalue().count("␛[31m") == 2
    assert "\u202ec" in piped.getvalue()


def test_scripts_that_are_written_from_the_right_stay_as_they_are() -> None:
    assert visible("سیستم ۱\nעברית\t中文 é") == "سیستم ۱\nעברית\t中文 é"


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1"])
def test_what_looks_like_a_formula_is_text(cell) -> None:
    assert spreadsheet_safe(cell) == f"'{cell}"
    for once in (cell, f"'{cell}", f"''{cell}"):
        assert unguarded(spreadsheet_safe(once)) == once
        assert spreadsheet_safe(once).startswith("'")
    assert to_csv(pd.DataFrame({cell: [cell]})).decode().count("'") >= 2


@pytest.mark.parametrize("cell", ["-0.5", "+1e3", "a=b", "", None, -0.5, "–", "'s", "'"])
def test_numbers_and_words_stay_as_they_are(cell) -> None:
    assert spreadsheet_safe(cell) == cell


HYPERLINK = '=HYPERLINK("http://x.example","look")'


@pytest.mark.parametrize("what", [["leaderboard", "d"], ["pairs", "d"], ["scores"], ["runs"]])
def test_exports_hold_no_formula_unless_raw_ones_are_asked_for(store, tmp_path, what) -> None:
    names = [HYPERLINK, "'=quoted", "+plus", "-minus", "@at", "plain"]
    rows = [
        {"system": name, "dataset": "d", "item": f"-q{i}", "accuracy": int(i % (n + 2) > 0)}
        for n, name in enumerate(names)
        for i in range(12)
    ]
    lines = tmp_path / "in.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = ["--store", str(store.path)]
    assert CliRunner().invoke(app, [*words, "ingest", str(lines)]).exit_code == 0
    safe, raw = (
        CliRunner().invoke(app, [*words, "export", *what, *more]).stdout for more in ([], ["--raw"])
    )
    tables = [list(csv.reader(io.StringIO(text))) for text in (safe, raw)]
    assert {name for row in tables[1] for name in row} >= set(names)
    cells = [cell for row in tables[0] for cell in row]
    assert not [c for c in cells if c.startswith(tuple("=+-@")) and not is_number(c)]
    assert [[unguarded(cell) for cell in row] for row in tables[0]] == tables[1]
    if what == ["scores"]:
        again = tmp_path / "again.csv"
        for text in (safe, safe.replace("\n", "\n\n")):  # in parts, and as a whole
            again.write_text(text, encoding="utf-8")
            (found,) = read_paths(again).bundles
            assert {run.system for run in found.runs} == set(names)
            assert {item.key for item in found.datasets[0].items} == {f"-q{i}" for i in range(12)}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_a_name_of_a_column_and_negative_numbers_come_back(tmp_path) -> None:
    path = tmp_path / "s.csv"
    wanted = {"item": ["q1", "q2"], "=net": [-0.5, 1.0], "@net": ["-2.5", "'tis"]}
    path.write_bytes(to_csv(pd.DataFrame(wanted)))
    for _ in ("in parts", "as a whole"):
        assert peek_columns(path) == tuple(wanted)
        table = read_table(path, "s.csv", RowProblems(lenient=False))
        assert table.columns == tuple(wanted)
        assert [list(map(str, table.cells[name])) for name in wanted] == [
            ["q1", "q2"],
            ["-0.5", "1.0"],
            ["-2.5", "'tis"],
        ]
        path.write_text(path.read_text(encoding="utf-8").replace("\n", "\n\n"), encoding="utf-8")


def test_a_table_of_very_many_rows_keeps_its_columns() -> None:
    rows = [(f"名{i}", float(i), None) for i in range(MOST_FITTED_ROWS + 1)]
    out = io.StringIO()
    long = table("long", ("name", "=size", "tag"), rows)
    TextConsole(file=out, width=20, soft_wrap=True).print(long)
    title, *lines = out.getvalue().splitlines()
    assert title == "long"
    assert len(lines) == len(rows) + 1
    assert lines[0].split() == ["name", "size", "tag"]
    assert lines[-1].split() == ["名500", "500", "–"]
    ends = {cell_len(line.removesuffix("–").removesuffix("tag")) for line in lines}
    assert len(ends) == 1
