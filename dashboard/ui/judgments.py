"""What was judged on one item: which items there are, who said what, in words and as a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.humans.agreement.study import Agreement, AgreementStudy
from dashboard import address, data
from dashboard.ui import filters
from dashboard.ui.links import plain
from dashboard.ui.tables import show_table
from store.errors import StoreError
from store.judgments import CriterionRecord, ItemJudgments, ItemPreference, ItemRating

_MOST_NAMED: Final = 6
"""Annotators who are named in a sentence with what they said."""
_MOST_ANNOTATORS: Final = 12
"""Columns of a table with one for each annotator."""
_CHOSEN: Final = {"first": "the first", "second": "the second", "tie": "neither"}


class Disagreements(NamedTuple):
    """The items that annotators differ on most, the worst first, each with its spread."""

    items: tuple[str, ...]
    spreads: tuple[float, ...]
    outputs: tuple[str, ...]
    """Whose output is in question: a system's, or a pair's."""
    study: AgreementStudy | None
    """Where the spreads come from."""

    def about(self, item: str) -> str:
        """Return whose output is in question on an item; empty where nothing is known."""
        return self.outputs[self.items.index(item)] if item in self.items else ""

    def next_to(self, item: str, step: int) -> str | None:
        """Return the disagreement before or after an item; the first one after any other item."""
        if item not in self.items:
            return self.items[0] if self.items and step > 0 else None
        at = self.items.index(item) + step
        return self.items[at] if 0 <= at < len(self.items) else None


def find_disagreements(criterion: CriterionRecord) -> Disagreements:
    """Return where annotators part; nothing where fewer than two judged the same."""
    try:
        study = data.ask(Agreement(criterion.dataset_uid, criterion.uid))
    except StoreError:
        return Disagreements((), (), (), None)
    worst = {found.item_key: found for found in reversed(study.disagreements)}
    ordered = [found for found in study.disagreements if worst[found.item_key] is found]
    return Disagreements(
        tuple(found.item_key for found in ordered),
        tuple(found.spread for found in ordered),
        tuple(found.what for found in ordered),
        study,
    )


def choose_item(criterion: CriterionRecord, found: Disagreements) -> tuple[int, str] | None:
    """Draw the choice of an item, the disagreements first; return its position and its key."""
    positions = {item.key: item.position for item in data.items(criterion.dataset_uid)}
    options = [*found.items, *(key for key in positions if key not in found.items)]
    key = filters.choose_one("Item", options, key="item", width=230)
    return None if key is None else (positions[key], key)


def show_steps(item: str, found: Disagreements) -> None:
    """Offer the disagreements before and after this item, and say how far one is."""

    def go(to: str) -> None:
        address.tell({"item": to, "a": None, "b": None, "pair": None})  # of another item's outputs

    if not found.items:
        st.caption("No two annotators judged the same outputs differently here.")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, step in (("Previous disagreement", -1), ("Next disagreement", 1)):
            to = found.next_to(item, step)
            st.button(label, on_click=go, args=(to,), disabled=to is None)
        if item in found.items:
            at = found.items.index(item)
            st.caption(
                f"Disagreement {at + 1} of {len(found.items)}, the worst first; spread "
                f"{numbers.fixed(found.spreads[at], 2)}"
            )
        else:
            st.caption(f"Not among the {len(found.items)} worst disagreements.")


def said_of_pair(preferences: Sequence[ItemPreference], a: str, b: str) -> dict[str, list[str]]:
    """Return who prefers each of two systems, and who neither ("")."""
    votes: dict[str, list[str]] = {a: [], b: [], "": []}
    for one in preferences:
        if {one.first, one.second} == {a, b}:
            chosen = {"first": one.first, "second": one.second}.get(one.choice, "")
            votes[chosen].append(one.annotator)
    return votes


def sentence(judged: ItemJudgments, criterion: CriterionRecord, about: str = "") -> str:
    """Say what annotators made of the item; `about` is the output that they differ on most."""
    item = f"Item {judged.item_key}:"
    if criterion.kind == "preference":
        pairs = pairs_of(judged, criterion.name)
        if not pairs:
            return f"{item} nobody compared two outputs."
        if len(pairs) > 1:
            n = len(own_preferences(judged, criterion.name))
            return f"{item} {numbers.counted(n, 'choice')} between {len(pairs)} pairs of outputs."
        return f"{item} {_votes_in_words(own_preferences(judged, criterion.name), pairs[0])}"
    ratings = own_ratings(judged, criterion.name)
    if not ratings:
        return f"{item} nobody judged '{criterion.name}'."
    annotators = {rating.annotator for rating in ratings}
    systems = {rating.system for rating in ratings if rating.system is not None}
    who = numbers.counted(len(annotators), "annotator")
    if not systems:
        said = Counter(value_in_words(rating) for rating in ratings)
        told = ", ".join(f"{value} by {n}" for value, n in said.most_common())
        return f"{item} {who}: {told}."
    told = f"{item} {who} judged the outputs of {numbers.counted(len(systems), 'system')}"
    return f"{told}{_apart(of_people([one for one in ratings if one.system == about]))}."


def of_people(ratings: Sequence[ItemRating]) -> list[ItemRating]:
    """Return what people said; where only models did, that."""
    return [one for one in ratings if one.annotator_kind == "human"] or list(ratings)


def _apart(ratings: Sequence[ItemRating]) -> str:
    """Say what was said of the output that annotators differ on most, as the end of a sentence."""
    if not ratings:
        return ""
    if len(ratings) <= _MOST_NAMED:
        said = ", ".join(f"{one.annotator}: {value_in_words(one)}" for one in ratings)
    else:
        said = ", ".join(
            f"{value} by {n}" for value, n in Counter(map(value_in_words, ratings)).most_common()
        )
    return f", and part most on {ratings[0].system} ({said})"


def _votes_in_words(preferences: Sequence[ItemPreference], pair: tuple[str, str]) -> str:
    """Say who was preferred, the one with more votes first."""
    votes = said_of_pair(preferences, *pair)
    first, second = sorted(pair, key=lambda system: -len(votes[system]))
    n = sum(map(len, votes.values()))
    if n == 1:
        [(chosen, [who])] = [(name, voters) for name, voters in votes.items() if voters]
        return f"{who} preferred {chosen or 'neither'}."
    neither = f", {len(votes[''])} neither" if votes[""] else ""
    return (
        f"{len(votes[first])} of {n} annotators preferred {first}, "
        f"{len(votes[second]) or 'none'} {second}{neither}."
    )


def own_ratings(judged: ItemJudgments, criterion: str) -> list[ItemRating]:
    """Return the ratings on one criterion."""
    return [rating for rating in judged.ratings if rating.criterion == criterion]


def own_preferences(judged: ItemJudgments, criterion: str) -> list[ItemPreference]:
    """Return the preferences on one criterion."""
    return [one for one in judged.preferences if one.criterion == criterion]


def pairs_of(judged: ItemJudgments, criterion: str) -> list[tuple[str, str]]:
    """Return the pairs that were compared, the most divided first."""
    preferences = own_preferences(judged, criterion)
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for one in preferences:
        pair = (min(one.first, one.second), max(one.first, one.second))
        pairs.setdefault(frozenset(pair), pair)

    def lead(pair: tuple[str, str]) -> int:
        votes = said_of_pair(preferences, *pair)
        return abs(len(votes[pair[0]]) - len(votes[pair[1]]))

    return sorted(pairs.values(), key=lead)


def systems_by_mean(judged: ItemJudgments, criterion: str) -> list[str]:
    """Return the systems that were rated, the highest mean (of people) first."""
    values: dict[str, list[float]] = {}
    for rating in of_people(own_ratings(judged, criterion)):
        if rating.system is not None and not math.isnan(rating.value):
            values.setdefault(rating.system, []).append(rating.value)
    return sorted(values, key=lambda system: -sum(values[system]) / len(values[system]))


def value_in_words(rating: ItemRating) -> str:
    """Return a rating as its label, or its number."""
    if math.isnan(rating.value):
        return "no value"
    return rating.label or f"{rating.value:g}"


def note_of(judged: ItemJudgments, criterion: CriterionRecord, system: str, other: str) -> str:
    """Return what was said of a system's output, to stand under its name."""
    if criterion.kind == "preference":
        votes = said_of_pair(own_preferences(judged, criterion.name), system, other)
        n = sum(map(len, votes.values()))
        if n == 1:
            return f"preferred by {votes[system][0]}" if votes[system] else "not preferred"
        who = f": {', '.join(votes[system])}" if 0 < len(votes[system]) <= _MOST_NAMED else ""
        return f"preferred by {len(votes[system])} of {numbers.counted(n, 'annotator')}{who}"
    ratings = [r for r in own_ratings(judged, criterion.name) if r.system == system]
    told = [f"{rating.annotator}: {value_in_words(rating)}" for rating in ratings]
    return f"{criterion.name} by {', '.join(told)}" if told else "not judged"


