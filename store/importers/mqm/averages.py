"""The averages over raters that Google publishes beside its MQM annotations.

The header is separated by blanks, the rows by tabs and blanks; scores are negated penalties, and
``None`` stands where nobody judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import no_number
from store.importers.wmt.names import letters_of

SUFFIX = ".avg_seg_scores"
"""What the name of such a file has after the name of the annotations'."""
_HEADER = ["system", "mqm_avg_score", "seg_id"]
_MISSING = ("none", "nan", "")


@dataclass(frozen=True, slots=True)
class Averages:
    """The averages of a file."""

    scores: Mapping[tuple[str, str], float]
    """System and segment -> average, higher is better; NaN = not judged."""
    n_digits: int
    """Digits after the decimal point."""

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of the file."""
        return list(dict.fromkeys(system for system, _ in self.scores))

    @property
    def segments(self) -> list[str]:
        """The segments, in the order of the file."""
        return list(dict.fromkeys(segment for _, segment in self.scores))


def is_averages_header(line: str) -> bool:
    """Return whether a line is the header of averages."""
    return line.split() == _HEADER


def read_averages(text: str, shown: str, problems: RowProblems) -> Averages:
    """Read the averages; rows that cannot be used are reported to `problems`."""
    scores: dict[tuple[str, str], float] = {}
    n_digits = 0
    lines = text.split("\n")
    if not is_averages_header(lines[0]):
        raise ImportFormatError(f"the header is not '{' '.join(_HEADER)}'.", path=shown, line=1)
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != len(_HEADER):
            reason = f"the row has {len(cells)} cells, the header has {len(_HEADER)}."
            problems.report(shown, number, None, reason)
            continue
        system, printed, segment = cells
        value = _number(printed)
        if value is None:
            problems.report(shown, number, _HEADER[1], no_number(printed))
        elif (system, segment) in scores:
            reason = f"a second average of '{system}' on segment {segment}."
            problems.report(shown, number, None, reason)
        else:
            scores[system, segment] = value
            n_digits = max(n_digits, len(printed.partition(".")[2]))
    return Averages(scores, n_digits)


def _number(printed: str) -> float | None:
    if printed.lower() in _MISSING:
        return math.nan
    try:
        value = float(printed)
    except ValueError:
        return None
    return value + 0.0 if math.isfinite(value) else None  # no negative zero


@dataclass(frozen=True, slots=True)
class Check:
    """How stated averages compare with those that follow from the errors."""

    understood: tuple[str, ...]
    warnings: tuple[str, ...]


def check_averages(stated: Averages, recomputed: Mapping[tuple[str, str], float]) -> Check:
    """Compare stated averages with recomputed ones, both negated.

    Names that one file has and the other lacks are taken for one where they differ in marks and
    capitals only (``ref-A`` and ``refA``), or where each has exactly one such name and they begin
    alike (``ref-A`` and ``ref``).
    """
    here, there = _only(recomputed, stated.systems), _only(stated.scores, _systems(recomputed))
    by_letters: dict[str, list[str]] = {}
    for name in here:
        by_letters.setdefault(letters_of(name), []).append(name)
    renamed = {
        name: found[0]
        for name in there
        if len(found := by_letters.get(letters_of(name), [])) == 1
        and sum(letters_of(other) == letters_of(name) for other in there) == 1
    }
    if len(here) == len(there) == 1 and there[0].startswith(here[0]):
        renamed = {there[0]: here[0]}
    told = [
        f"'{old}' of the averages is '{new}' of the annotations." for old, new in renamed.items()
    ]
    slack = 0.5 * 10.0**-stated.n_digits * (1 + 1e-6) + 1e-9
    n_equal, differing, unstated = 0, [], []
    scores = {(renamed.get(s, s), segment): value for (s, segment), value in stated.scores.items()}
    for (system, segment), value in scores.items():
        own = recomputed.get((system, segment), math.nan)
        if math.isnan(value) and math.isnan(own):
            continue
        if abs(value - own) <= slack:
            n_equal += 1
        else:
            differing.append(f"'{system}' on segment {segment}: {value:g} stated, {own:g} computed")
    unstated = [key for key in recomputed if key not in scores]
    n_compared = n_equal + len(differing)
    told.append(
        f"{n_equal:,} of {n_compared:,} stated averages equal the mean over raters of the "
        "weighted errors."
    )
    warnings = []
    if differing:
        warnings.append(
            f"{len(differing):,} stated averages do not follow from the errors with these weights; "
            f"the first: {differing[0]}. The errors are stored, the averages are not."
        )
    if unstated:
        system, segment = unstated[0]
        warnings.append(
            f"No average is stated of {len(unstated):,} outputs that were judged; the first: "
            f"'{system}' on segment {segment}."
        )
    return Check(tuple(told), tuple(warnings))


def _systems(scores: Mapping[tuple[str, str], float]) -> list[str]:
    return list(dict.fromkeys(system for system, _ in scores))


def _only(scores: Mapping[tuple[str, str], float], others: Iterable[str]) -> list[str]:
    """Return the systems that the others do not have."""
    known = set(others)
    return [system for system in _systems(scores) if system not in known]
