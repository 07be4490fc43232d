"""Pictures of every page on given stores: ``python -m benchmarks.shots [STORE ...]``.

Without a store, of the example. A page is taken whole, as wide as a laptop and as a telephone;
pages of one system, dataset or run show the first that the store lists.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.serving import ROOT, running_chromium, served, settle
from dashboard import places
from dashboard.demo import load_demo
from store.datasets import list_datasets
from store.engine import open_store
from store.runs import list_runs
from store.systems import list_systems

WIDTHS = {"wide": 1280, "narrow": 400}
HEIGHT = 900
_MARGIN = 60
_NAMED = {"dataset": "dataset"}
"""The parameter of a page of one object, where it is not its uid."""
DOCS = {
    "all_pairs.png": ("board?dataset=digits&tab=pairs", 1_040),
    "across_datasets.png": ("compare?tab=datasets&a=MIMICK&b=Char%E2%86%92Tag", 925),
    "replicability_matrix.png": ("across?tab=replicability", 1_090),
    "ranking.png": ("across", 1_190),
    "claims.png": ("board?dataset=encodings&tab=claims", 990),
    "metrics_humans.png": ("humans", 850),
    "judgments.png": ("humans?tab=judgments", 890),
}
"""Picture of the guides -> the view, and how much of it, in px."""


def views(store: Path) -> dict[str, str]:
    """Return the name of each picture and the place in the dashboard that it shows."""
    with open_store(store, read_only=True) as opened:
        listed = {
            "system": list_systems(opened),
            "dataset": list_datasets(opened),
            "run": list_runs(opened),
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


def take(browser: Browser, store: Path, folder: Path) -> list[str]:
    """Write the pictures of a store; return the views that show an exception."""
    folder.mkdir(parents=True, exist_ok=True)
    broken = []
    with served(store) as address:
        for size, width in WIDTHS.items():
            context = browser.new_context(viewport={"width": width, "height": HEIGHT})
            page = context.new_page()
            page.set_default_timeout(120_000)
            for name, place in views(store).items():
                page.goto(f"{address}/{place}")
                settle(page)
                inner = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
                page.set_viewport_size({"width": width, "height": max(HEIGHT, inner)})
                settle(page)
                page.screenshot(path=folder / f"{name}-{size}.png")
                page.set_viewport_size({"width": width, "height": HEIGHT})
                if page.locator("[data-testid=stException]").count():
                    broken.append(f"{store}: {place} ({size})")
            context.close()
    return broken


def take_for_docs(browser: Browser, store: Path) -> None:
    """Write the pictures of the guides: the middle of a page, down to a height."""
    with served(store) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 2_000})
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
            page.screenshot(path=ROOT / "docs" / name, clip=clip)  # type: ignore[arg-type]
        context.close()


def main() -> int:
    """Take the pictures; 1 where a page shows an exception."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shots", description=__doc__)
    parser.add_argument("stores", nargs="*", type=Path, help="store files; else the example")
    parser.add_argument("--out", type=Path, default=ROOT / "shots", help="folder for the pictures")
    parser.add_argument("--docs", action="store_true", help="only the pictures of docs/, anew")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_chromium() as browser:
        stores: list[Path] = given.stores
        if not stores:
            stores = [Path(folder) / "example.db"]
            with open_store(stores[0], create=True) as store:
                load_demo(store, actor="shots")
        if given.docs:
            take_for_docs(browser, stores[0].resolve())
            return 0
        broken = []
        for path in stores:
            place = given.out / path.stem
            broken += take(browser, path.resolve(), place)
            print(f"{path.name}: {len(list(place.glob('*.png')))} pictures in {place}")
    for view in broken:
        print(f"An exception is shown: {view}")
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
