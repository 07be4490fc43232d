"""The card of a metric: its unit, range, kind, direction and aggregation, and who says so.

A fact that a file or a person states is stored with its source and date. What nobody states comes
from the table of known metrics when it is read (`known_facts`), and is never stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

import sqlalchemy as sa

from store.engine import Store
from store.errors import StoreError
from store.importers.kinds import COMPONENTS, MetricKind
from store.lookup import did_you_mean, find_metric_id
from store.metrics import list_metrics, metric_by_id
from store.model_base import utc_now
from store.models import Dataset, Metric, Run, ScoreVector, System
from store.records import MetricRecord, Record

NONE: Final = "none"
"""What is typed for a range without an end, or a fact that is to be unsaid."""
KNOWN_METRICS: Final = "table of known metrics"
FACTS: Final[Mapping[str, str]] = {
    "unit": "unit",
    "lowest": "lower",
    "highest": "upper",
    "kind": "kind",
    "direction": "higher_is_better",
    "aggregation": "aggregation",
}
"""What a person calls a fact -> the column that holds it."""
KINDS: Final = tuple(kind for kind in get_args(MetricKind) if kind)
_ENDS: Final = (("lower", ScoreVector.min, "below"), ("upper", ScoreVector.max, "above"))
_DIRECTIONS: Final = {"higher": True, "lower": False}


@dataclass(frozen=True, slots=True)
class Fact(Record):
    """One line of a card."""

    name: str
    value: str
    """In words; ``"none"`` for a range without an end, empty where nobody knows."""
    by: str
    """A person, a format, or the table of known metrics."""
    at: str
    """Day on which it was stated, as 2026-11-29; empty: not stored, or before this was kept."""


@dataclass(frozen=True, slots=True)
class MetricCard(Record):
    """A metric and where each fact about it comes from."""

    metric: MetricRecord
    facts: tuple[Fact, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the metric's fields, and the facts as a list."""
        return self.metric.to_dict() | {"facts": [fact.to_dict() for fact in self.facts]}


def metric_card(store: Store, given: str) -> MetricCard:
    """Return the card of a metric, by name, label or uid.

    Raises
    ------
    NotFoundError
        There is none, or several have that name.
    """
    with store.read() as connection:
        return _card(connection, find_metric_id(connection, given))


def cards_on(store: Store, dataset_uid: str) -> list[MetricCard]:
    """Return the cards of all metrics that a dataset has scores or figures on, the first first."""
    metrics = list_metrics(store, dataset_uid=dataset_uid)
    with store.read() as connection:
        return [_card(connection, find_metric_id(connection, one.uid)) for one in metrics]


def _card(connection: sa.Connection, metric_id: int) -> MetricCard:
    row = connection.execute(sa.select(Metric).where(Metric.id == metric_id)).one()
    metric = metric_by_id(connection, metric_id)
    sources = row.sources or {}
    facts = [_fact(name, column, metric, row, sources) for name, column in FACTS.items()]
    return MetricCard(metric, tuple(facts))


def _fact(
    name: str, column: str, metric: MetricRecord, row: Any, sources: Mapping[str, Any]
) -> Fact:
    value = getattr(metric, column)
    told = sources.get(column)
    if told is not None:
        return Fact(name, _worded(column, value), told["by"], told["at"][:10])
    if value in (None, ""):
        return Fact(name, "", "", "")
    if value != getattr(row, column):
        return Fact(name, _worded(column, value), KNOWN_METRICS, "")
    is_usual = column == "aggregation" and value == "mean"
    return Fact(name, _worded(column, value), "" if is_usual else "an import", "")


def _worded(column: str, value: Any) -> str:
    if column == "higher_is_better":
        return f"{'higher' if value else 'lower'} is better"
    if value in (None, ""):
        return NONE
    return f"{value:g}" if isinstance(value, float) else str(value)


