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


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    """Return a function that serves a store and gives its address; it ends with the test."""
    servers: list[subprocess.Popen[bytes]] = []

    def start(store: Path) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
        options = [f"--server.port={port}", "--server.address=127.0.0.1"]
        servers.append(
            subprocess.Popen(
                [*command, *options],
                cwd=ROOT,
                env=os.environ | {"TIEBREAK_STORE": str(store)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)
            except (urllib.error.URLError, OSError):
                time.sleep(0.25)
            else:
                return address
        raise TimeoutError("the dashboard did not start")

    yield start
    for server in servers:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:  # It waits for a script that still computes.
            server.kill()
            server.wait()


def settle(page: Page) -> None:
    """Wait until the script behind the page has run."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_load_state("networkidle")


@pytest.fixture
def settled() -> Callable[[Page], None]:
    """Return `settle`."""
    return settle
