"""Ratings and labels: what the cells mean, on which scale, and that none stands there twice."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleCriterion,
    BundleErrorSpan,
    BundleRating,
    Guess,
    RowProblems,
    ScaleLevel,
)
from store.importers.cells import (
    LARGEST,
    TRUTH_WORDS,
    CellError,
    as_text,
    is_missing,
    looks_numeric,
    parse_number,
)
from store.importers.columns import normal_name
from store.importers.judgments.forms import Layout
from store.importers.judgments.options import JudgmentOptions
from store.importers.judgments.rows import NOT_PLAIN, Judged, is_plain
from store.importers.judgments.spans import read_spans, span_criterion
from store.importers.settings import Settings
from store.importers.wmt.options import told_weights

_MOST_GUESSED = 10
"""Whole numbers that may be taken for labels: analyses of labels hold for a scale, too."""
_MISSING_LABELS = frozenset({"", "na", "n/a", "nan", "null"})
"""Of labels "none" and "-" may be some: they are missing only where the cells are numbers."""


@dataclass(slots=True)
class Ratings:
    """The criteria and ratings of a table."""

    criteria: list[BundleCriterion] = field(default_factory=list)
    ratings: list[BundleRating] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    n_missing: int = 0
    """Cells that say that there is no rating."""
    missing_words: set[str] = field(default_factory=set)
    """What such cells hold."""


@dataclass(frozen=True, slots=True)
class _Scale:
    level: ScaleLevel | None
    """``None``: the criterion is of marked errors."""
    labels: tuple[str, ...]
    """Empty for a scale of numbers."""
    told: str


def read_ratings(
    judged: Iterable[Judged],
    levels: Mapping[str, ScaleLevel],
    layout: Layout,
    settings: Settings,
    options: JudgmentOptions,
    problems: RowProblems,
) -> Ratings:
    """Read every cell on the scale of its criterion.

    Parameters
    ----------
    judged
        The cells.
    levels
        Criterion -> its level, where the table states it.

    Raises
    ------
    ImportFormatError
        Nobody can tell what a criterion is called or what its numbers mean.
    """
    found: dict[tuple[int, str], list[Judged]] = {}
    for one in judged:
        found.setdefault((one.row.dataset, one.criterion), []).append(one)
    names = dict.fromkeys(name for _, name in found)
    result = Ratings()
    scales = {
        name: _scale_of(
            [one for (_, of), each in found.items() if of == name for one in each],
            name,
            options.level or levels.get(name),
            layout,
            settings,
            options,
        )
        for name in names
    }
    for (dataset, name), cells in found.items():
        criterion = _criterion(name, dataset, scales[name], settings, options, len(names) == 1)
        reader = _Reader(criterion, len(result.criteria), layout, settings, options, problems)
        result.criteria.append(criterion)
        result.ratings += reader.read(cells)
        result.n_missing += reader.n_missing
        result.missing_words |= reader.missing_words
    result.understood += _told(result.criteria, scales, settings)
    return result


def _scale_of(
    judged: Sequence[Judged],
    name: str,
    level: ScaleLevel | None,
    layout: Layout,
    settings: Settings,
    options: JudgmentOptions,
) -> _Scale:
    """Return the level of a criterion as stated, else as its cells show it."""
    if judged[0].column == layout.roles.get("errors"):
        return _Scale(None, (), "the sum of the weights of the errors that are marked")
    texts = Counter(_as_label(one.cell) for one in judged if is_plain(one.cell))
    words = [text for text in texts if not is_missing(text) and not _is_meant_as_number(text)]
    n_said = sum(not is_missing(text) for text in texts)
    is_whole = all(_is_whole(text) for text in texts if not is_missing(text))
    labels = tuple(sorted((text for text in texts if _is_label(text)), key=_label_order))
    labels = options.labels or labels
    if level == "nominal":
        return _Scale("nominal", labels, "labels without an order, as stated")
    if level == "ordinal" and (options.labels or (words and len(words) == n_said)):
        if not options.labels:
            raise _no_order(labels, name, settings)
        return _Scale("ordinal", options.labels, "labels in the order that is stated")
    if level is not None:
        return _Scale(level, (), "as stated")
    if options.labels or (words and 2 * len(words) > n_said):
        return _Scale("nominal", labels, "labels without an order, for the cells are words")
    is_label = layout.form == "long" and normal_name(judged[0].column) == "label"
    if is_whole and is_label:
        return _Scale("nominal", labels, "labels without an order, for the column says so")
    if is_whole and layout.form == "workers" and options.lower is None:
        if len(labels) > _MOST_GUESSED:
            raise _no_level(labels, settings)
        told = "labels without an order, a guess for few whole numbers (else --option level=…)"
        return _Scale("nominal", labels, told)
    told = "its numbers are taken to be equally far apart (else --option level=ordinal)"
    return _Scale("interval", (), told)


def _no_order(labels: Sequence[str], name: str, settings: Settings) -> ImportFormatError:
    return ImportFormatError(
        f"the order of the labels {', '.join(labels)} is not known. Give them from the lowest to "
        "the highest: --option labels=A,B,C.",
        path=settings.shown,
        field=name or None,
    )


def guessed_levels(
    criteria: Iterable[BundleCriterion], layout: Layout, options: JudgmentOptions
) -> list[Guess]:
    """Return what was guessed of criteria whose labels are numbers."""
    if layout.form != "workers" or options.level is not None or options.labels:
        return []
    return [
        Guess(f"criterion {one.name}: level", "nominal", "few whole numbers that may be labels")
        for one in criteria
        if one.level == "nominal" and all(map(str.isdigit, one.labels))
    ]


def _no_level(labels: Sequence[str], settings: Settings) -> ImportFormatError:
    return ImportFormatError(
        f"the cells are numbers ({', '.join(labels[:8])}{', …' if len(labels) > 8 else ''}), and "
        "nobody can tell whether they are labels or values of a scale. Say --option level=nominal "
        "for labels, or --option level=interval (or ordinal) for a scale.",
        path=settings.shown,
        field="level",
    )


def _criterion(
    name: str,
    dataset: int,
    scale: _Scale,
    settings: Settings,
    options: JudgmentOptions,
    is_only: bool,
) -> BundleCriterion:
    if scale.level is None:
        return span_criterion(name, dataset, settings, options)
    given = name or options.criterion or ("label" if scale.level == "nominal" else "rating")
    note = settings.note_of(given)
    direction = settings.direction_of(given, note.higher_is_better, is_only=is_only)
    has_numbers = not scale.labels
    return BundleCriterion(
        given,
        dataset,
        level=scale.level,
        higher_is_better=True if direction is None else direction,
        lower=_first(options.lower, note.lower) if has_numbers else None,
        upper=_first(options.upper, note.upper) if has_numbers else None,
        labels=scale.labels,
        question=options.question,
    )


@dataclass(slots=True)
class _Reader:
    criterion: BundleCriterion
    number: int
    layout: Layout
    settings: Settings
    options: JudgmentOptions
    problems: RowProblems
    n_missing: int = 0
    missing_words: set[str] = field(default_factory=set)
    _seen: dict[tuple[Any, ...], tuple[int, int]] = field(default_factory=dict)
    """Judgment -> its first line, and how often it was given."""
    _values: dict[Any, float] = field(default_factory=dict)
    """Text of a cell -> its value, for equal cells are read once."""

    def read(self, cells: Sequence[Judged]) -> list[BundleRating]:
        """Return the ratings of one criterion; report cells that cannot be used."""
        ratings = []
        for one in cells:
            try:
                spans: tuple[BundleErrorSpan, ...] = ()
                if self.criterion.kind == "error-spans":
                    spans, value = read_spans(one.cell), 0.0  # the weights give the value
                else:
                    value = self._value(one.cell)
                if math.isnan(value):
                    self.n_missing += 1
                    self.missing_words.add(as_text(one.cell) or "NaN")
                    continue
                replicate = self._replicate(one)
            except CellError as error:
                self.problems.report(self.layout.table.shown, one.row.line, one.column, f"{error}")
                continue
            row = one.row
            ratings.append(
                BundleRating(
                    self.number, one.annotator, row.item, row.system, value, replicate,
                    row.judged_at, spans, row.line,
                )
            )  # fmt: skip
        return ratings

    def _value(self, cell: Any) -> float:
        if not is_plain(cell):
            raise CellError(f"{NOT_PLAIN}.")
        key = cell if isinstance(cell, (str, int, float)) else None
        known = self._values.get((type(key), key)) if key is not None else None
        if known is None:
            known = self._label(cell) if self.criterion.labels else self._number(cell)
            if key is not None:
                self._values[type(key), key] = known
        return known

    def _label(self, cell: Any) -> float:
        text, labels = _as_label(cell), self.criterion.labels
        if text in labels:
            return float(list(labels).index(text))
        if text.lower() in _MISSING_LABELS:
            return math.nan
        raise CellError(f"'{text}' is none of the labels {', '.join(labels)}.")

    def _number(self, cell: Any) -> float:
        try:
            value = parse_number(cell)[0] if isinstance(cell, str) else float(cell)
        except (TypeError, ValueError, OverflowError) as error:
            reason = str(error) if isinstance(error, CellError) else f"{cell!r} is not a number"
            raise CellError(
                f"{reason}. If the cells are labels, say --option level=nominal."
            ) from None
        if abs(value) > LARGEST:
            raise CellError(f"{cell!r} is too large: a rating is at most {LARGEST:g} in size.")
        lower, upper = self.criterion.lower, self.criterion.upper
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            low, high = ("…" if one is None else f"{one:g}" for one in (lower, upper))
            raise CellError(f"{as_text(cell)} is outside the scale {low}..{high}.")
        return value

    def _replicate(self, one: Judged) -> int:
        """Return the number of the repeat, and refuse what stands in the file twice."""
        row = one.row
        key = (one.annotator, row.item, row.system, row.replicate)
        earlier, count = self._seen.get(key, (row.line, 0))
        self._seen[key] = (earlier, count + 1)
        if count == 0:
            return row.replicate
        if self.options.count_repeats and "replicate" not in self.layout.roles:
            return count
        missing = "" if row.system is not None else "; several systems need --column system=NAME"
        raise CellError(
            f"'{one.annotator}' has judged this in line {earlier} already. If it was judged twice, "
            f"say --column replicate=NAME or --option repeats=count{missing}."
        )


def _told(
    criteria: Sequence[BundleCriterion], scales: Mapping[str, _Scale], settings: Settings
) -> list[str]:
    """Return a sentence for each scale, with the criteria that are judged on it."""
    names: dict[str, dict[str, None]] = {}
    for one in criteria:
        scale = scales.get(one.name) or next(iter(scales.values()))
        names.setdefault(_told_scale(one, scale, settings), {})[f"'{one.name}'"] = None
    return [
        f"{'Criteria' if len(found) > 1 else 'Criterion'} {', '.join(found)}: {said}."
        for said, found in names.items()
    ]


def _told_scale(criterion: BundleCriterion, scale: _Scale, settings: Settings) -> str:
    if criterion.kind == "error-spans":
        return f"{scale.told}, lower is better: {told_weights(criterion.weights or {})}"
    said = f"{criterion.level}, {scale.told}"
    if scale.labels:
        said += f": {', '.join(scale.labels[:12])}{', …' if len(scale.labels) > 12 else ''}"
    elif criterion.lower is not None or criterion.upper is not None:
        low = "…" if criterion.lower is None else f"{criterion.lower:g}"
        high = "…" if criterion.upper is None else f"{criterion.upper:g}"
        said += f"; from {low} to {high}"
    if criterion.level == "nominal":
        return said
    is_stated = settings.direction_of(criterion.name, None, is_only=True) is not None
    said += f"; {'higher' if criterion.higher_is_better else 'lower'} is better"
    return said if is_stated else f"{said} unless --lower-is-better says otherwise"


def _as_label(cell: Any) -> str:
    """Return a cell as a label: ``1.0`` from a file with empty cells is the label 1."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return as_text(cell)


def _is_label(text: str) -> bool:
    return text.lower() not in _MISSING_LABELS


def _is_meant_as_number(text: str) -> bool:
    """Return whether a cell is a number, or a faulty one such as ``1,5``, rather than a word."""
    return text.lower() not in TRUTH_WORDS and looks_numeric([text])


def _is_number(text: str) -> bool:
    if text.lower() in TRUTH_WORDS or is_missing(text):
        return False
    try:
        parse_number(text)
    except CellError:
        return False
    return True


def _is_whole(text: str) -> bool:
    return _is_number(text) and parse_number(text)[0].is_integer()


def _label_order(text: str) -> tuple[int, float, str]:
    return (0, float(text), text) if _is_number(text) and "%" not in text else (1, 0.0, text)


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)
