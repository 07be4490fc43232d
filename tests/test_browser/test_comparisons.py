"""A large board, and scores that are only pasted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from benchmarks.shots import write_board
from store.engine import open_store

pytestmark = pytest.mark.browser

N_SYSTEMS, N_ITEMS = 160, 100  # more than are sent with all their numbers


def test_a_large_board_is_drawn_and_fits_a_phone(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    tmp_path: Path,
    fits_a_phone: Callable[[Page], None],
) -> None:
    path = tmp_path / "large.db"
    write_board(path, N_SYSTEMS, N_ITEMS)
    address = serve(path)
    page.goto(f"{address}/board?tab=pairs")
    page.wait_for_selector(".heatmap[data-state=drawn]")
    settled(page)
    page.locator(".heatmap .frame").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".heatmap .live")).to_contain_text("95 % interval")
    fits_a_phone(page)
    page.goto(f"{address}/board?tab=items&dataset=board&item=item+3")
    expect(page.get_by_role("heading", name="Item item 3")).to_be_visible()
    settled(page)
    fits_a_phone(page)
    page.goto(f"{address}/compare")
    expect(page.get_by_text("against system").first).to_be_visible()
    settled(page)
    fits_a_phone(page)


def test_pasted_scores_are_compared_and_nothing_is_stored(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    tmp_path: Path,
    fits_a_phone: Callable[[Page], None],
) -> None:
    path = tmp_path / "empty.db"
    open_store(path, create=True).close()
    address = serve(path)
    page.goto(f"{address}/try")
    settled(page)
    pasted = page.get_by_label("Or paste two columns")
    pasted.fill("\n".join(f"{0.5 + k / 100} {0.4 + k / 100}" for k in range(30)))
    pasted.press("Control+Enter")
    expect(page.get_by_text("A is better than B with 30 items")).to_be_visible()
    fits_a_phone(page)
    pasted.fill("0.5 0.4\n0.3\n")
    pasted.press("Control+Enter")
    expect(page.get_by_text("line 2")).to_be_visible()
    store = open_store(path, read_only=True)
    assert store.revision() == 0
    store.close()
