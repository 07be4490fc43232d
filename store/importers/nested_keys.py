"""Which level of nested JSON names the metrics, where it is not the innermost one.

``{"accuracy": {"gpt-4": {"squad": 0.5}}}`` and ``{"squad": {"accuracy": {"gpt-4": 0.5}}}`` say the
same as ``{"gpt-4": {"squad": {"accuracy": 0.5}}}``.
"""

from __future__ import annotations

from collections.abc import Sequence

from store.importers.known_metrics import is_quality, lookup
from store.importers.known_names import share_of_systems

_SURE = 0.5

_Leaf = tuple[tuple[str, ...], str, float]
"""The keys above a number, its own name, and the number."""


def metrics_last(leaves: Sequence[_Leaf]) -> list[_Leaf]:
    """Return figures with the metric as their own name; nothing where it is no level above.

    Parameters
    ----------
    leaves
        All numbers. Their own names are no known metrics, those of some level are like names of
        systems or of datasets, and those of just one level are all metrics; else nothing is said.
    """
    depths = {len(keys) for keys, _, _ in leaves}
    if len(depths) != 1 or 0 in depths or any(lookup(name) is not None for _, name, _ in leaves):
        return []
    whole = [((*keys, name), value) for keys, name, value in leaves]
    levels = [list(dict.fromkeys(names)) for names in zip(*(k for k, _ in whole), strict=True)]
    of_metrics = [n for n, names in enumerate(levels[:-1]) if all(map(is_quality, names))]
    if len(of_metrics) != 1 or max(abs(share_of_systems(names)) for names in levels) < _SURE:
        return []
    (level,) = of_metrics
    return [((*keys[:level], *keys[level + 1 :]), keys[level], value) for keys, value in whole]
