"""A comparison of two columns, saved and opened again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from analysis.studies.adhoc_session import read_session
from dashboard.cli import app
from store.errors import ImportFormatError

SCORES = "\n".join(
    [*(f"{0.1 * (k % 7) + 0.03 * (k % 3)} {0.1 * (k % 7)}" for k in range(40)), "nan 0.5"]
)
SETTINGS = ("--names", '"mine, new",theirs', "--test", "t", "--lower-is-better", "--alpha", "0.01")


def run(*words: str, code: int = 0) -> Any:
    found = CliRunner().invoke(app, ["adhoc", *words])
    assert found.exit_code == code, found.output
    return json.loads(found.stdout) if "--json" in words else found.output


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return a session's file, and the answer when it was saved."""
    folder = tmp_path_factory.mktemp("session")
    (folder / "two.txt").write_text(SCORES)
    path = folder / "kept.json"
    answer = run(str(folder / "two.txt"), *SETTINGS, "--save", str(path), "--json")
    return path, answer


def test_a_session_opens_with_the_same_answer(saved: tuple[Path, Any]) -> None:
    path, answer = saved
    again = run(str(path), "--json")
    assert again == answer
    assert again["result"]["system_a"] == "mine, new"
    assert again["result"]["n_missing"] == 1


def test_what_is_typed_beside_a_session_counts(saved: tuple[Path, Any]) -> None:
    path, _ = saved
    other = run(str(path), "--alpha", "0.05", "--json")["result"]
    assert other["alpha"] == 0.05
    assert other["test"] == "t"
    assert "exists already: name another file with --save" in " ".join(
        run(str(path), "--save", str(path), code=2).split()
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tiebreak_adhoc": 2}, "version 2"),
        ({"names": ["a", "a"]}, "two different names"),
        ({"names": "ab"}, "field 'names'"),
        ({"settings": {"alpha": 2.0}}, "`alpha` must lie"),
        ({"settings": {"alpha": "much"}}, "field 'settings.alpha'"),
        ({"settings": {"lower_is_better": 1}}, "field 'settings.lower_is_better'"),
        ({"settings": {"seed": 10**400}}, "settings"),
        ({"settings": {"colour": "red"}}, "field 'settings.colour'"),
        ({"scores": [[1.0, 2.0], [1.0]]}, "equal length"),
        ({"scores": [[1.0, "x"], [1.0, 2.0]]}, "holds 'x' as number 2"),
        ({"scores": [[10**400], [1.0]]}, "damaged.json"),
        ({"scores": None}, "field 'scores'"),
    ],
)
def test_a_foreign_or_damaged_file_is_refused(
    saved: tuple[Path, Any], change: dict[str, Any], told: str
) -> None:
    content = json.dumps(json.loads(saved[0].read_text()) | change).encode()
    with pytest.raises(ImportFormatError) as error:
        read_session(content, "damaged.json")
    assert told in str(error.value)


def test_half_a_file_is_refused(saved: tuple[Path, Any], tmp_path: Path) -> None:
    half = tmp_path / "half.json"
    half.write_bytes(saved[0].read_bytes()[:150])
    assert "no whole session" in " ".join(run(str(half), code=2).split())