def show_who_said_what(judged: ItemJudgments, criterion: str, systems: Sequence[str]) -> None:
    """Show outputs by annotators where several were rated, and every judgment of the item."""
    frame = rating_frame(judged, criterion)
    annotators = [name for name in frame.columns if name not in ("system", "mean")]
    if len(frame) < 2 or len(annotators) > _MOST_ANNOTATORS:
        show_judgments(judged, criterion, systems)
        return
    show_table(
        frame,
        key="ratings",
        columns={
            "system": Column("System", pinned=True),
            **{name: Column(name, right=True) for name in annotators},
            "mean": Column(
                "Mean", "number", decimals=2, shown=len(annotators) > 1, help="Of people, if any"
            ),
        },
        filename="ratings_of_an_item",
        noun="output",
    )
    n = len(judged.ratings) + len(judged.preferences)
    with st.expander(f"Every judgment of this item, {n:,}"):
        show_judgments(judged, criterion, systems)


def rating_frame(judged: ItemJudgments, criterion: str) -> pd.DataFrame:
    """Return a row per rated output, the highest mean first, and a column per annotator.

    People stand before models; the mean is that of people, where they rated.
    """
    ratings = [one for one in own_ratings(judged, criterion) if one.system is not None]
    people = {one.annotator for one in of_people(ratings)}
    names = {one.annotator for one in ratings}
    annotators = sorted(names, key=lambda name: (name not in people, name.casefold()))
    rows = []
    for system in systems_by_mean(judged, criterion):
        said: dict[str, list[str]] = {name: [] for name in annotators}
        own = [one for one in ratings if one.system == system]
        for one in own:
            said[one.annotator].append(value_in_words(one))
        words = {name: ", ".join(values) or None for name, values in said.items()}
        mean = float(np.mean([one.value for one in own if one.annotator in people] or math.nan))
        rows.append({"system": system, **words, "mean": mean})
    return pd.DataFrame(rows, columns=["system", *annotators, "mean"])


