"""Commands about systems, datasets and claims, asked of data in which nothing differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from analysis.studies.pairs_words import VERDICTS_IN_WORDS
from benchmarks.calibration.end_to_end.corpora import CORPORA, rows_of_parts
from benchmarks.calibration.end_to_end.counting import HEADER, HIGHER, Counts, counted
from benchmarks.calibration.end_to_end.populations import POPULATIONS, FloatArray, Scores
from benchmarks.calibration.end_to_end.store_of import Asked


def rows_of(a: str, b: str, dataset: str, scores: Scores, pair: int) -> Iterator[str]:
    """Yield the lines of a pair in a table of scores."""
    for system, values in ((a, scores.a[pair]), (b, scores.b[pair])):
        for seed, run in enumerate(np.atleast_2d(values)):
            for item, score in enumerate(run):
                group = "" if scores.groups is None else f"g{scores.groups[item]}"
                if not math.isnan(score):
                    yield f"{system},{dataset},q{item},score,{score:.17g},{group},{seed}"


def ask_pairs(population: str, n_items: int, datasets: int) -> Callable[..., Counts]:
    """Ask `pairs` for the single reading of pairs that do not depend on each other."""
    kind = POPULATIONS[population]

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        lines: list[str] = []
        for d in range(datasets):
            scores = _drawn(population, rng, size, n_items)
            for pair in range(size):
                lines += rows_of(f"a{pair}", f"b{pair}", f"d{d}", scores, pair)
        store.read(HEADER, lines, HIGHER)
        return _read_pairs(store, [f"d{d}" for d in range(datasets)], size, kind.effect)

    return ask


def _read_pairs(store: Asked, datasets: Iterable[str], size: int, truth: float) -> Counts:
    """Count the answers about the pairs a0 and b0, a1 and b1, … of each dataset."""
    found = Counts()
    for dataset in datasets:
        answer = store.run("pairs", dataset, "--correction", "none")["result"]
        names = {name: place for place, name in enumerate(answer["systems"])}
        for pair in range(size):
            i, j = names[f"a{pair}"], names[f"b{pair}"]
            pvalue, low, high, code = (
                answer[key][i][j] for key in ("pvalue", "ci_low", "ci_high", "verdicts")
            )
            found = found.plus(counted(pvalue, VERDICTS_IN_WORDS[code], (low, high), truth))
    return found


def ask_pairs_of_corpora(data: str, n_items: int) -> Callable[..., Counts]:
    """Ask `pairs` for the single reading of a corpus metric."""
    kind = CORPORA[data]

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        lines: list[str] = []
        for pair in range(size):
            lines += rows_of_parts(f"a{pair}", f"b{pair}", "d", kind.draw(rng, n_items))
        header = f"system,dataset,item,metric,{','.join(kind.columns)}"
        store.read(header, lines, kind.direction)
        return _read_pairs(store, ["d"], size, 0.0)

    return ask


def _drawn(population: str, rng: Generator, n_pairs: int, n_items: int) -> Scores:
    kind = POPULATIONS[population]
    scores = kind.draw(rng, n_pairs, n_items)
    return scores._replace(a=scores.a + kind.effect) if kind.effect else scores


def ask_compare(population: str, n_items: int, command: str) -> Callable[..., Counts]:
    """Ask `compare` or `gate`, one dataset for each pair."""
    truth = POPULATIONS[population].effect

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        scores = _drawn(population, rng, size, n_items)
        lines = [line for d in range(size) for line in rows_of("a", "b", f"d{d}", scores, d)]
        store.read(HEADER, lines, HIGHER)
        found = Counts()
        for d in range(size):
            if command == "compare":
                got = store.run("compare", "a", "b", "--dataset", f"d{d}")["result"]
                found = found.plus(counted(got["pvalue"], got["verdict"], got["ci"], truth))
                continue
            words = ("--dataset", f"d{d}", "--system", "a", "--baseline", "b", "--fail-if", "worse")
            got = store.run("gate", *words, codes=(0, 1, 2))
            if got["exit_code"] == 2:  # a gate that could not fail says so instead of passing
                found = found.plus(Counts(asked=1, refused=1))
                continue
            one = counted(got["result"]["pvalue"], "", got["result"]["ci"], truth)
            found = found.plus(one._replace(alarms=int(got["exit_code"] == 1)))
        return found

    return ask


def _board(rng: Generator, n_systems: int, n_items: int, data: str) -> FloatArray:
    """Return scores of equally good systems, shape (n_systems, n_items); NaN = missing.

    With several runs of a system: (n_systems, n_trials, n_items).
    """
    shape = (n_systems, n_items)
    if data == "rare labels":
        hard = rng.random(n_items) < 0.1
        return np.where(hard & (rng.random(shape) < 0.5), 0.0, 1.0)
    if data == "skewed":
        return 0.3 * rng.normal(size=n_items) + 0.2 * rng.exponential(size=shape)
    ease = rng.normal(size=n_items)
    scores = 0.3 * ease + 0.2 * rng.normal(size=shape)
    if data == "missing, hard items":
        left_out = ease + 0.3 * rng.normal(size=shape) < np.quantile(ease, 0.3)
        scores[: n_systems // 2][left_out[: n_systems // 2]] = np.nan
    if data == "rare disasters":
        return 0.3 * ease + np.where(rng.random(shape) < 0.02, -0.65, 0.013)
    if data == "seeds":
        of_run = 0.03 * rng.normal(size=(n_systems, 3, 1))
        return 0.3 * ease + of_run + 0.2 * rng.normal(size=(n_systems, 3, n_items))
    return scores


def _board_lines(
    scores: FloatArray, dataset: str, groups: npt.NDArray[np.int64] | None = None
) -> Iterator[str]:
    for system, runs in enumerate(scores):
        for seed, row in enumerate(np.atleast_2d(runs)):
            for item, score in enumerate(row):
                if not math.isnan(score):
                    group = "" if groups is None else f"g{groups[item]}"
                    yield f"s{system},{dataset},q{item},score,{score:.17g},{group},{seed}"


def ask_leaderboard(data: str, n_systems: int, n_items: int) -> Callable[..., Counts]:
    """Ask for boards of equal systems: no rank may be excluded, and any may lead."""

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        lines: list[str] = []
        for d in range(size):
            if data == "few groups":
                scores = _drawn(data, rng, n_systems, n_items)
                lines += _board_lines(scores.a, f"d{d}", scores.groups)
            else:
                lines += _board_lines(_board(rng, n_systems, n_items, data), f"d{d}")
        store.read(HEADER, lines, HIGHER)
        found = Counts()
        for d in range(size):
            rows = store.run("leaderboard", f"d{d}")["result"]["rows"]
            ranked = [row["rank_interval"] for row in rows if row["rank_interval"]]
            excluded = any(tuple(ranks) != (1, len(ranked)) for ranks in ranked)
            found = found.plus(Counts(asked=1, refused=int(not ranked), alarms=int(excluded)))
        return found

    return ask


def ask_replicability(data: str, n_datasets: int, n_items: int) -> Callable[..., Counts]:
    """Ask for k of pairs that differ nowhere; each direction is a claim of its own."""

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        lines: list[str] = []
        for pair in range(size):
            for d in range(n_datasets):
                if data not in ("copies", "shared items") or d == 0:
                    scores = _drawn(data if data in POPULATIONS else "right or wrong",
                                    rng, 1, n_items)  # fmt: skip
                own = scores
                if data == "shared items":  # each dataset is half of one pool
                    left_out = rng.permutation(n_items) < n_items // 2
                    own = Scores(*(np.where(left_out, np.nan, part) for part in scores[:2]))
                lines += rows_of(f"a{pair}", f"b{pair}", f"d{d}", own, 0)
        store.read(HEADER, lines, HIGHER)
        answer = store.run("replicability")["result"]
        names = {name: place for place, name in enumerate(answer["systems"])}
        found = Counts()
        for pair in range(size):
            for one, other in ((f"a{pair}", f"b{pair}"), (f"b{pair}", f"a{pair}")):
                k = answer["k"][names[one]][names[other]]
                found = found.plus(
                    Counts(asked=1, refused=int(k is None), alarms=int((k or 0) > 0))
                )
        return found

    return ask


def ask_rank(n_systems: int, n_datasets: int, data: str = "symmetric") -> Callable[..., Counts]:
    """Ask for rankings of systems that are equally good on every dataset."""

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        lines: list[str] = []
        for d in range(size * n_datasets):
            lines += _board_lines(_board(rng, n_systems, 15, data), f"d{d}")
        store.read(HEADER, lines, HIGHER)
        found = Counts()
        for k in range(size):
            names = ",".join(f"d{k * n_datasets + d}" for d in range(n_datasets))
            got = store.run("rank", "--independent", "--datasets", names, "--n-resamples", "99")[
                "result"
            ]
            different = any(any(row) for row in got["different"])
            found = found.plus(Counts(asked=1, alarms=int(different)))
        return found

    return ask


def ask_rank_of_shared(data: str, n_systems: int, n_datasets: int) -> Callable[..., Counts]:
    """Ask for rankings over datasets of 60 shared items, with nothing but the defaults.

    "copies": one dataset under several names, of whose items only names are known. "shared items":
    each dataset has 30 items of one pool, whose contents are known.
    """

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        lines: list[str] = []
        for k in range(size):
            board = _board(rng, n_systems, 60, "symmetric")
            for d in range(n_datasets):
                held = range(60) if data == "copies" else rng.permutation(60)[:30]
                lines += [
                    f"s{system},k{k}d{d},q{item}"
                    + (f",Question {item} of pool {k}?" if data == "shared items" else ",")
                    + f",score,{row[item]:.17g}"
                    for system, row in enumerate(board)
                    for item in held
                ]
        store.read("system,dataset,item,input,metric,score", lines, HIGHER)
        found = Counts()
        for k in range(size):
            names = ",".join(f"k{k}d{d}" for d in range(n_datasets))
            got = store.run("rank", "--datasets", names, "--n-resamples", "99")["result"]
            different = any(any(row) for row in got["different"])
            refused = got["n_independent"] < 2
            found = found.plus(Counts(asked=1, refused=int(refused), alarms=int(different)))
        return found

    return ask


def ask_claims(data: str, n_systems: int, n_items: int) -> Callable[..., Counts]:
    """Ask for histories without progress: no record may hold."""

    def ask(store: Asked, rng: Generator, size: int) -> Counts:
        lines = []
        for d in range(size):
            if data == "few groups":
                scores = _drawn("few groups", rng, n_systems, n_items)
                board, groups = scores.a, scores.groups
            else:
                board, groups = _board(rng, n_systems, n_items, data), None
            for system, row in enumerate(board):
                for item, score in enumerate(row):
                    if math.isnan(score):
                        continue
                    group = "" if groups is None else f"g{groups[item]}"
                    date = f"2020-{system + 1:02d}-01"
                    lines.append(f"s{system},d{d},q{item},score,{score:.17g},{group},{date}")
        store.read("system,dataset,item,metric,score,group,date", lines, HIGHER)
        found = Counts()
        for d in range(size):
            rows = store.run("claims", f"d{d}")["result"]["rows"]
            tested = [row for row in rows if row["pvalue"] is not None]
            held = any(row["verdict"] == "supported" for row in tested)
            found = found.plus(Counts(asked=1, alarms=int(held)))
        return found

    return ask
