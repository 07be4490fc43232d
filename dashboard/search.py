"""One search over everything that has a name: systems, datasets, runs, claims, items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from analysis import numbers
from dashboard import data
from dashboard.ui.links import Link
from store.claims import list_claims
from store.text_search import find_items

MOST = 5
"""Hits of each kind."""


class Hit(NamedTuple):
    """Something found."""

    kind: str
    link: Link


def search(words: str) -> list[Hit]:
    """Return what has these words in its name, at most `MOST` of each kind; best first."""
    wanted = words.casefold().split()
    if not wanted:
        return []
    hits: list[Hit] = []
    for kind, found in _kinds():
        fitting = [
            (label, link) for label, link in found if all(w in label.casefold() for w in wanted)
        ]
        fitting.sort(key=lambda one: (not one[0].casefold().startswith(wanted[0]), len(one[0])))
        hits += [Hit(kind, link) for _, link in fitting[:MOST]]
    for dataset, key in find_items(data.current_store(), words.strip(), limit=MOST):
        link = Link(f"{key} of {dataset}", "items", {"dataset": dataset, "item": key})
        hits.append(Hit("item", link))
    return hits


def _kinds() -> Iterator[tuple[str, list[tuple[str, Link]]]]:
    """Yield each kind with what is searched and where it leads."""
    yield (
        "dataset",
        [
            (d.label, Link(d.label, "leaderboard", {"dataset": d.label}))
            if d.n_runs or d.n_reported
            else (d.label, Link(d.label, "dataset", {"dataset": d.label}))
            for d in data.datasets()
        ],
    )
    yield (
        "system",
        [
            (" ".join((s.name, *s.aliases)), Link(s.name, "system", {"uid": s.uid}))
            for s in data.systems()
        ],
    )
    runs = [(f"{r.system} on {r.dataset} {r.label}".strip(), r.uid) for r in data.runs()]
    yield "run", [(f"{label} {uid}", Link(label, "run", {"uid": uid})) for label, uid in runs]
    claims = list_claims(data.current_store())
    yield (
        "claim",
        [
            (
                f"{c.system} {numbers.stated(c.printed, c.value)} on {c.dataset} {c.source}",
                Link(
                    f"{c.system} {numbers.stated(c.printed, c.value)} on {c.dataset}",
                    "claims",
                    {"dataset": c.dataset, "metric": c.metric},
                ),
            )
            for c in claims
        ],
    )
