"""From the heatmap to a pair to its items, a large board, and a file that is only pasted."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from dashboard import places
from store.engine import open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest

pytestmark = pytest.mark.browser

N_SYSTEMS, N_ITEMS = 150, 2_000


def write_board(path: Path, n_systems: int, n_items: int) -> None:
    """Store graded scores of systems that get better by small steps."""
    rng = np.random.Generator(np.random.PCG64(4))
    hard = rng.normal(0.5, 0.2, n_items)
    runs = [
        BundleRun(
            f"system {k:03d}",
            0,
            "",
            [BundleScores(0, (hard + rng.normal(0.002 * k, 0.2, n_items))[:, np.newaxis])],
        )
        for k in range(n_systems)
    ]
    items = [BundleItem(f"item {k}") for k in range(n_items)]
    store = open_store(path, create=True)
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("board", items=items)],
            metrics=[BundleMetric("quality", higher_is_better=True)],
            runs=runs,
        ),
        actor="tests",
    )
    store.close()


def drawn(page: Page) -> None:
    """Wait until the heatmap is on the canvas."""
    page.wait_for_selector(".heatmap[data-state=drawn]")


def test_a_cell_opens_its_pair_and_the_pair_its_items(
    page: Page, serve: Callable[[Path], str], settled: Callable[[Page], None], tmp_path: Path
) -> None:
    path = tmp_path / "board.db"
    write_board(path, 8, 200)
    address = serve(path)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    page.goto(f"{address}/board?tab=pairs")
    expect(page.get_by_text("of 28 pairs of systems on board (quality)").first).to_be_visible()
    drawn(page)
    frame = page.locator(".heatmap .frame")
    frame.focus()
    for stroke in ("ArrowRight", "ArrowRight", "ArrowDown"):
        frame.press(stroke)
    expect(page.locator(".heatmap .live")).not_to_be_empty()
    frame.press("Enter")
    expect(page).to_have_url(re.compile(r"/compare\?"))
    expect(page.get_by_text("against system").first).to_be_visible()
    settled(page)
    assert "a=system" in page.url
    assert "b=system" in page.url
    expect(page.get_by_role("heading", name="Item by item")).to_be_visible()
    expect(page.get_by_text("A better,").first).to_be_visible()

    page.goto(f"{address}/board?tab=items&dataset=board&item=item+3")
    expect(page.get_by_text("Item item 3")).to_be_visible()
    assert not errors


def test_a_large_board_opens_from_cold_and_from_warm(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    path = tmp_path / "large.db"
    write_board(path, N_SYSTEMS, N_ITEMS)
    address = serve(path)
    page.goto(f"{address}/home")  # the server itself is up
    settled(page)
    for state in ("cold", "warm", "warm again"):
        page.goto(f"{address}/home")
        settled(page)
        start = time.perf_counter()
        page.goto(f"{address}/board?tab=pairs")
        drawn(page)
        seconds = time.perf_counter() - start
        record_property(f"{N_SYSTEMS} × {N_ITEMS}, {state}", f"{seconds:.2f} s")
        print(f"{N_SYSTEMS} systems × {N_ITEMS} items, {state}: {seconds:.2f} s until drawn")
    page.goto(f"{address}/board?dataset=board")
    expect(page.get_by_text("on board with quality").first).to_be_visible()
    settled(page)
    page.set_viewport_size({"width": 400, "height": 800})
    for name in ("pairs", "compare", "items", "adhoc"):
        page.goto(f"{address}/{places.href(name, {})}")
        settled(page)
        width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        assert width <= 400, name


def test_pasted_scores_are_compared_and_nothing_is_stored(
    page: Page, serve: Callable[[Path], str], settled: Callable[[Page], None], tmp_path: Path
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
    pasted.fill("0.5 0.4\n0.3\n")
    pasted.press("Control+Enter")
    expect(page.get_by_text("line 2")).to_be_visible()
    store = open_store(path, read_only=True)
    assert store.revision() == 0
    store.close()
