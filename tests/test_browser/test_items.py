"""Items are gone through by key, and the item in view is an address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_keys_go_through_items_at_once_and_the_address_follows(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    example: Path,
) -> None:
    address = serve(example)
    page.goto(f"{address}/board?tab=items&dataset=everyday+parses")
    head = page.locator("section h3")
    expect(head).to_have_text("Item clauses-1")
    settled(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert head.text_content() == "Item clauses-3"  # sent ahead: nothing is waited for
    page.wait_for_url("**item=clauses-3**")
    settled(page)
    for _ in range(20):  # beyond what was sent
        page.keyboard.press("j")
    page.wait_for_url("**item=long-subject-2**")
    expect(page.locator("section figure").first).to_be_visible()
    page.keyboard.press("k")
    expect(head).to_have_text("Item long-subject-1")

    page.get_by_label("Find in texts").click()
    page.keyboard.type("jk")  # letters in a field are letters
    expect(head).to_have_text("Item long-subject-1")

    page.goto(f"{address}/board?tab=items&dataset=everyday+parses&item=quotes-2")
    expect(head).to_have_text("Item quotes-2")
