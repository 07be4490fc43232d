"""A dashboard for all tests of a worker, and a headless Chromium to look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks import serving


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a running browser; a missing one fails, it must not pass unnoticed."""
    expect.set_options(timeout=60_000)  # a busy machine is no failure
    with serving.running_chromium() as browser:
        yield browser


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
    link = tmp_path_factory.mktemp("served") / "tiebreak.db"
    with serving.served(link) as address:
        yield address, link


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


@pytest.fixture
def settled() -> Callable[[Page], None]:
    """Return a function that waits until the script behind a page has run."""
    return serving.settle
