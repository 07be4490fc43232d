"""Golden answers: a digest of what a small store answers, tied to the version of the methods.

    python -m benchmarks.golden_answers      # record, after METHOD_VERSION was raised

Whoever changes a number raises `METHOD_VERSION`: kept answers of stores and claims rest on it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from analysis.statistics.signature import METHOD_VERSION
from benchmarks.answers.questions import Line
from benchmarks.answers.recording import inside, run
from benchmarks.golden import KEPT

ANSWERS: Final = KEPT / "answers.json"
_WORDS: Final = ("signature", "store_revision", "warnings", "command", "seconds")
_NOISE: Final = 1e-13
_SYSTEMS: Final = ("a", "b", "c", "d")


def make_store(name: str = "golden") -> None:
    """Make the store in the working folder: one dataset for each kind of scores."""
    for file, lines in _files():
        Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for line in (
        ("ingest", "right.csv", "grades.csv", "grouped.csv", "tries.csv", "seconds.csv"),
        ("ingest", "judged.csv", "--option=scale=1..5"),
        ("claims", "audit", "right"),
    ):
        made = run(name, line, as_json=False)
        if made["exit_code"] != 0:
            raise SystemExit(f"{' '.join(line)}: {made['message']}")


def _files() -> Iterator[tuple[str, list[str]]]:
    draw = np.random.Generator(np.random.PCG64(20261128))
    ability = dict(zip(_SYSTEMS, (0.8, 0.7, 0.66, 0.5), strict=True))
    head = "system,dataset,item,metric,score"
    rows = [f"{head},date"]
    for day, (system, share) in enumerate(ability.items(), 1):
        right = draw.random(60) < share
        rows += [
            f"{system},right,q{i},accuracy,{int(r)},2026-01-{20 - day}" for i, r in enumerate(right)
        ]
    yield "right.csv", rows
    rows = [head]
    level = draw.normal(0, 0.1, 40)
    for system, share in ability.items():
        scores = np.clip(share + level + draw.normal(0, 0.08, 40), 0, 1).round(3)
        rows += [
            f"{system},grades,t{i},f1,{s}" for i, s in enumerate(scores) if (i, system) != (3, "c")
        ]
    yield "grades.csv", rows
    rows = [f"{head},group"]
    level = draw.normal(0, 0.1, 60)
    for system, share in ability.items():
        scores = np.clip(share + level + draw.normal(0, 0.1, 60), 0, 1).round(2)
        rows += [f"{system},grouped,g{i},f1,{s},doc{i % 12}" for i, s in enumerate(scores)]
    yield "grouped.csv", rows
    rows = [f"{head},trial"]
    for system, share in ability.items():
        right = draw.random((30, 3)) < share
        rows += [
            f"{system},tries,k{i},accuracy,{int(right[i, t])},{t}"
            for i in range(30)
            for t in range(3)
        ]
    yield "tries.csv", rows
    rows = [head]
    for system, share in ability.items():
        times = draw.lognormal(2 - share, 0.6, 50).round(4)
        rows += [f"{system},seconds,r{i},latency_s,{t}" for i, t in enumerate(times)]
    yield "seconds.csv", rows
    rows = ["system,dataset,item,annotator,criterion,rating"]
    for system, share in ability.items():
        for i in range(20):
            for who in ("ann", "ben", "cem"):
                rated = int(np.clip(round(1 + 4 * share + draw.normal(0, 0.9)), 1, 5))
                rows.append(f"{system},grades,t{i},{who},adequacy,{rated}")
    yield "judged.csv", rows


def lines() -> list[Line]:
    """Return the questions: each study, with its defaults and with what people choose."""
    boards = (
        ("right", "accuracy"),
        ("grades", "f1"),
        ("grouped", "f1"),
        ("tries", "accuracy"),
        ("seconds", "latency_s"),
    )
    found: list[Line] = []
    for dataset, metric in boards:
        of = (dataset, f"--metric={metric}")
        pair = ("a", "b", f"--dataset={dataset}", f"--metric={metric}")
        found += [
            ("leaderboard", *of),
            ("pairs", *of),
            ("pairs", *of, "--correction=max-t"),
            ("pairs", *of, "--test=bootstrap", "--correction=none"),
            ("compare", *pair),
            ("compare", *pair, "--test=permutation"),
            ("compare", *pair, "--test=t", "--alternative=greater"),
            ("compare", *pair, "--margin=0.05"),
            ("items", *of),
            ("power", "dataset", *of),
        ]
    return [
        *found,
        ("compare", "a", "b", "--dataset=right", "--metric=accuracy", "--test=mcnemar"),
        ("compare", "a", "b", "--dataset=grades", "--metric=f1", "--test=wilcoxon"),
        ("pairs", "grades", "--metric=f1", "--test=wilcoxon"),
        ("rank",),
        ("replicability",),
        ("replicability", "a", "d"),
        ("claims", "right"),
        ("claims",),
        ("correlate", "grades", "--gold=adequacy", "--metrics=f1"),
        ("agreement", "grades", "--gold=adequacy"),
        ("power", "mcnemar", "--n=500", "--accuracy=0.8", "--gap=0.03"),
        ("power", "items", "--accuracy=0.8", "--gap=0.02"),
        ("power", "t", "--mean=0.1", "--sd=1", "--power=0.8"),
    ]


def answers(folder: Path) -> dict[str, str]:
    """Return a digest of the numbers and verdicts of each answer, in a folder of its own."""
    found = {}
    with inside(folder):
        make_store()
        for line in lines():
            outcome = run("golden", line)
            text = json.dumps([outcome["exit_code"], _numbers(outcome["answer"])], sort_keys=True)
            found[" ".join(line)] = hashlib.sha256(text.encode()).hexdigest()[:12]
    return found


def _numbers(value: Any) -> Any:
    """Return an answer without its sentences, and with seven digits of each number."""
    if isinstance(value, dict):
        kept = {key: _numbers(part) for key, part in value.items() if key not in _WORDS}
        return {key: part for key, part in kept.items() if part is not None}
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    if isinstance(value, str):
        return None if " " in value else value
    if isinstance(value, float):
        return 0.0 if abs(value) < _NOISE else float(f"{value:.7g}")
    return value


def main() -> int:
    """Record; refuse where answers differ and the version of the methods is the same."""
    with tempfile.TemporaryDirectory() as folder:
        now = answers(Path(folder))
    kept = json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}
    known = kept.get("answers", {})
    changed = [line for line in now if known.get(line, now[line]) != now[line]]
    if changed and kept["method_version"] == METHOD_VERSION:
        print("\n".join(["Raise METHOD_VERSION first; these answers are new:", *changed]))
        return 1
    kept = {"method_version": METHOD_VERSION, "answers": now}
    ANSWERS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
