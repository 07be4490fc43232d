"""Tests of all pairs against scipy, statsmodels and sacrebleu, pair by pair or batched."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sacrebleu import significance
from sacrebleu.metrics import BLEU, CHRF
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from threadpoolctl import threadpool_limits

from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.closed_forms import paired_moments, t_all_pairs
from analysis.statistics.all_pairs.pairwise import pairwise

_REPLICATES = 9_999
_CORPUS_REPLICATES = 2_000
_SENTENCES = 2_000


def run() -> list[tuple[str, float, float]]:
    """Return (name, our time as a share of the peer's, largest share allowed)."""
    with threadpool_limits(1):
        return [*_closed_forms(), *_bootstrap(), *_corpus()]


def _closed_forms() -> list[tuple[str, float, float]]:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(130, 500))
    ratings = rng.integers(0, 101, size=(130, 500)).astype(float)
    few, many = rng.random((16, 133)), rng.random((100, 2_000))
    few, many = (few < 0.6).astype(float), (many < 0.6).astype(float)
    return [
        (
            "t and p of 130 systems × 500 items against scipy, axis=1",
            _ratio(
                lambda: t_all_pairs(paired_moments(scores)),
                lambda: _batched(scores, stats.ttest_rel),
            ),
            0.15,
        ),
        (
            "all that is said by t of 130 systems × 500 items against it",
            _ratio(lambda: _ours(scores, "t"), lambda: _batched(scores, stats.ttest_rel)),
            1 / 5,
        ),
        (
            "Wilcoxon of 130 systems × 500 items against scipy, axis=1",
            _ratio(lambda: _ours(scores, "wilcoxon"), lambda: _batched(scores, _wilcoxon)),
            1 / 5,
        ),
        (
            "Wilcoxon of 130 systems × 500 ratings 0-100, the same",
            _ratio(lambda: _ours(ratings, "wilcoxon"), lambda: _batched(ratings, _wilcoxon)),
            1 / 5,
        ),
        (
            "McNemar of 16 systems × 133 items against a statsmodels loop",
            _ratio(lambda: _ours(few, "mcnemar"), lambda: _mcnemar_loop(few), times=30),
            1 / 10,
        ),
        (
            "McNemar of 100 systems × 2,000 items against a statsmodels loop",
            _ratio(lambda: _ours(many, "mcnemar"), lambda: _mcnemar_loop(many), times=2),
            1 / 20,
        ),
    ]


def _bootstrap() -> list[tuple[str, float, float]]:
    """Bootstrap p and percentile interval of every pair; the peer's time from two pairs."""
    scores = np.random.default_rng(1).normal(size=(130, 500))
    n_pairs, timed = 130 * 129 // 2, 2

    def peer() -> None:
        for other in range(1, 1 + timed):
            stats.bootstrap(
                (scores[0] - scores[other],),
                np.mean,
                method="percentile",
                n_resamples=_REPLICATES,
                rng=np.random.default_rng(0),
            )

    ratio = _ratio(lambda: _ours(scores, "bootstrap", interval="percentile"), peer, times=3)
    name = "Bootstrap p and interval of 130 × 500 against scipy's interval"
    return [(name, ratio * timed / n_pairs, 1 / 1_000)]


def _corpus() -> list[tuple[str, float, float]]:
    """Exchanging five systems, the first against the others, from sufficient statistics."""
    hypotheses, references = _texts()
    found = []
    for name, aggregation, metric in (
        ("BLEU", "bleu", BLEU(references=[references])),
        ("chrF", "chrf", CHRF(references=[references])),
    ):
        extracted = [metric._extract_corpus_statistics(text, None) for text in hypotheses]
        counts = np.array([_columns(np.array(one, dtype=float), name) for one in extracted])
        ratio = _ratio(
            lambda counts=counts, aggregation=aggregation: _ours(
                counts, "signflip", aggregation=aggregation, n_resamples=_CORPUS_REPLICATES
            ),
            lambda metric=metric, extracted=extracted: _sacrebleu(metric, extracted),
            times=2,
        )
        found.append(
            (f"{name} by exchange, 5 × 2,000, against sacrebleu's resampling", ratio, 1 / 30)
        )
    return found


def _ours(scores: FloatArray, test: str, *, interval: str = "none", **options: Any) -> object:
    return pairwise(scores, test=test, interval=interval, correction="none", n_threads=1, **options)


def _batched(scores: FloatArray, test: Callable[..., object]) -> None:
    for first in range(len(scores) - 1):
        others = scores[first + 1 :]
        test(np.broadcast_to(scores[first], others.shape), others, axis=1)


def _wilcoxon(a: FloatArray, b: FloatArray, axis: int) -> object:
    return stats.wilcoxon(a, b, axis=axis, method="asymptotic")


def _mcnemar_loop(scores: FloatArray) -> None:
    right = scores == 1
    for first in range(len(scores) - 1):
        for second in range(first + 1, len(scores)):
            a, b = right[first], right[second]
            table = [[np.sum(a & b), np.sum(a & ~b)], [np.sum(~a & b), np.sum(~a & ~b)]]
            mcnemar(table, exact=True)


def _sacrebleu(metric: BLEU | CHRF, extracted: Sequence[Any]) -> None:
    """Run sacrebleu's test on statistics that are there already, so that only it is timed."""
    baseline = {"metric": (extracted[0], metric._aggregate_and_compute(extracted[0]))}
    for one in extracted[1:]:
        known = _Extracted(metric, one)
        significance._paired_ar_test(
            baseline, "system", [""] * len(one), None, {"metric": known}, _CORPUS_REPLICATES, seed=1
        )


class _Extracted:
    """A sacrebleu metric that has its statistics already."""

    def __init__(self, metric: BLEU | CHRF, statistics: Any) -> None:
        self._metric, self._statistics = metric, statistics

    def _extract_corpus_statistics(self, hypotheses: object, references: object) -> Any:
        return self._statistics

    def _aggregate_and_compute(self, statistics: Any) -> Any:
        return self._metric._aggregate_and_compute(statistics)


def _columns(counts: FloatArray, name: str) -> FloatArray:
    """Return sacrebleu's statistics in the order of `AGGREGATIONS`: the same for both."""
    return counts if name == "BLEU" else counts[:, :18]


def _texts() -> tuple[list[list[str]], list[str]]:
    """Return five systems' sentences and the references: words exchanged at random."""
    rng = np.random.default_rng(2)
    words = np.array(["".join(rng.choice(list("abcdefghij"), size=5)) for _ in range(2_000)])
    references = [rng.choice(words, size=rng.integers(8, 25)) for _ in range(_SENTENCES)]
    systems = []
    for share in (0.3, 0.31, 0.32, 0.33, 0.35):
        systems.append(
            [
                " ".join(
                    np.where(rng.random(len(line)) < share, rng.choice(words, len(line)), line)
                )
                for line in references
            ]
        )
    return systems, [" ".join(line) for line in references]


def _ratio(ours: Callable[[], object], peer: Callable[[], object], *, times: int = 3) -> float:
    """Return our CPU time over the peer's; the least of several runs each, in turn."""
    ours()  # the loops are compiled on first use
    best = [float("inf"), float("inf")]
    for _ in range(times):
        for which, function in enumerate((ours, peer)):
            start = time.process_time()
            function()
            best[which] = min(best[which], time.process_time() - start)
    return best[0] / best[1]
