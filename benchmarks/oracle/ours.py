"""What our commands say of the same cases: files in through `tiebreak ingest`, `--json` out."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answers.recording import run
from benchmarks.oracle.cases import MARGIN, Case, Family, Judged, Plans
from benchmarks.oracle.comparing import CELL, DRAWN

Value = tuple[str, float | None]
SIDES = ("two-sided", "greater", "less")
CORRECTIONS = ("none", "bonferroni", "holm", "hochberg", "hommel", "bh", "by")
MCNEMAR = ("mcnemar", "mcnemar-chi2", "mcnemar-chi2-cc")


class Refused(Exception):
    """A command that should answer did not: its line and what it said."""


def answer(store: str, *line: str) -> dict[str, Any]:
    """Return the result of a command line.

    Raises
    ------
    Refused
        The command crashed, or refused.
    """
    outcome = run(store, line)
    if outcome["exit_code"] not in (0, 1) or outcome["answer"] is None:
        said = outcome.get("message") or outcome["exit_code"]
        raise Refused(f"{' '.join(line)}: {said}")
    return dict(outcome["answer"]["result"])


def fill(store: str, cases: Iterable[Case]) -> None:
    """Write the scores of cases into a file and take it into a store.

    Raises
    ------
    Refused
        The file could not be taken.
    """
    path = Path(f"{store}.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("dataset", "item", "group", "system", "metric", "score"))
        for case in cases:
            for row, column in np.ndindex(case.scores.shape):
                score = float(case.scores[row, column]) * case.factor
                item = f"{case.name} item {row}"
                group = "" if case.groups is None else f"group {case.groups[row]}"
                shown = "" if np.isnan(score) else repr(score)
                system = case.systems[column]
                writer.writerow((case.name, item, group, system, "points", shown))
    outcome = run(store, ("ingest", str(path), "--higher-is-better"), as_json=False)
    if outcome["exit_code"] != 0:
        raise Refused(f"ingest: {outcome.get('message') or outcome['exit_code']}")


def of_case(store: str, case: Case, refused: Callable[[Refused], None]) -> Iterator[Value]:
    """Yield key and value of every pair, of all pairs, and of the leaderboard.

    A key that begins with `CELL` is of `pairs`; one that ends with `DRAWN` is not an exact p.
    """
    on = (f"--dataset={case.name}", "--metric=points", "--no-clusters")
    is_binary = bool(np.isin(case.scores, (0, 1)).all())
    for a, b in list(combinations(case.systems, 2))[:3]:
        key = f"{case.name}|{a}|{b}"
        for test in ("t", "wilcoxon", "sign", "permutation"):
            for side in SIDES:
                for where, delta in (("0", 0.0), ("delta", case.delta)):
                    if where == "delta" and (not delta or test == "permutation"):
                        continue
                    options = (f"--test={test}", f"--alternative={side}")
                    moved: tuple[str, ...] = ()
                    if delta:
                        moved = (f"--delta={delta * case.factor!r}",)
                    elif (test, side) == ("t", "two-sided"):
                        moved = (f"--margin={MARGIN * case.factor!r}",)
                    try:
                        found = answer(store, "compare", a, b, *on, *options, *moved)
                    except Refused as error:
                        refused(error)
                        continue
                    here = f"{key}|{test}|{where}|{side}"
                    drawn = DRAWN if test == "permutation" and not found["exact"] else ""
                    yield f"{here}|p{drawn}", found["pvalue"]
                    if test != "permutation" and test != "sign":
                        yield f"{here}|statistic", found["statistic"]
                    if (test, where, side) == ("t", "0", "two-sided"):
                        yield from _of_pair(key, found, case)
        try:
            narrow = answer(store, "compare", a, b, *on, "--test=t", "--alpha=0.01")["ci"]
            yield from _ends(f"{key}|t", narrow, case.factor, "99")
        except Refused as error:
            refused(error)
        if case.groups is not None:
            yield from _of_groups(store, case, a, b, refused)
        for test in MCNEMAR if is_binary else ():
            try:
                found = answer(store, "compare", a, b, *on, f"--test={test}")
                yield f"{key}|{test}|0|two-sided|p", found["pvalue"]
            except Refused as error:
                refused(error)
    for test in ("t", "wilcoxon", "sign", "permutation", *(("mcnemar",) if is_binary else ())):
        try:
            options = ("--metric=points", "--no-clusters", f"--test={test}", "--correction=none")
            board = answer(store, "pairs", case.name, *options)
        except Refused as error:
            refused(error)
            continue
        for a, b in combinations(case.systems, 2):
            row, column = board["systems"].index(a), board["systems"].index(b)
            drawn = DRAWN if test == "permutation" else ""
            key = f"{CELL}{case.name}|{a}|{b}|{test}|0|two-sided|p{drawn}"
            yield key, board["pvalue"][row][column]
    for name in CORRECTIONS:
        try:
            options = ("--metric=points", "--no-clusters", "--test=t", f"--correction={name}")
            board = answer(store, "pairs", case.name, *options)
        except Refused as error:
            refused(error)
            continue
        for a, b in combinations(case.systems, 2):
            row, column = board["systems"].index(a), board["systems"].index(b)
            p = board["pvalue_adjusted"][row][column]
            yield f"{case.name}|{a}|{b}|adjusted|{name}", p
    try:
        rows = answer(store, "leaderboard", case.name, "--metric=points")["rows"]
    except Refused as error:
        refused(error)
        return
    for row in rows:
        yield f"{case.name}|{row['system']}|score", _scaled(row["score"], case.factor)
        yield f"{case.name}|{row['system']}|own", _scaled(row["score_own"], case.factor)
        if case.groups is None and not np.isnan(case.scores).any():
            # Else the interval is that of groups, or of what is comparable.
            yield from _ends(f"{case.name}|{row['system']}", row["ci"], case.factor)


def _of_groups(
    store: str, case: Case, a: str, b: str, refused: Callable[[Refused], None]
) -> Iterator[Value]:
    key = f"{case.name}|{a}|{b}|grouped"
    on = (f"--dataset={case.name}", "--metric=points", "--clusters")
    for test in ("t", "permutation"):
        try:
            found = answer(store, "compare", a, b, *on, f"--test={test}")
        except Refused as error:
            refused(error)
            continue
        yield f"{key}|{test}|p", found["pvalue"]
        if test == "t":
            yield f"{key}|t|statistic", found["statistic"]
            yield from _ends(f"{key}|t", found["ci"], case.factor)


def _of_pair(key: str, found: dict[str, Any], case: Case) -> Iterator[Value]:
    effects = found["effect_sizes"]
    yield f"{key}|n", found["n_items"]
    yield f"{key}|difference", _scaled(found["difference"], case.factor)
    yield f"{key}|dz", effects["cohens_dz"]
    yield f"{key}|hl", _scaled(effects["hodges_lehmann"], case.factor)
    for name in ("win", "tie", "loss"):
        yield f"{key}|{name}", effects[name]
    yield f"{key}|shapiro", found["diagnostics"]["normality_pvalue"]
    yield from _ends(f"{key}|t", found["ci"], case.factor)
    for name in ("lower", "upper"):
        yield f"{key}|tost|{name}", found["equivalence"][f"pvalue_{name}"]


def _ends(key: str, interval: Any, factor: float, level: str = "") -> Iterator[Value]:
    low, high = interval or (None, None)
    yield f"{key}|low{level}", _scaled(low, factor)
    yield f"{key}|high{level}", _scaled(high, factor)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value / factor


def of_family(store: str, family: Family, refused: Callable[[Refused], None]) -> Iterator[Value]:
    """Yield key and value of systems over datasets: ranks, tests, and counts of datasets."""
    try:
        ranking = answer(store, "rank", "--metric=points", "--independent")
    except Refused as error:
        refused(error)
    else:
        yield from _of_ranking(ranking)
    try:
        found = answer(
            store, "replicability", "S0", "S1", "--metric=points", "--test=t", "--independent"
        )
    except Refused as error:
        refused(error)
        return
    for i, row in enumerate(found["datasets"], 1):
        yield f"replicability|p|{i}", row["pvalue"]
        yield f"replicability|one|{i}", row["pvalue_a_over_b"]
    for side in ("undirected", "a_over_b"):
        counts = found[side]
        for name, values in counts["partial_conjunction"].items():
            for u, p in enumerate(values, 1):
                yield f"replicability|{side}|{name}|{u}", p
        for name, values in counts["pvalues_adjusted"].items():
            for i, p in enumerate(values, 1):
                yield f"replicability|{side}|adjusted|{name}|{i}", p


def _of_ranking(ranking: dict[str, Any]) -> Iterator[Value]:
    systems, test = ranking["systems"], ranking["rank_test"]
    yield "rank|friedman|statistic", test["statistic"]
    yield "rank|friedman|p", test["pvalue"]
    yield "rank|friedman|f", test["f_statistic"]
    yield "rank|friedman|f_p", test["f_pvalue"]
    yield "rank|nemenyi|cd", ranking["nemenyi"]["critical_difference"]
    for system, rank in zip(systems, ranking["mean_ranks"], strict=True):
        yield f"rank|mean|{system}", rank
    for a, b in combinations(sorted(systems), 2):
        i, j = systems.index(a), systems.index(b)
        yield f"rank|nemenyi|{a}|{b}", ranking["nemenyi"]["pvalue"][i][j]
        yield f"rank|wilcoxon|{a}|{b}", ranking["pairs"]["pvalue"][i][j]
        yield f"rank|holm|{a}|{b}", ranking["pairs"]["pvalue_adjusted"][i][j]


def fill_judged(store: str, judged: Judged) -> None:
    """Write a gold and metrics into a file and take it into a store."""
    path = Path(f"{store}.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("system", "item", "people", *judged.metrics))
        for system, item in np.ndindex(judged.gold.shape):
            values = [float(judged.metrics[name][system, item]) for name in judged.metrics]
            cells = (float(judged.gold[system, item]), *values)
            writer.writerow((f"S{system}", f"item {item}", *map(repr, cells)))
    line = ("ingest", str(path), "--dataset=judged", "--higher-is-better")
    outcome = run(store, line, as_json=False)
    if outcome["exit_code"] != 0:
        raise Refused(f"ingest: {outcome.get('message') or outcome['exit_code']}")


def of_judged(store: str, judged: Judged, refused: Callable[[Refused], None]) -> Iterator[Value]:
    """Yield key and value of each metric against the gold."""
    for level in ("system", "global"):
        for how, name in (
            ("pearson", "pearson"),
            ("spearman", "spearman"),
            ("kendall-b", "kendall"),
        ):
            options = (f"--level={level}", f"--coefficient={how}", "--n-resamples=99")
            fisher = ("--interval=fisher-z",) if how == "pearson" and level == "system" else ()
            metrics = f"--metrics={','.join(judged.metrics)}"
            try:
                found = answer(
                    store, "correlate", "judged", "--gold=people", metrics, *options, *fisher
                )
            except Refused as error:
                refused(error)
                continue
            for row in found["rows"]:
                key = f"correlate|{level}|{name}|{row['metric']}"
                yield key, row["coefficient"]
                if fisher:
                    yield from _ends(key, row["ci"], 1.0)


def of_plans(plans: Plans, refused: Callable[[Refused], None]) -> Iterator[Value]:
    """Yield key and value of what is planned."""
    for row, (mean, sd, n, alpha) in enumerate(plans.t, 1):
        for side in ("two-sided", "greater"):
            line = (f"--mean={mean}", f"--sd={sd}", f"--n={n}", f"--alpha={alpha}")
            try:
                found = answer("none", "power", "t", *line, f"--alternative={side}")
            except Refused as error:
                refused(error)
                continue
            yield f"power|t|{row}|{side}", found["rejection_rate"]
    for row, (n, accuracy, gap, agreement, alpha) in enumerate(plans.mcnemar, 1):
        line = (f"--n={n}", f"--accuracy={accuracy}", f"--gap={gap}", f"--alpha={alpha}")
        try:
            found = answer("none", "power", "mcnemar", *line, f"--agreement={agreement}")
        except Refused as error:
            refused(error)
            continue
        for name in ("power", "rejection_rate"):
            yield f"power|mcnemar|{row}|{name}", found[name]
