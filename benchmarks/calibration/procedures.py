"""What is calibrated: every test and every interval, called as the product calls them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics.all_pairs.simultaneous import SIMULTANEOUS
from analysis.statistics.effects.effect_size import effect_sizes
from analysis.statistics.intervals.bootstrap import BOOTSTRAP_INTERVALS, bootstrap_interval
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.intervals.scores import score_interval
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.paired.result import Groups
from analysis.statistics.paired.tests import paired_test
from benchmarks.calibration.corrections import (
    CORRECTIONS,
    LEVELS,
    N_RESAMPLES,
    correct,
    correct_at_once,
)
from benchmarks.calibration.populations import POPULATIONS, Population, Truth
from benchmarks.calibration.samples import Sample

FloatArray = npt.NDArray[np.float64]
_EQUAL = 1e-9


class Row(NamedTuple):
    """A test or an interval, which has figures of its own."""

    name: str
    title: str
    family: str = ""
    """Where it stands on the page, if not with its job."""


class Job(NamedTuple):
    """A call that gives the figures of one or several rows."""

    rows: tuple[Row, ...]
    family: str
    populations: tuple[str, ...]
    run: Callable[[Sample, Truth, Groups, int], FloatArray]
    """From a sample, the truth about it, groups and a seed: an `outcome` per row."""
    takes_groups: bool = False
    effect: float = 0.0
    """Difference between the systems, in the population's own unit."""
    sizes: tuple[int, ...] = (20, 50, 200, 1_000)
    share: float = 1.0
    """Share of the repetitions that it gets, for slow ones."""
    share_of_many: float = 1.0
    """The same with 1,000 items."""

    @property
    def name(self) -> str:
        return self.rows[0].name


def outcome_of_test(pvalue: float) -> tuple[float, float, float]:
    """Return false alarms at both levels, and whether the test gave no answer."""
    return pvalue <= LEVELS[0], pvalue <= LEVELS[1], math.isnan(pvalue)


def outcome_of_interval(interval: Interval, truth: float) -> tuple[float, float, float]:
    """Return whether the truth was missed, nothing, and whether there was no interval."""
    slack = _EQUAL * max(1.0, abs(truth))
    missed = interval.low > truth + slack or interval.high < truth - slack
    return missed, math.nan, math.isnan(interval.low)


def _names(*kinds: str, means_equal: bool = True) -> tuple[str, ...]:
    def fits(population: Population) -> bool:
        return population.kind in kinds and (population.means_equal or not means_equal)

    return tuple(p.name for p in POPULATIONS.values() if fits(p))


