"""Tables: delimiters, headers, ragged rows, JSON Lines, Parquet."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from store.errors import ImportFormatError
from store.importers import tables
from store.importers.bundle import ReadOptions, RowProblems
from store.importers.columns import role_cells
from store.importers.detect import read_paths
from store.importers.tables import peek_columns, read_table

ROWS = [("A", "1", 0.5), ("A", "2", 0.25)]


def table_of(path, *, lenient=False):
    problems = RowProblems(lenient)
    table = read_table(path, path.name, problems)
    problems.raise_if_any()
    return table


@pytest.mark.parametrize(
    ("name", "delimiter", "note"),
    [
        ("t.csv", ",", ()),
        ("t.tsv", "\t", ()),
        ("t.csv", ";", ("The cells are separated by semicolons.",)),
        ("t.txt", "\t", ("The cells are separated by tabs.",)),
        ("t.txt", ",", ("The cells are separated by commas.",)),
    ],
)
def test_delimiter_is_found_and_told(write, name, delimiter, note) -> None:
    lines = [delimiter.join(map(str, row)) for row in [("system", "item", "acc"), *ROWS]]
    table = table_of(write("\n".join(lines), name))
    assert table.columns == ("system", "item", "acc")
    assert table.cells["acc"] == ["0.5", "0.25"]
    assert table.notes == note


def test_lines_are_exact_with_empty_lines_and_cells_over_several_lines(write) -> None:
    table = table_of(write('a,b\n\n1,"x\ny"\n2,z\n\n\n3,w\n'))
    assert list(table.lines) == [3, 5, 8]
    assert table.cells["b"] == ["x\ny", "z", "w"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,a,b\n1,2,3\n", r"line 1, field 'a': 2 columns have this name. Rename all but one"),
        ("a,b\n1,2\n3\n", r"line 3: the row has 1 cells, the header has 2; the file may be cut"),
        ("a,b\n3\n1,2\n", r"line 2: the row has 1 cells, the header has 2\. "),
        ("a,b\n1,0,5\n", r"line 2: the row has 3 cells, .* must stand in quotation marks"),
        ('a,b\n1,2\n3,"x\n', r"line 3: a cell opens with a quotation mark that never closes"),
        ('a,b\n1,"x"y\n', r"line 2: the quotation marks do not pair up"),
    ],
)
def test_faulty_tables_are_named_with_their_line(write, content, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        table_of(write(content))


def test_lenient_reading_lists_each_row_that_does_not_fit(write) -> None:
    path = write("a,b\n1\n1,2\n1,2,3\n")
    problems = RowProblems(lenient=True)
    assert len(read_table(path, "t.csv", problems)) == 1
    assert [(row.path, row.line) for row in problems.raise_if_any()] == [("t.csv", 2), ("t.csv", 4)]


def test_unnamed_columns_are_called_by_their_place(write) -> None:
    table = table_of(write(",item,acc\n0,x,1\n"))
    assert table.columns == ("column 1", "item", "acc")
    assert "column 1" in table.notes[0]


def test_json_lines_join_their_keys(write) -> None:
    table = table_of(write('{"a": 1}\n\n{"b": [1]}\n', "t.jsonl"))
    assert table.cells == {"a": [1, None], "b": [None, [1]]}
    assert list(table.lines) == [1, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}\n{"a": ', r"t.jsonl, line 2: not a JSON object: .* the file may be cut off"),
        ('{"a": 1}\n[1]\n', r"line 2: not a JSON object but a single value or a list"),
        ('{"a": 1, "a": 2}\n', r"line 1: .*the name 'a' stands twice in one object"),
        ("[1]\n", r"line 1: not a JSON object"),
    ],
)
def test_faulty_json_lines_are_named_with_their_line(write, content, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        table_of(write(content, "t.jsonl"))


def test_json_lines_do_not_end_at_other_separators(write) -> None:
    text = json.dumps({"a": "x\u2028y"}, ensure_ascii=False)
    assert table_of(write(text + "\n", "t.jsonl")).cells["a"] == ["x\u2028y"]


def test_parquet_keeps_types(tmp_path) -> None:
    path = tmp_path / "t.parquet"
    columns = {"s": ["a", None], "n": [0.1, None], "i": [1, 2], "f": [True, False]}
    pq.write_table(pa.table(columns), path)
    table = table_of(path)
    assert {name: list(cells) for name, cells in table.cells.items()} == columns
    assert list(table.lines) == [1, 2]
    assert peek_columns(path) == ("s", "n", "i", "f")


def test_damaged_parquet_is_named(tmp_path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ImportFormatError, match=r"t.parquet: not a whole Parquet file"):
        table_of(path)
    assert peek_columns(path) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"item": 1, "acc": 1, "by": {"x": 2}}, {"item": 2, "acc": 0}]'),
        ("a.json", '{"model": "m", "rows": [{"item": 1, "acc": 1}, {"item": 2, "acc": 0}]}'),
        ("a.json", '{"1": {"acc": 1}, "2": {"acc": 0}}'),
        ("a.yaml", "- {item: 1, acc: 1}\n- {item: 2, acc: 0}\n"),
    ],
)
def test_records_of_json_and_yaml_are_a_table(write, name, text):
    table = read_table(write(text, name), name, RowProblems(False))
    assert list(map(str, table.cells["item"])) == ["1", "2"]
    assert table.cells["acc"] == [1, 0]
    assert table.cells.get("model", ["m", "m"]) == ["m", "m"]
    assert table.cells.get("by.x", [2, None]) == [2, None]


@pytest.mark.parametrize("text", ["[]", "[1, 2]", '{"a": [{"x": 1}], "b": [{"y": 1}]}', "{}"])
def test_no_records_or_several_lists_of_them(write, text):
    with pytest.raises(ImportFormatError, match="list of records"):
        read_table(write(text, "a.json"), "a.json", RowProblems(False))


def test_columns_and_data_apart_are_a_table(read) -> None:
    rows = '[["q1", "A", 0.5], ["q2", "A", null]]'
    content = f'{{"columns": ["item", "system", "acc"], "data": {rows}, "ncols": 3}}'
    bundle = read(content, "eval.table.json", dataset="d", metric="acc")
    assert [item.key for item in bundle.datasets[0].items] == ["q1", "q2"]
    assert bundle.runs[0].system == "A"


def test_questions_in_json_are_no_results(write, tmp_path):
    write('{"version": 2, "items": [{"id": 1, "question": "x"}]}', "q.json")
    assert read_paths([tmp_path]).bundles == []


def test_a_table_in_windows_1252_is_taken_and_told(write, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("system,item,acc\nRené,caf\x96,1\n".encode("latin-1"))
    table = table_of(path)
    assert (table.cells["system"], table.cells["item"]) == (["René"], ["caf–"])
    assert any("Windows-1252" in note for note in table.notes)
    assert table_of(write("system,item,acc\nRené,1,1\n", "u.csv")).notes == ()


def test_lines_of_json_under_another_name(write, tmp_path):
    write('{"item": "q1", "acc": 1}\n{"item": "q2", "acc": 0}\n', "net/scores.json")
    (bundle,) = read_paths([tmp_path]).bundles
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [1, 0]
    assert peek_columns(write('{"a":\n {"b": 1}}', "x.json")) == ()


def test_scores_by_system_and_item(write, tmp_path):
    write(
        json.dumps({"A": {"q1": 1, "q2": 0, "q3": None}, "B": {"q1": 0, "q2": 0, "q3": 1}}),
        "x.json",
    )
    (bundle,) = read_paths([tmp_path]).bundles
    assert {run.system for run in bundle.runs} == {"A", "B"}
    assert [item.key for item in bundle.datasets[0].items] == ["q1", "q2", "q3"]


def test_parquet_of_several_row_groups_is_read_cell_by_cell(tmp_path) -> None:
    cells = {
        "system": ["A", "A", None, "B", "A", "C"],
        "score": [0.5, None, 1.0, 0.0, 0.25, 2.0],
        "n": [1, 2, 3, 4, 5, 6],
    }
    path = tmp_path / "scores.parquet"
    pq.write_table(pa.table(cells), path, row_group_size=2)
    table = read_table(path, path.name, RowProblems(lenient=False))
    assert {name: list(table.cells[name]) for name in table.columns} == cells


def test_a_header_is_read_without_line_breaks_and_marks_that_nobody_sees(write) -> None:
    table = table_of(write('\ufeff\ufeffmodel,item,"acc\n(dev)",f1\u00a0\nA,q,1,1\n'))
    assert table.columns == ("model", "item", "acc (dev)", "f1")
    assert peek_columns(write("\ufeff\ufeffmodel,item\n")) == ("model", "item")


def test_a_list_in_a_column_that_names_something_is_refused_in_words(write) -> None:
    rows = [{"model": "A", "dataset": "d", "f1": 0.5, "a": "x"}]
    rows.append({"model": "B", "dataset": "d", "f1": 0.5, "a": [1]})
    path = write("\n".join(map(json.dumps, rows)), "t.jsonl")
    options = ReadOptions(columns={"source": "board of {a}"})
    with pytest.raises(ImportFormatError, match=r"line 2, field 'board of \{a\}': holds a list"):
        read_paths(path, options=options)


def test_a_list_among_figures_without_a_system_is_refused_in_words(write) -> None:
    rows = [{"id": f"q{n}", "zork": n / 8, "blub": n / 3} for n in range(9)]
    rows[4]["zork"] = [1]
    path = write("\n".join(map(json.dumps, rows)), "scores.jsonl")
    with pytest.raises(ImportFormatError, match="list or an object"):
        read_paths(path, options=ReadOptions(dataset="d"))


def test_a_text_that_names_no_column_stands_for_itself(write) -> None:
    table = read_table(write("a,b\n1,2\n3,4\n"), "t.csv", RowProblems(lenient=False))
    assert list(role_cells(table, "")) == ["", ""]


def test_parquet_is_read_a_column_at_a_time_whatever_the_columns_are_called(tmp_path) -> None:
    """A name may begin another one's, and a column may hold lists or objects."""
    cells = {
        "acc": [0.5, 1.0, 0.0],
        "acc.mean": [0.25, 0.5, 0.75],
        "text": ["a", "b", "a"],
        "text.length": [1, 2, 3],
        "by": [{"x": 1}, {"x": 2}, None],
        "all": [[1, 2], [], [3]],
    }
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(cells), path, row_group_size=1)
    table = table_of(path)
    assert table.columns == tuple(cells)
    assert {name: list(found) for name, found in table.cells.items()} == cells


def test_small_row_groups_of_parquet_are_read_together(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tables, "_READ_TOGETHER", 4)
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": list(range(11))}), path, row_group_size=3)
    assert tables._groups_of_rows(pq.ParquetFile(path).metadata) == [[0, 1], [2, 3]]
    assert list(table_of(path).cells["n"]) == list(range(11))
    pq.write_table(pa.table({"n": pa.array([], pa.int64())}), path)
    assert len(table_of(path)) == 0
