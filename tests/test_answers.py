"""The recorder of answers: the same store answers the same, and what changed is found."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.answers.cells import cells_summary, compare_cells
from benchmarks.answers.comparing import (
    ABSENT,
    Difference,
    Expected,
    Recording,
    compare,
    differences,
    read_expected,
    summary,
)
from benchmarks.answers.recording import lasting, record
from benchmarks.answers.stores import STORES, AnsweredStore, Board

BOARD = Board("quiz", "accuracy")


def tiny(folder: Path, last: int) -> AnsweredStore:
    """Return a store of three systems on twelve items; `last` is one of its scores."""
    scores = {"A": "111111110101", "B": "110100100100", "C": f"01011010101{last}"}
    rows = [
        f"{system},quiz,q{i},accuracy,{score}"
        for system, row in scores.items()
        for i, score in enumerate(row)
    ]
    file = folder / f"scores{last}.csv"
    file.write_text("\n".join(["system,dataset,item,metric,score", *rows]), encoding="utf-8")
    return AnsweredStore("tiny", (("ingest", str(file)),), boards=(BOARD,), claims=("quiz",))


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """Return two recordings of one store, and one of a store with another score."""
    folder = tmp_path_factory.mktemp("answers")
    for name, last in (("once", 0), ("again", 0), ("changed", 1)):
        record(folder / name, stores=[tiny(folder, last)], tell=io.StringIO())
    return {name: Recording.read(folder / name) for name in ("once", "again", "changed")}


def test_the_same_store_answers_the_same(recordings: dict[str, Recording]) -> None:
    assert len(recordings["once"].answers) > 25
    assert compare(recordings["once"], recordings["again"]) == []


def test_a_changed_score_is_found_where_it_matters(recordings: dict[str, Recording]) -> None:
    found = compare(recordings["once"], recordings["changed"])
    commands = {one.command for one in found}
    assert {"compare", "pairs", "leaderboard", "items", "export pairs"} <= commands
    places = {one.place for one in found if one.command == "compare"}
    assert {"result.difference", "result.pvalue"} <= places
    assert not any("compare A B" in one.line for one in found), "A and B are as they were"
    assert summary(found)[1] == sum(not one.is_addition for one in found)


def test_no_question_is_wrong_use_and_none_crashes(recordings: dict[str, Recording]) -> None:
    for line, outcome in recordings["once"].answers.items():
        assert outcome["exit_code"] in (0, 1, 2), line
        assert "Usage:" not in outcome.get("message", ""), line


def test_a_refused_question_is_kept_with_its_words(tmp_path: Path) -> None:
    place = tmp_path / "answers"
    store = replace(tiny(tmp_path, 0), boards=(Board("no such dataset", "accuracy"),), claims=())
    record(place, stores=[store], tell=io.StringIO())
    outcome = Recording.read(place).answers["tiny", "show dataset 'no such dataset'"]
    assert outcome["exit_code"] == 2
    assert "no such dataset" in outcome["message"]


def test_every_pair_is_held_against_its_cell(recordings: dict[str, Recording]) -> None:
    found = compare_cells("tiny", BOARD, recordings["once"].asked("tiny"))
    assert found.pairs == 3
    assert found.refused == 0
    assert not found.beyond_rounding


def test_a_cell_that_says_something_else_is_counted(recordings: dict[str, Recording]) -> None:
    ask = recordings["once"].asked("tiny")

    def other(line):
        answer = ask(line)
        if line[:3] != ("compare", "A", "B"):
            return answer
        return {**answer, "pvalue": answer["pvalue"] / 2, "verdict": "worse"}

    found = compare_cells("tiny", BOARD, other)
    assert found.beyond_rounding == {"pvalue": 1, "verdict": 1}
    assert found.largest["pvalue"] == (
        ask(("compare", "A", "B", *_where()))["pvalue"] / 2,
        "A against B",
    )
    assert "pvalue 1 (1), verdict 1 (1)" in cells_summary([found])[-1]


def _where() -> tuple[str, str]:
    return f"--dataset={BOARD.dataset}", f"--metric={BOARD.metric}"


def test_a_pair_that_one_of_the_two_refuses_is_counted(recordings: dict[str, Recording]) -> None:
    ask = recordings["once"].asked("tiny")
    found = compare_cells("tiny", BOARD, lambda line: None if line[0] == "compare" else ask(line))
    assert found.refused == 3


@pytest.mark.parametrize(
    ("before", "after", "tolerance", "expected"),
    [
        ({"p": 0.1}, {"p": 0.1}, 0.0, []),
        ({"p": 0.1}, {"p": 0.1 + 1e-15}, 0.0, [("p", 0.1, 0.1 + 1e-15)]),
        ({"p": 0.1}, {"p": 0.1 + 1e-15}, 1e-9, []),
        ({"p": 1e-300}, {"p": 2e-300}, 1e-9, [("p", 1e-300, 2e-300)]),
        ({"p": 0.0}, {"p": 1e-300}, 1e-9, [("p", 0.0, 1e-300)]),
        ({"n": 1}, {"n": 1.0}, 0.0, []),
        ({"n": 1}, {"n": True}, 0.0, [("n", 1, True)]),
        ({"p": None}, {"p": 0.5}, 0.5, [("p", None, 0.5)]),
        ({"a": 1}, {}, 0.0, [("a", 1, ABSENT)]),
        ({}, {"a": 1}, 0.0, [("a", ABSENT, 1)]),
        ([1, 2], [1], 0.0, [("1", 2, ABSENT)]),
        ({"rows": [{"p": 1}, {"p": 2}]}, {"rows": [{"p": 1}, {"p": 3}]}, 0.0, [("rows.1.p", 2, 3)]),
        ({"p": "0.1"}, {"p": "0.10000000000000002"}, 1e-9, []),
        ({"p": "0.1"}, {"p": "0.2"}, 1e-9, [("p", "0.1", "0.2")]),
        ({"why": "t"}, {"why": "0.2"}, 1e-9, [("why", "t", "0.2")]),
        ({"ci": [0, 1]}, {"ci": None}, 0.0, [("ci", [0, 1], None)]),
    ],
)
def test_differences(before, after, tolerance, expected) -> None:
    assert list(differences(before, after, tolerance=tolerance)) == expected


def recording(answers: dict[str, object], *, quick: bool = False) -> Recording:
    outcomes = {
        ("s", line): {"exit_code": 0, "answer": {"result": result}}
        for line, result in answers.items()
    }
    return Recording(outcomes, {"quick": quick, "stores": ["s"]})


def test_a_question_that_vanished_is_a_difference_unless_one_was_quick() -> None:
    full, less = recording({"rank": 1, "pairs d": 2}), recording({"rank": 1})
    assert [one.line for one in compare(full, less)] == ["pairs d"]
    assert compare(full, recording({"rank": 1}, quick=True)) == []


def test_a_crash_is_a_difference() -> None:
    before, after = recording({"rank": 1}), recording({"rank": 1})
    after.answers["s", "rank"]["exit_code"] = "ZeroDivisionError: division by zero"
    assert [one.path for one in compare(before, after)] == ["exit_code"]


def test_stores_that_one_recording_lacks_are_left_out() -> None:
    before, after = recording({"rank": 1}), recording({"rank": 2})
    assert compare(before, Recording(after.answers, {"quick": False, "stores": []})) == []


def test_expected_differences_are_counted_apart(tmp_path: Path) -> None:
    file = tmp_path / "expected.txt"
    file.write_text(
        "# faults\n\n* :: rank* :: result.rows.*.pvalue => 1, Nemenyi of two systems\n",
        encoding="utf-8",
    )
    rules = read_expected(file)
    assert rules == [Expected("*", "rank*", "result.rows.*.pvalue", "1, Nemenyi of two systems")]
    found = [
        Difference("s", "rank --alpha=0.05", "result.rows.3.pvalue", 0.01, 0.125),
        Difference("s", "rank", "result.rows.3.rank", 1, 2),
        Difference("s", "rank", "result.why", ABSENT, "exact"),
    ]
    lines, unexpected = summary(found, rules)
    text = "\n".join(lines)
    assert unexpected == 1
    assert "expected, 1, Nemenyi of two systems: 1 values" in text
    assert "result.rows.*.rank" in text
    assert "new, without harm: 1 values" in text


def test_a_rule_without_a_reason_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "expected.txt"
    file.write_text("# x\n* :: rank :: result.pvalue\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        read_expected(file)


def test_what_is_new_in_every_store_is_not_kept() -> None:
    answer = {
        "uid": "a",
        "system_a_uid": "b",
        "system_uids": ["c"],
        "history": [{"at": "2026-11-22T17:22:08.122305+00:00", "actor": "x", "n": 1}],
        "date": "2026-11-22",
    }
    kept = {"history": [{"at": "(time)", "n": 1}], "date": "2026-11-22"}
    assert lasting(answer) == kept


@pytest.mark.shared
@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
def test_the_files_of_the_stores_are_there(store: AnsweredStore, shared_folder: Path) -> None:
    assert not store.missing
