"""A dataset that only a file's name tells is spelled as other files of the import state it."""

from __future__ import annotations

import pytest

from store.importers.detect import read_paths
from store.ingest.planned import settle

TABLE = "id,model,dataset,wer\n1,{0},{1},0.5\n2,{0},{1},0.25\n"
LINES = '{"id": "1", "model": "w", "wer": 0.5}\n{"id": "2", "model": "w", "wer": 0.25}\n'


@pytest.fixture
def plan(tmp_path):
    """Return a function: texts of files by name -> names of datasets, and whether all go in."""
    folder = tmp_path / "runs"
    folder.mkdir()

    def make(files, **options):
        for name, text in files.items():
            (folder / name).write_text(text)
        settled = settle(None, read_paths([folder], root=tmp_path).readings, {}, **options)
        names = {found.name for one in settled for found in one.bundle.datasets}
        return names, all(one.goes_in for one in settled), settled

    return make


@pytest.mark.parametrize("table", ["A.csv", "z.csv"])
def test_the_stated_spelling_is_taken_in_any_order(plan, table) -> None:
    names, is_whole, settled = plan({table: TABLE.format("a", "SADA"), "sada.jsonl": LINES})
    assert (names, is_whole) == ({"SADA"}, True)
    guessed = [guess.value for one in settled for guess in one.bundle.guesses]
    assert "SADA" in guessed
    assert "sada" not in guessed
    assert not any("'sada'" in line for one in settled for line in one.bundle.understood)


def test_capitals_that_matter_keep_both(plan) -> None:
    files = {"A.csv": TABLE.format("a", "SADA"), "sada.jsonl": LINES}
    assert plan(files, case_matters=True)[0] == {"SADA", "sada"}


def test_two_stated_spellings_are_still_asked_about(plan) -> None:
    files = {"A.csv": TABLE.format("a", "SADA"), "B.csv": TABLE.format("b", "Sada")}
    assert not plan({**files, "sada.jsonl": LINES})[1]
