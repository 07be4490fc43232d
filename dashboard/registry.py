"""The pages: their file, title and place in the navigation. A page's URL is its file's name."""

from __future__ import annotations

from typing import NamedTuple


class PageSpec(NamedTuple):
    """One page of the dashboard."""

    name: str
    """File stem in `app_pages`, and the page's URL."""
    title: str
    section: str
    hidden: bool = False
    """Detail pages are reached by links, not by the navigation."""


PAGES: tuple[PageSpec, ...] = (
    PageSpec("overview", "Overview", "Results"),
    PageSpec("leaderboard", "Leaderboard", "Results"),
    PageSpec("systems", "Systems", "Results"),
    PageSpec("system", "System", "Results", hidden=True),
    PageSpec("datasets", "Datasets", "Results"),
    PageSpec("dataset", "Dataset", "Results", hidden=True),
    PageSpec("runs", "Runs", "Results"),
    PageSpec("run", "Run", "Results", hidden=True),
    PageSpec("items", "Items", "Results"),
    PageSpec("claims", "Claims", "Results"),
    PageSpec("compare", "Compare two", "Compare"),
    PageSpec("pairs", "All pairs", "Compare"),
    PageSpec("across_datasets", "Across datasets", "Compare"),
    PageSpec("replicability", "Replicability matrix", "Compare"),
    PageSpec("ranking", "Ranking across datasets", "Compare"),
    PageSpec("adhoc", "Ad hoc", "Compare"),
    PageSpec("metrics_humans", "Metrics and humans", "Humans"),
    PageSpec("annotators", "Annotators", "Humans"),
    PageSpec("judgments", "Judgments of an item", "Humans"),
    PageSpec("power", "Power", "Plan"),
    PageSpec("import_results", "Import", "Store"),
)
