"""Verdicts and statuses as small badges: a word, a sign where there is a direction, one hue."""

from typing import Final, NamedTuple

from dashboard.charts.palette import BETTER, SAME, UNCLEAR, WORSE
from dashboard.ui.links import plain


class Badge(NamedTuple):
    """What a badge says and which theme colour it wears."""

    text: str
    color: str
    help: str


BADGES: Final[dict[str, Badge]] = {
    "better": Badge("▲ better", BETTER, "The interval of the difference lies above zero."),
    "worse": Badge("▼ worse", WORSE, "The interval of the difference lies below zero."),
    "equivalent": Badge(
        "= equivalent", SAME, "The difference is inside the margin, shown by test."
    ),
    "undecided": Badge("? cannot tell", UNCLEAR, "The data do not decide; see what they could."),
    "not comparable": Badge(
        "// not comparable", UNCLEAR, "Too few items that both have scores on."
    ),
    "identified": Badge("● identified", UNCLEAR, "Named by Holm among all datasets tested."),
    "supported": Badge("▲ supported", BETTER, "Shown to be better, with all claims counted."),
    "within-noise": Badge("○ within noise", UNCLEAR, "Chance alone gives such a gain too often."),
    "underpowered": Badge("◇ underpowered", UNCLEAR, "Too few items for a gain that matters."),
    "value-confirmed": Badge(
        "value confirmed", UNCLEAR, "It only states a value, and the item scores give it."
    ),
    "unverifiable": Badge("// unverifiable", UNCLEAR, "There is nothing to test it with."),
    "contradicted": Badge("▼ contradicted", WORSE, "The scores say something else."),
    "complete": Badge("complete", UNCLEAR, "Every item has a score."),
    "incomplete": Badge("◐ incomplete", UNCLEAR, "Some items have no score."),
    "reported": Badge("// reported", UNCLEAR, "A file or paper states it; no item scores here."),
    "recomputed": Badge("recomputed", UNCLEAR, "Computed here from item scores."),
    "differs": Badge("≠ differs", UNCLEAR, "The reported score differs from the recomputed one."),
    "baseline": Badge("baseline", UNCLEAR, "Others are compared with it."),
    "sealed": Badge("sealed", UNCLEAR, "No item can be added any more."),
    "deleted": Badge("deleted", UNCLEAR, "Hidden from all views; can be restored."),
}
"""Every badge there is, by the name that the studies and the store use."""


def badge(name: str, text: str | None = None) -> str:
    """Return a badge as Markdown, to stand within a sentence; `text` replaces its word."""
    look = BADGES[name]
    return f":{look.color}-badge[{look.text if text is None else plain(text)}]"
