"""Every command answers from a database, byte for byte, what it answers from a file."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from benchmarks.answers.questions import Line, questions
from benchmarks.answers.recording import inside, run
from benchmarks.answers.stores import STORES, AnsweredStore, Board
from dashboard.cli import app

ROWS = "system,dataset,item,metric,score\n" + "".join(
    f"{system},{dataset},q{i},accuracy,{score}\n"
    for dataset in ("quiz", "test", "exam")
    for system, row in {"A": "111111110101", "B": "110100100100", "C": "010110101011"}.items()
    for i, score in enumerate(row)
)
TWO_WORDS = ("ls", "show", "export", "power")


def small(folder: Path) -> AnsweredStore:
    """Return a store of three systems on three datasets."""
    file = folder / "scores.csv"
    file.write_text(ROWS, encoding="utf-8")
    boards = (Board("quiz", "accuracy", options=True),)
    return AnsweredStore("small", (("ingest", str(file)),), boards, claims=("quiz",), across=("",))


def printed(location: str, line: Line, *, as_json: bool = True) -> str:
    """Return what a command prints, as JSON where it can, without where its store lies."""
    words = (*line, "--json") if as_json and line[0] != "export" else line
    out, messages = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(messages),
        contextlib.suppress(SystemExit),
    ):
        app(["--store", location, *words], prog_name="tiebreak")
    return (out.getvalue() + messages.getvalue()).replace(location, "STORE")


def test_every_command_answers_the_same_from_a_database(
    tmp_path: Path, new_empty: Callable[[], str], request: pytest.FixtureRequest
) -> None:
    is_whole = request.config.getoption("--postgres")
    store = next(s for s in STORES if s.name == "example") if is_whole else small(tmp_path)
    address, file = new_empty(), str(tmp_path / f"{store.name}.db")
    differ = []
    with inside(tmp_path):
        for made_by in store.lines():
            assert run(store.name, tuple(made_by), as_json=False)["exit_code"] == 0
        assert "bit for bit" in printed(file, ("db", "copy", file, address), as_json=False)

        def result(line: Line) -> Any:
            return json.loads(printed(file, line))["result"]

        lines = list(questions(store, result, quick=True))
        if not is_whole:  # one question of each command
            lines = list(
                {line[: 2 if line[0] in TWO_WORDS else 1]: line for line in lines}.values()
            )
        for line in lines:
            here, there = printed(file, line), printed(address, line)
            assert "Usage:" not in there, line
            if there != here:
                differ.append(" ".join(line) + "".join(unified_diff([here], [there], n=0)))
    assert differ == []
    assert len(lines) > 15
