"""Trying a recipe on a file: what of it fits, and what would come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import BundleMetric, ReadOptions
from store.importers.recipes.importer import RecipeImporter
from store.importers.recipes.recipe import Recipe
from store.importers.recipes.recognise import fits, misses


@dataclass(frozen=True, slots=True)
class TriedScores:
    """The scores of a run on a metric in a trial."""

    system: str
    dataset: str
    metric: str
    trial: int
    n_items: int
    n_missing: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class TriedFigure:
    """A figure that the file states."""

    system: str
    dataset: str
    metric: str
    value: float


@dataclass(frozen=True, slots=True)
class Trial:
    """What a recipe makes of a file."""

    is_recognised: bool
    misses: Sequence[str]
    """What each way of recognising it lacks; empty where one holds."""
    scores: Sequence[TriedScores] = ()
    figures: Sequence[TriedFigure] = ()
    understood: Sequence[str] = ()
    problem: str = ""
    """Why it cannot be read, by file, line and field."""


def _called(metric: BundleMetric) -> str:
    return f"{metric.name} [{metric.signature}]" if metric.signature else metric.name


def try_recipe(recipe: Recipe, path: Path) -> Trial:
    """Read a file by a recipe, whether it is recognised or not, and tell what was found."""
    lacking = () if fits(recipe, path) else tuple(misses(recipe, path))
    try:
        bundle = RecipeImporter(recipe).read([path], ReadOptions(), {path: path.as_posix()})
    except ImportFormatError as error:
        return Trial(not lacking, lacking, problem=str(error))
    scores = []
    for run in bundle.runs:
        for one in run.scores:
            values = one.values[:, 0]
            is_scored = np.isfinite(values)
            scores.append(
                TriedScores(
                    run.system,
                    bundle.datasets[run.dataset].name,
                    _called(bundle.metrics[one.metric]),
                    one.trial,
                    int(is_scored.sum()),
                    int((~is_scored).sum()),
                    float(values[is_scored].mean()) if is_scored.any() else None,
                )
            )
    figures = [
        TriedFigure(
            one.system,
            bundle.datasets[one.dataset].name,
            _called(bundle.metrics[one.metric]),
            one.value,
        )
        for one in bundle.reported_scores
    ]
    guesses = [f"{g.subject} '{g.value}' is a guess, from {g.because}." for g in bundle.guesses]
    return Trial(not lacking, lacking, scores, figures, [*bundle.understood, *guesses])
