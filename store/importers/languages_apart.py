"""Files of one import in folders of languages beside each other: one dataset in each language.

``en/judgments/…`` and ``ko/judgments/…`` number their questions alike and ask them in two
languages, so that nothing in the files tells the two datasets apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import PurePosixPath

from store.importers.bundle import Guess, ImportBundle
from store.importers.known_names import LANGUAGES
from store.importers.metric_registry import words_of
from store.importers.named_items import keys_of
from store.spelling import composed

_CODES = words_of(
    """af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu ha he hi hr hu hy
    id ig is it ja ka kk km kn ko lo lt lv mk ml mn mr ms mt my ne nl no or pa pl ps pt ro ru si sk
    sl so sq sr sv sw ta te tg th tl tr uk ur uz vi xh yo zh zu english mandarin"""
)
_REGION = re.compile(r"([a-z]{2,3})[-_](?:[a-z]{2}|[a-z]{4}|[0-9]{3})")
_BECAUSE = "the folders of languages beside each other"

_Place = tuple[str, tuple[str, ...]]
"""Name of a dataset, and the folders around those of languages."""


def with_languages_apart(bundles: Sequence[ImportBundle]) -> list[ImportBundle]:
    """Return the bundles, guessed datasets of two languages called after these too.

    Languages are told apart where all folders at one place are called like them, and files of two
    have items or figures in common.
    """
    found = list(bundles)
    for (name, _), of_language in _by_language(bundles).items():
        groups = [[bundles[number] for number in numbers] for numbers in of_language.values()]
        if not any(_share(left, right) for left, right in combinations(groups, 2)):
            continue
        for language, numbers in of_language.items():
            for number in numbers:
                found[number] = _in_language(found[number], name, language)
    return found


def is_language(name: str) -> bool:
    """Return whether a folder is called like a language: its name or code, also with a region."""
    lower = name.lower()
    region = _REGION.fullmatch(lower)
    return lower in LANGUAGES or (region[1] if region else lower) in _CODES


def _by_language(bundles: Sequence[ImportBundle]) -> Mapping[_Place, Mapping[str, list[int]]]:
    """Return place -> language -> bundles, where only languages differ."""
    found: dict[_Place, dict[str, list[int]]] = {}
    for number, bundle in enumerate(bundles):
        for name in _guessed_datasets(bundle):
            folders = PurePosixPath(bundle.files[0].path).parent.parts
            for depth, folder in enumerate(folders):
                names = found.setdefault((name, folders[:depth]), {})
                names.setdefault(folder, []).append(number)
    return {
        place: names
        for place, names in found.items()
        if len(names) > 1 and all(map(is_language, names))
    }


def _guessed_datasets(bundle: ImportBundle) -> Iterator[str]:
    subjects = ("dataset", "datasets")
    guessed = [guess.value for guess in bundle.guesses if guess.subject in subjects]
    for dataset in bundle.datasets if bundle.files else ():
        if any(dataset.name in value.split(", ") for value in guessed):
            yield composed(dataset.name)


def _share(left: Collection[ImportBundle], right: Collection[ImportBundle]) -> bool:
    """Return whether files of two languages have items in common, or figures of one system."""
    items = [{key for one in side for key in _keys(one)} for side in (left, right)]
    systems = [
        {composed(figure.system) for one in side for figure in one.reported_scores}
        for side in (left, right)
    ]
    return not (items[0].isdisjoint(items[1]) and systems[0].isdisjoint(systems[1]))


def _keys(bundle: ImportBundle) -> set[str]:
    return {key for dataset in bundle.datasets for key in keys_of(dataset.items)}


def _in_language(bundle: ImportBundle, name: str, language: str) -> ImportBundle:
    datasets = [
        replace(one, name=f"{one.name} ({language})", language=one.language or language)
        if composed(one.name) == name
        else one
        for one in bundle.datasets
    ]
    names = {old.name: new.name for old, new in zip(bundle.datasets, datasets, strict=True)}
    return replace(
        bundle,
        datasets=datasets,
        guesses=[_renamed(guess, names) for guess in bundle.guesses],
        understood=[_renamed_in(line, names) for line in bundle.understood],
    )


def _renamed(guess: Guess, names: Mapping[str, str]) -> Guess:
    to = names.get(guess.value, guess.value)
    if guess.subject not in ("dataset", "datasets") or to == guess.value:
        return guess
    return replace(guess, value=to, because=f"{guess.because}, and {_BECAUSE}")


def _renamed_in(line: str, names: Mapping[str, str]) -> str:
    for name, to in names.items():
        line = line.replace(f"of dataset '{name}'", f"of dataset '{to}'")
    return line
