"""Every page: the console is quiet, axe finds no serious fault, and a phone shows all of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from benchmarks.serving import faults_of
from benchmarks.shots import views
from dashboard import places

pytestmark = pytest.mark.browser


USUAL = ("home", "board", "compare", "across", "humans", "try")
"""Places whose first tab is opened each time; all others in `make shots` and in full."""


def opened(place: places.Place, tab: places.Tab) -> Any:
    """Return a case."""
    first = tab is next(tab for other, tab in places.tabs() if other is place)
    usual = first and place.name in USUAL
    name = f"{place.name}-{tab.name}"
    return pytest.param(name, id=name, marks=() if usual else pytest.mark.full)


@pytest.mark.parametrize("name", [opened(*both) for both in places.tabs()])
def test_pages_are_quiet_and_can_be_used_by_everybody(
    name: str,
    page: Page,
    serve: Callable[[Any], str],
    settled: Callable[[Page], None],
    example: Path,
    fits_a_phone: Callable[[Page], None],
) -> None:
    address = serve(example)
    faults: list[str] = []
    page.on("console", lambda said: said.type == "error" and faults.append(said.text))
    page.on("response", lambda got: got.status >= 400 and faults.append(got.url))
    page.goto(f"{address}/{views(example)[name]}")
    page.wait_for_selector("[data-testid=stMain] h1")
    settled(page)
    faults += faults_of(page)
    page.set_viewport_size({"width": 400, "height": 800})
    answer = page.locator(".st-key-answer")
    if answer.count():
        top = (answer.bounding_box() or {"y": 9_999})["y"]
        if top > 700:
            faults.append(f"the answer stands {top:.0f} px down on a phone")
    fits_a_phone(page)
    assert not faults


def test_a_fault_is_found_where_there_is_one(page: Page) -> None:
    page.set_content("<img src=data:,>")
    assert "image-alt: img" in faults_of(page)
