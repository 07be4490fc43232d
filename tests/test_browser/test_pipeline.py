"""A pipeline of another user, in another folder, with an address and a token and nothing else.

What it runs stands in docs/people_and_machines.md; only the address is another.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from benchmarks import serving
from benchmarks.proxy import signed_in
from store.engine import open_store
from store.history import list_events
from store.runs import list_runs
from store.tokens import add_token

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "people_and_machines.md"
NOBODY = 65534
WITHIN_MS = 10_000


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """Return a folder that any user may write into."""
    folder = Path(tempfile.mkdtemp(prefix="elsewhere-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def written(language: str, word: str) -> str:
    """Return the first block of the document in a language that holds a word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    return next(block for block in blocks if word in block)


def as_another(command: list[str], folder: Path, token: str) -> None:
    """Run a command that knows a token alone, as another user if that one may start it."""
    program = Path(shutil.which(command[0]) or "").resolve()
    is_another = os.geteuid() == 0 and all(one.stat().st_mode & 0o001 for one in program.parents)
    known = {"PATH": os.environ["PATH"], "TIEBREAK_TOKEN": token, "TOKEN": token, "HOME": "/"}
    environment = known | ({} if is_another else {"HOME": str(folder)})
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_another else {}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, **who, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"status": 4' not in done.stdout, done.stdout


def test_a_pipeline_elsewhere_logs_runs_and_open_pages_offer_them(
    tmp_path: Path, elsewhere: Path, browser: Browser
) -> None:
    roles = tmp_path / "roles.toml"
    roles.write_text('contributor = ["ben@example.org"]\nviewer = ["eye@example.org"]\n')
    path = tmp_path / "store.db"
    with open_store(path, create=True) as store:
        token = add_token(
            store, "nightly", actor="", scope="write", dataset="digits", owner="ben@example.org"
        )[1]
        options = ["--sign-in-header", "X-Forwarded-Email", "--roles", str(roles)]
        with (
            serving.served(path, options) as address,
            # A browser need not send headers of ours where it opens a socket.
            signed_in(address, "X-Forwarded-Email", "eye@example.org") as before,
        ):
            context = browser.new_context()
            tab = context.new_page()
            tab.goto(f"{before}/library")
            expect(tab.get_by_text("eye@example.org")).to_be_visible(timeout=60_000)
            serving.settle(tab)
            newer = tab.get_by_role("button", name="Show the new state")
            expect(newer).to_have_count(0)

            script = written("python", "log_run")
            assert len(script.strip().splitlines()) == 5
            script = script.replace("https://results.example", address)
            as_another([sys.executable, "-c", script], elsewhere, token)
            expect(newer).to_be_visible(timeout=WITHIN_MS)
            newer.click()
            expect(tab.get_by_text("mine")).not_to_have_count(0, timeout=WITHIN_MS)

            lines = written("sh", "records").replace("https://results.example", address)
            command = lines[lines.index("curl", lines.index("-F")) :]
            as_another(["sh", "-c", command], elsewhere, token)
            expect(newer).to_be_visible(timeout=WITHIN_MS)
            context.close()
        assert {run.system for run in list_runs(store)} == {"mine", "yours"}
        brought = [event for event in list_events(store) if event.action == "import"]
        assert {event.actor for event in brought} == {"ben@example.org"}
        assert all(str(event.via).startswith("token ") for event in brought)
