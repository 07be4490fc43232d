"""The browser remembers the last visit; the server believes only what can be."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.components import last_visit as package_function
from dashboard.components.last_visit import Visit, read_visit

SCRIPT = Path(__file__).resolve().parents[2] / "dashboard" / "components" / "last_visit.js"
MINUTE = 60_000
START = 1_800_000_000_000


@pytest.mark.parametrize("told", [None, "", "yesterday", "2026-11-21T09:30:00", 12, {"a": 1}])
def test_what_is_no_moment_is_not_believed(told: object) -> None:
    assert read_visit(told) == Visit(None, is_first=False)


def test_a_moment_is_read_in_utc_and_never_lies_in_the_future() -> None:
    told = read_visit("2026-01-02T03:04:05.678Z")
    assert told == Visit(datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC), is_first=False)
    ahead = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    ended = read_visit(ahead).ended
    assert ended is not None
    assert ended <= datetime.now(UTC)
    assert read_visit("first") == Visit(None, is_first=True)


def test_nothing_is_known_before_the_browser_answers() -> None:
    def page() -> None:
        import streamlit as st

        from dashboard.components import last_visit

        visit = last_visit("sqlite:///a.db")
        st.text(f"{visit.ended} {visit.is_first}")

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value == "None False"
    assert callable(package_function)


def visits(tmp_path: Path, moments: list[int], *, storage: str = "kept") -> list[Any]:
    """Run the script at each moment; return what it tells, and None where it keeps silent."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the script with")
    stores = {
        "kept": "const held = {}; globalThis.window = {localStorage: {"
        "getItem: (k) => held[k] ?? null, setItem: (k, v) => { held[k] = v; }}};",
        "refused": "globalThis.window = {get localStorage() { throw new Error('no'); }};",
        "spoilt": 'globalThis.window = {localStorage: {getItem: () => \'{"latest": "x"\','
        " setItem: () => {}}};",
    }
    module = tmp_path / "visit.mjs"
    module.write_text(
        stores[storage]
        + SCRIPT.read_text(encoding="utf-8").replace("export default function", "function run")
        + f"""
        const said = []; let told = null;
        for (const moment of {json.dumps(moments)}) {{
          Date.now = () => moment;
          let now = null;
          run({{ data: {{ name: "n", told }}, setStateValue: (_, value) => {{ now = value; }} }});
          if (now !== null) told = now;
          said.push(now);
        }}
        console.log(JSON.stringify(said));""",
        encoding="utf-8",
    )
    done = subprocess.run([node, str(module)], capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def test_half_an_hour_away_ends_a_visit(tmp_path: Path) -> None:
    moments = [0, 5, 20, 49, 80, 81]  # minutes; the longest breaks are of 29 and 31
    said = visits(tmp_path, [START + m * MINUTE for m in moments])
    ended = datetime.fromtimestamp((START + 49 * MINUTE) / 1000, tz=UTC)
    assert said[:4] == ["first", None, None, None]  # the page runs again only for what is new
    assert datetime.fromisoformat(said[4]) == ended
    assert said[5] is None


@pytest.mark.parametrize("storage", ["refused", "spoilt"])
def test_a_browser_that_keeps_nothing_breaks_nothing(tmp_path: Path, storage: str) -> None:
    assert visits(tmp_path, [START, START + MINUTE], storage=storage) == ["first", None]
