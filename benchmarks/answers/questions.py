"""The command lines whose answers are recorded: every command that answers something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from benchmarks.answers.stores import AnsweredStore, Board

Line = tuple[str, ...]
Ask = Callable[[Line], Any]
"""Takes a command line, returns the `result` of its answer, or None where there is none."""

PAIR_TESTS = (
    "t",
    "wilcoxon",
    "sign",
    "permutation",
    "permutation-median",
    "bootstrap",
    "bootstrap-median",
    "mcnemar",
    "mcnemar-midp",
    "mcnemar-chi2",
    "mcnemar-chi2-cc",
    "steiger",
    "williams",
)
GOLD_TESTS = (
    "fisher-z",
    "williams",
    "steiger",
    "perm-inputs",
    "perm-systems",
    "perm-both",
    "cell-swap",
    "boot-systems",
    "boot-both",
)
BOARD_TESTS = (
    "t",
    "wilcoxon",
    "sign",
    "permutation",
    "bootstrap",
    "mcnemar",
    "steiger",
)
CORRECTIONS = ("none", "bonferroni", "holm", "hochberg", "hommel", "bh", "by", "max-t")
QUICK_PAIRS = 3
MOST_SYSTEMS = 17
"""Every two of so many systems of a board are compared: of the first by name."""
LISTS = (
    "systems",
    "datasets",
    "metrics",
    "runs",
    "claims",
    "criteria",
    "annotators",
    "ingests",
)
_POWER: tuple[Line, ...] = (
    ("mcnemar", "--n=500", "--accuracy=0.8", "--gap=0.03"),
    ("mcnemar", "--n=500", "--accuracy=0.8", "--gap=0.03", "--variant=midp"),
    ("mde", "--n=500", "--accuracy=0.8"),
    ("items", "--accuracy=0.8", "--gap=0.02"),
    ("items", "--accuracy=0.8", "--gap=0.02", "--alternative=greater", "--power=0.9"),
    ("t", "--mean=0.1", "--sd=1", "--n=200"),
    ("t", "--mean=0.1", "--sd=1", "--power=0.8"),
    ("t", "--sd=1", "--n=200", "--power=0.8", "--alternative=less"),
    ("bleu", "--n=2000", "--delta=1"),
    ("bleu", "--n=2000", "--power=0.8"),
    ("ratings", "--workers=3", "--items=100", "--effect=0.2"),
    ("ratings", "--workers=3", "--items=100", "--effect=0.2", "--variance=low"),
)


def questions(store: AnsweredStore, ask: Ask, *, quick: bool = False) -> Iterator[Line]:
    """Yield command lines, without ``--json``; `ask` tells which systems a board has.

    A quick selection holds few boards of a store, few pairs of a board, and few options.
    """
    for kind in LISTS:
        yield ("ls", kind)
    boards = [board for board in store.boards if board.options][:2] if quick else store.boards
    for board in boards:
        yield from _of_board(board, ask, quick=quick)
    for dataset, criterion, metrics, judge in store.golds:
        yield (
            "judges",
            dataset,
            f"--gold={criterion}",
            *([f"--judge={judge}"] if judge else []),
        )
        yield from _of_gold(dataset, criterion, metrics, quick=quick)
    for dataset in store.claims:
        yield ("claims", dataset)
        if not quick:
            yield ("claims", dataset, "--rule=lord-dependent")
            yield ("claims", dataset, "--counting=looks", "--gain=0.02")
    yield ("claims",)
    yield from _across(store, ask, quick=quick)
    if store.name == "example":
        yield from (("power", *words) for words in _POWER)
        yield ("simulate", "pvalues", "normal", "--iterations=20")


def pair_line(board: Board, a: str, b: str, *options: str) -> Line:
    """Return the command line that compares two systems of a board."""
    return (
        "compare",
        a,
        b,
        f"--dataset={board.dataset}",
        f"--metric={board.metric}",
        *options,
    )


def board_line(board: Board, *options: str) -> Line:
    """Return the command line of all pairs of a board."""
    return ("pairs", board.dataset, f"--metric={board.metric}", *options)


def systems_of(board: Board, ask: Ask) -> list[str]:
    """Return the names of the first systems that stand on a board, sorted."""
    answer = ask(("leaderboard", board.dataset, f"--metric={board.metric}"))
    return sorted(row["system"] for row in answer["rows"])[:MOST_SYSTEMS] if answer else []


def _of_board(board: Board, ask: Ask, *, quick: bool) -> Iterator[Line]:
    dataset, metric = board.dataset, f"--metric={board.metric}"
    yield ("show", "dataset", dataset)
    yield ("leaderboard", dataset, metric)
    yield ("leaderboard", dataset, metric, "--correction=bh", "--alpha=0.1")
    yield ("items", dataset, metric)
    yield ("power", "dataset", dataset, metric)
    yield ("export", "leaderboard", dataset, metric, "--format=csv")
    yield ("export", "pairs", dataset, metric, "--format=csv")
    systems = systems_of(board, ask)
    pairs = list(combinations(systems, 2))
    if quick:
        pairs = pairs[:QUICK_PAIRS]
    corrections = ("none", "holm") if quick else CORRECTIONS
    yield from (board_line(board, f"--correction={name}") for name in corrections)
    yield from (pair_line(board, a, b) for a, b in pairs)
    if not board.options:
        return
    yield from (board_line(board, f"--test={name}") for name in BOARD_TESTS)
    yield board_line(board, "--margin=0.05")
    yield board_line(board, "--alpha=0.01", "--correction=bh")
    yield board_line(board, "--clusters")
    yield board_line(board, "--no-clusters")
    yield board_line(board, "--test=t", "--correction=max-t")
    for a, b in pairs[:1] if quick else [pairs[0], pairs[-1]]:
        yield from (pair_line(board, a, b, f"--test={name}") for name in PAIR_TESTS)
        for options in (
            ("--margin=0.05",),
            ("--delta=0.01",),
            ("--delta=0.01", "--test=t"),
            ("--alternative=greater",),
            ("--alternative=less",),
            ("--alternative=greater", "--test=t", "--delta=0.01"),
            ("--by-group",),
            ("--clusters",),
            ("--no-clusters",),
            ("--unit-size=5", "--shuffle-seed=1"),
            ("--unit-size=5", "--unit-statistic=median"),
            ("--zeros=pratt", "--test=wilcoxon"),
            ("--alpha=0.01", "--seed=3", "--n-resamples=499"),
        ):
            yield pair_line(board, a, b, *options)
        for rule in ("worse", "not-better", "undecided"):
            gate = (f"--system={a}", f"--baseline={b}", f"--dataset={dataset}", metric)
            yield ("gate", *gate, f"--fail-if={rule}")
            yield ("gate", *gate, f"--fail-if={rule}", "--margin=0.05")
        yield ("show", "system", a)
        yield (
            "power",
            "dataset",
            dataset,
            metric,
            f"--a={a}",
            f"--b={b}",
            "--effect=0.02",
        )
        yield (
            "power",
            "dataset",
            dataset,
            metric,
            f"--a={a}",
            f"--b={b}",
            "--by=bootstrap",
        )


def _of_gold(dataset: str, criterion: str, metrics: str, *, quick: bool) -> Iterator[Line]:
    gold = (dataset, f"--gold={criterion}")
    yield ("agreement", *gold, *([f"--metrics={metrics}"] if metrics else []))
    if not metrics:
        return
    chosen = (*gold, f"--metrics={metrics}")
    yield ("correlate", *chosen)
    if quick:
        return
    first, second = metrics.split(",")[:2]
    for level in ("system", "item", "global", "per-system"):
        yield ("correlate", *chosen, f"--level={level}")
    for coefficient in ("pearson", "spearman", "kendall-b", "pairwise-accuracy"):
        yield ("correlate", *chosen, f"--coefficient={coefficient}", "--level=item")
        yield ("correlate", *chosen, f"--coefficient={coefficient}", "--level=system")
    for test in (
        "perm-both",
        "perm-systems",
        "perm-inputs",
        "boot-both",
        "williams",
        "steiger",
    ):
        yield ("correlate", *chosen, f"--test={test}", "--n-resamples=499")
    for correction in ("none", "bh"):
        yield ("correlate", *chosen, f"--correction={correction}", "--n-resamples=499")
    yield (
        "power",
        "metrics",
        dataset,
        first,
        second,
        f"--gold={criterion}",
        "--draws=40",
    )


def _across(store: AnsweredStore, ask: Ask, *, quick: bool) -> Iterator[Line]:
    for metric in store.across[: 1 if quick else None]:
        chosen = (f"--metric={metric}",) if metric else ()
        yield ("rank", *chosen)
        yield ("replicability", *chosen)
        if not quick:
            yield ("rank", *chosen, "--alpha=0.01")
            yield ("replicability", *chosen, "--test=t")
        ranked = ask(("rank", *chosen)) or {}
        names = sorted(ranked.get("systems", []))
        systems = [name for name in names if isinstance(name, str)][: 2 if quick else 4]
        datasets = [board.dataset for board in store.boards]
        yield from (
            ("replicability", a, b, *chosen, *options)
            for a, b in combinations(systems, 2)
            for options in (
                (),
                ("--dependent",),
                ("--independent",),
                ("--test=t",),
                ("--margin=0.02",),
            )[: 2 if quick else None]
        )
        if systems and not quick and len(set(datasets)) > 4:
            two, four = (
                ",".join(systems[:2]),
                ",".join(list(dict.fromkeys(datasets))[:4]),
            )
            yield ("rank", *chosen, f"--systems={two}", f"--datasets={four}")
            yield ("replicability", *systems[:2], *chosen, f"--datasets={four}")
    if store.boards:
        yield ("power", "dataset")
    if store.reported:
        yield ("rank", "--reported")
        yield from (
            ("replicability", *pair, "--reported")
            for pair in (
                ("MIMICK", "Char→Tag"),
                ("AE-SCL-SR", "MSDA"),
                ("GloVe", "W2V"),
            )
            if store.name == "example"
        )
