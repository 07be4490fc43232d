"""What a reader can choose when metrics are held against human judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from analysis.statistics.multiplicity import METHODS
from analysis.studies.humans.correlate import ALL as ALL_DATASETS
from analysis.studies.humans.correlate import Correlate
from analysis.studies.humans.golds import GoldChoice
from analysis.studies.humans.over_datasets.means import WEIGHTS
from dashboard import data, human_data
from dashboard.ui import ask, filters

ALL: Final = "all datasets"


class Choice(NamedTuple):
    """A gold on one dataset, or on all that have it."""

    gold: GoldChoice
    over_all: bool

    def as_parameters(self) -> dict[str, str]:
        """Return the URL parameters that stand for this choice."""
        where = "*" if self.over_all else self.gold.dataset
        return {"dataset": where, "gold": gold_name(self.gold)}


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


def choose_question(choice: Choice) -> Correlate:
    """Draw what can be chosen, without what the kind of gold does not allow."""
    gold, over_all = choice.gold, choice.over_all
    given = {"dataset": ALL_DATASETS, "gold": gold.name}
    if not over_all:
        given = {"dataset": gold.dataset_uid, "gold": gold.uid}
    among: dict[str, Sequence[str]] = {
        "correction": METHODS,
        "reference": metric_names(choice),
    }
    if over_all:
        among["weights"] = WEIGHTS
    else:
        among["by"] = human_data.properties(gold.dataset_uid)
    if gold.kind != "preference" and not over_all:
        among["without"] = _systems(gold)
    hidden: tuple[str, ...] = ("ties", "consensus")
    if gold.kind == "preference":
        among["level"], hidden = ("global",), ()
    return ask.choose(
        Correlate, given, among={k: names for k, names in among.items() if names}, hidden=hidden
    )


def _systems(gold: GoldChoice) -> list[str]:
    """Return who was judged, human references too."""
    runs = [run for run in data.runs() if run.dataset_uid == gold.dataset_uid]
    return sorted({run.system for run in runs}, key=str.casefold)


def metric_names(choice: Choice) -> list[str]:
    """Return the metrics that can be held against a gold."""
    uids = [choice.gold.dataset_uid]
    if choice.over_all:
        same = [g for g in human_data.golds() if g.name == choice.gold.name]
        uids = list(dict.fromkeys(gold.dataset_uid for gold in same))
    found = [m.label for uid in uids for m in data.metrics_of(uid) if m.source == "automatic"]
    return sorted(set(found), key=str.casefold)
