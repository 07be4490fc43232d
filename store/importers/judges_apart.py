"""Files of one import in which a judge prefers one thing and another: folders tell judges apart.

AlpacaEval keeps annotations in a folder for each judge, and in each file a name of the judge that
two of them may share. A folder that is called like the judge is that judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from store.importers.bundle import BundlePreference, Guess, ImportBundle
from store.spelling import composed

_BECAUSE = "files of folders beside each other give other preferences under one name of a judge"


def with_judges_apart(bundles: Sequence[ImportBundle]) -> list[ImportBundle]:
    """Return the bundles, judges that contradict themselves called after their folders too."""
    beside: dict[PurePosixPath, list[ImportBundle]] = {}
    for bundle in bundles:
        if bundle.preferences and bundle.files and not bundle.ratings:
            beside.setdefault(_folder(bundle).parent, []).append(bundle)
    folders: dict[str, set[str]] = {}
    for group in beside.values():
        if len({_folder(bundle) for bundle in group}) > 1:
            for judge, names in _contradicting(group):
                folders.setdefault(judge, set()).update(names)
    return [_renamed(one, folders) if one.preferences and folders else one for one in bundles]


def _folder(bundle: ImportBundle) -> PurePosixPath:
    return PurePosixPath(bundle.files[0].path).parent


def _contradicting(group: Iterable[ImportBundle]) -> set[tuple[str, frozenset[str]]]:
    """Return each judge with other choices in two folders, and the names of these."""
    found: set[tuple[str, frozenset[str]]] = set()
    known: dict[tuple[object, ...], tuple[str, str]] = {}
    for bundle in group:
        folder = _folder(bundle).name
        for one in bundle.preferences:
            key, preferred = _about(bundle, one), _preferred(one)
            other, before = known.setdefault(key, (folder, preferred))
            if other != folder and before != preferred:
                found.add((one.annotator, frozenset((other, folder))))
    return found


def _about(bundle: ImportBundle, one: BundlePreference) -> tuple[object, ...]:
    """Return what a preference is about: judge, question, item and the two systems."""
    criterion = bundle.criteria[one.criterion]
    dataset = bundle.datasets[criterion.dataset]
    sides = frozenset((composed(one.first), composed(one.second)))
    item = dataset.items[one.item].key
    names = composed(one.annotator), criterion.name, composed(dataset.name), dataset.version
    return (*names, item, sides, one.replicate)


def _preferred(one: BundlePreference) -> str:
    """Return the preferred system, or nothing for a tie."""
    return {"first": one.first, "second": one.second}.get(one.choice, "")


def _renamed(bundle: ImportBundle, folders: dict[str, set[str]]) -> ImportBundle:
    folder = _folder(bundle).name
    names = {
        judge: f"{judge} ({folder})"
        for judge in dict.fromkeys(one.annotator for one in bundle.preferences)
        if folder in folders.get(judge, ()) and folder != judge
    }
    if not names:
        return bundle
    return replace(
        bundle,
        annotators={names.get(name, name): kind for name, kind in bundle.annotators.items()},
        preferences=[
            replace(one, annotator=names.get(one.annotator, one.annotator))
            for one in bundle.preferences
        ],
        guesses=[*bundle.guesses, *(Guess("annotator", to, _BECAUSE) for to in names.values())],
    )
