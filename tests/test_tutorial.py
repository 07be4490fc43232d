"""Every command of the tutorial runs, in its order, in an empty folder."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboard.cli import app

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BEFORE = ("make setup", ". .venv/bin/activate", "mkdir -p ~/my-results && cd ~/my-results")
"""Lines that a test cannot do; `make setup` is checked to be a target."""


def test_commands_of_the_tutorial_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL):
        if block.startswith("python - <<'EOF'\n"):
            script = block.split("\n", 1)[1].removesuffix("EOF\n")
            subprocess.run([sys.executable, "-c", script], check=True)
            continue
        for line in block.splitlines():
            if line in BEFORE:
                continue
            program, *words = shlex.split(line)
            assert program == "tiebreak", line
            if words == ["serve"]:
                continue
            outcome = CliRunner().invoke(app, words)
            assert outcome.exit_code == 0, f"{line}\n{outcome.output}"
            shown.append(outcome.output)
    listed = json.loads(CliRunner().invoke(app, ["ls", "systems", "--json"]).output)
    names = {row["name"] for row in listed["result"]["rows"]}
    assert names == {"baseline", "candidate", "small", "org/small", "org/large"}
    assert any("candidate is better than baseline" in text for text in shown)
    assert any("equivalent" in text for text in shown)
    assert any("tabular" in text for text in shown)


def test_set_up_of_the_tutorial_is_a_target_of_make() -> None:
    assert re.search(r"^setup:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
