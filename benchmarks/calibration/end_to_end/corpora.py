"""Corpus metrics of equally good systems: the parts of items in, intervals and verdicts out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

Parts = npt.NDArray[np.int64]


class Corpus(NamedTuple):
    """A metric computed from parts of items, and how equal systems are drawn."""

    formula: str
    columns: tuple[str, ...]
    direction: str
    draw: Callable[[Generator, int], tuple[Parts, Parts]]
    """Parts of two systems, shape (n_items, n_columns)."""


def _entities(rng: Generator, n_items: int) -> tuple[Parts, Parts]:
    """Return counts of named entities: true and false positives, false negatives."""
    gold = rng.poisson(2, n_items)

    def system() -> Parts:
        right = rng.binomial(gold, 0.7)
        return np.stack([right, rng.poisson(0.5, n_items), gold - right], axis=1)

    return system(), system()


def _errors(rng: Generator, n_items: int) -> tuple[Parts, Parts]:
    """Return wrong words and words of sentences, some of which are harder than others."""
    words, hard = rng.integers(3, 25, n_items), rng.beta(1, 6, n_items)

    def system() -> Parts:
        return np.stack([rng.poisson(words * hard), words], axis=1)

    return system(), system()


def _losses(rng: Generator, n_items: int) -> tuple[Parts, Parts]:
    """Return wrong words: on a tenth of the sentences b wins a word, or rarely loses four."""
    words = rng.integers(3, 25, n_items)
    shared = rng.binomial(words, 0.2)
    apart = rng.random(n_items) < 0.1
    effect = np.where(apart, np.where(rng.random(n_items) < 0.8, 1, -4), 0)
    return (
        np.stack([shared + np.maximum(effect, 0), words], axis=1),
        np.stack([shared + np.maximum(-effect, 0), words], axis=1),
    )


CORPORA: dict[str, Corpus] = {
    "corpus F1": Corpus(
        "F1 of entities, 2 a sentence, 7 of 10 found",
        ("tp", "fp", "fn"),
        "--higher-is-better",
        _entities,
    ),
    "corpus error rate": Corpus(
        "wrong words over words, sentences of 3 to 24 words",
        ("numerator", "denominator"),
        "--lower-is-better",
        _errors,
    ),
    "corpus, rare losses": Corpus(
        "wrong words over words; a tenth differ, by one word or, one in five of these, by four",
        ("numerator", "denominator"),
        "--lower-is-better",
        _losses,
    ),
}


def rows_of_parts(a: str, b: str, dataset: str, parts: tuple[Parts, Parts]) -> list[str]:
    """Return the lines of a pair in a table of parts."""
    return [
        f"{system},{dataset},q{item},score,{','.join(str(value) for value in values)}"
        for system, own in zip((a, b), parts, strict=True)
        for item, values in enumerate(own.tolist())
    ]
