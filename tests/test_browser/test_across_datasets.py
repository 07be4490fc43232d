"""From the matrix of counts to a pair, and from ranks to the same systems seen otherwise."""

from __future__ import annotations

import re
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
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    built_once: Callable[[str, Callable[[Path], None]], Path],
) -> None:
    folder = built_once("table", lambda folder: write_table(folder / "table.db", 6, 7, 60))
    address = serve(folder / "table.db")

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


def test_ranks_can_be_tied_by_another_test_and_stay_in_the_address(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    built_once: Callable[[str, Callable[[Path], None]], Path],
) -> None:
    folder = built_once("table", lambda folder: write_table(folder / "table.db", 6, 7, 60))
    address = serve(folder / "table.db")
    page.goto(f"{address}/across?systems=system+00&systems=system+01&systems=system+02")
    expect(page.get_by_text("of 3 systems (7 datasets, quality)").first).to_be_visible()
    settled(page)
    page.get_by_role("tab", name="Pairs").click()
    expect(page).to_have_url(re.compile("show=Pairs"))
    drawn(page)
    page.get_by_role("tab", name="Mean ranks").click()
    settled(page)
    page.get_by_role("radio", name="Nemenyi").click()
    expect(page).to_have_url(re.compile("bars=Nemenyi"))
    settled(page)
    expect(page.get_by_text("so that a verdict on two systems depends on who else")).to_be_visible()
    page.goto(f"{address}/across?show=Over+all+datasets")
    expect(page.get_by_text("on which every system has a score").first).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize(("tab", "asked"), [("replicability", {}), ("ranking", {"show": "Pairs"})])
def test_forty_systems_on_sixty_datasets(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    built_once: Callable[[str, Callable[[Path], None]], Path],
    fits_a_phone: Callable[[Page], None],
    tab: str,
    asked: dict[str, str],
) -> None:
    folder = built_once("wide", lambda folder: write_table(folder / "wide.db", 40, 60, 20))
    page.goto(f"{serve(folder / 'wide.db')}/{places.href(tab, asked)}")
    drawn(page)
    fits_a_phone(page)
