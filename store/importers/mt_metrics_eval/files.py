"""The files of an evaluation set in the layout of mt-metrics-eval, version 2, and their lines.

A test set is a folder with ``documents``, ``sources``, ``references``, ``system-outputs``,
``human-scores`` and ``metric-scores``; what a file holds is said by its folder and name.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from store.importers.bundle import BundleErrorSpan, RowProblems
from store.importers.cells import LARGEST, is_infinite, no_number
from store.importers.wmt.names import LANGUAGE_PAIR

Role = Literal["documents", "source", "reference", "output", "human", "metric", "rating"]
Level = Literal["sys", "domain", "doc", "seg"]

NO_TRANSLATION = "[No translation supplied]"
"""Stands for an output that is missing."""
_LEVEL = r"(?P<level>sys|domain|doc|seg)"
_PATTERNS: tuple[tuple[Role, str, str], ...] = (
    ("rating", "human-scores", r"(?P<pair>[^.]+)\.(?P<name>.+)\.seg\.rating"),
    ("human", "human-scores", rf"(?P<pair>[^.]+)\.(?P<name>.+)\.{_LEVEL}\.score"),
    ("documents", "documents", r"(?P<pair>[^.]+)\.docs"),
    ("source", "sources", r"(?P<pair>[^.]+)\.txt"),
    ("reference", "references", r"(?P<pair>[^.]+)\.(?P<name>[^.]+)\.txt"),
    ("metric", "metric-scores", rf"(?P<name>.+)-(?P<reference>[^-]+)\.{_LEVEL}\.score"),
    ("output", "system-outputs", r"(?P<name>.+)\.txt"),
)
_OF_EVALUATION = re.compile(_PATTERNS[1][2])
_EVALUATION = "evaluation"
"""Folder of the package of 2021 with human scores, in a folder for each test set."""
_BELOW_PAIR = ("metric", "output")
"""Roles whose files lie in a folder for each language pair."""
_MARKING = ("documents", "human-scores", "metric-scores", "system-outputs")
_WITH_SCORES = ("human-scores", "metric-scores")
_FEWEST_FOLDERS = 2
_NO_ERROR = re.compile(r"no[-_ ]?error", re.IGNORECASE)


class Place(NamedTuple):
    """What a file holds, by its folder and name."""

    root: Path
    """Folder of the test set."""
    pair: str
    role: Role
    name: str = ""
    """Of the reference, system, metric or kind of human score."""
    reference: str = ""
    """References that a metric used: ``refA``, ``refA.refB``, ``all``, or ``src`` for none."""
    level: Level = "seg"


def place_of(path: Path) -> Place | None:
    """Return what a file holds; ``None`` when it is no part of this layout."""
    for role, folder, pattern in _PATTERNS:
        above = path.parent.parent if role in _BELOW_PAIR else path.parent
        found = re.fullmatch(pattern, path.name)
        if above.name != folder or found is None:
            continue
        parts = found.groupdict()
        pair = path.parent.name if role in _BELOW_PAIR else parts["pair"]
        if LANGUAGE_PAIR.fullmatch(pair):
            name, reference = parts.get("name") or "", parts.get("reference") or ""
            level = cast(Level, parts.get("level") or "seg")
            return Place(above.parent, pair, role, name, reference, level)
    found = _OF_EVALUATION.fullmatch(path.name)
    if found and path.parent.parent.name == _EVALUATION and LANGUAGE_PAIR.fullmatch(found["pair"]):
        return Place(
            path.parent, found["pair"], "human", found["name"], "", cast(Level, found["level"])
        )
    return None


def is_test_set(folder: Path) -> bool:
    """Return whether a folder has at least two of the folders of a test set, one with scores."""
    if folder.parent.name == _EVALUATION:
        return True
    found = [name for name in _MARKING if (folder / name).is_dir()]
    return len(found) >= _FEWEST_FOLDERS and any(name in _WITH_SCORES for name in found)


def is_score_line(line: str) -> bool:
    """Return whether a line ends in a score, after a system and perhaps a domain."""
    cells = line.split()
    return len(cells) in (2, 3) and (_number(cells[-1]) is not None or is_infinite(cells[-1]))


@dataclass(slots=True)
class ScoreFile:
    """The scores of a file."""

    scores: dict[tuple[str, str], list[float]]
    """Domain (else empty) and system -> its scores, in the order of the file; NaN = missing."""


def read_scores(text: str, shown: str, level: Level, problems: RowProblems) -> ScoreFile:
    """Read a score file; lines that cannot be used are reported to `problems`."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    width = 3 if level == "domain" else 2
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != width:
            expected = "DOMAIN SYSTEM SCORE" if width > 2 else "SYSTEM SCORE"
            problems.report(shown, number, None, f"not a line of {expected}.")
            continue
        value = _number(cells[-1])
        if value is None:
            problems.report(shown, number, "score", no_number(cells[-1]))
            continue
        domain = cells[0] if width > 2 else ""
        scores[domain, cells[-2]].append(value)
    return ScoreFile(dict(scores))