def set_metric(store: Store, given: str, changes: Mapping[str, str], *, actor: str) -> MetricCard:
    """State facts about a metric; scores stay as they are, what was computed is computed anew.

    Parameters
    ----------
    store, given
        Where, and the metric by name, label or uid.
    changes
        Name of a fact (see `FACTS`) -> what it is, as a person types it.

    Raises
    ------
    StoreError
        There is no such fact or value, or scores in the store contradict it.
    NotFoundError
        There is no such metric.
    """
    told = {FACTS[_known(name)]: _value(name, text) for name, text in changes.items()}
    if not told:
        raise StoreError(f"Say what to change: {', '.join(FACTS)}.")
    with store.write(actor) as change:
        connection = change.session.connection()
        metric = change.session.get_one(Metric, find_metric_id(connection, given))
        _require_possible(connection, metric, told)
        at = utc_now().isoformat(timespec="seconds")
        for column, value in told.items():
            setattr(metric, column, value)
        stated = {column: {"by": change.actor, "at": at} for column in told}
        metric.sources = (metric.sources or {}) | stated
        change.record("describe", "metric", metric.uid, **told)
        label = metric.uid
    return metric_card(store, label)


def _known(name: str) -> str:
    if name not in FACTS:
        raise StoreError(
            f"A metric has no '{name}'.{did_you_mean(name, tuple(FACTS))} It has "
            f"{', '.join(FACTS)}."
        )
    return name


def _value(name: str, text: str) -> Any:
    """Return a fact as it is stored, from what a person typed."""
    text = text.strip()
    if name in ("lowest", "highest"):
        if text == NONE:
            return None
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise StoreError(f"The {name} is a number or '{NONE}', not '{text}'.")
        return number
    choices: Mapping[str, Any] = {
        "direction": _DIRECTIONS,
        "kind": {kind: kind for kind in KINDS} | {NONE: ""},
        "aggregation": {one: one for one in COMPONENTS},
    }.get(name, {})
    if not choices:
        if len(text) > 20:
            raise StoreError(f"A unit has at most 20 characters; '{text}' has {len(text)}.")
        return "" if text == NONE else text
    if text not in choices:
        raise StoreError(f"The {name} is {', '.join(choices)}, not '{text}'.")
    return choices[text]


def _require_possible(connection: sa.Connection, metric: Metric, told: Mapping[str, Any]) -> None:
    """Raise `StoreError` where facts contradict one another or scores in the store."""
    ends = {end: told.get(end, getattr(metric, end)) for end in ("lower", "upper")}
    low, high = ends["lower"], ends["upper"]
    if low is not None and high is not None and low >= high:
        raise StoreError(f"The lowest, {low:g}, is not below the highest, {high:g}.")
    new = told.get("aggregation", metric.aggregation)
    if COMPONENTS[new] != COMPONENTS[metric.aggregation]:
        raise StoreError(
            f"Items of '{metric.name}' hold what '{metric.aggregation}' needs, not what '{new}' "
            "does. Import the scores again under another name."
        )
    if COMPONENTS[new] != ("score",):
        return
    for end, seen, word in _ENDS:
        limit = told.get(end)
        if limit is None:
            continue
        is_lower = end == "lower"
        query = (
            sa.select(seen, System.name, Dataset.name)
            .join(Run, Run.id == ScoreVector.run_id)
            .join(System, System.id == Run.system_id)
            .join(Dataset, Dataset.id == Run.dataset_id)
            .where(ScoreVector.metric_id == metric.id, seen < limit if is_lower else seen > limit)
            .order_by(seen.asc() if is_lower else seen.desc())
            .limit(1)
        )
        found = connection.execute(query).one_or_none()
        if found is not None:
            score, system, dataset = found
            raise StoreError(
                f"'{system}' has {score:g} on '{dataset}', {word} {limit:g}. State a range that "
                "holds all scores, or import those scores again as they should be."
            )
