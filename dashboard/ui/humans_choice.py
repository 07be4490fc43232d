"""What a reader can choose when metrics are held against human judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, cast

import streamlit as st

from analysis import numbers
from analysis.statistics.multiplicity import METHODS
from analysis.studies.humans.correlations.settings import (
    COEFFICIENTS,
    COEFFICIENTS_IN_WORDS,
    INTERVALS,
    LEVELS,
    TESTS,
    TESTS_IN_WORDS,
    CorrelationSettings,
    with_words,
)
from analysis.studies.humans.evidence import CONSENSUS, TIES, Consensus, Ties
from analysis.studies.humans.golds import GoldChoice
from analysis.studies.humans.over_datasets.means import WEIGHTS
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS
from dashboard import data, human_data
from dashboard.ui import filters, settings

ALL: Final = "all datasets"
RESAMPLES: Final = (9_999, 199, 1_999, 99_999)

_FITS: Final = "what fits"
_BEST: Final = "the best one"
_NOT_CUT: Final = "nothing"
_LEVELS: Final = {
    "system": "systems",
    "item": "systems of an item",
    "per-system": "items of a system",
    "global": "all cells",
}
_INTERVALS: Final = {
    "boot-both": "systems and items drawn anew",
    "boot-systems": "systems drawn anew",
    "boot-inputs": "items drawn anew",
    "fisher-z": "Fisher's z",
}
_TIES: Final[Mapping[Ties, str]] = {
    "sign": "count as neither",
    "drop": "are left out",
    "first": "count for the first by name",
    "second": "count for the second by name",
}
_CONSENSUS: Final[Mapping[Consensus, str]] = {"majority": "majority", "mace": "MACE"}

_WEIGHTS: Final[Mapping[str, str]] = {"equal": "count the same", "units": "count as judged"}


class Choice(NamedTuple):
    """A gold on one dataset, or on all that have it."""

    gold: GoldChoice
    over_all: bool

    def as_parameters(self) -> dict[str, str]:
        """Return the URL parameters that stand for this choice."""
        where = "*" if self.over_all else self.gold.dataset
        return {"dataset": where, "gold": gold_name(self.gold)}


class Settings(NamedTuple):
    """How metrics are held against the gold."""

    settings: CorrelationSettings
    ties: Ties
    consensus: Consensus
    without: tuple[str, ...]
    of_preferences: bool
    weights: str | None
    """What datasets count in the mean; ``None`` for one dataset."""

    def options(self) -> dict[str, object]:
        """Return what a study takes beside its settings."""
        about = {"ties": self.ties, "consensus": self.consensus} if self.of_preferences else {}
        weights = {} if self.weights is None else {"weights": self.weights}
        return {**about, **weights, "without": self.without}

    def as_parameters(self) -> dict[str, str | list[str]]:
        """Return the URL parameters that stand for these settings."""
        chosen = self.settings
        return {
            "level": chosen.level or "",
            "coefficient": chosen.coefficient or "",
            "test": chosen.test or "",
            "interval": chosen.interval or "",
            "correction": chosen.correction,
            "reference": chosen.reference or "",
            "by": chosen.by or "",
            "alpha": f"{chosen.alpha:g}",
            "ties": self.ties,
            "consensus": self.consensus,
            "seed": str(chosen.seed),
            "resamples": str(chosen.n_resamples or RESAMPLES[0]),
            "without": list(self.without),
            **({} if self.weights is None else {"weights": self.weights}),
        }


def choose_gold(golds: Sequence[GoldChoice]) -> Choice:
    """Draw the choice of a dataset, by default that with most metrics, and of a gold on it."""
    datasets = list(dict.fromkeys(gold.dataset for gold in golds))
    shared = on_several(golds)
    fullest = max(golds, key=lambda gold: (gold.source == "human", gold.n_metrics, gold.n_items))
    options = [*([ALL] if shared else []), *sorted(datasets, key=str.casefold)]
    dataset = filters.choose_one(
        "Dataset",
        options,
        key="dataset",
        default=fullest.dataset,
        value=lambda option: "*" if option == ALL else option,
        width=220,
    )
    over_all = dataset == ALL
    there = list(shared.values()) if over_all else [g for g in golds if g.dataset == dataset]
    by_name = {gold_name(gold): gold for gold in there}
    name = filters.choose_one("Judged", list(by_name), key="gold", width=220)
    return Choice(by_name[name or gold_name(there[0])], over_all)


def on_several(golds: Sequence[GoldChoice]) -> Mapping[str, GoldChoice]:
    """Return the golds that several datasets with metrics have, by name; the first of each."""
    usable = [gold for gold in golds if gold.n_metrics]
    names = [gold.name for gold in usable]
    found: dict[str, GoldChoice] = {}
    for gold in sorted(usable, key=lambda gold: -names.count(gold.name)):
        if names.count(gold.name) > 1:
            found.setdefault(gold.name, gold)
    return found


def gold_name(gold: GoldChoice) -> str:
    """Return a gold's name; that of a model says so."""
    return gold.name if gold.source == "human" else f"{gold.name}, by {gold.source}s"


