"""Files of one import that are called alike but for a release, and hold other questions.

Their dataset is a guess after their names, in which a date or a version says nothing of what was
evaluated: ``bench-2024-06`` and ``bench-2024-11`` are both ``bench``. Where their items show that
they are not the same questions, the release becomes the version of the dataset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations

from store.importers.bundle import Guess, ImportBundle
from store.importers.named_items import keys_of
from store.importers.releases import any_release_of
from store.spelling import composed

_BECAUSE = "the names of files that hold other items"
_BECAUSE_OF_FIGURES = "the names of files that state other figures of the same systems"


def with_releases_apart(bundles: Sequence[ImportBundle]) -> list[ImportBundle]:
    """Return the bundles, with a version where releases of a guessed dataset differ in items.

    Two releases differ where each has an item that the other lacks; of figures without items,
    where they state another figure of one system. What only lacks items is a part of a run.
    """
    found = list(bundles)
    for name, of_release in _by_release(bundles).items():
        because = _why_apart([[bundles[n] for n in group] for group in of_release.values()])
        if not because:
            continue
        for release, group in of_release.items():
            for number in group:
                found[number] = _versioned(found[number], name, release, because)
    return found


def _by_release(bundles: Sequence[ImportBundle]) -> Mapping[str, Mapping[str, list[int]]]:
    """Return guessed dataset -> release -> bundles, where all that guess it have a release."""
    found: dict[str, dict[str, list[int]]] = {}
    for number, bundle in enumerate(bundles):
        for name in _guessed_datasets(bundle):
            release = any_release_of(bundle.files[0].path)
            found.setdefault(name, {}).setdefault(release, []).append(number)
    return {name: ones for name, ones in found.items() if len(ones) > 1 and "" not in ones}


def _guessed_datasets(bundle: ImportBundle) -> Iterator[str]:
    guessed = {guess.value for guess in bundle.guesses if guess.subject == "dataset"}
    for dataset in bundle.datasets if bundle.files else ():
        if dataset.name in guessed and not dataset.version:
            yield composed(dataset.name)


def _why_apart(releases: Sequence[Sequence[ImportBundle]]) -> str:
    """Return why releases are no parts of one dataset; nothing where they may be."""
    items = [{key for one in release for key in _keys(one)} for release in releases]
    if all(items):
        differ = any(left - right and right - left for left, right in combinations(items, 2))
        return _BECAUSE if differ else ""
    figures = [dict(pair for one in release for pair in _figures(one)) for release in releases]
    for left, right in combinations(figures, 2):
        if any(right.get(about, value) != value for about, value in left.items()):
            return _BECAUSE_OF_FIGURES
    return ""


def _keys(bundle: ImportBundle) -> Set[str]:
    return {key for dataset in bundle.datasets for key in keys_of(dataset.items)}


def _figures(bundle: ImportBundle) -> Iterator[tuple[tuple[str, str], float]]:
    for one in bundle.reported_scores:
        yield (composed(one.system), composed(bundle.metrics[one.metric].name)), one.value


def _versioned(bundle: ImportBundle, name: str, release: str, because: str) -> ImportBundle:
    datasets = [
        replace(one, version=release) if composed(one.name) == name and not one.version else one
        for one in bundle.datasets
    ]
    guess = Guess("dataset version", release, because)
    return replace(bundle, datasets=datasets, guesses=[*bundle.guesses, guess])
