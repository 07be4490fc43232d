"""What can be chosen on the page *Claims*: a history, and how its claims are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import streamlit as st

from analysis import numbers
from analysis.studies.claims.settings import (
    COUNTINGS,
    ORDERS,
    RULES,
    ClaimSettings,
    Counting,
    Order,
    Rule,
)
from dashboard.ui import filters, settings
from store.claim_records import HistoryRecord

RULES_IN_WORDS: Final[dict[Rule, str]] = {
    "alpha-spending": "alpha spending",
    "lord-dependent": "LORD, any dependence",
    "lord++": "LORD++",
    "saffron": "SAFFRON",
    "addis": "ADDIS",
}
ORDERS_IN_WORDS: Final[dict[Order, str]] = {
    "days": "side by side",
    "times": "by time of day",
}
COUNTINGS_IN_WORDS: Final[dict[Counting, str]] = {
    "claims": "every claim",
    "looks": "every scored system",
}
_POWERS: Final = (0.8, 0.9, 0.5)
_RESAMPLES: Final = (9_999, 99_999, 999)


class Chosen(NamedTuple):
    """A history and how it is judged."""

    history: HistoryRecord
    settings: ClaimSettings

    def as_parameters(self) -> dict[str, str]:
        """Return the URL parameters that stand for the choice."""
        chosen = {
            "dataset": self.history.dataset,
            "metric": self.history.metric,
            "alpha": f"{self.settings.alpha:g}",
            "rule": self.settings.rule,
        }
        chosen |= {
            "count": self.settings.counting,
            "order": self.settings.order,
            "power": f"{self.settings.power:g}",
            "seed": str(self.settings.seed),
            "resamples": str(self.settings.n_resamples),
        }
        gain = self.settings.gain
        return chosen if gain is None else {**chosen, "gain": f"{gain:g}"}


def _length(history: HistoryRecord) -> tuple[bool, int]:
    """Return what makes a history worth showing first: more than a day, and many scores."""
    return history.first.date() < history.last.date(), history.n_scores + history.n_claims


def choose(histories: Sequence[HistoryRecord]) -> Chosen:
    """Draw the choice of a history, by default the longest, and of how it is judged."""
    longest = max(histories, key=_length)
    with filters.filter_row("claims_filters"):
        first = sorted(histories, key=_length, reverse=True)
        labels = list(dict.fromkeys(history.dataset for history in first))
        dataset = filters.choose_one(
            "Dataset", labels, key="dataset", default=longest.dataset, width=210
        )
        of_dataset = sorted(
            (history for history in histories if history.dataset == dataset),
            key=_length,
            reverse=True,
        )
        metric = filters.choose_one(
            "Metric", [history.metric for history in of_dataset], key="metric", width=150
        )
        alpha = settings.choose_alpha()
        rule = filters.choose_one(
            "Rule",
            RULES,
            key="rule",
            name=RULES_IN_WORDS.__getitem__,
            width=165,
            help="How the level of each claim is set, so that many looks at one test set do not "
            "make records by chance",
        )
        with st.popover("More settings"):
            more = _choose_more()
    chosen = next(history for history in of_dataset if history.metric == metric)
    return Chosen(chosen, replace(more, alpha=alpha, rule=rule or RULES[0]))


def unusual(settings: ClaimSettings) -> list[str]:
    """Return in words what is not as usual; nothing where all is."""
    usual = ClaimSettings()
    words = [
        ("α =", f"{settings.alpha:g}", f"{usual.alpha:g}"),
        ("rule", RULES_IN_WORDS[settings.rule], RULES_IN_WORDS[usual.rule]),
        ("gain that matters", _gain(settings), _gain(usual)),
        ("power that is enough", f"{settings.power:g}", f"{usual.power:g}"),
        ("level spent on", *(COUNTINGS_IN_WORDS[s.counting] for s in (settings, usual))),
        ("systems of one day", *(ORDERS_IN_WORDS[s.order] for s in (settings, usual))),
        ("seed", str(settings.seed), str(usual.seed)),
        ("resamples", *(numbers.count(s.n_resamples) for s in (settings, usual))),
    ]
    return [f"{what} {here} (usually {there})" for what, here, there in words if here != there]


def _gain(settings: ClaimSettings) -> str:
    return "that of the history" if settings.gain is None else f"{settings.gain:g}"


def _choose_more() -> ClaimSettings:
    """Draw what most readers leave as it is."""
    gain = filters.choose_number(
        "The gain that matters",
        key="gain",
        least=0,
        help="In the unit of the metric. Where a true gain of that size is found too rarely, a "
        "claim is underpowered. Empty: the usual gain of the records so far",
    )
    power = filters.choose_one(
        "Power that is enough", _POWERS, key="power", name=lambda power: f"{power:g}"
    )
    counting = filters.choose_one(
        "Level is spent on",
        COUNTINGS,
        key="count",
        name=COUNTINGS_IN_WORDS.__getitem__,
        help="With every scored system nothing is taken for granted about why a system was "
        "claimed, and far fewer claims hold",
    )
    order = filters.choose_one(
        "Systems of one day",
        ORDERS,
        key="order",
        name=ORDERS_IN_WORDS.__getitem__,
        help="Side by side, only the best of them is a record. By the time of day, each is "
        "compared with those before it: where times are those of submissions",
    )
    seed = filters.choose_seed()
    resamples = filters.choose_one("Resamples", _RESAMPLES, key="resamples", name=numbers.count)
    return ClaimSettings(
        counting=counting or COUNTINGS[0],
        order=order or ORDERS[0],
        power=power or _POWERS[0],
        gain=float(gain) if gain else None,
        n_resamples=resamples or _RESAMPLES[0],
        seed=seed,
    )
