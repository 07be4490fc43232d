"""Against whom a share of comparisons was won, and whether such shares can be compared."""

from __future__ import annotations

from analysis.studies.study import listed
from store.engine import Store
from store.gold import SHARE_RULE, baseline_of
from store.judgments import list_criteria, load_preferences
from store.records import MetricRecord


def opponents_note(store: Store, dataset_uid: str, metric: MetricRecord) -> list[str]:
    """Say what a reader must know of shares of comparisons won; nothing about other metrics.

    Shares against one baseline can be compared, and so can those of systems that all met each
    other. Others depend on whom a system met: a good system that met good ones has a low share.
    """
    if metric.source == "automatic" or SHARE_RULE not in metric.signature:
        return []
    known = [c for c in list_criteria(store, dataset_uid) if c.name == metric.name]
    if not known or known[0].kind != "preference":
        return []
    found = load_preferences(store, dataset_uid, known[0].uid, kind=metric.source)
    baseline = baseline_of(found)
    if baseline is not None:
        name = found.systems[baseline]
        return [
            f"Every comparison was with {name}, which counts as one half; the scores of the others "
            f"are the shares of comparisons with {name} that they won."
        ]
    met: dict[int, set[int]] = {}
    for a, b in set(zip(found.first.tolist(), found.second.tolist(), strict=True)):
        met.setdefault(a, set()).add(b)
        met.setdefault(b, set()).add(a)
    short = [found.systems[a] for a, others in met.items() if len(others) < len(met) - 1]
    if not short:
        return []
    return [
        "Systems were compared with different opponents, so that shares of comparisons won depend "
        f"on whom a system met: {listed(sorted(short), most=4)} did not meet all others. "
        "`tiebreak agreement` orders such systems by their strengths (Bradley and Terry)."
    ]
