"""The sidebar in a browser: a key opens the search, the tab is called by what it shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from store.engine import open_store
from store.lifecycle import delete

pytestmark = pytest.mark.browser


def note(missing: list[str], answer: Response) -> None:
    """Keep what was not found."""
    if answer.status == 404:
        missing.append(answer.url)


def test_search_by_key_titles_and_word_of_a_newer_state(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    example_copy: Callable[[], Any],
) -> None:
    path = example_copy().path
    address = serve(path)
    missing: list[str] = []
    page.on("response", lambda answer: note(missing, answer))
    page.goto(f"{address}/home")
    settled(page)
    page.keyboard.press("/")
    page.keyboard.type("extra trees")
    page.keyboard.press("Enter")
    page.get_by_label("Found").get_by_role("link", name="Extra trees 100 system").click()
    expect(page).to_have_title("Extra trees 100 · Tiebreak")
    page.goto(f"{address}/compare?a=LDA&b=Extra+trees+100&dataset=digits")
    expect(page).to_have_title("LDA vs Extra trees 100 · digits · Tiebreak")
    settled(page)
    assert not missing
    page.goto(f"{address}/bord")
    expect(page.get_by_text("There is no page “bord”.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto(f"{address}/home")
    settled(page)
    icon = page.locator("link[rel~=icon]").first.get_attribute("href") or ""
    assert icon.startswith("data:image/svg+xml")
    for _ in range(2):  # the second time, all is known already
        page.goto(f"{address}/help?dataset=wine")
        settled(page)
        page.get_by_test_id("stMain").get_by_role("link", name="The board", exact=True).click()
        expect(page).to_have_title("wine · Tiebreak")
        expect(page.get_by_role("combobox", name="Dataset")).to_have_value("wine")
        board = page.get_by_label("Places").get_by_role("link", name="Board")
        expect(board).to_have_attribute("href", "board?dataset=wine&metric=accuracy")
    page.goto(f"{address}/home")
    settled(page)
    expect(page.get_by_test_id("stMainMenu")).not_to_be_visible()
    with open_store(path) as store:
        delete(store, "system", "Naive Bayes", actor="somebody else")
    expect(page.get_by_role("button", name="Show the new state")).to_be_visible(timeout=15_000)
    page.get_by_role("button", name="Show the new state").click()
    expect(page.get_by_role("button", name="Show the new state")).not_to_be_visible()