def show_judgments(judged: ItemJudgments, criterion: str, systems: Sequence[str]) -> None:
    """Show everything that was judged on the item: first what is in question, of those shown."""
    frame = judgment_frame(judged)
    far = 2 * (frame["criterion"] != criterion) + ~frame["of"].isin(list(systems))
    frame = frame.iloc[np.argsort(far.to_numpy(dtype=int), kind="stable")].reset_index(drop=True)
    show_table(
        frame,
        key="judgments",
        columns={
            "annotator": Column("Annotator", pinned=True),
            "criterion": Column("Judged", shown=frame["criterion"].nunique() > 1),
            "kind": Column("Kind", shown=frame["kind"].nunique() > 1),
            "of": Column("Of"),
            "said": Column("Answer"),
            "errors": Column("Errors", shown=bool((frame["errors"] != "").any())),
            "replicate": Column("Repeat", "count", shown=bool(frame["replicate"].any())),
            "judged_at": Column("When", "moment", shown=bool(frame["judged_at"].notna().any())),
        },
        filename="judgments_of_an_item",
        noun="judgment",
    )


def judgment_frame(judged: ItemJudgments) -> pd.DataFrame:
    """Return a row per judgment."""
    rows = [
        {
            "criterion": rating.criterion,
            "annotator": rating.annotator,
            "kind": rating.annotator_kind,
            "of": rating.system or "the item",
            "said": value_in_words(rating),
            "errors": "; ".join(
                f"{span.severity} {span.category}".strip()
                + (f" “{span.text}”" if span.text else "")
                for span in rating.spans
            ),
            "replicate": rating.replicate,
            "judged_at": rating.judged_at,
        }
        for rating in judged.ratings
    ]
    for one in judged.preferences:
        chosen = {"first": one.first, "second": one.second}.get(one.choice, _CHOSEN["tie"])
        sure = "" if one.strength is None else f" (second better: {one.strength:.2f})"
        between = "shown in this order" if one.order_known else ""
        rows.append(
            {
                "criterion": one.criterion,
                "annotator": one.annotator,
                "kind": one.annotator_kind,
                "of": f"{one.first} or {one.second}" + (f", {between}" if between else ""),
                "said": f"{chosen}{sure}",
                "errors": "",
                "replicate": one.replicate,
                "judged_at": one.judged_at,
            }
        )
    columns = ["criterion", "annotator", "kind", "of", "said", "errors", "replicate", "judged_at"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["judged_at"] = pd.to_datetime(frame["judged_at"], utc=True)
    return frame


def show_input(text: str, name: str) -> None:
    """Show what the systems were given."""
    st.markdown(f"**{plain(name)}**")
    st.code(text, language=None, wrap_lines=True)
