"""The questions of an import on a terminal: a pseudo-terminal stands in for the person."""

import os
import sys
from contextlib import closing

import pytest
import sqlalchemy as sa

from dashboard.cli import app
from store.engine import open_store
from store.models import Metric

UNKNOWN = (
    "system,dataset,item,metric,score\nA,d,1,zork,1\nA,d,2,zork,0\nA,d,1,blip,3\nA,d,2,blip,4\n"
)


@pytest.fixture
def ingest(tmp_path, monkeypatch):
    """Return a function that imports with these keys pressed, and returns what the screen shows."""
    pty = pytest.importorskip("pty")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text(UNKNOWN)

    def run(keys, *words, code=0):
        person, terminal = pty.openpty()
        os.write(person, keys.encode())
        with (
            os.fdopen(terminal, "r", closefd=False) as stdin,
            os.fdopen(terminal, "w", closefd=False) as stderr,
            monkeypatch.context() as patch,
        ):
            patch.setattr(sys, "stdin", stdin)
            patch.setattr(sys, "stderr", stderr)
            command = ["--store", "s.db", "ingest", "r.csv", *words]
            outcome = app(command, standalone_mode=False)
            os.write(terminal, b"\0")
        assert (outcome or 0) == code
        shown = b""
        while not shown.endswith(b"\0"):
            shown += os.read(person, 4096)
        os.close(terminal)
        os.close(person)
        return shown.decode()

    return run


def directions():
    with closing(open_store("s.db")) as store, store.read() as connection:
        rows = connection.execute(sa.select(Metric.name, Metric.higher_is_better))
        return {row.name: bool(row.higher_is_better) for row in rows}


def test_answers_are_taken_and_asked_again_where_they_do_not_fit(ingest, tmp_path) -> None:
    shown = ingest("sideways\nlower\nhigher\n")
    assert "metric zork: direction" in shown
    assert shown.count("write one of") == 1
    assert directions() == {"zork": False, "blip": True}
    assert not (tmp_path / "tiebreak-questions.yaml").exists()


def test_enter_takes_the_guesses(ingest) -> None:
    assert "[higher]" in ingest("\n\n")
    assert directions() == {"zork": True, "blip": True}


def test_what_was_answered_is_not_asked_again(ingest) -> None:
    ingest("lower\nlower\n")
    assert "answer" not in ingest("", "--run", "second")
    assert directions() == {"zork": False, "blip": False}


@pytest.mark.parametrize(("flag", "code"), [("--yes", 0), ("--strict", 2), ("--dry-run", 2)])
def test_nothing_is_asked_of_who_said_so(ingest, flag, code) -> None:
    assert "  answer" not in ingest("", flag, code=code)