def _test(name: str, aggregation: str = "mean") -> Callable[..., FloatArray]:
    options = {"n_resamples": N_RESAMPLES} if name.startswith(("signflip", "bootstrap")) else {}

    def run(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
        result = paired_test(
            sample.a,
            sample.b,
            test=name,
            aggregation=aggregation,
            groups=groups,
            rng=seed,
            # Options of several types, which mypy joins into object.
            **options,  # type: ignore[arg-type]
        )
        return np.array([outcome_of_test(result.pvalue)])

    return run


def _equivalence(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
    """Take the difference as the margin: any verdict of equivalence is then false."""
    found = infer_pair(sample.a, sample.b, margin=truth.difference, groups=groups).equivalence
    assert found is not None  # as there is a margin
    return np.array([outcome_of_test(found.pvalue)])


def _difference(method: str, aggregation: str = "mean") -> Callable[..., FloatArray]:
    def run(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
        options: dict[str, Any] = {"aggregation": aggregation, "groups": groups}
        options |= {"n_resamples": N_RESAMPLES, "rng": seed}
        if method in BOOTSTRAP_INTERVALS:
            interval = bootstrap_interval(sample.a, sample.b, method=method, **options)
        else:
            interval = infer_pair(sample.a, sample.b, interval=method, **options).interval
        return np.array([outcome_of_interval(interval, truth.difference)])

    return run


def _interval_of(test: str, aggregation: str = "mean") -> Callable[..., FloatArray]:
    """Return a run of the interval that goes with a test."""

    def run(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
        found = infer_pair(
            sample.a,
            sample.b,
            test=test,
            aggregation=aggregation,
            groups=groups,
            n_resamples=N_RESAMPLES,
            rng=seed,
        )
        return np.array([outcome_of_interval(found.interval, truth.difference)])

    return run


def _median(method: str) -> Callable[..., FloatArray]:
    def run(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
        interval = bootstrap_interval(
            sample.a,
            sample.b,
            statistic="median",
            groups=groups,
            method=method,
            n_resamples=N_RESAMPLES,
            rng=seed,
        )
        return np.array([outcome_of_interval(interval, truth.median)])

    return run


def _score(method: str, aggregation: str = "mean") -> Callable[..., FloatArray]:
    def run(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
        interval = score_interval(
            sample.a,
            aggregation=aggregation,
            groups=groups,
            method=method,
            n_resamples=N_RESAMPLES,
            rng=seed,
        )
        return np.array([outcome_of_interval(interval, truth.score)])

    return run


def _sizes(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
    sizes = effect_sizes(sample.a, sample.b, groups=groups)
    intervals = (
        (sizes.hodges_lehmann_ci, truth.centre),
        (sizes.cohens_dz_ci, truth.dz),
        (sizes.hedges_g_ci, truth.dz),
        (sizes.rank_biserial_ci, truth.biserial),
        (sizes.probability_of_superiority_ci, truth.superiority),
    )
    return np.array([outcome_of_interval(interval, value) for interval, value in intervals])


_ALL = _names("graded", "binary")
_ALL_MEDIANS = _names("graded", "binary", means_equal=False)
_GRADED = _names("graded")
_BINARY = _names("binary")
_GOLD = _names("correlation")
_CORPUS = ("ratio", "f1", "bleu")
_EFFECT = 0.5
_METHODS = {
    "t": "Student's t",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
    "studentized": "studentized bootstrap",
    "tango": "Tango's score interval",
    "newcombe": "Newcombe's interval",
}
_BOOTSTRAPS = ("percentile", "basic", "bca", "studentized")


def _jobs_of_tests() -> list[Job]:
    def job(name: str, title: str, family: str, names: tuple[str, ...], **more: float) -> Job:
        takes = name in ("t", "signflip", "bootstrap", "signflip-median", "bootstrap-median")
        # The fields of a job, by name; mypy knows only that they are numbers.
        return Job((Row(name, title),), family, names, _test(name), takes_groups=takes, **more)  # type: ignore[arg-type]

    jobs = [
        job("t", "t", "means", _ALL),
        job("signflip", "sign-flip permutation", "means", _ALL),
        job("bootstrap", "bootstrap", "means", _ALL, share_of_many=0.5),
        job("wilcoxon", "Wilcoxon signed-rank", "ranks", _ALL),
        job("sign", "sign", "ranks", _ALL_MEDIANS),
        job("signflip-median", "permutation, median", "medians", _ALL_MEDIANS, share_of_many=0.5),
        job("bootstrap-median", "bootstrap, median", "medians", _ALL_MEDIANS, share_of_many=0.5),
        job("score", "score", "shares", _BINARY),
        job("mcnemar", "McNemar, exact", "shares", _BINARY),
        job("mcnemar-midp", "McNemar, mid-p", "shares", _BINARY),
        job("mcnemar-chi2", "McNemar, χ²", "shares", _BINARY),
        job("mcnemar-chi2-cc", "McNemar, χ² corrected", "shares", _BINARY),
    ]
    tests = (("jackknife", "jackknife"), ("steiger", "Steiger"), ("williams", "Williams"))
    for test, title in tests:
        jobs += [_of_gold(test, title, kind) for kind in ("pearson", "spearman")]
    jobs += [
        _of_gold("signflip", "sign-flip permutation", kind) for kind in ("pearson", "spearman")
    ]
    jobs.append(_of_gold("bootstrap", "bootstrap", "pearson"))
    for test, title in (("signflip", "sign-flip permutation"), ("bootstrap", "bootstrap")):
        jobs += [
            Job((Row(f"{test} {kind}", title),), "corpus", (kind,), _test(test, kind))
            for kind in _CORPUS
        ]
    jobs += [
        Job(
            (Row(f"bootstrap-percentile {kind}", "bootstrap, percentiles"),),
            "corpus",
            (kind,),
            _test("bootstrap-percentile", kind),
            share=0.25,
        )
        for kind in _CORPUS
    ]
    row = Row("tost", "two one-sided tests")
    jobs.append(Job((row,), "equivalence", _ALL, _equivalence, takes_groups=True, effect=_EFFECT))
    return jobs


def _of_gold(test: str, title: str, kind: str) -> Job:
    row = Row(f"{test} {kind}", f"{title}, {kind.capitalize()}")
    takes = test in ("signflip", "bootstrap", "jackknife")
    share = 0.125 if test == "jackknife" else 1.0
    run = _test(test, kind)
    return Job((row,), "correlations", _GOLD, run, takes_groups=takes, share=share)


def _jobs_of_intervals() -> list[Job]:
    # A way to run a job, and its fields by name.
    def job(name: str, title: str, family: str, names: tuple[str, ...], run, **more) -> Job:  # type: ignore[no-untyped-def]
        options = {"takes_groups": True, "effect": _EFFECT} | more
        return Job((Row(f"ci {name}", title),), family, names, run, **options)

    jobs = [
        job(
            f"difference {m}",
            _METHODS[m],
            "ci differences",
            _ALL,
            _difference(m),
            share_of_many=1.0 if m == "t" else 0.5,
        )
        for m in ("t", *_BOOTSTRAPS)
    ]
    jobs.append(
        job(
            "difference inverted",
            "inverted sign-flip test",
            "ci differences",
            _ALL,
            _interval_of("signflip"),
            share=0.2,
        )
    )
    jobs += [
        job(
            f"difference {m}",
            _METHODS[m],
            "ci shares",
            _BINARY,
            _difference(m),
            takes_groups=False,
        )
        for m in ("tango", "newcombe")
    ]
    jobs += [
        job(f"median {m}", _METHODS[m], "ci medians", _GRADED, _median(m), share_of_many=0.5)
        for m in ("percentile", "basic", "bca")
    ]
    jobs.append(
        job(
            "median studentized",
            _METHODS["studentized"],
            "ci medians",
            ("normal", "skewed", "ratings"),
            _median("studentized"),
            sizes=(20, 50),
            share=0.1,
        )
    )
    jobs.append(
        Job(
            (
                Row("ci hodges-lehmann", "Hodges–Lehmann, signed-rank"),
                Row("ci d_z", "Cohen's d_z, noncentral t"),
                Row("ci g", "Hedges' g, noncentral t"),
                Row("ci rank-biserial", "rank-biserial, U-statistic"),
                Row("ci superiority", "P(superiority), Tango"),
            ),
            "ci sizes",
            _ALL,
            _sizes,
            takes_groups=True,
            effect=_EFFECT,
        )
    )
    jobs.append(job("score t", "mean, Student's t", "ci scores", _ALL, _score("t")))
    jobs.append(job("score wilson", "share, Wilson", "ci scores", _BINARY, _score("wilson")))
    jobs += [
        job(
            f"score {kind}",
            f"{POPULATIONS[kind].title.split()[0]}, BCa bootstrap",
            "ci scores",
            (kind,),
            _score("bca", kind),
            effect=0.0,
        )
        for kind in ("ratio", "f1")
    ]
    for kind in ("pearson", "spearman"):
        title = f"percentile bootstrap, {kind.capitalize()}"
        run = _difference("percentile", kind)
        share = 1.0 if kind == "pearson" else 0.5
        jobs.append(
            job(
                f"correlation {kind}",
                title,
                "ci correlations",
                _GOLD,
                run,
                effect=0.0,
                share=share,
                share_of_many=0.5,
            )
        )
        jobs.append(
            job(
                f"jackknife {kind}",
                f"jackknife, {kind.capitalize()}",
                "ci correlations",
                _GOLD,
                _interval_of("jackknife", kind),
                effect=0.0,
                share=0.125,
            )
        )
    for kind in _CORPUS:
        jobs += [
            job(
                f"{kind} {m}",
                _METHODS[m],
                "ci corpus",
                (kind,),
                _difference(m, kind),
                effect=0.0,
                takes_groups=False,
                share=0.5 if (kind, m) == ("bleu", "studentized") else 1.0,
            )
            for m in _BOOTSTRAPS
        ]
    return jobs


def _jobs_of_corrections() -> list[Job]:
    jobs = []
    for null, effect in (("all", 0.0), ("half", 4.0)):
        for test in ("t", "signflip", "mcnemar"):
            rows = tuple(Row(f"{null} {test} {c}", c) for c in CORRECTIONS)
            boards = ("board-binary",) if test == "mcnemar" else ("board-normal", "board-skewed")
            family = f"corrections {null}"
            jobs.append(Job(rows, family, boards, correct(test), effect=effect, sizes=(50, 200)))
        boards = ("board-normal", "board-skewed", "board-binary")
        which = "all equal" if null == "all" else "ten better"
        rows = (
            *(Row(f"{null} once {c}", c) for c in SIMULTANEOUS),
            *(Row(f"ci {null} {c}", f"{c}, {which}", "ci at once") for c in SIMULTANEOUS),
        )
        options = {"effect": effect, "sizes": (50, 200), "share": 0.075}
        # Fields of several types, which mypy joins into object.
        jobs.append(Job(rows, f"corrections {null}", boards, correct_at_once, **options))  # type: ignore[arg-type]
    return jobs


JOBS = {
    job.name: job for job in (*_jobs_of_tests(), *_jobs_of_intervals(), *_jobs_of_corrections())
}
ROWS = {row.name: row for job in JOBS.values() for row in job.rows}
JOBS_OF_ROWS = {row.name: job for job in JOBS.values() for row in job.rows}
FAMILIES = {row.name: row.family or job.family for job in JOBS.values() for row in job.rows}