class RatingLine(NamedTuple):
    """What one rater marked in the output of a system on a segment."""

    line: int
    system: str
    segment: int
    rater: str
    spans: tuple[BundleErrorSpan, ...]


def read_ratings(
    text: str, shown: str, name: str, problems: RowProblems
) -> tuple[list[RatingLine], dict[str, int]]:
    """Return the ratings of a file, and how many segments each system has.

    `name` stands for the rater where a line names none.
    """
    found = []
    n_before: dict[str, int] = defaultdict(int)
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.strip().split("\t")
        if cells == [""]:
            continue
        segment = n_before[cells[0]]
        n_before[cells[0]] += 1
        if len(cells) not in (2, 3):
            problems.report(shown, number, None, "not a line of SYSTEM, RATING and RATER.")
            continue
        if cells[1] == "None":
            continue
        spans = _spans(cells[1], shown, number, problems)
        if spans is not None:
            rater = cells[2] if len(cells) > 2 else name
            found.append(RatingLine(number, cells[0], segment, rater, spans))
    return found, dict(n_before)


def _spans(
    cell: str, shown: str, line: int, problems: RowProblems
) -> tuple[BundleErrorSpan, ...] | None:
    """Return the errors of a rating; ``None`` when it cannot be read."""
    try:
        content: Any = json.loads(cell)
        errors = content["errors"]
        spans = [_span(error) for error in errors]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reason = 'not a rating: {"errors": [{"start": 0, "end": 4, "severity": "minor"}]}.'
        problems.report(shown, line, "rating", reason)
        return None
    return tuple(span for span in spans if not _NO_ERROR.fullmatch(span.severity))


def _span(error: Any) -> BundleErrorSpan:
    severity = error["severity"]
    if not isinstance(severity, str) or not severity:
        raise ValueError("an error without a severity")
    start, end = (None if error.get(key) is None else int(error[key]) for key in ("start", "end"))
    return BundleErrorSpan(
        severity.capitalize(),
        error.get("category") or "",
        start,
        end,
        in_source=bool(error.get("is_source_error")),
    )


def read_lines(text: str) -> list[str]:
    """Return the lines of a text; the last line may end the file or not."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def read_documents(text: str, shown: str, problems: RowProblems) -> tuple[list[str], list[str]]:
    """Return domain and document of each segment."""
    domains, documents = [], []
    for number, line in enumerate(read_lines(text), start=1):
        cells = line.split(None, 1)
        if len(cells) != 2:
            problems.report(shown, number, None, "not a line of DOMAIN DOCUMENT.")
            cells = [*cells, "", ""][:2]
        domains.append(cells[0])
        documents.append(cells[1].strip())
    return domains, documents


def _number(printed: str) -> float | None:
    if printed == "None":
        return math.nan
    try:
        value = float(printed)
    except ValueError:
        return None
    return None if abs(value) > LARGEST else value
