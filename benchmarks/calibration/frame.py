"""What the calibrations share: the command, simulating in parts, and the files in docs/."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy
import scipy
from threadpoolctl import threadpool_limits

from analysis.statistics.signature import METHOD_VERSION
from analysis.workers.parts import each, scheduler


class Labelled(Protocol):
    """A cell or a scenario."""

    @property
    def label(self) -> str:
        """Its name on the command line and in the log."""


Case = TypeVar("Case", bound=Labelled)
Part = TypeVar("Part", bound=tuple[Any, ...])
Found = TypeVar("Found")
Counts = TypeVar("Counts")
About = TypeVar("About")


class Report(NamedTuple, Generic[Counts, About]):
    """The stored counts, the page and the picture of a calibration."""

    name: str
    """Of the files, without their suffix."""
    to_json: Callable[[Counts, About], str]
    from_json: Callable[[str], tuple[Counts, About]]
    page: Callable[[Counts, About], str]
    draw: Callable[[Counts], str] | None
    """``None`` = there is no picture."""

    def stored(self, folder: Path) -> Path:
        """Return where the counts stand in a folder."""
        return folder / f"{self.name}.json"

    def read(self, folder: Path) -> tuple[Counts, About]:
        """Return the counts in a folder, and how they came about."""
        return self.from_json(self.stored(folder).read_text(encoding="utf-8"))

    def texts(self, counts: Counts, about: About) -> dict[str, str]:
        """Return what is written, by the name of the file."""
        stored = self.to_json(counts, about)
        counts, about = self.from_json(stored)  # it can be written again from what is stored
        texts = {f"{self.name}.json": stored, f"{self.name}.md": self.page(counts, about)}
        return texts if self.draw is None else texts | {f"{self.name}.svg": self.draw(counts)}

    def write(self, counts: Counts, about: About, folder: Path) -> None:
        """Write the counts, the page and the picture."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts(counts, about).items():
            (folder / name).write_text(text, encoding="utf-8")


def to_json(about: Mapping[str, Any], legend: str, name: str, entries: Iterable[str]) -> str:
    """Return counts as JSON with a line for each entry, which is a key and its value in JSON."""
    head, described = (json.dumps(part, ensure_ascii=False) for part in (about, legend))
    body = ",\n".join(entries)
    return f'{{"about": {head},\n"legend": {described},\n"{name}": {{\n{body}}}}}\n'


def entry(label: str, packed: object) -> str:
    """Return one short line of JSON for `to_json`."""
    return f"{json.dumps(label)}: " + json.dumps(packed, separators=(",", ":"))


def parser(
    package: str,
    description: str | None,
    *,
    name: str,
    cases: str,
    example: str,
    counts: str = "counts",
    processes: int = 2,
) -> argparse.ArgumentParser:
    """Return the options that every calibration has."""
    options = argparse.ArgumentParser(prog=f"python -m {package}", description=description)
    options.add_argument(
        "--out",
        type=Path,
        help=f"folder for {name}.md, .svg and .json; without it the page is printed",
    )
    options.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help=f"only {cases} with TEXT in their name, such as '{example}'; may be repeated. With "
        f"--out these replace their {counts} in what is there",
    )
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--processes", type=int, default=processes)
    options.add_argument(
        "--rewrite",
        action="store_true",
        help=f"write page and picture again from the {counts} in the --out folder",
    )
    return options


def carry_out(
    options: argparse.Namespace,
    report: Report[Counts, About],
    cases: Sequence[Case],
    simulate: Callable[[list[Case]], tuple[Counts, About]],
    merge: Callable[[Counts, Counts], Counts],
) -> int:
    """Simulate the cases that were asked for and write them, or write what is there again.

    `merge` puts new counts in the place of older ones.
    """
    if options.rewrite and options.out:
        report.write(*report.read(options.out), options.out)
        return 0
    chosen = [case for case in cases if all(text in case.label for text in options.only)]
    if not chosen:
        kind = type(cases[0]).__name__.lower()
        told = " and ".join(map(repr, options.only))
        print(f"No {kind} has {told} in its name.", file=sys.stderr)
        return 2
    counts, about = simulate(chosen)
    if not options.out:
        print(report.page(counts, about))
        return 0
    if options.only and report.stored(options.out).exists():
        older, about = report.read(options.out)
        counts = merge(older, counts)
    report.write(counts, about, options.out)
    return 0


def processor_minutes() -> float:
    """Return how long this process and its children have computed."""
    times = os.times()
    seconds = times.user + times.system + times.children_user + times.children_system
    return round(seconds / 60, 1)


def versions() -> dict[str, str]:
    """Return the versions that figures depend on."""
    return {
        "tiebreak.statistics": METHOD_VERSION,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }


def simulate_parts(
    simulate: Callable[..., Found], parts: Sequence[Part], processes: int
) -> Iterator[tuple[Part, Found]]:
    """Yield each part, which holds the arguments of `simulate`, with what was found.

    With several processes they come as they are done. Where ``TIEBREAK_DASK`` names a scheduler,
    its workers take them; these are started in a clone, at its top.
    """
    if scheduler() is not None:
        for part, found in zip(parts, each(partial(_apply, simulate), parts), strict=True):
            yield part, found
        return
    if processes == 1:
        with threadpool_limits(1):
            for part in parts:
                yield part, simulate(*part)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_one_thread) as pool:
        futures = {pool.submit(simulate, *part): part for part in parts}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _apply(simulate: Callable[..., Found], part: tuple[Any, ...]) -> Found:
    return simulate(*part)


def _one_thread() -> None:
    threadpool_limits(1)


class Progress:
    """Lines in a log that say how much is done after how long."""

    def __init__(self, total: int, log: bool) -> None:
        self._total, self._log, self._started = total, log, time.monotonic()

    def tell(self, done: int, label: str) -> None:
        """Log what was done last."""
        if self._log:
            minutes = (time.monotonic() - self._started) / 60
            told = f"[{done}/{self._total}, {minutes:.1f} min] {label}"
            print(told, file=sys.stderr, flush=True)
