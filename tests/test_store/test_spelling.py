"""Names that differ only in how their accents are put together are one name."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store.errors import ImportFormatError
from store.spelling import BySpelling, composed, require_one_spelling

SYSTEM, DATASET, METRIC, PERSON = "Zoé", "Übersetzung", "précision", "André"
CRITERION = "fluidité"
TABLES = ("system", "dataset", "metric", "annotator", "criterion")


def apart(text: str) -> str:
    """Return a text with every accent as a character of its own."""
    return unicodedata.normalize("NFD", text)


def together(text: str) -> str:
    """Return a text with every accent in its letter."""
    return unicodedata.normalize("NFC", text)


def scores(system: str, items: str, *, value: int = 1) -> str:
    """Return a table of scores."""
    head = "system,dataset,item,metric,score\n"
    return head + "".join(f"{system},{DATASET},{item},{METRIC},{value}\n" for item in items)


RATINGS = f"annotator,item,system,rating\n{PERSON},a,{SYSTEM},4\n{PERSON},b,{SYSTEM},5\n"
JUDGED = ("--dataset", DATASET, "--option", f"criterion={CRITERION}", "--option", "scale=1..5")


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Return a function that runs a command on a store, after writing the file it reads."""

    def call(*words: str, content: str = "", code: int = 0) -> Any:
        if content:
            (tmp_path / "t.csv").write_text(content, encoding="utf-8")
            words = ("ingest", str(tmp_path / "t.csv"), "--higher-is-better", *words)
        outcome = CliRunner().invoke(app, ["--store", str(tmp_path / "s.db"), *words])
        if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
            raise outcome.exception
        assert outcome.exit_code == code, outcome.output
        return json.loads(outcome.stdout)["result"] if "--json" in words else outcome

    return call


def listed(run: Callable[..., Any], what: str) -> list[str]:
    """Return the names that a store holds."""
    return [row["name"] for row in run("ls", what, "--json")["rows"]]


def turn_apart(path: Path) -> None:
    """Make a store what an earlier version would have made of decomposed names."""
    with sqlite3.connect(path) as connection:
        connection.create_function("apart", 1, apart)
        for table in TABLES:
            connection.execute(f"UPDATE {table} SET name = apart(name)")
    connection.close()


def test_by_spelling_prefers_the_same_letters() -> None:
    known = BySpelling({apart("é"): 1, "é": 2, apart("ö"): 3})
    assert (known.get("é"), known.get(apart("é")), known.get("ö"), known.get("o")) == (
        2,
        1,
        3,
        None,
    )
    known.add("ñ", 4)
    assert known.get(apart("ñ")) == 4
    assert composed(apart("ñ")) == "ñ"


def test_two_spellings_that_the_store_holds_apart_may_stand_together() -> None:
    require_one_spelling("system", [("é", 1), (apart("é"), 2), ("a", 3), ("b", 3)], "f")
    with pytest.raises(ImportFormatError, match="f: the system 'é' is spelled in two ways"):
        require_one_spelling("system", [(apart("é"), 1), ("é", 1)], "f")


def test_both_spellings_are_one_of_everything(run) -> None:
    run(content=scores(SYSTEM, "ab"))
    run(*JUDGED, content=RATINGS)
    again = run("--json", content=apart(scores(SYSTEM, "ab")))
    assert (again["runs_added"], again["runs_unchanged"]) == (0, 1)
    again = run(*map(apart, JUDGED), "--json", content=apart(RATINGS))
    assert again["judgments_added"] == 0
    assert listed(run, "systems") == [SYSTEM]
    assert listed(run, "datasets") == [DATASET]
    assert listed(run, "annotators") == [PERSON]
    assert listed(run, "criteria") == [CRITERION]
    assert sorted(listed(run, "metrics")) == [CRITERION, METRIC]


def test_new_names_are_kept_composed(run) -> None:
    run(content=apart(scores(SYSTEM, "ab")))
    run(*map(apart, JUDGED), content=apart(RATINGS))
    found = [listed(run, what)[0] for what in ("systems", "datasets", "annotators", "criteria")]
    assert found == [SYSTEM, DATASET, PERSON, CRITERION]
    assert METRIC in listed(run, "metrics")


