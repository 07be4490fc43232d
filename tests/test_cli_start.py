"""Whoever types one command waits for that one: the others are named and not loaded."""

from __future__ import annotations

import importlib
import pkgutil
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from numba import njit
from typer.core import TyperGroup

import analysis.commands
import dashboard.commands
import store.commands
from analysis.statistics.resampling import kernels  # noqa: F401 (who compiles tells)
from analysis.statistics.resampling.compiling import tell_when_compiling
from dashboard.cli import app, main
from store.engine import open_store
from store.lazy_commands import LazyCommand

ROOT = Path(__file__).resolve().parents[1]
STATISTICS = {"scipy", "numba", "analysis.statistics", "analysis.studies"}
TABLES_AND_PAGES = {"pandas", "altair", "streamlit"}
DATABASE = {"sqlalchemy", "alembic", "numpy", "store.engine"}

LOADED = """
import shlex, sys
from dashboard.cli import app
for line in sys.argv[1:]:
    try:
        app(shlex.split(line), standalone_mode=False)
    finally:
        print("loaded:", *sys.modules, file=sys.stderr)
"""


def lazy_commands(group: TyperGroup, typed: str = "") -> Iterator[tuple[str, LazyCommand]]:
    """Yield every command of the tree that is not loaded yet, as it is typed."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from lazy_commands(command, f"{typed}{name} ")
        else:
            assert isinstance(command, LazyCommand), f"{typed}{name} is loaded at once"
            yield f"{typed}{name}", command


COMMANDS = dict(lazy_commands(typer.main.get_group(app)))


def test_line_of_help_is_what_the_command_says_of_itself() -> None:
    for typed, named in COMMANDS.items():
        command = named.load()
        assert command.name == named.name == typed.split()[-1]
        assert command.help is not None, typed
        assert named.help == " ".join(command.help.split("\n\n")[0].split()), typed
        assert (command.hidden, command.deprecated) == (False, False), typed
        assert named.get_short_help_str() == command.get_short_help_str(), typed


def test_every_command_that_is_written_can_be_typed() -> None:
    modules = [
        importlib.import_module(found.name)
        for package in (store.commands, analysis.commands, dashboard.commands)
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    ]
    written = sorted(
        command.name or getattr(command.callback, "__name__", "")
        for module in modules
        for name, part in vars(module).items()
        if isinstance(part, typer.Typer) and name != "history"  # `claims DATASET`: the group's own
        for command in part.registered_commands
    )
    assert written == sorted(typed.split()[-1] for typed in COMMANDS)


def modules_loaded_by(*lines: str) -> dict[str, set[str]]:
    """Return the modules, packages among them, that are loaded after each of several commands."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *lines], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    loaded = [line for line in done.stderr.splitlines() if line.startswith("loaded: ")]
    return {line: set(names.split()) for line, names in zip(lines, loaded, strict=True)}


def test_help_loads_no_command() -> None:
    for line, loaded in modules_loaded_by("--help", "power --help", "claims --help").items():
        assert not loaded & (STATISTICS | TABLES_AND_PAGES | DATABASE), line


def test_command_of_the_store_loads_no_statistics(tmp_path: Path) -> None:
    results = tmp_path / "results.csv"
    results.write_text("system,dataset,item,accuracy\nA,d,q1,1\nA,d,q2,0\n", encoding="utf-8")
    given = ["--store", str(tmp_path / "s.db")]
    app([*given, "ingest", str(results)], standalone_mode=False)
    lines = [
        shlex.join([*given, *words])
        for words in (["ingest", "--help"], ["ls", "systems"], ["db", "info"], ["export", "runs"])
    ]
    for line, loaded in modules_loaded_by(*lines).items():
        assert not loaded & (STATISTICS | TABLES_AND_PAGES), line


def test_list_of_names_loads_no_arrays_and_no_importers(tmp_path: Path) -> None:
    open_store(tmp_path / "s.db", create=True).close()
    line = shlex.join(["--store", str(tmp_path / "s.db"), "ls", "datasets"])
    loaded = modules_loaded_by(line)[line]
    assert not loaded & {"numpy", "yaml", "alembic", "store.ingest", "store.importers.registry"}


def test_answer_that_a_command_kept_takes_no_compiler(tmp_path: Path) -> None:
    rows = [f"{name},d,q{i},{i % (3 + at)}" for at, name in enumerate("AB") for i in range(20)]
    results = tmp_path / "results.csv"
    results.write_text("\n".join(["system,dataset,item,points", *rows]), encoding="utf-8")
    given = ["--store", str(tmp_path / "s.db")]
    app([*given, "ingest", str(results), "--higher-is-better"], standalone_mode=False)
    app([*given, "pairs", "d"], standalone_mode=False)
    line = shlex.join([*given, "pairs", "d"])
    assert not modules_loaded_by(line)[line] & {"numba", "scipy.stats", "scipy.optimize"}


def test_first_compiled_loop_is_told_once_and_one_from_disk_is_not() -> None:
    told: list[str] = []
    tell_when_compiling(lambda: told.append("compiling"))
    once = njit(lambda x: x + 1)
    assert once(1) == 2
    assert told == ["compiling"]
    assert once(1.5) == 2.5
    assert told == ["compiling"]


def test_command_of_the_analysis_loads_no_tables_and_no_pages() -> None:
    loaded = modules_loaded_by("compare --help")["compare --help"]
    assert "scipy" in loaded
    assert not loaded & TABLES_AND_PAGES


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compar"], "No such command 'compar'. Did you mean 'compare'?"),
        (["db", "chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["compare", "A", "B", "--metrik", "m"], "No such option: --metrik"),
    ],
)
def test_wrong_words_are_answered_as_before(
    words: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "argv", ["tiebreak", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
