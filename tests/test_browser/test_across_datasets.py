"""From the matrix of counts to a pair, and from ranks to the same systems seen otherwise."""

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

N_SYSTEMS, N_DATASETS, N_ITEMS = 40, 60, 100


def write_table(path: Path, n_systems: int, n_datasets: int, n_items: int) -> None:
    """Store systems that get worse by small steps; the last one lacks the first dataset."""
    rng = np.random.Generator(np.random.PCG64(6))
    runs = []
    for dataset in range(n_datasets):
        hard = rng.normal(0.6, 0.15, (n_items, 1))
        for system in range(n_systems - (dataset == 0)):
            scores = hard - 0.3 * system / n_systems + rng.normal(0, 0.15, (n_items, 1))
            runs.append(BundleRun(f"system {system:02d}", dataset, "", [BundleScores(0, scores)]))
    store = open_store(path, create=True)
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[
                BundleDataset(
                    f"set {k:02d}", items=[BundleItem(f"{k}/{i}") for i in range(n_items)]
                )
                for k in range(n_datasets)
            ],
            metrics=[BundleMetric("quality", higher_is_better=True, lower=-2.0, upper=2.0)],
            runs=runs,
        ),
        actor="tests",
    )
    store.close()


def drawn(page: Page) -> None:
    """Wait until a matrix is on the canvas."""
    page.wait_for_selector(".heatmap[data-state=drawn]")


def test_a_count_opens_its_pair_across_datasets(
    page: Page, serve: Callable[[Path], str], settled: Callable[[Page], None], tmp_path: Path
) -> None:
    path = tmp_path / "table.db"
    write_table(path, 6, 7, 60)
    address = serve(path)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    page.goto(f"{address}/across?tab=replicability")
    expect(page.get_by_text("(7 datasets, quality").first).to_be_visible()
    drawn(page)
    frame = page.locator(".heatmap .frame")
    frame.focus()
    for stroke in ("Home", "ArrowRight", "ArrowRight"):
        frame.press(stroke)
    told = page.locator(".heatmap .live")
    expect(told).to_contain_text("better than system 02 on at least")
    expect(told).to_contain_text("of 7 datasets (Bonferroni)")
    frame.press("Enter")
    expect(page).to_have_url(re.compile(r"/compare\?.*tab=datasets.*a=system\+00&b=system\+02"))
    expect(page.get_by_text("system 00 is better than system 02").first).to_be_visible()
    assert not errors


def test_ranks_can_be_tied_by_another_test_and_stay_in_the_address(
    page: Page, serve: Callable[[Path], str], settled: Callable[[Page], None], tmp_path: Path
) -> None:
    path = tmp_path / "table.db"
    write_table(path, 6, 7, 60)
    address = serve(path)
    page.goto(f"{address}/across?systems=system+00&systems=system+01&systems=system+02")
    expect(page.get_by_text("of 3 systems (7 datasets, quality)").first).to_be_visible()
    settled(page)
    expect(page.locator("[data-testid=stVegaLiteChart]")).to_have_count(3)
    drawn(page)
    page.get_by_role("radio", name="Nemenyi").click()
    expect(page).to_have_url(re.compile("bars=Nemenyi"))
    settled(page)
    expect(page.get_by_text("so that a verdict on two systems depends on who else")).to_be_visible()
    page.goto(f"{address}/across")
    expect(page.get_by_text("on which every system has a score").first).to_be_visible()


def test_forty_systems_on_sixty_datasets(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    path = tmp_path / "large.db"
    write_table(path, N_SYSTEMS, N_DATASETS, N_ITEMS)
    address = serve(path)
    for name in ("replicability", "ranking"):
        for state in ("cold", "warm"):
            page.goto(f"{address}/home")  # the server itself is up
            settled(page)
            start = time.perf_counter()
            page.goto(f"{address}/{places.href(name, {})}")
            drawn(page)
            seconds = time.perf_counter() - start
            record_property(f"{name}, {N_SYSTEMS} × {N_DATASETS}, {state}", f"{seconds:.2f} s")
            print(f"{name}, {N_SYSTEMS} × {N_DATASETS}, {state}: {seconds:.2f} s until drawn")
    page.set_viewport_size({"width": 400, "height": 800})
    for name in ("replicability", "ranking"):
        page.goto(f"{address}/{places.href(name, {})}")
        drawn(page)
        settled(page)
        width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        assert width <= 400, name
