"""A bare list of scores: one number in each line, aligned by line number."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleItem,
    BundleRun,
    BundleScores,
    ImportBundle,
    RowProblems,
)
from store.importers.cells import CellError, parse_number, read_numbers
from store.importers.columns import ROLE_NAMES, normal_name
from store.importers.settings import Settings, outside_reason
from store.importers.textfile import data_suffix, read_text

_LINE_END = re.compile(r"\r\n|\r|\n")
_SAMPLE = 50


def is_score_list(path: Path) -> bool:
    """Return whether most of the first lines hold one number and nothing else."""
    if data_suffix(path) in (".jsonl", ".ndjson", ".parquet", ".json"):
        return False
    try:
        text, _ = read_text(path, path.name)
    except ImportFormatError:
        return False
    lines = [line.strip() for line in text[: 80 * _SAMPLE].splitlines()[:_SAMPLE]]
    filled = [line for line in lines if line]
    numbers = sum(_is_number(line) for line in filled)
    return not any("," in line or "\t" in line for line in filled) and 2 * numbers > len(filled)


def read_score_list(settings: Settings, problems: RowProblems) -> ImportBundle:
    """Read a list of scores; the key of an item is its line number, header not counted.

    Raises
    ------
    ImportFormatError
        System, dataset or metric is not given, or a line holds no number and the import is strict.
    """
    shown = settings.shown
    system, dataset, name = _given(settings)
    text, sha256 = read_text(settings.path, shown)
    lines = _LINE_END.split(text.rstrip())
    header = lines[0].strip()
    has_header = normal_name(header) in (
        *ROLE_NAMES["score"],
        normal_name(name),
    ) and not _is_number(header)
    first = 2 if has_header else 1
    cells = lines[first - 1 :]
    column = read_numbers(cells)
    values = column.values
    for row, reason in column.problems:
        problems.report(shown, row + first, None, f"{reason}.")
    unsigned = ~column.is_percent & ~np.isnan(values)
    with_sign = bool(column.is_percent.any())
    for row in np.flatnonzero(unsigned).tolist() if with_sign else ():
        problems.report(shown, row + first, None, "has no % sign while other lines have one.")
        values[row] = np.nan
    metric = settings.metric_of(name, "mean", is_percent=with_sign, is_only=True)
    lower, upper = settings.bounds_of(metric)
    for row, value in enumerate(values.tolist()):
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            reason = outside_reason(value, cells[row].strip(), lower, upper)
            problems.report(shown, row + first, None, reason)
            values[row] = np.nan
    items = tuple(BundleItem(str(i)) for i in range(1, len(cells) + 1))
    n_missing = int(np.isnan(values).sum())
    return ImportBundle(
        "generic",
        settings.files(sha256),
        datasets=[settings.dataset_of(dataset, items)],
        metrics=[metric],
        runs=[
            BundleRun(
                settings.canonical(system),
                0,
                settings.run_label or "",
                [BundleScores(0, values.reshape(-1, 1))],
                provenance=settings.provenance,
            )
        ],
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=problems.raise_if_any(),
        understood=[
            f"List of {len(cells):,} scores of '{system}', one in each line; items are known by "
            "their place in the file."
        ],
        warnings=[f"{n_missing} of the lines hold no score."] if n_missing else [],
    )


def _given(settings: Settings) -> tuple[str, str, str]:
    given = {"system": settings.system, "dataset": settings.dataset, "metric": settings.metric}
    missing = [name for name, value in given.items() if not value]
    if missing:
        flags = " ".join(f"--{name} NAME" for name in missing)
        raise ImportFormatError(
            f"a list of scores does not say what it measures. Missing: {', '.join(missing)}; "
            f"give {flags}, or write it into a YAML file beside it.",
            path=settings.shown,
        )
    return str(given["system"]), str(given["dataset"]), str(given["metric"])


def _is_number(line: str) -> bool:
    try:
        parse_number(line)
    except CellError:
        return False
    return True
