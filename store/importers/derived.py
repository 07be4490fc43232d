"""Tables that were made from other files of an import: means of item scores, and copies of them.

Neither is a dataset of its own: figures are held against the items that they summarise, and a copy
under other names is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from store.importers.bundle import (
    BundleDataset,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
    LeftOut,
)
from store.importers.known_metrics import lookup
from store.importers.named_items import keys_of

_OVER_ALL = frozenset({"average", "avg", "mean", "overall", "all", "total", "macro_avg", "score"})
_OF_FIGURES = ("reported", "nested_figures")
"""Formats of tables that may sum up items, by name."""
_FEWEST = 5
"""Scores from which equal ones are no accident."""
_EQUAL = 1e-9
"""How much of a score may be lost where it was computed in another order."""


_Print = tuple[int, float, float]
"""Number, sum and sum of squares of scores."""


class _Place(NamedTuple):
    """A run that may be what a figure summarises."""

    bundle: int
    run: int
    dataset: str
    metrics: tuple[int, ...]


def without_derived(bundles: Sequence[ImportBundle]) -> tuple[list[ImportBundle], list[LeftOut]]:
    """Return bundles of which none was made from another, and what was left out for that.

    A table of figures goes to the items that it summarises where at least half of its figures find
    a run of the same system and metric, and its dataset is theirs or was guessed. The bundles keep
    their order; those that go altogether are empty of files.
    """
    found = list(bundles)
    left_out: list[LeftOut] = []
    stated: dict[_Print, list[tuple[BundleDataset, BundleScores]]] = {}
    for bundle in bundles:
        if not _is_guessed_copy(bundle):
            for dataset, one in _scores_of(bundle):
                if (sums := _print_of(one)) is not None:
                    stated.setdefault(sums, []).append((dataset, one))
    for number, bundle in enumerate(bundles):
        if _is_guessed_copy(bundle) and _is_copy(bundle, stated):
            reason = "the item scores of other files of this import again, under other names."
            left_out.append(LeftOut(bundle.files[0].path, reason))
            found[number] = replace(bundle, files=())
    for number, bundle in enumerate(bundles):
        if bundle.format not in _OF_FIGURES or not bundle.reported_scores:
            continue
        if bundle.reported_comparisons:
            continue
        moved = _with_runs(bundle, found)
        if 2 * len(moved) < len(bundle.reported_scores):
            continue
        for place, figure in moved:
            items = found[place]
            found[place] = replace(items, reported_scores=[*items.reported_scores, figure])
        names = dict.fromkeys(found[place].files[0].path for place, _ in moved)
        told = f"its figures stand beside the item scores of {', '.join(list(names)[:3])}"
        n_rest = len(bundle.reported_scores) - len(moved)
        rest = f"; {n_rest:,} of them have no item scores and are left out." if n_rest else "."
        left_out.append(LeftOut(bundle.files[0].path, told + rest))
        found[number] = replace(bundle, files=())
    return found, left_out


def _with_runs(
    bundle: ImportBundle, others: Sequence[ImportBundle]
) -> list[tuple[int, BundleReportedScore]]:
    """Return the figures that find a run, with the number of its bundle, as figures of it."""
    runs: dict[str, list[_Place]] = {}
    for number, other in enumerate(others):
        for i, run in enumerate(other.runs if other.files else ()):
            metrics = tuple(dict.fromkeys(one.metric for one in run.scores))
            known = _Place(number, i, other.datasets[run.dataset].name, metrics)
            runs.setdefault(run.system.casefold(), []).append(known)
    if not runs:
        return []
    is_guessed = any(guess.subject in ("dataset", "datasets") for guess in bundle.guesses)
    moved: list[tuple[int, BundleReportedScore]] = []
    for figure in bundle.reported_scores:
        places = runs.get(figure.system.casefold(), [])
        dataset = bundle.datasets[figure.dataset].name
        same = [one for one in places if one.dataset.casefold() == dataset.casefold()]
        is_whole = len(bundle.datasets) == 1 or not _OVER_ALL.isdisjoint(
            dataset.casefold().split("/")
        )
        if not same and is_guessed and is_whole and len({one.dataset for one in places}) == 1:
            same = places
        wanted = bundle.metrics[figure.metric].name
        fits = [
            (place, metric)
            for place in same
            for metric in place.metrics
            if _is_same(wanted, others[place.bundle].metrics[metric].name, len(place.metrics))
        ]
        if len(fits) != 1:
            continue
        (place, metric) = fits[0]
        items = others[place.bundle]
        run = items.runs[place.run]
        value, error = _on_their_scale(figure, run, metric)
        moved.append(
            (
                place.bundle,
                replace(
                    figure,
                    system=run.system,
                    dataset=run.dataset,
                    metric=metric,
                    run=place.run,
                    value=value,
                    stderr=error,
                ),
            )
        )
    return moved


def _is_same(figure: str, items: str, n_metrics: int) -> bool:
    known = lookup(figure)
    if figure.casefold() == items.casefold() or (known is not None and known is lookup(items)):
        return True
    return n_metrics == 1 and figure.casefold() in _OVER_ALL


def _on_their_scale(
    figure: BundleReportedScore, run: BundleRun, metric: int
) -> tuple[float, float | None]:
    """Return a figure in percent as a share, where the items are shares."""
    highest = max(np.nanmax(one.values, initial=0) for one in run.scores if one.metric == metric)
    if highest <= 1 < figure.value <= 100:
        return figure.value / 100, None if figure.stderr is None else figure.stderr / 100
    return figure.value, figure.stderr


def _is_guessed_copy(bundle: ImportBundle) -> bool:
    return bundle.format == "generic" and any(one.subject == "dataset" for one in bundle.guesses)


def _is_copy(
    bundle: ImportBundle, stated: Mapping[_Print, Sequence[tuple[BundleDataset, BundleScores]]]
) -> bool:
    """Return whether all scores of a bundle are among those of formats that say what they are."""
    mine = list(_scores_of(bundle))
    return bool(mine) and all(
        (sums := _print_of(one)) is not None
        and any(_are_alike(dataset, one, *other) for other in stated.get(sums, ()))
        for dataset, one in mine
    )


def _scores_of(bundle: ImportBundle) -> Iterator[tuple[BundleDataset, BundleScores]]:
    for run in bundle.runs:
        for one in run.scores:
            yield bundle.datasets[run.dataset], one


def _are_alike(
    dataset: BundleDataset, scores: BundleScores, other: BundleDataset, others: BundleScores
) -> bool:
    """Return whether scores of equal sums are the same, in their order or item by item.

    Few values, such as right and wrong, have equal sums by accident.
    """
    mine, theirs = scores.values[:, 0], others.values[:, 0]
    present, there = ~np.isnan(mine), ~np.isnan(theirs)
    if 2 * len(np.unique(mine[present])) > int(present.sum()):
        return True
    if np.allclose(mine[present], theirs[there], _EQUAL, _EQUAL):
        return True
    known = dict(zip(keys_of(other.items), theirs.tolist(), strict=True))
    again = np.array([known.get(key, np.nan) for key in keys_of(dataset.items)])
    return bool(np.allclose(mine[present], again[present], _EQUAL, _EQUAL))


def _print_of(scores: BundleScores) -> _Print | None:
    """Return number, sum and sum of squares of scores; ``None`` where they tell too little."""
    values = scores.values[:, 0]
    values = values[~np.isnan(values)]
    if scores.values.shape[1] != 1 or len(values) < _FEWEST:
        return None
    return len(values), round(float(values.sum()), 6), round(float(values @ values), 6)
