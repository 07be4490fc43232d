"""What the columns of a board are: a dataset each, a metric each, or a metric on a dataset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from store.importers.known_metrics import KNOWN, is_cost, is_qualifier, lookup, normal_metric
from store.importers.known_names import is_like_dataset
from store.importers.metric_registry import words_of
from store.importers.two_headers import JOINT

_SUMMARIES = words_of(
    """avg average mean overall total macro_avg macro_average micro_avg micro_average mean_score
    average_score avg_score overall_score overall_average total_average weighted_average
    weighted_avg all_avg avg_all mean_all global_average"""
)
"""What a column is called that sums up those beside it."""
_MEANS = words_of("avg average mean overall")
OVERALL = "overall"
"""The dataset of a figure over all datasets of a board."""
_OF_DATASETS = words_of(
    "wer cer mer ter bleu chrf chrf_pp spbleu sacrebleu comet meteor perplexity ppl win_rate"
)
"""Metrics of which a board has one for each dataset; F1 may be of classes."""
_VARIANTS = words_of(
    "raw norm normalized normalised strict lenient cased uncased lower upper orthographic ortho "
    "verbatim exact partial full short long greedy beam"
)
_GOOD = words_of("success successes correct passed solved resolved")
_BAD = words_of("failure failures failed error errors wrong incorrect")
_STATISTICS = words_of(
    "win wins loss losses tie ties draw draws score scores scale percentage percent mean median"
)
"""What words of a column say that is one of several figures of each system on one dataset."""
_GAP = re.compile(r"[\s/_\-.:|@()\[\]]+")
_MEASURES = words_of(
    """rate rates pct percent percentage ratio hits count counts n seconds secs ms mb gb index gap
    drop reduction violations"""
)
"""Last words of what is measured on one dataset."""
_FEWEST_DATASETS = 3
"""Columns of figures from which a table without a known metric has one for each dataset."""
_FEWEST_METRICS = 3
"""Known metrics beside which columns of unknown names are metrics too."""
_MOST_WORDS = 3
"""Of a metric's name."""


class MetricOn(NamedTuple):
    """A metric on a dataset, as one column's header names them."""

    dataset: str
    metric: str


def what_columns_are(columns: Sequence[str]) -> Literal["metrics", "datasets", ""]:
    """Return what columns of figures stand for: metrics where half or several are known ones."""
    n_known = sum(lookup(column) is not None for column in columns)
    n_told = sum(map(_is_statistic, columns))
    if 2 * max(n_known, n_told) >= len(columns) or n_known >= _FEWEST_METRICS:
        return "metrics"
    measured = [c for c in columns if lookup(c) is None and _is_measure(c)]
    if 2 * len(measured) >= len(columns) - n_known:
        return "metrics"
    return "datasets" if len(columns) - n_known >= _FEWEST_DATASETS > n_known else ""


def _is_statistic(column: str) -> bool:
    """Return whether the last word of a header is one of statistics: ``Wins``, ``BLEURTMean``."""
    words = normal_metric(re.sub(r"(?<=[^\W_])(?=[A-Z][a-z])", "_", column)).split("_")
    return words[-1] in _STATISTICS


def _is_measure(column: str) -> bool:
    """Return whether a header ends as that of a measure does, or counts: ``skill_rate``."""
    words = normal_metric(column).split("_")
    return len(words) > 1 and (words[-1] in _MEASURES or words[0] in ("n", "num") or "per" in words)


def metric_of_board(stem: str, columns: Sequence[str]) -> str | None:
    """Return the metric that a file is called after, ``cost_2026_06``; its columns are datasets."""
    first = next(iter(re.findall(r"[^\W\d_]+", stem)), "")
    n_known = sum(lookup(column) is not None or _is_statistic(column) for column in columns)
    is_of_one = lookup(first) is not None and 2 * n_known < len(columns)
    return first if is_of_one and len(columns) - n_known >= _FEWEST_DATASETS else None


def without_companions(columns: Sequence[str]) -> list[str]:
    """Return the columns without those that say something else: ``n_arc`` beside ``arc``, prices.

    Of companions there must be several of a kind.
    """
    of_kind: dict[str, list[str]] = {}
    for column in columns:
        kind, _, other = column.partition("_")
        if other in columns:
            of_kind.setdefault(kind, []).append(column)
    out = {c for found in of_kind.values() if len(found) >= _FEWEST_DATASETS for c in found}
    out |= {c for c in columns if any(map(is_cost, normal_metric(c).split("_")))}
    return [column for column in columns if column not in out]


def without_opposites(columns: Sequence[str], metric: str) -> list[str]:
    """Return the columns without those called ``success`` on a board of failures, and so on."""
    known = lookup(metric)
    turned = frozenset() if known is None else _BAD if known.higher_is_better else _GOOD
    return [c for c in columns if turned.isdisjoint(normal_metric(c).split("_"))]


