"""Metrics of short answers, labels and word forms: one text against those that are right."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable

from store.importers.bundle import BundleMetric
from store.importers.scorers.libraries import scoring_library
from store.importers.scorers.metric import Prepare, Prepared, References, each_against_best

_ARTICLE = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Return an answer as SQuAD's evaluation compares it (Rajpurkar et al. 2016).

    Lower case, without punctuation (ASCII), English articles and double blanks.
    """
    plain = _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION))
    return " ".join(plain.split())


def token_f1_of(given: str, right: str) -> float:
    """Return F1 of the words of two answers, as SQuAD's evaluation has it; empty answers match."""
    given_words, right_words = normalised(given).split(), normalised(right).split()
    if not given_words or not right_words:
        return float(given_words == right_words)
    shared = sum((Counter(given_words) & Counter(right_words)).values())
    return 2 * shared / (len(given_words) + len(right_words))


def _share(name: str, signature: str, score: Callable[[str, str], float]) -> Prepare:
    metric = BundleMetric(
        name, signature, higher_is_better=True, unit="proportion", lower=0.0, upper=1.0
    )
    return lambda references, language: each_against_best(metric, references, score)


exact_match: Prepare = _share(
    "exact_match",
    "same text, outer blanks aside",
    lambda given, right: float(given.strip() == right.strip()),
)
normalised_match: Prepare = _share(
    "normalised_match",
    "SQuAD: without case, punctuation, articles",
    lambda given, right: float(normalised(given) == normalised(right)),
)
token_f1: Prepare = _share("token_f1", "SQuAD: without case, punctuation, articles", token_f1_of)
accuracy: Prepare = _share(
    "accuracy", "same label", lambda given, right: float(given.strip() == right.strip())
)


def edit_distance(references: References, language: str) -> Prepared:
    """Prepare the Levenshtein distance in characters, to the nearest of the references."""
    library = scoring_library("rapidfuzz.distance", "edit_distance")
    distance = library.Levenshtein.distance
    metric = BundleMetric(
        "edit_distance", "Levenshtein, characters", higher_is_better=False, lower=0.0
    )
    return each_against_best(metric, references, lambda given, right: float(distance(given, right)))