def choose_settings(choice: Choice) -> Settings:
    """Draw what can be chosen, without what the kind of gold does not allow."""
    is_preference = choice.gold.kind == "preference"
    levels = [level for level in LEVELS if not is_preference or level == "global"]
    level = _choose("Over", levels, _LEVELS, "level", width=130)
    coefficient = _choose("Coefficient", COEFFICIENTS, COEFFICIENTS_IN_WORDS, "coefficient", 160)
    with st.popover("More settings"):
        test = _choose("Test of two metrics", TESTS, TESTS_IN_WORDS, "test")
        correction = filters.choose_one(
            "Correction", METHODS, key="correction", default="holm", name=_correction
        )
        names = metric_names(choice)
        reference = filters.choose_one(
            "Reference metric", [_BEST, *names], key="reference", value=_without(_BEST)
        )
        alpha = settings.choose_alpha()
        interval = _choose("Interval", INTERVALS, _INTERVALS, "interval")
        by = None
        if not choice.over_all:
            known = [_NOT_CUT, *human_data.properties(choice.gold.dataset_uid)]
            by = filters.choose_one("Items cut by", known, key="by", value=_without(_NOT_CUT))
        weights = None
        if choice.over_all:
            weights = filters.choose_one(
                "Datasets in the mean", WEIGHTS, key="weights", name=_WEIGHTS.__getitem__
            )
        ties, consensus = _choose_about_preferences(is_preference)
        without = _choose_without(choice)
        seed = filters.choose_seed()
        n_resamples = filters.choose_one(
            "Resamples", RESAMPLES, key="resamples", name=numbers.count
        )
    chosen = with_words(
        CorrelationSettings(
            correction=correction or "holm",
            reference=None if reference in (None, _BEST) else reference,
            alpha=alpha,
            by=None if by in (None, _NOT_CUT) else by,
            n_resamples=None if n_resamples in (None, RESAMPLES[0]) else n_resamples,
            seed=seed,
        ),
        level=level,
        coefficient=coefficient,
        test=test,
        interval=interval,
    )
    return Settings(chosen, ties, consensus, without, is_preference, weights)


def metric_names(choice: Choice) -> list[str]:
    """Return the metrics that can be held against a gold."""
    uids = [choice.gold.dataset_uid]
    if choice.over_all:
        same = [g for g in human_data.golds() if g.name == choice.gold.name]
        uids = list(dict.fromkeys(gold.dataset_uid for gold in same))
    found = [m.label for uid in uids for m in data.metrics_of(uid) if m.source == "automatic"]
    return sorted(set(found), key=str.casefold)


def _choose_about_preferences(is_preference: bool) -> tuple[Ties, Consensus]:
    if not is_preference:
        return TIES[0], CONSENSUS[0]
    ties = filters.choose_one(
        "Outputs that a metric scores alike", TIES, key="ties", name=_TIES.__getitem__
    )
    consensus = filters.choose_one(
        "Choices of several annotators", CONSENSUS, key="consensus", name=_CONSENSUS.__getitem__
    )
    return cast("Ties", ties), cast("Consensus", consensus)


def _choose_without(choice: Choice) -> tuple[str, ...]:
    """Draw which systems are left out, such as human references; none by default."""
    if choice.gold.kind == "preference":
        return ()
    runs = [run for run in data.runs() if run.dataset_uid == choice.gold.dataset_uid]
    names = sorted({run.system for run in runs}, key=str.casefold)
    if choice.over_all or not names:
        return ()
    chosen = filters.choose_any(
        "Without these systems", names, key="without", placeholder="none left out"
    )
    return tuple(chosen)


def _choose(
    label: str, options: Sequence[str], names: Mapping[str, str], key: str, width: int = 200
) -> str | None:
    """Draw a choice among `options` and what fits the judgments, which is ``None``."""
    chosen = filters.choose_one(label, ["", *options], key=key, name=_name(names), width=width)
    return chosen or None


def _without(usual: str) -> Callable[[str], str]:
    """Return what the address says of an option: nothing of the usual one."""
    return lambda option: "" if option == usual else option


def _name(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return what names an option; the empty one is what fits."""
    return lambda option: names[option] if option else _FITS


def _correction(method: str) -> str:
    return dict[str, str](CORRECTIONS_IN_WORDS).get(method, method)
