"""Hand the cases to R and read what it says."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.oracle.cases import MARGIN, Case, Family, Judged, Plans, Scores

SCRIPT = Path(__file__).with_name("reference.R")


def write_cases(
    folder: Path, cases: Iterable[Case], family: Family, judged: Judged, plans: Plans
) -> None:
    """Write the tables that the R script reads; numbers in hexadecimal, to the last bit."""
    lines = ["name\tdelta\tmargin"]
    for case in (*cases, *family.cases):
        _table(folder / f"{case.name}.tsv", case.systems, case.scores)
        if case not in family.cases:
            lines.append(f"{case.name}\t{case.delta.hex()}\t{MARGIN.hex()}")
        if case.groups is not None:
            groups = "\n".join(map(str, ["group", *case.groups]))
            (folder / f"groups-{case.name}.tsv").write_text(groups + "\n", encoding="utf-8")
    (folder / "cases.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    means = np.array([case.scores.mean(axis=0) for case in family.cases])
    _table(folder / "family.tsv", family.cases[0].systems, means)
    systems = [f"S{i}" for i in range(len(judged.gold))]
    _table(folder / "gold.tsv", systems, judged.gold.T)
    for name, scores in judged.metrics.items():
        _table(folder / f"metric-{name}.tsv", systems, scores.T)
    _plans(folder / "plans-t.tsv", ("mean", "sd", "n", "alpha"), plans.t)
    names = ("n", "accuracy", "gap", "agreement", "alpha")
    _plans(folder / "plans-mcnemar.tsv", names, plans.mcnemar)


def ask_r(folder: Path) -> dict[str, float]:
    """Run the R script on a folder of cases; return key -> value, NaN where R gives none.

    Raises
    ------
    RuntimeError
        R failed.
    """
    words = ["Rscript", "--vanilla", str(SCRIPT), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"R failed:\n{done.stderr}")
    values = {}
    for line in (folder / "reference.tsv").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition("\t")
        values[key] = float(value.replace("NA", "nan"))
    return values


def _table(path: Path, names: Sequence[str], scores: Scores) -> None:
    rows = ["\t".join("NA" if np.isnan(x) else float(x).hex() for x in row) for row in scores]
    path.write_text("\n".join(["\t".join(names), *rows]) + "\n", encoding="utf-8")


def _plans(path: Path, names: Sequence[str], rows: Iterable[Sequence[float]]) -> None:
    lines = ["\t".join(map(repr, row)) for row in rows]
    path.write_text("\n".join(["\t".join(names), *lines]) + "\n", encoding="utf-8")
