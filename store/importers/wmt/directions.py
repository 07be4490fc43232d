"""Which way is better for metrics that count errors, as they come in WMT's score files.

TER, WER, PER, CDER, CharacTER and EED are errors, but a score file may hold them negated, or as
1 − error (as Moses' ``evaluator`` does, which made WMT's baselines). The sign tells a negated one;
1 − error is told by the other metrics of the same files: it goes up with BLEU and chrF, an error
goes down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from store.importers.known_metrics import lookup

ERROR_METRICS = ("TER", "WER", "PER", "CDER", "CharacTER", "EED")

Scores = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Metric -> language pair -> system -> score."""

_SIGNATURES = {"negated": "negated", "one minus": "1 - error"}
_FEWEST_SYSTEMS = 3
_SHARE = 0.75
"""Of the comparisons that must point the same way."""


@dataclass(frozen=True, slots=True)
class Directions:
    """Directions of the metrics of a group of files, and how they were found."""

    higher_is_better: Mapping[str, bool]
    signatures: Mapping[str, str]
    """Of errors that are turned round: in what way. Such a metric is not the error itself."""
    understood: tuple[str, ...]
    warnings: tuple[str, ...]


def find_directions(scores: Scores) -> Directions:
    """Return whether higher is better for each metric; of all but errors it is taken to be so."""
    kinds: dict[str, list[str]] = {}
    better = dict.fromkeys(scores, True)
    signatures = {}
    for name in scores:
        if name not in ERROR_METRICS:
            kinds.setdefault("other", []).append(name)
            continue
        kind = _kind(scores, name)
        kinds.setdefault(kind, []).append(name)
        better[name] = kind in _SIGNATURES
        if better[name]:
            signatures[name] = _SIGNATURES[kind]
    told = {
        "error": "Counts of errors, lower is better: {}.",
        "negated": "Counts of errors that were submitted negated, higher is better: {}.",
        "one minus": "Errors by name, but they go up with BLEU and chrF, so they were turned round "
        "(1 − error) and higher is better: {}.",
        "other": "Of all other metrics higher is taken to be better; a YAML file can say "
        "otherwise.",
    }
    unclear = (
        "errors by name, taken as such (lower is better), but no other metric in these files shows "
        "whether they were turned round (1 − error). If they were, import them together with BLEU "
        "or chrF, or state `higher_is_better: true` in a YAML file."
    )
    return Directions(
        better,
        signatures,
        tuple(text.format(", ".join(kinds[kind])) for kind, text in told.items() if kind in kinds),
        tuple([f"{', '.join(kinds['unclear'])}: {unclear}"] if "unclear" in kinds else []),
    )


def _kind(scores: Scores, name: str) -> str:
    """Return what an error metric holds: "error", "negated", "one minus" or "unclear"."""
    own = [value for systems in scores[name].values() for value in systems.values()]
    if own and max(own) <= 0:
        return "negated"
    signs = [
        np.sign(slope)
        for other, pairs in scores.items()
        if other not in ERROR_METRICS and _is_known_higher(other)
        for pair, systems in pairs.items()
        if (slope := _slope(scores[name].get(pair, {}), systems)) is not None
    ]
    n_up, n_down = signs.count(1.0), signs.count(-1.0)
    if n_up > _SHARE * len(signs):
        return "one minus"
    return "error" if n_down > _SHARE * len(signs) else "unclear"


def _is_known_higher(name: str) -> bool:
    known = lookup(name)
    return known is not None and known.higher_is_better


def _slope(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Return the covariance of two metrics over the systems that both scored."""
    common = [system for system in one if system in other]
    if len(common) < _FEWEST_SYSTEMS:
        return None
    x = np.array([one[system] for system in common])
    y = np.array([other[system] for system in common])
    return float((x - x.mean()) @ (y - y.mean()))
