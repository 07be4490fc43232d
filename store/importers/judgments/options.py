"""What a person may say about a table of judgments: ``--option NAME=VALUE``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from store.errors import ImportFormatError
from store.importers.apart import SPLIT
from store.importers.bundle import AnnotatorKind, ScaleLevel
from store.importers.cells import CellError, parse_number
from store.importers.settings import Settings

RowsAre = Literal["items", "annotators"]

OPTIONS: Mapping[str, str] = {
    "kind": "human or model: what the annotators are",
    "level": "nominal, ordinal or interval: what the values mean",
    "scale": "LOW..HIGH: the bounds of the scale, as 1..5",
    "labels": "A,B,C: the labels in order",
    "criterion": "what was judged",
    "criteria": "A,B,C: the columns that hold ratings",
    "metrics": "A,B,C: the columns that hold scores of automatic metrics",
    "weights": "SEVERITY:W, … of marked errors, as Major:5, Minor:1",
    "question": "what the annotators were asked",
    "annotator": "who judged, where no column says it",
    "annotators": "A,B,C: the columns of annotators, or names where there are none",
    "first": "one of the two systems, where no column names it",
    "second": "the other",
    "order": "shown or unknown: whether the first was shown first",
    "header": "yes or no: whether the first line names the columns",
    "rows": "items or annotators: what a line of a table of workers and items stands for",
    "items": "FILE: names of the items, one in each line",
    "split": "yes or no: whether several judges that are models, or several baselines, stay apart",
    "repeats": "count or refuse: what the same judgment given twice is",
}
"""Name -> what it says. In a table of choices any other name is a word of its cells, and its value
says what the word stands for: a system, ``first``, ``second`` or ``tie``."""


@dataclass(frozen=True, slots=True)
class JudgmentOptions:
    """The options of one file, read; what is not given is empty or ``None``."""

    kind: AnnotatorKind | None = None
    level: ScaleLevel | None = None
    lower: float | None = None
    upper: float | None = None
    labels: tuple[str, ...] = ()
    criterion: str = ""
    criteria: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    weights: str = ""
    question: str = ""
    annotator: str = ""
    annotators: tuple[str, ...] = ()
    first: str = ""
    second: str = ""
    order_shown: bool = False
    header: bool | None = None
    rows: RowsAre | None = None
    items: str = ""
    count_repeats: bool = False
    is_split: bool = True
    """Judges that are models, and baselines, have a criterion each."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Word of a cell -> system, ``first``, ``second`` or ``tie``."""


def read_options(settings: Settings) -> JudgmentOptions:
    """Read the options of a file.

    Raises
    ------
    ImportFormatError
        A value is none of those that the option takes.
    """
    given = settings.options.choices
    lower, upper = _scale(given["scale"], settings.shown) if "scale" in given else (None, None)

    def one_of(name: str, known: tuple[str, ...]) -> str | None:
        value = given.get(name)
        if value is not None and value not in known:
            raise _error(settings.shown, name, value, f"It is {' or '.join(known)}.")
        return value

    level, rows = one_of("level", get_args(ScaleLevel)), one_of("rows", get_args(RowsAre))
    header = one_of("header", ("yes", "no"))
    return JudgmentOptions(
        kind=cast("AnnotatorKind | None", one_of("kind", get_args(AnnotatorKind))),
        level=cast("ScaleLevel | None", level),
        lower=lower,
        upper=upper,
        labels=_listed(given.get("labels", "")),
        criterion=given.get("criterion", "") or settings.metric or "",
        criteria=_listed(given.get("criteria", "")),
        metrics=_listed(given.get("metrics", "")),
        weights=given.get("weights", ""),
        question=given.get("question", ""),
        annotator=given.get("annotator", ""),
        annotators=_listed(given.get("annotators", "")),
        first=settings.canonical(given.get("first", "")),
        second=settings.canonical(given.get("second", "")),
        order_shown=one_of("order", ("shown", "unknown")) == "shown",
        header=None if header is None else header == "yes",
        rows=cast("RowsAre | None", rows),
        items=given.get("items", ""),
        is_split=one_of("split", SPLIT["split"]) != "no",
        count_repeats=one_of("repeats", ("count", "refuse")) == "count",
        words={word: value for word, value in given.items() if word not in OPTIONS},
    )


def require_known(words: Mapping[str, str], is_word: Callable[[str], bool], shown: str) -> None:
    """Raise `ImportFormatError` for an option that is neither known nor a word of the cells."""
    unknown = next((word for word in words if not is_word(word)), None)
    if unknown is None:
        return
    known = "; ".join(f"{name} ({said})" for name, said in OPTIONS.items())
    raise ImportFormatError(
        f"there is no option '{unknown}', and no cell holds this word. Options: {known}; in a "
        "table of choices also WORD=SYSTEM for a word of its cells.",
        path=shown,
        field=unknown,
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _scale(text: str, shown: str) -> tuple[float, float]:
    low, separator, high = text.partition("..")
    try:
        bounds = parse_number(low)[0], parse_number(high)[0]
    except CellError:
        separator = ""
    if not separator or not bounds[0] < bounds[1]:
        raise _error(shown, "scale", text, "Write the lowest and the highest value, as 1..5.")
    return bounds


def _error(shown: str, name: str, value: str, hint: str) -> ImportFormatError:
    return ImportFormatError(
        f"'{value}' is no value of this option. {hint}", path=shown, field=name
    )
