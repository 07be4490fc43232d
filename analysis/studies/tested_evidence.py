"""One system against another, tested on every dataset where both have item scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from analysis.statistics.all_pairs.result import Pairwise
from analysis.statistics.precision import without_rounding
from analysis.statistics.validity_bounds import Reason
from analysis.studies.calibrated import no_valid_test
from analysis.studies.cells import Cell, CellKey, choose_metrics, load_cell, scored_cells
from analysis.studies.directed_pairs import (
    TestSettings,
    ToCount,
    allow_for_others,
    compare_pairs,
    to_count,
)
from analysis.studies.evidence import (
    DatasetEvidence,
    MissingDataset,
    PairEvidence,
    other_metrics,
)
from analysis.studies.study import count, listed
from analysis.studies.test_names import in_public_words, to_public
from store import vectors
from store.datasets import list_datasets
from store.engine import Store
from store.errors import NotFoundError
from store.records import MetricRecord, SystemRecord
from store.reported import list_reported_comparisons, list_reported_scores


def gather_tested(
    store: Store,
    a: SystemRecord,
    b: SystemRecord,
    *,
    metric: str | Sequence[str] | None,
    datasets: Sequence[str] | None,
    settings: TestSettings,
    alpha: float,
    progress: Callable[[int, int], None] | None = None,
) -> PairEvidence:
    """Test A against B on every cell where both have item scores.

    Parameters
    ----------
    store, a, b
        Where from, and which pair.
    metric
        Uid or name, several of them, or "all"; by default the one on most datasets.
    datasets
        Uids; by default all.
    settings
        How item scores are tested.
    alpha
        The intervals of the differences have 1 - alpha.
    progress
        Called with (cells done, cells in all).

    Raises
    ------
    NotFoundError
        They have item scores on no dataset in common.
    """
    cells = {
        key: systems
        for key, systems in scored_cells(store).items()
        if a.uid in systems or b.uid in systems
    }
    shared = [key for key, systems in cells.items() if a.uid in systems and b.uid in systems]
    measures = choose_metrics(store, metric, [metric_uid for _, metric_uid in shared])
    if not measures:
        raise NotFoundError(
            f"'{a.name}' and '{b.name}' have item scores on no dataset in common"
            + (f" for '{metric}'." if isinstance(metric, str) else ".")
            + _reported_hint(store, a, b)
        )
    known = {m.uid: m for m in measures}
    labels = {d.uid: d.label for d in list_datasets(store)}
    wanted = {
        key: (labels[key[0]].casefold(), measures.index(known[key[1]]))
        for key in cells
        if key[1] in known and (datasets is None or key[0] in datasets)
    }
    ordered = sorted(wanted, key=wanted.__getitem__)
    tested = [key for key in ordered if key in set(shared)]
    loaded, answers = [], []
    for done, key in enumerate(tested):
        if progress is not None:
            progress(done, len(tested))
        cell = load_cell(
            store,
            key,
            systems=[a.uid, b.uid],
            clusters=settings.clusters,
            test=settings.test,
        )
        loaded.append(cell)
        answers.append(_test_cell(cell, settings, alpha))
    counted = _allow_for_others(answers, [key[1] for key in tested])
    return PairEvidence(
        metrics=tuple(measures),
        datasets=tuple(
            _evidence(cell, answer, settings) for cell, answer in zip(loaded, counted, strict=True)
        ),
        cells=tuple(loaded),
        missing=tuple(
            _missing(key, known, labels, b.name if a.uid in cells[key] else a.name)
            for key in ordered
            if key not in set(tested)
        ),
        warnings=tuple(other_metrics(store, metric, measures, {m for _, m in shared})),
    )


def _missing(
    key: CellKey, metrics: dict[str, MetricRecord], labels: dict[str, str], without: str
) -> MissingDataset:
    return MissingDataset(labels[key[0]], key[0], metrics[key[1]].label, without)


class _Answers(NamedTuple):
    """Of the tests of one cell, in both readings."""

    undirected: Pairwise
    of_both: ToCount
    of_each: ToCount


def _test_cell(cell: Cell, settings: TestSettings, alpha: float) -> _Answers | str:
    """Test one cell; words where its scores cannot be tested."""
    try:
        undirected = compare_pairs(cell, settings, directed=False, alpha=alpha)
        directed = compare_pairs(cell, settings, directed=True)
    except ValueError as problem:
        return in_public_words(str(problem))
    return _Answers(
        undirected, to_count(cell, undirected, settings), to_count(cell, directed, settings)
    )


def _allow_for_others(
    answers: Sequence[_Answers | str], metrics: Sequence[str]
) -> list[_Answers | str]:
    """Let the datasets of each metric say what losses there are."""
    found = list(answers)
    for metric in dict.fromkeys(metrics):
        places = [
            k for k, own in enumerate(metrics) if own == metric and not isinstance(answers[k], str)
        ]
        tested = [answer for k in places if not isinstance(answer := answers[k], str)]
        if not tested:
            continue
        both = allow_for_others([one.of_both for one in tested], directed=False)
        each = allow_for_others([one.of_each for one in tested], directed=True)
        for k, one, of_both, of_each in zip(places, tested, both, each, strict=True):
            found[k] = _Answers(one.undirected, of_both, of_each)
    return found


def _evidence(cell: Cell, answer: _Answers | str, settings: TestSettings) -> DatasetEvidence:
    matrix, metric = cell.matrix, cell.matrix.metric
    scores_a, scores_b = matrix.scores
    both = vectors.scored(scores_a) & vectors.scored(scores_b)
    score_a = vectors.aggregate(scores_a[both], metric.aggregation)
    score_b = vectors.aggregate(scores_b[both], metric.aggregation)
    difference = float(without_rounding(score_a, score_b))
    low = high = error = two_sided = alone = a_over_b = b_over_a = math.nan
    reason, name, skewed, hidden, one_sided = "", str(settings.test), False, False, ""
    if isinstance(answer, str):
        reason = answer
    else:
        undirected, of_both, of_each = answer
        name = to_public(undirected.test)
        two_sided, alone = float(of_both.pvalue[0, 1]), float(undirected.pvalue[0, 1])
        a_over_b, b_over_a = float(of_each.pvalue[0, 1]), float(of_each.pvalue[1, 0])
        done = [Reason(of_each.reason[place]) for place in ((0, 1), (1, 0))]
        skewed = any(r not in (Reason.KEPT, Reason.UNSEEN) for r in done)
        hidden = Reason.UNSEEN in done
        one_sided = listed(
            [s for s, r in zip(matrix.systems, done, strict=True) if r is Reason.NO_VALID_TEST]
        )
        low, high = float(undirected.ci_low[0, 1]), float(undirected.ci_high[0, 1])
        error = float(undirected.standard_error[0, 1])
        if undirected.refusal[0, 1]:
            reason = no_valid_test(int(undirected.n_units[0, 1]))
        elif math.isnan(two_sided):
            n_items = int(both.sum())
            reason = (
                "no test is valid for such skewed differences of so few groups."
                if not math.isnan(float(undirected.pvalue[0, 1]))
                else "all items differ by the same amount, or the metric is not defined on them."
                if n_items > 1
                else f"{count(n_items, 'item')} with a score from both."
            )
    gain = metric.sign * difference
    return DatasetEvidence(
        dataset=matrix.dataset.label,
        dataset_uid=matrix.dataset.uid,
        metric=metric.label,
        pvalue=two_sided,
        pvalue_a_over_b=a_over_b,
        pvalue_b_over_a=b_over_a,
        favours=matrix.systems[0] if gain > 0 else matrix.systems[1] if gain < 0 else None,
        difference=difference,
        ci_low=low,
        ci_high=high,
        standard_error=error,
        score_a=score_a,
        score_b=score_b,
        n_items=int(both.sum()),
        n_missing=len(both) - int(both.sum()),
        test=name,
        sidedness="two-sided",
        printed="",
        source="",
        not_testable=reason,
        skewed=skewed,
        hides_losses=hidden,
        no_valid_test_for=one_sided,
        pvalue_alone=alone,
    )


def _reported_hint(store: Store, a: SystemRecord, b: SystemRecord) -> str:
    stated = list_reported_comparisons(store, between=(a.uid, b.uid))
    if stated:
        return f" There are {len(stated)} reported p-values for them: ask with --reported."
    with_figures = {r.system_uid for r in list_reported_scores(store)}
    if {a.uid, b.uid} <= with_figures:
        return " `tiebreak rank --reported --systems …` compares their reported figures."
    return ""
