"""What sacreBLEU prints as text: lines of scores with their signatures, and tables of systems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from store.importers.textfile import data_suffix

_NOT_TEXT = (".json", ".jsonl", ".csv", ".tsv", ".yaml", ".yml", ".xml", ".html", ".md", ".tex")
_METRIC = r"(BLEU|chrF\d*\+*|TER)"
_LINE = re.compile(
    rf"\s*{_METRIC}(?:\|(\S*version:[\w.]+)|\+(\S*version\.[\w.]+)) = (-?\d+(?:\.\d+)?)(?!\S)"
)
"""``BLEU|nrefs:1|…|version:2.0.0 = 20.8 …``; before 2.0 ``BLEU+case.mixed+…+version.1.5.1``."""
_SIGNATURE = re.compile(rf"\s*-\s+{_METRIC}\s+(\S*version:[\w.]+)\s*")
_PVALUE = re.compile(r"\(p = (\d+(?:\.\d+)?)\)\*?")
_SCORE = re.compile(r"(-?\d+(?:\.\d+)?)(?:\s*\(.*)?")
_OF_METRIC = re.compile(r"[._-](?:sacre)?(?:bleu|chrf\d*|ter|scores?)$", re.IGNORECASE)
_MOST_BYTES = 1_000_000


def may_be_printed(path: Path) -> bool:
    """Return whether a file may hold what was printed, by its name and size."""
    return data_suffix(path) not in _NOT_TEXT and path.stat().st_size <= _MOST_BYTES


def records_of(text: str) -> list[dict[str, Any]]:
    """Return the records that sacreBLEU's JSON would have; none where it says nothing, or twice.

    A log of training states one score again and again.
    """
    found = [match for line in text.splitlines() if (match := _LINE.match(line)) is not None]
    if not found:
        return list(_of_table(text))
    records = [
        {"name": one[1], "score": float(one[4]), "signature": one[2] or one[3]} for one in found
    ]
    n_metrics = len({(one["name"], one["signature"]) for one in records})
    return records if n_metrics == len(records) else []


def system_of(name: str) -> str:
    """Return the name of a file without the metric at its end: ``base`` of ``base.bleu``."""
    return _OF_METRIC.sub("", name) or name


def _of_table(text: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each system of a table in a frame, with signatures from below it."""
    lines = text.splitlines()
    signed = {m[1]: m[2] for line in lines if (m := _SIGNATURE.fullmatch(line)) is not None}
    rows = [
        [cell.strip() for cell in line.strip().strip("│|").split("│")]
        for line in lines
        if "│" in line
    ]
    if not signed or not rows or rows[0][0] != "System":
        return
    header = rows[0][1:]
    record: dict[str, Any] = {}
    for name, *cells in rows[1:]:
        if name:
            if record:
                yield record
            record = {"system": name} | _scores(header, cells, signed)
        for metric, cell in zip(header, cells, strict=False):
            if (match := _PVALUE.fullmatch(cell)) and metric in record:
                record[metric]["p_value"] = float(match[1])
    if record:
        yield record


def _scores(
    header: Sequence[str], cells: Sequence[str], signed: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    found = {}
    for metric, cell in zip(header, cells, strict=False):
        match = _SCORE.fullmatch(cell)
        if match is not None:
            signature = signed.get(metric, "")
            found[metric] = {"score": float(match[1]), "p_value": None, "signature": signature}
    return found
