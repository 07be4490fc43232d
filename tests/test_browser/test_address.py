"""The address is the view: one entry in the history for a step, none for a setting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


class Recorder(NamedTuple):
    """A tab, and every address that was written in it."""

    page: Page
    written: list[tuple[str, str]]
    settle: Callable[[Page], None]

    def since(self, act: Callable[[], Any]) -> list[tuple[str, str]]:
        """Return what an action wrote, once all is quiet: place and query, without the host."""
        before = len(self.written)
        act()
        self.page.wait_for_timeout(700)
        self.settle(self.page)
        return [
            (how.removesuffix("State"), urlsplit(href).path.strip("/"))
            for how, href in self.written[before:]
        ]

    def query(self) -> dict[str, str]:
        """Return what the address says."""
        return dict(parse_qsl(urlsplit(self.page.url).query))


@pytest.fixture
def recorder(page: Page, watched: Any, settled: Callable[[Page], None]) -> Recorder:
    """Return a tab that records the addresses written in it."""
    return Recorder(page, watched.written, settled)


def test_a_board_its_pairs_and_a_cell_are_one_step_each(
    serve: Callable[[Path], str], recorder: Recorder, example: Path
) -> None:
    page, settle = recorder.page, recorder.settle
    base = serve(example)
    page.goto(f"{base}/board?dataset=digits")
    settle(page)
    link = page.get_by_role("link", name="Pairs", exact=True)
    assert recorder.since(link.click) == [("push", "board")]
    assert recorder.query()["dataset"] == "digits"
    canvas = page.locator(".frame canvas").first
    canvas.scroll_into_view_if_needed()
    settle(page)
    frame = page.locator(".heatmap .frame")
    frame.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".heatmap .live")).not_to_be_empty()
    assert recorder.since(lambda: page.keyboard.press("Enter")) == [("push", "compare")]
    assert {"a", "b", "dataset", "metric"} <= recorder.query().keys()
    expect(page.get_by_role("heading", name="Item by item")).to_be_visible()
    expect(page.get_by_text("A better,").first).to_be_visible()
    page.go_back()
    settle(page)
    expect(page.get_by_role("heading", name="All pairs")).to_be_visible()
    assert recorder.query()["dataset"] == "digits"
    page.go_back()
    settle(page)
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    assert recorder.query() == {"dataset": "digits"}


def test_a_dataset_is_a_step_and_a_level_is_none(
    serve: Callable[[Path], str], recorder: Recorder, example: Path
) -> None:
    page, settle = recorder.page, recorder.settle
    page.goto(f"{serve(example)}/board?dataset=digits")
    settle(page)

    def choose(label: str, option: str) -> list[tuple[str, str]]:
        def act() -> None:
            page.get_by_role("combobox", name=label).fill(option)
            page.get_by_role("option", name=option, exact=True).first.click()

        return recorder.since(act)

    assert choose("α", "0.01") == [("replace", "board")]
    assert recorder.query() == {"dataset": "digits", "alpha": "0.01"}
    assert choose("Dataset", "wine") == [("push", "board")]
    assert recorder.query()["dataset"] == "wine"
    page.go_back()
    settle(page)
    box = page.get_by_role("combobox", name="Dataset")
    expect(box).to_have_value("digits")
    assert recorder.query() == {"dataset": "digits", "alpha": "0.01"}


def test_an_address_of_before_is_replaced_and_the_full_one_can_be_copied(
    serve: Callable[[Path], str], recorder: Recorder, example: Path
) -> None:
    page, settle = recorder.page, recorder.settle
    page.goto(f"{serve(example)}/dataset?uid=wine")
    page.wait_for_url("**/board?dataset=wine&tab=about")
    expect(page.get_by_role("heading", name="Dataset")).to_be_visible()
    settle(page)
    assert {how for how, _ in recorder.written} == {"replaceState"}
    assert recorder.since(page.get_by_role("link", name="Table").click) == [("push", "board")]
    assert recorder.query() == {"dataset": "wine"}
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_label("Link to this view")
    assert "dataset=wine" in field.input_value()
    assert "alpha=0.05" in field.input_value()


def test_rows_of_a_board_are_links_and_two_ticked_ones_are_compared(
    serve: Callable[[Path], str],
    recorder: Recorder,
    example: Path,
    fits_a_phone: Callable[[Page], None],
) -> None:
    page, settle = recorder.page, recorder.settle
    page.goto(f"{serve(example)}/board?dataset=digits")
    settle(page)
    grid = page.get_by_role("grid", name="Leaderboard of digits")
    names = grid.locator("tbody a")
    expect(names).to_have_count(15)
    assert names.first.inner_text() == "Extra trees 100"
    fits_a_phone(page)
    # Another order replaces the address, and a reload keeps it.
    by_score = grid.get_by_role("button", name="accuracy")
    assert recorder.since(lambda: by_score.click(click_count=1)) == [("replace", "board")]
    assert recorder.query()["sort"] == "-score"
    by_score.click()
    expect(names.first).to_have_text("Majority class")
    page.reload()
    settle(page)
    expect(names.first).to_have_text("Majority class")
    # Keys: down one row, tick it, then the one above.
    compare = page.get_by_role("link", name="Compare two")
    names.nth(1).focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    ticked = [names.nth(1).inner_text(), names.nth(2).inner_text()]
    assert recorder.since(compare.click) == [("push", "compare")]
    asked = recorder.query()
    assert [asked["a"], asked["b"]] == ticked
    assert asked["dataset"] == "digits"
    assert "among the 105 pairs of this board" in page.locator("main").inner_text()
    page.go_back()
    settle(page)
    assert recorder.query()["sort"] == "score"
    assert recorder.since(names.first.click) == [("push", "library")]
    expect(page.get_by_role("heading", name="Majority class")).to_be_visible()


def test_two_systems_are_ticked_and_compared_in_three_clicks(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    example: Path,
    clicks: list[str],
) -> None:
    address = serve(example)
    page.goto(f"{address}/board?dataset=digits")
    settled(page)
    boxes = page.get_by_role("grid", name="Leaderboard of digits").get_by_role("checkbox")
    boxes.nth(0).click()
    boxes.nth(2).click()
    page.get_by_role("link", name="Compare two").click()
    expect(page.get_by_role("heading", name="Item by item")).to_be_visible()
    assert len(clicks) == 3


_AT_ONCE = """([first, second]) => {
  const of = {
    setting: () => [...document.querySelectorAll("[data-testid=stMain] button")].find(
      (one) => one.innerText === "Wilcoxon–Holm"),
    link: () => document.querySelector("nav[aria-label=Places] a[href=library]"),
  };
  const acts = [of[first](), of[second]()];
  acts.forEach((one) => one.click());
}"""


@pytest.mark.parametrize("order", [("setting", "link"), ("link", "setting")])
def test_a_click_while_a_page_is_drawn_does_not_lead_back(
    serve: Callable[[Path], str], recorder: Recorder, example: Path, order: tuple[str, str]
) -> None:
    page, settle = recorder.page, recorder.settle
    base = serve(example)
    page.goto(f"{base}/across")
    settle(page)
    expect(page.get_by_text("Wilcoxon–Holm", exact=True).first).to_be_visible()
    page.evaluate(_AT_ONCE, list(order))
    expect(page.get_by_role("heading", name="Systems", exact=True)).to_be_visible()
    page.wait_for_timeout(700)
    settle(page)
    expect(page).to_have_url(f"{base}/library")
    expect(page.get_by_role("heading", name="Systems", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Ranking across datasets")).to_be_visible()
