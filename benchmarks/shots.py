"""Pictures of every page: ``python -m benchmarks.shots [STORE ...]``.

Without a store, of an empty one, the example and a board of 130 systems. A page is taken whole, as
wide as a laptop and as a telephone, light and dark, and looked through by axe; pages of one
system, dataset, run or import show the first that the store lists.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser

from benchmarks.serving import ROOT, faults_of, running_chromium, served, settle
from dashboard import places
from dashboard.demo import load_demo
from store.datasets import list_datasets
from store.engine import open_store
from store.import_lists import list_imports
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest
from store.runs import list_runs
from store.systems import list_systems

WIDTHS = {"wide": 1440, "narrow": 400}
SCHEMES = ("light", "dark")
HEIGHT = 900
_MARGIN = 30
_NAMED = {"dataset": "dataset"}
"""The parameter of a page of one object, where it is not its uid."""
DOCS = {
    "all_pairs.png": ("board?dataset=languages%3A+chat&tab=pairs", 990),
    "across_datasets.png": ("compare?tab=datasets&a=MIMICK&b=Char%E2%86%92Tag&show=Where", 1_270),
    "replicability_matrix.png": ("across?tab=replicability", 970),
    "ranking.png": ("across", 1_030),
    "claims.png": ("board?dataset=encodings&tab=claims", 1_000),
    "metrics_humans.png": ("humans", 870),
    "judgments.png": ("humans?tab=judgments", 1_130),
}
"""Picture of the guides -> the view, and how much of it, in px."""


def views(store: Path) -> dict[str, str]:
    """Return the name of each picture and the place in the dashboard that it shows."""
    with open_store(store, read_only=True) as opened:
        listed = {
            "system": list_systems(opened),
            "dataset": list_datasets(opened),
            "run": list_runs(opened),
            "import_object": list_imports(opened, limit=1),
        }
    first = {
        name: {_NAMED.get(name, "uid"): records[0].uid}
        for name, records in listed.items()
        if records
    }
    return {
        f"{place.name}-{tab.name}": places.href(tab.script, first.get(tab.script, {}))
        for place, tab in places.tabs()
    }


def write_board(path: Path, n_systems: int, n_items: int) -> None:
    """Make a store with graded scores of systems that get better by small steps."""
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
    bundle = ImportBundle(
        format="made",
        datasets=[BundleDataset("board", items=items)],
        metrics=[BundleMetric("quality", higher_is_better=True)],
        runs=runs,
    )
    with open_store(path, create=True) as store:
        ingest(store, bundle, actor="shots")


def make_stores(folder: Path) -> list[Path]:
    """Make the stores that every release is looked at on: empty, the example, a large board."""
    empty, example, board = (folder / f"{name}.db" for name in ("empty", "example", "board"))
    open_store(empty, create=True).close()
    with open_store(example, create=True) as store:
        load_demo(store, actor="shots")
    write_board(board, 130, 200)
    return [empty, example, board]


def take(browser: Browser, store: Path, folder: Path) -> list[str]:
    """Write the pictures of a store; return what is wrong with its pages."""
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    main = "document.querySelector('[data-testid=stMain]')"
    with served(store) as address:
        page = browser.new_page(reduced_motion="reduce")
        page.set_default_timeout(120_000)
        for name, place in views(store).items():
            page.set_viewport_size({"width": WIDTHS["wide"], "height": HEIGHT})
            page.goto(f"{address}/{place}")
            settle(page)
            for size, width in WIDTHS.items():
                page.set_viewport_size({"width": width, "height": HEIGHT})
                settle(page)
                height = max(HEIGHT, page.evaluate(f"{main}.scrollHeight"))
                page.set_viewport_size({"width": width, "height": height})
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two names
                    page.wait_for_timeout(300)
                    settle(page)
                    page.screenshot(path=folder / f"{name}-{size}-{scheme}.png")
                    shown = f"{store.name}: {place} ({size}, {scheme})"
                    wrong += [f"{shown}: {fault}" for fault in faults_of(page)]
                    if page.evaluate(f"{main}.scrollWidth") > width:
                        wrong.append(f"{shown}: wider than the screen")
            if page.get_by_test_id("stException").count():
                wrong.append(f"{store.name}: {place}: an exception")
        page.close()
    return wrong


def take_for_docs(browser: Browser, store: Path) -> None:
    """Write the pictures of the guides: the middle of a page, down to a height."""
    with served(store) as address:
        context = browser.new_context(viewport={"width": WIDTHS["wide"], "height": 2_000})
        page = context.new_page()
        page.set_default_timeout(120_000)
        for name, (place, height) in DOCS.items():
            page.goto(f"{address}/{place}")
            settle(page)
            box = page.locator("[data-testid=stMainBlockContainer]").bounding_box()
            assert box is not None
            clip = {
                "x": box["x"] + _MARGIN,
                "y": box["y"] + _MARGIN,
                "width": box["width"] - 2 * _MARGIN,
                "height": height,
            }
            page.screenshot(path=ROOT / "docs" / name, clip=clip)  # type: ignore[arg-type]  # a dict of four numbers
        context.close()


def main() -> int:
    """Take the pictures; 1 where something is wrong with a page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shots", description=__doc__)
    parser.add_argument("stores", nargs="*", type=Path, help="store files, instead of our own")
    parser.add_argument("--out", type=Path, default=ROOT / "shots", help="folder for the pictures")
    parser.add_argument("--docs", action="store_true", help="only the pictures of docs/, anew")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_chromium() as browser:
        stores: list[Path] = given.stores or make_stores(Path(folder))
        if given.docs:
            take_for_docs(browser, stores[1 if len(stores) > 1 else 0].resolve())
            return 0
        wrong = []
        for path in stores:
            place = given.out / path.stem
            wrong += take(browser, path.resolve(), place)
            print(f"{path.name}: {len(list(place.glob('*.png')))} pictures in {place}")
    for fault in wrong:
        print(fault)
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
