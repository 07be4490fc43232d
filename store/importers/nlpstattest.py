"""Two columns of scores without a header, as NLPStatTest takes them.

One line for each item, the scores of two systems in it, separated by blanks. Nothing in the file
names the systems, the dataset, the metric or the items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import (
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    FloatArray,
    ImportBundle,
    ReadOptions,
    RowProblems,
)
from store.importers.cells import MISSING_WORDS
from store.importers.score_columns import ScoreColumns, read_score_columns, read_two_columns
from store.importers.settings import Settings, load_settings, outside_reason
from store.importers.tables import TABLE_SUFFIXES
from store.importers.textfile import data_suffix, peek_text, read_text

__all__ = ["ScoreColumns", "read", "read_score_columns", "read_two_columns", "sniff"]

NAME = "nlpstattest"
DESCRIPTION = "two columns of scores, of two systems, separated by blanks, without a header"

_SAMPLE = 50


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first line holds numbers only and most lines hold two, parted by blanks.

    A table with a header, a list of single scores and everything that a table's name or JSON
    announces belong to others.
    """
    if data_suffix(path) in (*TABLE_SUFFIXES, ".json"):
        return False
    try:
        text = peek_text(path)
    except ImportFormatError:
        return False
    lines = [line.split() for line in text[: 80 * _SAMPLE].splitlines()[:_SAMPLE]]
    filled = [cells for cells in lines if cells]
    fitting = sum(len(cells) == 2 and all(map(_is_number, cells)) for cells in filled)
    return bool(filled) and all(map(_is_number, filled[0])) and 2 * fitting > len(filled)


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the scores of two systems; the key of an item is its line, as ``line 7``.

    Raises
    ------
    UnknownFormatError
        Dataset or metric is not given.
    ImportFormatError
        A line cannot be used and the import is strict, or the two systems are not named apart.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    settings = settings.with_dataset()
    if settings.dataset and not settings.metric and _has_fractions(path, settings.shown):
        settings = settings.guessing("metric", "score", "two columns of numbers")
    dataset, name = _given(settings)
    systems = _systems(settings)
    problems = RowProblems(options.lenient)
    found = read_score_columns(path, n_columns=(2,), shown=settings.shown, problems=problems)
    metric = settings.metric_of(name, "mean", is_percent=found.is_percent, is_only=True)
    values = _within_bounds(found, metric, settings, problems)
    skipped = problems.raise_if_any()
    numbers = found.line_numbers.tolist()
    items = tuple(BundleItem(f"line {number}") for number in numbers)
    return ImportBundle(
        NAME,
        settings.files(found.sha256),
        datasets=[settings.dataset_of(dataset, items)],
        metrics=[metric],
        runs=[
            BundleRun(
                settings.canonical(system),
                0,
                settings.run_label or "",
                [BundleScores(0, values[:, [column]])],
                provenance=settings.provenance,
            )
            for column, system in enumerate(systems)
        ],
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=[
            f"Two columns of {len(items):,} scores: '{systems[0]}' and '{systems[1]}'; items are "
            "known by their line in the file."
        ],
        warnings=_warnings(values),
        guesses=settings.guesses,
    )


def _has_fractions(path: Path, shown: str) -> bool:
    """Return whether a number has a point: whole ones may be labels, counts or edges."""
    text, _ = read_text(path, shown)
    return "." in text[: 80 * _SAMPLE]


def _within_bounds(
    found: ScoreColumns, metric: BundleMetric, settings: Settings, problems: RowProblems
) -> FloatArray:
    """Return the values; one that lies outside the metric's declared bounds is reported."""
    lower, upper = settings.bounds_of(metric)
    values = found.values.copy()
    low, high = -np.inf if lower is None else lower, np.inf if upper is None else upper
    for row, column in np.argwhere((values < low) | (values > high)).tolist():
        value, number = float(values[row, column]), int(found.line_numbers[row])
        reason = outside_reason(value, f"{value:g}", lower, upper)
        problems.report(settings.shown, number, f"column {column + 1}", reason)
        values[row, column] = np.nan
    return values


def _given(settings: Settings) -> tuple[str, str]:
    given = {"dataset": settings.dataset, "metric": settings.metric}
    missing = [name for name, value in given.items() if not value]
    if missing:
        flags = " ".join(f"--{name} NAME" for name in missing)
        raise UnknownFormatError(
            f"two columns of numbers do not say what they measure. Missing: {', '.join(missing)}; "
            f"if they are scores, give {flags}, or write it into a YAML file beside them.",
            path=settings.shown,
        )
    return str(given["dataset"]), str(given["metric"])


def _systems(settings: Settings) -> tuple[str, str]:
    if settings.system is None:
        stem = Path(settings.path.name.removesuffix(".gz")).stem
        return f"{stem} column 1", f"{stem} column 2"
    names = [name.strip() for name in settings.system.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise ImportFormatError(
            f"two columns need two different names, got '{settings.system}'. Write --system "
            "'FIRST,SECOND'.",
            path=settings.shown,
            field="system",
        )
    return names[0], names[1]


def _warnings(values: FloatArray) -> list[str]:
    warnings = []
    n_missing = int(np.isnan(values).sum())
    if n_missing:
        warnings.append(f"{n_missing:,} of the cells hold no score.")
    if len(values) > 2 and (np.diff(values[:, 0]) == 1).all():
        warnings.append(
            "The first column counts the lines. If it holds no scores, put a header above the "
            "columns, such as 'item' and the system's name."
        )
    return warnings


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell.removesuffix("%"))) or cell.lower() in MISSING_WORDS
    except ValueError:
        return cell.lower() in MISSING_WORDS