def summaries(columns: Sequence[str]) -> list[str]:
    """Return the columns that sum up the others by their names; none where hardly any is left."""
    names = [normal_metric(column) for column in columns]
    found = [
        column
        for column, name in zip(columns, names, strict=True)
        if name in _SUMMARIES or _is_mean_of(name, names)
    ]
    return found if len(columns) - len(found) > 1 else []


def _is_mean_of(name: str, names: Sequence[str]) -> bool:
    """Return whether a header is the mean of what others name one by one: ``"Average WER"``."""
    words = name.split("_")
    metric = "_".join(words[1:] if words[0] in _MEANS else words[:-1])
    if metric not in KNOWN or _MEANS.isdisjoint((words[0], words[-1])):
        return False
    others = [one for one in names if one not in (name, metric)]
    alike = [o for o in others if o.endswith(f"_{metric}") or o.startswith(f"{metric}_")]
    return len(alike) > 1


def is_mean_of_group(column: str, columns: Sequence[str]) -> bool:
    """Return whether a header is the mean of a group of columns: ``"IFEval Avg"``.

    The group stands in a header of its own, above theirs.
    """
    words = normal_metric(column).split("_")
    bare = "_".join(word for word in words if word not in _MEANS)
    groups = {normal_metric(one.split(JOINT)[0]) for one in columns if JOINT in one}
    return len(bare) < len(normal_metric(column)) and bare in groups


def metrics_on_datasets(columns: Sequence[str]) -> dict[str, MetricOn]:
    """Return column -> dataset and metric, where each header names both, as ``"SADA WER"``.

    Nothing is returned unless that is so of all columns, for two datasets or more. What stands
    beside F1 or accuracy may be a class or a part of the answer: then the datasets must be known,
    or stand in a header of their own, above the metrics.
    """
    if joined := _joined_names(columns):
        return joined
    grouped = {column: column.split(JOINT) for column in columns if JOINT in column}
    if len(grouped) == len(columns) and all(len(parts) == 2 for parts in grouped.values()):
        found_above = {column: MetricOn(*parts) for column, parts in grouped.items()}
        groups = {one.dataset for one in found_above.values()}
        are_metrics = all(lookup(one.metric) is not None for one in found_above.values())
        if are_metrics and len(groups) > 1 and not any(lookup(group) for group in groups):
            return found_above
    found = {column: _split(column) for column in columns}
    placed = {column: one for column, one in found.items() if one is not None}
    names = list(dict.fromkeys(one.dataset for one in placed.values()))
    are_apart = len(set(placed.values())) == len(columns) == len(placed)
    if not are_apart or len(names) < 2:
        return {}
    are_of_data = all(normal_metric(one.metric) in _OF_DATASETS for one in placed.values())
    return placed if are_of_data or all(map(is_like_dataset, names)) else {}


def _joined_names(columns: Sequence[str]) -> dict[str, MetricOn]:
    """Return what headers such as ``BLEUnews``, ``BLEUall``, ``chrFnews``, ``chrFall`` name.

    Several metrics must stand before the same several endings, without a gap.
    """
    found: dict[str, MetricOn] = {}
    for column in columns:
        starts = (column[:end] for end in range(len(column) - 1, 2, -1))
        metric = next((one for one in starts if normal_metric(one) in KNOWN), None)
        if metric is None or _GAP.match(column[len(metric) :]) or _GAP.search(metric):
            return {}
        found[column] = MetricOn(column[len(metric) :], metric)
    endings: dict[str, set[str]] = {}
    for one in found.values():
        endings.setdefault(one.metric, set()).add(one.dataset)
    first, *others = endings.values() or [set()]
    is_grid = len(first) > 1 and bool(others) and all(other == first for other in others)
    return found if is_grid and not all(map(_is_variant, first)) else {}


def _split(column: str) -> MetricOn | None:
    """Return the two parts of a header; ``None`` where it is one name, or a variant of a metric."""
    if normal_metric(column) in KNOWN:
        return None
    gaps = list(_GAP.finditer(column))
    ends = [(column[: gap.start()], column[gap.end() :]) for gap in gaps[-_MOST_WORDS:]]
    starts = [(column[gap.end() :], column[: gap.start()]) for gap in reversed(gaps[:_MOST_WORDS])]
    for rest, metric in (*ends, *starts):
        name = _unwrapped(rest).removeprefix("on ")
        metric = _unwrapped(metric)
        if normal_metric(metric) in KNOWN and name and not _is_variant(name):
            return MetricOn(name, metric)
    return None


def _unwrapped(name: str) -> str:
    """Return a name without brackets around it; what the gap took of a pair inside comes back."""
    name = name.strip()
    for opened, closed in ("()", "[]"):
        bare = name.strip(f"{opened}{closed} ")
        name = f"{bare}{closed}" if bare.count(opened) > bare.count(closed) else bare
    return name


def _is_variant(name: str) -> bool:
    """Return whether words tell a variant of a metric, or another metric, and no dataset."""
    words = normal_metric(name).split("_")
    return lookup(name) is not None or all(
        word in _VARIANTS or word.isdigit() or is_qualifier(word) for word in words
    )
