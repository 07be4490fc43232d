"""A dashboard on a free loopback port, and a headless Chromium to look at it."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def _chromium_module():
    spec = importlib.util.spec_from_file_location("chromium", HERE / "chromium.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a running browser."""
    chromium = _chromium_module()
    expect.set_options(timeout=60_000)  # a busy machine is no failure
    path = chromium.find_chromium()
    if path is None:
        pytest.fail(chromium.HELP)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(chromium.SWITCHES))
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return an empty tab that allows downloads."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    tab = context.new_page()
    tab.set_default_timeout(60_000)
    yield tab
    context.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Return the address of a dashboard, and the link that leads it to its store."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    link = tmp_path_factory.mktemp("served") / "tiebreak.db"
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
    options = [f"--server.port={port}", "--server.address=127.0.0.1"]
    running = subprocess.Popen(
        [*command, *options],
        cwd=ROOT,
        env=os.environ | {"TIEBREAK_STORE": str(link)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            break
    else:
        raise TimeoutError("the dashboard did not start")
    yield address, link
    running.terminate()
    try:
        running.wait(timeout=20)
    except subprocess.TimeoutExpired:  # It waits for a script that still computes.
        running.kill()
        running.wait()


@pytest.fixture
def serve(server: tuple[str, Path]) -> Iterator[Callable[[Path], str]]:
    """Return a function that has the dashboard show a store, and gives its address.

    All tests of a worker share one server: it takes another file in its store's place for another
    store.
    """
    address, link = server

    def show(store: Path) -> str:
        link.unlink(missing_ok=True)
        link.symlink_to(store)
        return address

    yield show
    link.unlink(missing_ok=True)


def settle(page: Page) -> None:
    """Wait until the script behind the page has run."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_load_state("networkidle")


@pytest.fixture
def settled() -> Callable[[Page], None]:
    """Return `settle`."""
    return settle
