"""Files of one import that state the same run with other scores: folders or times tell them apart.

A folder for each release, date or attempt holds files of one name, which name their systems alike.
Shards (``part1``, ``fold_2``) are no such folders: what stands in two of them stays an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from store.importers.bundle import BundleRun, Guess, ImportBundle
from store.importers.known_names import share_of_systems
from store.importers.metric_registry import words_of
from store.importers.named_items import keys_of
from store.spelling import composed

_SHARD = re.compile(r"(part|shard|chunk|fold|batch|rank|split)[-_=. ]?\d+.*", re.IGNORECASE)
_DAY = r"20\d\d[-_.]?[01]\d[-_.]?[0-3]\d"
_HOUR = r"[-_.T ]?[0-2]\d[-_.:]?[0-5]\d(?:[-_.:]?[0-5]\d)?"
_TIME = re.compile(rf"(?<!\d){_DAY}(?:{_HOUR})?(?!\d)")
_REPEAT = re.compile(r"(run|seed|trial|rep|repeat|attempt|try)[-_ ]?\d+", re.IGNORECASE)
_ROLES = words_of(
    "hyp hyps hypothesis hypotheses pred preds prediction predictions output outputs system task "
    "result results texts transcripts decoded generated"
)
"""What outputs are called, of whatever system."""
_SURE = 0.5
"""Share of folders that are called like systems."""
_BECAUSE = "files of this import give other scores for the same"


class _Split(NamedTuple):
    """What tells files of a format apart."""

    format: str
    depth: int
    """Of the folder in the path; -1: the time in the name of the file."""
    names: frozenset[str]


def with_runs_apart(bundles: Sequence[ImportBundle]) -> list[ImportBundle]:
    """Return the bundles, with runs labelled and figures sourced where paths tell them apart."""
    splits = {
        split
        for first, second in _contradicting(bundles)
        if (split := _split(bundles[first], bundles[second])) is not None
    }
    found = list(bundles)
    for split in _joined(splits):
        for number, bundle in enumerate(found):
            name = _name(bundle, split.depth) if bundle.format == split.format else ""
            if name in split.names:
                is_system = share_of_systems(list(split.names)) > _SURE and not any(
                    map(_REPEAT.search, split.names)
                )
                if _is_called_after_role(bundle):
                    found[number] = _of_folder(bundle, name)
                    continue
                change = _of_system if is_system and _has_guessed_system(bundle) else _named
                found[number] = change(bundle, name)
    return found


def _has_guessed_system(bundle: ImportBundle) -> bool:
    guessed = {guess.value for guess in bundle.guesses if guess.subject == "system"}
    is_each = any(guess.subject == "systems" for guess in bundle.guesses)
    systems = {run.system for run in bundle.runs}
    return bool(bundle.runs) and (guessed == systems or (is_each and systems <= _ROLES))


def _is_called_after_role(bundle: ImportBundle) -> bool:
    """Return whether the guessed system is what outputs are called, such as ``hyp``."""
    return _has_guessed_system(bundle) and all(run.system.lower() in _ROLES for run in bundle.runs)


def _of_folder(bundle: ImportBundle, name: str) -> ImportBundle:
    """Return a bundle whose system, which said what its files are, is called after a folder."""
    guesses = [guess for guess in bundle.guesses if guess.subject not in ("system", "systems")]
    return replace(
        bundle,
        runs=[replace(run, system=name) for run in bundle.runs],
        reported_scores=[replace(one, system=name) for one in bundle.reported_scores],
        identities={},
        guesses=[*guesses, Guess("system", name, _BECAUSE)],
    )


def _of_system(bundle: ImportBundle, name: str) -> ImportBundle:
    """Return a bundle whose guessed system is that of a folder which is called like one."""
    guesses = [guess for guess in bundle.guesses if guess.subject != "system"]
    renamed = {run.system: f"{name} ({run.system})" for run in bundle.runs}
    guesses += [Guess("system", one, _BECAUSE) for one in renamed.values()]
    return replace(
        bundle,
        runs=[replace(run, system=renamed[run.system]) for run in bundle.runs],
        reported_scores=[
            replace(one, system=renamed.get(one.system, one.system))
            for one in bundle.reported_scores
        ],
        identities={},
        guesses=guesses,
    )


def _contradicting(bundles: Sequence[ImportBundle]) -> Iterator[tuple[int, int]]:
    """Yield pairs of bundles that state a run or a figure in two ways."""
    if len(bundles) < 2:
        return
    runs: dict[tuple[str, ...], list[tuple[int, BundleRun]]] = {}
    figures: dict[tuple[str, ...], tuple[int, float]] = {}
    pairs: set[tuple[int, int]] = set()
    for number, bundle in enumerate(bundles):
        for run in bundle.runs:
            dataset = bundle.datasets[run.dataset]
            key = (*map(composed, (run.system, dataset.name, dataset.version)), run.label)
            runs.setdefault(key, []).append((number, run))
        for one in bundle.reported_scores:
            dataset, metric = bundle.datasets[one.dataset], bundle.metrics[one.metric]
            about = (one.system, dataset.name, dataset.version, metric.name)
            key = (*map(composed, about), metric.signature, one.source)
            other, value = figures.setdefault(key, (number, one.value))
            if other != number and value != one.value:
                pairs.add((other, number))
    for alike in runs.values():
        for (first, run), (second, other_run) in combinations(alike, 2):
            if first == second or (first, second) in pairs:
                continue
            if _differ(bundles[first], run, bundles[second], other_run):
                pairs.add((first, second))
    yield from sorted(pairs)


def _differ(first: ImportBundle, run: BundleRun, second: ImportBundle, other: BundleRun) -> bool:
    """Return whether two runs have other scores for the same item, metric and trial."""
    mine, theirs = first.datasets[run.dataset].items, second.datasets[other.dataset].items
    keys = {key: n for n, key in enumerate(keys_of(mine))}
    places = [(keys[key], n) for n, key in enumerate(keys_of(theirs)) if key in keys]
    if not places:
        return False
    of_first, of_second = (list(column) for column in zip(*places, strict=True))
    known = {(_metric(first, one.metric), one.trial): one.values for one in run.scores}
    for scores in other.scores:
        values = known.get((_metric(second, scores.metric), scores.trial))
        if values is None or values.shape[1] != scores.values.shape[1]:
            continue
        left, right = values[of_first], scores.values[of_second]
        if bool(((left != right) & ~np.isnan(left) & ~np.isnan(right)).any()):
            return True
    return False


def _metric(bundle: ImportBundle, number: int) -> tuple[str, str]:
    metric = bundle.metrics[number]
    return composed(metric.name), metric.signature


def _split(first: ImportBundle, second: ImportBundle) -> _Split | None:
    """Return the first folder, else the time, in which the paths of two bundles differ."""
    if first.format != second.format:
        return None
    folders = [PurePosixPath(one.files[0].path).parent.parts for one in (first, second)]
    for depth, names in enumerate(zip(*folders, strict=False)):
        if names[0] != names[1]:
            if any(map(_SHARD.fullmatch, names)):
                return None
            return _Split(first.format, depth, frozenset(names))
    times = frozenset(_name(one, -1) for one in (first, second))
    return _Split(first.format, -1, times) if len(times) > 1 and "" not in times else None


def _joined(splits: set[_Split]) -> list[_Split]:
    """Return the splits with the names of those at one place together."""
    names: dict[tuple[str, int], frozenset[str]] = {}
    for split in splits:
        place = split.format, split.depth
        names[place] = names.get(place, frozenset()) | split.names
    return [_Split(*place, found) for place, found in sorted(names.items())]


def _name(bundle: ImportBundle, depth: int) -> str:
    """Return the folder of a bundle at a depth, or the time in the name of its file."""
    path = PurePosixPath(bundle.files[0].path)
    if depth >= 0:
        return path.parent.parts[depth] if depth < len(path.parent.parts) else ""
    time = _TIME.search(path.name)
    return time[0] if time else ""


def _named(bundle: ImportBundle, name: str) -> ImportBundle:
    runs = [replace(run, label=", ".join(filter(None, (run.label, name)))) for run in bundle.runs]
    figures = [
        replace(one, source=f"{name}/{one.source}" if one.source else name)
        for one in bundle.reported_scores
    ]
    what = "run" if runs else "source"
    return replace(
        bundle,
        runs=runs,
        reported_scores=figures,
        guesses=[*bundle.guesses, Guess(what, name, _BECAUSE)],
    )
