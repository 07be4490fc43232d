"""The boards of swebench.com (``leaderboards.json``): dated figures, for some with the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from store.errors import ImportFormatError, NoResultsError, clipped
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
    Provenance,
    ReadOptions,
    RowProblems,
)
from store.importers.cells import LARGEST, CellError, parse_date
from store.importers.settings import Settings, load_settings
from store.importers.swebench.splits import RESOLVED, dataset_name, overlaps_of, repository
from store.importers.textfile import data_suffix, peek_json, read_json

NAME = "swebench_board"
DESCRIPTION = "leaderboards.json of SWE-bench"
_METRICS = (
    RESOLVED,
    BundleMetric("cost", higher_is_better=False, lower=0.0),
    BundleMetric("api_calls", higher_is_better=False, lower=0.0),
)
_STATED = ("resolved", "instance_cost", "instance_calls")
"""What an entry calls the mean of each metric."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds boards with entries."""
    if data_suffix(path) != ".json":
        return False
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    boards = content.get("leaderboards") if isinstance(content, dict) else None
    return isinstance(boards, list) and any(
        isinstance(entry, dict) and "resolved" in entry and "name" in entry
        for board in boards
        if isinstance(board, dict) and isinstance(board.get("results"), list)
        for entry in board["results"][:1]
    )


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read all boards; an entry is one system, its folder the source of its figures.

    Raises
    ------
    ImportFormatError
        An entry lacks its name or share, or an item is neither resolved nor unresolved, and the
        import is strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    content, sha256 = read_json(path, settings.shown)
    reader = _Reader(settings, RowProblems(options.lenient))
    for board in content["leaderboards"]:
        reader.add(str(board.get("name", "")), board.get("results") or [])
    skipped = reader.problems.raise_if_any()
    if not reader.scores:
        raise NoResultsError("no board has an entry.", path=settings.shown)
    names = [dataset.name for dataset in reader.datasets]
    return ImportBundle(
        NAME,
        settings.files(sha256),
        datasets=reader.datasets,
        metrics=_METRICS,
        runs=reader.runs,
        reported_scores=reader.scores,
        overlaps=[*settings.mapping.overlaps, *overlaps_of(names)],
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=reader.told(),
    )


@dataclass(slots=True)
class _Reader:
    settings: Settings
    problems: RowProblems
    datasets: list[BundleDataset] = field(default_factory=list)
    runs: list[BundleRun] = field(default_factory=list)
    scores: list[BundleReportedScore] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    """Folder -> its results by item, for they stand on every board that lists the entry."""
    n_again: int = 0

    def add(self, board: str, entries: Sequence[Any]) -> None:
        """Add a board: its entries in their order."""
        entries = [entry for entry in entries if isinstance(entry, dict)]
        own = [entry for entry in entries if self._is_new(entry)]
        keys = sorted({key for entry in own for key in entry["per_instance_details"]})
        items = tuple(BundleItem(key, repository(key)) for key in keys)
        index = {key: i for i, key in enumerate(keys)}
        number = len(self.datasets)
        name = self.settings.dataset or dataset_name(board)
        self.datasets.append(self.settings.dataset_of(name, items))
        for entry in entries:
            system = str(entry.get("name") or "").strip()
            if not system:
                self._report(board, "an entry has no name.")
                continue
            system = self.settings.canonical(system)
            date = self._date(entry, f"{board}/{system}")
            folder = str(entry.get("folder") or f"{system}, {entry.get('date')}")
            run = None
            if any(entry is one for one in own):
                run = len(self.runs)
                self._add_run(entry, system, number, folder, date, index)
            self._add_figures(entry, system, number, folder, date, run)

    def _is_new(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry shows items that no board before showed."""
        details, folder = entry.get("per_instance_details"), str(entry.get("folder"))
        if not isinstance(details, dict) or not details:
            return False
        if self.details.get(folder) == details:
            self.n_again += 1
            return False
        self.details[folder] = details
        return True

    def _add_run(
        self,
        entry: Mapping[str, Any],
        system: str,
        dataset: int,
        folder: str,
        date: datetime | None,
        index: Mapping[str, int],
    ) -> None:
        values = np.full((len(_METRICS), len(index), 1), np.nan)
        for key, detail in entry["per_instance_details"].items():
            for number, metric in enumerate(_METRICS):
                value = detail.get(metric.name) if isinstance(detail, dict) else None
                if value is None:
                    continue
                if not isinstance(value, (bool, int, float)) or not (abs(value) <= LARGEST):
                    self._report(f"{folder}/{key}/{metric.name}", f"{value!r} is no number.")
                    continue
                values[number, index[key], 0] = float(value)
        kept = [n for n in range(len(_METRICS)) if not np.isnan(values[n]).all()]
        version = str(entry.get("mini-swe-agent_version") or "") or None
        self.runs.append(
            BundleRun(
                system,
                dataset,
                folder,
                [BundleScores(n, values[n]) for n in kept],
                provenance=Provenance(
                    evaluated_on=date,
                    tz_assumed=date is not None,
                    harness="mini-swe-agent" if version else None,
                    harness_version=version,
                    source_url=_address(entry),
                ),
            )
        )

    def _add_figures(
        self,
        entry: Mapping[str, Any],
        system: str,
        dataset: int,
        folder: str,
        date: datetime | None,
        run: int | None,
    ) -> None:
        for number, name in enumerate(_STATED):
            value = entry.get(name)
            if value is None:
                continue
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (is_number and abs(value) <= LARGEST):
                self._report(f"{folder}/{name}", f"{clipped(repr(value), 40)} is no number.")
                continue
            printed = repr(value)
            if number == 0:  # a share in percent; its items are 0 or 1
                value = float(Decimal(printed).scaleb(-2))
            self.scores.append(
                BundleReportedScore(
                    system,
                    dataset,
                    number,
                    float(value),
                    reported_on=date or self.settings.reported_on,
                    source=f"SWE-bench board, {folder}",
                    source_url=_address(entry),
                    printed=printed,
                    run=run,
                )
            )

    def _date(self, entry: Mapping[str, Any], place: str) -> datetime | None:
        if not entry.get("date"):
            return None
        try:
            return parse_date(str(entry["date"]))[0]
        except CellError as error:
            self._report(f"{place}/date", f"{error}.")
            return None

    def _report(self, place: str, reason: str) -> None:
        self.problems.report(self.settings.shown, None, place, reason)

    def told(self) -> list[str]:
        """Return what was made of the file."""
        told = [
            f"{len(self.datasets)} boards, each a dataset; {len(self.runs)} entries show items.",
            "Shares of resolved issues are stated in percent and kept as proportions.",
        ]
        if self.n_again:
            told.append(f"{self.n_again} entries show the same items on a second board: kept once.")
        return told


def _address(entry: Mapping[str, Any]) -> str | None:
    site = entry.get("site")
    site = site[0] if isinstance(site, list) and site else site
    return site if isinstance(site, str) and site else None
