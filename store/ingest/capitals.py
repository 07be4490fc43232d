"""Systems and datasets whose names differ in nothing but capitals or blanks: one, or two?

Systems that a folder calls ``ORG__MODEL`` because a name of a folder has no slash are ``ORG/MODEL``
where that one is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Literal

from store.engine import Store
from store.importers.bundle import Guess, ImportBundle, Question
from store.importers.plan import systems_of
from store.lookup import names_of
from store.spelling import composed

_FROM_PATHS = ("the name of the file", "the names of the folders")
Kind = Literal["system", "dataset"]
Renamed = dict[tuple[Kind, str], str]
"""Kind and name of what an answer takes for another one -> the name of that."""


class Spellings:
    """Names that are known so far, by what they are without capitals and blanks around them."""

    def __init__(self, store: Store | None) -> None:
        self._known: dict[tuple[Kind, str], dict[str, str]] = {}
        if store is None:
            return
        with store.read() as connection:
            systems, aliases = names_of(connection, "system")
            datasets, short = names_of(connection, "dataset")
        for name in (*systems, *aliases):
            self._keep("system", name.typed)
        for name in (*short, *datasets):
            self._keep("dataset", name.typed)

    def knows_system(self, name: str) -> bool:
        """Return whether a system of that very name is known."""
        return composed(name) in self._known.get(("system", _folded(name)), {})

    def knows_dataset(self, name: str) -> bool:
        """Return whether a dataset of that very name is known."""
        return composed(name) in self._known.get(("dataset", _folded(name)), {})

    def _keep(self, kind: Kind, name: str) -> None:
        self._known.setdefault((kind, name.strip().casefold()), {})[name] = ""

    def _other(self, kind: Kind, name: str) -> str:
        """Return the spelling that was known before a new name; empty where there was none."""
        names = self._known.setdefault((kind, _folded(name)), {})
        return names.setdefault(composed(name), next(iter(names), ""))

    def questions(
        self, bundle: ImportBundle, answers: Mapping[str, str]
    ) -> tuple[list[Question], Renamed]:
        """Return what is to be asked of a bundle's names, and what answers make of them."""
        asked, renamed = [], {}
        for kind, name in sorted(names_in(bundle), key=lambda one: (one[0], len(one[1]), one[1])):
            other = self._other(kind, name)
            if not other:
                continue
            in_what = "capitals" if name.strip() != other.strip() else "blanks around the name"
            question = Question(
                f"{kind}s {_shown(other)} and {_shown(name)}: their number",
                "two",
                ("two", "one"),
                f"they differ in nothing but {in_what}; two {kind}s stay apart, one is called "
                f"{_shown(other)}",
            )
            asked.append(question)
            if answers.get(question.subject) == "one":
                renamed[kind, name] = other
        return asked, renamed


def _folded(name: str) -> str:
    return composed(name).strip().casefold()


def _shown(name: str) -> str:
    """Return a name with marks around it where blanks would not be seen."""
    return name if name == name.strip() else f"'{name}'"


def named_by_folder(bundle: ImportBundle, is_known: Callable[[str], bool]) -> Renamed:
    """Return what systems are called whose names a folder's name stands for."""
    named = {name: name.replace("__", "/", 1) for name in systems_of(bundle) if "__" in name}
    return {("system", name): full for name, full in named.items() if is_known(full)}


def stated_datasets(bundles: Iterable[ImportBundle]) -> dict[str, str]:
    """Return the names of datasets that files state themselves, by what they are without capitals.

    A name with several spellings is none of them.
    """
    found: dict[str, set[str]] = {}
    for bundle in bundles:
        for name in {one.name for one in bundle.datasets} - _by_file(bundle):
            found.setdefault(composed(name).casefold(), set()).add(composed(name))
    return {key: min(names) for key, names in found.items() if len(names) == 1}


def spelled_as_stated(
    bundle: ImportBundle, stated: Mapping[str, str], is_known: Callable[[str], bool]
) -> ImportBundle:
    """Spell a dataset that was guessed from a file's name as other files of the import state it.

    A spelling that the store knows stays as it is.
    """
    renamed: Renamed = {}
    for name in _by_file(bundle):
        full = stated.get(composed(name).casefold(), name)
        if full != composed(name) and not is_known(name):
            renamed["dataset", name] = full
    guesses = [
        Guess(
            "dataset",
            renamed["dataset", one.value],
            f"{one.because}, spelled as another file has it",
        )
        if one.subject == "dataset" and ("dataset", one.value) in renamed
        else one
        for one in bundle.guesses
    ]
    return replace(with_names(bundle, renamed), guesses=guesses)


def _by_file(bundle: ImportBundle) -> set[str]:
    """Return the datasets whose names were guessed from the name of a file or of folders."""
    return {
        one.value
        for one in bundle.guesses
        if one.subject == "dataset" and one.because.startswith(_FROM_PATHS)
    }


def with_names(bundle: ImportBundle, renamed: Renamed) -> ImportBundle:
    """Return a bundle whose systems and datasets are called as they were answered to be."""
    if not renamed:
        return bundle

    def system(name: str) -> str:
        return renamed.get(("system", name), name)

    return replace(
        bundle,
        datasets=[
            replace(one, name=renamed.get(("dataset", one.name), one.name))
            for one in bundle.datasets
        ],
        runs=[replace(run, system=system(run.system)) for run in bundle.runs],
        reported_scores=[replace(one, system=system(one.system)) for one in bundle.reported_scores],
        reported_comparisons=[
            replace(one, system_a=system(one.system_a), system_b=system(one.system_b))
            for one in bundle.reported_comparisons
        ],
        ratings=[
            one if one.system is None else replace(one, system=system(one.system))
            for one in bundle.ratings
        ],
        preferences=[
            replace(one, first=system(one.first), second=system(one.second))
            for one in bundle.preferences
        ],
        identities={system(name): stated for name, stated in bundle.identities.items()},
        aliases={system(name): names for name, names in bundle.aliases.items()},
        understood=[_told(line, renamed) for line in bundle.understood],
    )


def _told(line: str, renamed: Renamed) -> str:
    for (_, name), full in renamed.items():
        line = line.replace(f"'{name}'", f"'{full}'")
    return line


def names_in(bundle: ImportBundle) -> Iterable[tuple[Kind, str]]:
    """Yield the names of systems and datasets of a bundle, with their kind."""
    for name in systems_of(bundle):
        yield "system", name
    for dataset in bundle.datasets:
        yield "dataset", dataset.name
