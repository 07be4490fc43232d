"""What can be done is written down, and what is written down can be done."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from dashboard import places
from dashboard.cli import app
from store.importers.registry import IMPORTERS
from store.models import Base

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the benchmarks are no part of the installed product

from benchmarks import reference  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")


def command_names() -> list[str]:
    """Return every command as it is typed, such as ``db check``."""
    group = typer.main.get_command(app)
    names = []
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", {})
        names += [f"{name} {sub}" for sub in inner] or [name]
    return names


@pytest.mark.parametrize("name", sorted(reference.TEXTS))
def test_reference_is_that_of_the_product(name: str) -> None:
    written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert written == reference.TEXTS[name](), "run `make reference`"


def test_reference_has_every_command_and_page() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for name in command_names():
        assert f"## `{name}" in text, name
    for _, tab in places.tabs():
        source = (ROOT / "dashboard" / "app_pages" / f"{tab.script}.py").read_text("utf-8")
        assert "URL parameters: " in source, f"{tab.script} does not say its URL parameters"


def test_readme_is_short() -> None:
    prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    assert len(prose.split()) <= 700


def test_importers_are_documented() -> None:
    described = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    assert not [importer.name for importer in IMPORTERS if importer.name not in described]


def test_links_between_documents_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("dashboard/**/*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_flag_of_ingest_is_documented() -> None:
    guide = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    command = typer.main.get_command(app).commands["ingest"].load()  # type: ignore[attr-defined]
    assert command.params
    for parameter in command.params:
        for flag in (*parameter.opts, *parameter.secondary_opts):
            if flag.startswith("--") and flag not in ("--help", "--json"):
                assert flag in guide, flag


def test_no_text_names_this_machine() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("**/*.py")]:
        if ".venv" in page.parts or ".tools" in page.parts:
            continue
        text = page.read_text(encoding="utf-8")
        assert f"{ROOT}/" not in text, page


def test_readme_names_the_two_commands_that_matter_side_by_side() -> None:
    block = README.split("```sh\n", 1)[1].split("```", 1)[0]
    assert [line.split("#")[0].strip() for line in block.splitlines()] == ["make run", "make test"]


@pytest.mark.parametrize(
    ("failing", "code"), [((), 0), (("test",), 2), (("lint",), 3), (("test", "lint"), 3)]
)
def test_integration_runs_tests_and_lint_and_fails_where_one_does(
    failing: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    script = tmp_path / ".ci" / "run"
    script.parent.mkdir()
    shutil.copy(ROOT / ".ci" / "run", script)
    codes = {"test": 2, "lint": 3}
    make = tmp_path / "make"
    cases = "".join(f"{name}) exit {codes[name]};; " for name in failing)
    make.write_text(f'#!/bin/sh\necho "$1" >> told\ncase "$1" in {cases}esac\n', encoding="utf-8")
    make.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run([str(script)], env=os.environ | {"PATH": path}, check=False)
    assert done.returncode == code
    assert (tmp_path / "told").read_text(encoding="utf-8").split() == ["test", "lint"]


def test_data_model_names_every_table() -> None:
    text = (ROOT / "docs" / "data_model.md").read_text(encoding="utf-8")
    for table in Base.metadata.tables:
        assert f"`{table}`" in text, table
