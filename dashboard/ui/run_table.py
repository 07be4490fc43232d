"""Runs and reported figures as tables, the same on every page that shows them."""

from collections.abc import Sequence

import pandas as pd

from analysis import numbers
from analysis.columns import Column
from dashboard.ui.links import page_urls
from dashboard.ui.tables import show_table
from store.records import ReportedScoreRecord, RunRecord


def show_runs(runs: Sequence[RunRecord], *, key: str, without: str = "") -> None:
    """Show runs, a row per metric and trial; a chosen row links to its run.

    `without` leaves out a column that is the same in every row: "system" or "dataset".
    """
    frame = pd.DataFrame([row for run in runs for row in _rows(run)])
    if frame.empty:
        return
    columns = {
        "system": Column("System", pinned=True),
        "dataset": Column("Dataset"),
        "label": Column("Run", least=True),
        "metric": Column("Metric"),
        "trial": Column("Trial", "count", shown=bool(frame["trial"].any())),
        "value": Column("Value", "number", decimals=4),
        "std": Column("SD of items", "number", decimals=3, shown=False),
        "n_scored": Column("Scored", "count"),
        "n_missing": Column("Missing", "count"),
        "complete": Column("Finished", shown=bool((frame["complete"] == "no").any())),
        "evaluated_on": Column("Evaluated", "day", least=True),
        "harness": Column("Harness", shown=False),
        "tags": Column("Tags", shown=False),
        "uid": Column("Uid", shown=False),
    }
    columns.pop(without, None)
    for column in ("value", "std", "n_scored", "n_missing"):
        frame[column] = pd.to_numeric(frame[column]) if column in frame else float("nan")
    frame["evaluated_on"] = pd.to_datetime(frame["evaluated_on"], utc=True)
    links = {
        "system": page_urls("run", {}, uid=frame["uid"]),
        "dataset": page_urls("leaderboard", {}, dataset=frame["dataset"]),
    }
    if without == "system":
        links["dataset"] = links.pop("system")
    show_table(
        frame,
        key=key,
        columns=columns,
        filename="runs",
        noun="row",
        links=links,
        is_main=not without,
    )


def _rows(run: RunRecord) -> list[dict[str, object]]:
    """Return a row per score of a run; one row without a score when it has no item scores."""
    about = {
        "system": run.system,
        "dataset": run.dataset,
        "label": run.label,
        "complete": "yes" if run.complete else "no",
        "evaluated_on": run.evaluated_on,
        "harness": run.harness,
        "tags": ", ".join(run.tags),
        "uid": run.uid,
    }
    if not run.vectors:
        return [about | {"metric": "no item scores", "trial": 0, "value": None, "std": None}]
    return [
        about
        | {
            "metric": vector.metric,
            "trial": vector.trial,
            "value": vector.value,
            "std": vector.std,
            "n_scored": vector.n_scored,
            "n_missing": run.n_items - vector.n_scored,
        }
        for vector in run.vectors
    ]


def show_reported(scores: Sequence[ReportedScoreRecord], *, key: str, without: str = "") -> None:
    """Show figures that files and papers state, as printed, with their source."""
    frame = pd.DataFrame([score.to_dict() for score in scores]).assign(
        printed=[score.printed or numbers.fixed(score.value, 4) for score in scores]
    )
    decimals = max(len(text.strip("*† ").partition(".")[2]) for text in frame["printed"])
    columns = {
        "system": Column("System", pinned=True),
        "dataset": Column("Dataset"),
        "metric": Column("Metric"),
        "value": Column("Value", "number", decimals=min(decimals, 6)),
        "printed": Column("As printed", shown=False),
        "stderr": Column("Standard error", "number", decimals=4, shown=False),
        "n_items": Column("Items stated", "count", shown=False),
        "source": Column("Source"),
        "source_url": Column("Link", shown=False),
    }
    columns.pop(without, None)
    links = {
        "source_url": [url or "" for url in frame["source_url"]],
        "system": page_urls("system", {}, uid=frame["system_uid"]),
        "dataset": page_urls("leaderboard", {}, dataset=frame["dataset"]),
    }
    show_table(frame, key=key, columns=columns, filename="reported", noun="figure", links=links)