@pytest.mark.parametrize("spell", [together, apart], ids=["composed", "decomposed"])
@pytest.mark.parametrize("is_old", [False, True], ids=["new store", "store with decomposed names"])
def test_commands_find_both_spellings(run, tmp_path, spell, is_old) -> None:
    run(content=scores(SYSTEM, "ab"))
    run(*JUDGED, content=RATINGS)
    run(content=scores("A", "ab", value=0))
    if is_old:
        turn_apart(tmp_path / "s.db")
        assert listed(run, "datasets") == [apart(DATASET)]
    dataset, system = spell(DATASET), spell(SYSTEM)
    assert run("show", "dataset", dataset, "--json")["n_items"] == 2
    assert run("show", "system", system.upper(), "--json")["n_runs"] == 2
    board = run("leaderboard", dataset, "--metric", spell(METRIC), "--json")
    assert [composed(row["system"]) for row in board["rows"]] == [SYSTEM, "A"]
    compared = run("compare", system, "A", "--dataset", dataset, "--metric", spell(METRIC))
    assert "2 items" in compared.stdout
    assert run("export", "judgments", dataset, "--criterion", spell(CRITERION)).stdout.count("\n")
    assert "Did you mean" in run("show", "system", spell("Zoéé"), code=2).stderr


@pytest.mark.parametrize("spell", [together, apart], ids=["composed", "decomposed"])
def test_import_into_a_store_with_decomposed_names_makes_no_second_one(
    run, tmp_path, spell
) -> None:
    run(content=scores(SYSTEM, "ab"))
    run(*JUDGED, content=RATINGS)
    turn_apart(tmp_path / "s.db")
    again = run("--json", content=spell(scores(SYSTEM, "ab")))
    assert (again["runs_added"], again["runs_unchanged"], again["items_added"]) == (0, 1, 0)
    again = run(*map(spell, JUDGED), "--json", content=spell(RATINGS))
    assert again["judgments_added"] == 0
    assert listed(run, "systems") == [apart(SYSTEM)]
    assert listed(run, "annotators") == [apart(PERSON)]
    assert len(listed(run, "metrics")) == 2


def test_store_that_holds_both_apart_keeps_them_apart(run, tmp_path) -> None:
    run(content=scores("first", "ab"))
    run(content=scores("second", "ab", value=0))
    with sqlite3.connect(tmp_path / "s.db") as connection:
        for old, new in (("first", SYSTEM), ("second", apart(SYSTEM))):
            connection.execute("UPDATE system SET name = ? WHERE name = ?", (new, old))
    connection.close()
    for name, value in ((SYSTEM, 1.0), (apart(SYSTEM), 0.0)):
        assert run("show", "system", name, "--json")["name"] == name
        content = scores(name, "ab", value=int(value))
        assert run("--json", content=content)["runs_unchanged"] == 1
    assert len(listed(run, "systems")) == 2


@pytest.mark.parametrize(
    "odd", ["\ufeffgpt 4", "gpt\u00a04", "gpt\n4\n", "g\u200bpt 4\u200f", "gpt\u20284"]
)
def test_what_nobody_sees_is_no_part_of_a_name(run, odd) -> None:
    run(content=scores("gpt 4", "ab"))
    quoted = f'"{odd}"'
    assert run("--json", content=scores(quoted, "bc"))["systems_added"] == []
    assert listed(run, "systems") == ["gpt 4"]
    assert composed("\u200b") == "\u200b"


def test_a_name_that_is_none_is_placed(run) -> None:
    assert (
        "t.csv, field 'name': the name 'a\\x07b'"
        in run(content=scores("a\x07b", "a"), code=2).stderr
    )


def test_one_import_in_two_spellings_is_refused(run, tmp_path) -> None:
    content = scores(SYSTEM, "ab") + "\n".join(scores(apart(SYSTEM), "cd").splitlines()[1:])
    said = run(content=content, code=2).stderr
    assert "the system" in said
    assert "is spelled in two ways that look alike" in said
    assert not (tmp_path / "s.db").exists() or listed(run, "systems") == []


def test_alias_is_found_in_both_spellings(run, tmp_path) -> None:
    (tmp_path / "t.tiebreak.yaml").write_text(
        f"aliases: {{{SYSTEM}: [{apart('Zoë')}]}}\n", encoding="utf-8"
    )
    run(content=scores("Zoë", "ab"))
    assert listed(run, "systems") == [SYSTEM]
    for alias in ("Zoë", apart("Zoë")):
        assert run("show", "system", alias, "--json")["name"] == SYSTEM
