"""Which files of a folder are outputs, which are gold, and which system made what: by their names.

A name is cut into parts at dots, dashes, underscores and blanks; a part such as ``ref`` or ``src``
says what the file is. Folders called ``gold`` or ``submissions`` say it for the files in them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from store.importers.file_names import NO_PLACE, naming_folders
from store.importers.metric_registry import words_of
from store.importers.wmt.names import pair_in

Role = Literal["gold", "source", "output"]
Part = tuple[int, int, str]
"""Begin, end and text of a part of a name."""

_PART = re.compile(r"[^._\-\s]+")
_GOLD = re.compile(
    r"(ref|reference|references|refs|gold|golden|goldstandard|target|targets|tgt|trg|truth)"
    r"([A-Z0-9])?"
)
_WORDS: dict[Role, frozenset[str]] = {
    "gold": words_of("annotated"),
    "source": words_of("src source sources orig original input inputs"),
    "output": words_of(
        """hyp hypo hyps hypothesis hypotheses pred preds predicted prediction predictions out
        output outputs sys system systems submission submissions"""
    ),
}
_FOLDERS: dict[str, Role] = {
    **dict.fromkeys(("ref", "refs", "reference", "references", "gold", "golds", "targets"), "gold"),
    **dict.fromkeys(("src", "source", "sources"), "source"),
    **dict.fromkeys(
        ("hyp", "hyps", "predictions", "preds", "outputs", "submissions", "systems"), "output"
    ),
    "system-outputs": "output",
    "system_outputs": "output",
}
_NO_TEXT = re.compile(
    r".*\.(csv|tsv|json|jsonl|ndjson|parquet|ya?ml|md|rst|html?|xml|sgm|py|sh|ipynb|pdf|png|jpe?g|"
    r"eval|conllu|conllx|zip|tar|tgz|log|xlsx|npy|npz|pkl|pt|bin|toml|cfg|ini|lock)(\.gz)?"
    r"|(readme|license|licence|copying|notice|changelog|makefile|notes)(\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_MOST_FILES = 20_000
_FURTHEST = 3
"""Levels of folders in which the outputs may lie below the folder that joins them with the gold."""
_SPLIT = re.compile(r"(test|dev|devel|valid|validation|val|eval|train)\d*([-_.].*)?", re.IGNORECASE)
_NO_NAME = words_of(
    """results result output outputs out runs run predictions preds data eval evaluation txt text
    decode decoded generations submissions artifacts"""
)


@dataclass(slots=True)
class FileSet:
    """Outputs and the gold files that they are scored with."""

    gold: dict[str, Path]
    """By label, as A and B of ``ref.A`` and ``ref.B``; one without a label is ``""``."""
    core: tuple[str, ...]
    """What their names share besides the role."""
    source: Path | None = None
    outputs: list[Path] = field(default_factory=list)

    @property
    def paths(self) -> list[Path]:
        """All files of the set, the gold first."""
        source = [self.source] if self.source else []
        return [*self.gold.values(), *source, *self.outputs]


def is_plain(path: Path) -> bool:
    """Return whether a file can be a text of lines, by its name."""
    return not _NO_TEXT.fullmatch(path.name) and not path.name.startswith(".")


def parts_of(name: str) -> list[Part]:
    """Return the parts of a file's name, without ``.gz``."""
    return [(m.start(), m.end(), m[0]) for m in _PART.finditer(name.removesuffix(".gz"))]


def role_of(path: Path) -> Role:
    """Return what a file is by its name, then by its folder."""
    named = _named_role(path.name)
    if named:
        return named[1]
    for folder in (path.parent.name, path.parent.parent.name):
        if folder.lower() in _FOLDERS:
            return _FOLDERS[folder.lower()]
    return "output"


def says_output(path: Path) -> bool:
    """Return whether the name or the folder says that a file is an output."""
    named = _named_role(path.name)
    folders = (path.parent.name.lower(), path.parent.parent.name.lower())
    return (named is not None and named[1] == "output") or any(
        _FOLDERS.get(folder) == "output" for folder in folders
    )


def _named_role(name: str) -> tuple[int, Role] | None:
    """Return which part of a name says what the file is, and what."""
    for i, (_, _, text) in enumerate(parts_of(name)):
        lower = text.lower()
        if _GOLD.fullmatch(text) or _GOLD.fullmatch(lower):
            return i, "gold"
        for role, words in _WORDS.items():
            if lower in words:
                return i, role
    return None


def _core_and_label(path: Path) -> tuple[tuple[str, ...], str]:
    """Return the parts of a gold file's name that its outputs share, and its label."""
    parts = [text for _, _, text in parts_of(path.name)]
    named = _named_role(path.name)
    if named is None:
        return tuple(parts), ""
    place = named[0]
    marked = _GOLD.fullmatch(parts[place])
    label = (marked[2] or "") if marked else ""
    rest = parts[:place] + parts[place + 1 :]
    if parts[place + 1 : place + 2] == [parts[place]] and place + 3 < len(parts):
        rest.remove(parts[place])  # of "ref.ref-A" one says it
        del parts[place]
    follows = parts[place + 1] if place + 1 < len(parts) else ""
    if not label and re.fullmatch(r"[A-Z]|\d|ref[A-Z0-9]", follows):
        label = follows.removeprefix("ref")
        rest.remove(follows)
    return tuple(rest), label


def file_sets(paths: Sequence[Path]) -> list[FileSet]:
    """Return the sets of outputs and gold files among files that lie together."""
    sets: dict[tuple[str, ...], FileSet] = {}
    others: list[tuple[Path, Role]] = []
    for path in paths:
        role = role_of(path)
        if role != "gold":
            others.append((path, role))
            continue
        core, label = _core_and_label(path)
        found = sets.setdefault(core, FileSet({}, core))
        found.gold[label if label not in found.gold else path.name] = path
    for path, role in others:
        mine = _best(path, list(sets.values()))
        if mine is None:
            continue
        if role == "source":
            mine.source = mine.source or path
        else:
            mine.outputs.append(path)
    return [one for one in sets.values() if one.outputs]


def _best(path: Path, sets: Sequence[FileSet]) -> FileSet | None:
    """Return the set whose gold files are called most as a file is; the only one, if so."""
    if len(sets) == 1:
        return sets[0]
    parts = Counter(text for _, _, text in parts_of(path.name))

    def shared(one: FileSet) -> tuple[int, int]:
        n_shared = sum((parts & Counter(one.core)).values())
        return n_shared, n_shared - len(one.core)

    ranked = sorted(sets, key=shared, reverse=True)
    if not ranked or shared(ranked[0])[0] == 0 or shared(ranked[0]) == shared(ranked[1]):
        return None
    return ranked[0]


def scope_of(path: Path) -> Path:
    """Return the folder in which a file's gold or outputs lie."""
    for folder in (path.parent, path.parent.parent):
        if folder.name.lower() in _FOLDERS:
            return folder.parent
    return path.parent


def sets_around(path: Path) -> list[FileSet]:
    """Return the sets of the folder that a file belongs to, as it is now."""
    scope = scope_of(path)
    return file_sets([each for each in _files_of(scope) if scope_of(each) == scope])


def set_around(path: Path) -> FileSet | None:
    """Return the set that a file is in, if its gold or outputs are beside it. Quick for many."""
    path = path.resolve()
    scope = scope_of(path)
    try:
        stamps = tuple(one.stat().st_mtime_ns for one in {scope, path.parent, path.parent.parent})
    except OSError:
        return None
    return _known_around(path.parent, scope, stamps).get(path)


@lru_cache(maxsize=64)
def _known_around(folder: Path, scope: Path, stamps: tuple[int, ...]) -> dict[Path, FileSet]:
    """Return the set of each file; `stamps` change when a file comes or goes."""
    sets = file_sets([each for each in _files_of(scope) if scope_of(each) == scope])
    return {path: one for one in sets for path in one.paths}


def is_stranger(path: Path, one: FileSet) -> bool:
    """Return whether nothing but its place makes a file an output of a set."""
    if says_output(path):
        return False
    shared = {text for _, _, text in parts_of(path.name)} & set(one.core)
    return not shared - {"txt", "tok", "detok", "raw", "text"}


def _files_of(scope: Path) -> Iterator[Path]:
    """Yield the plain files of a folder, and of those below that say what is in them."""
    waiting = [(scope, 0)]
    n_seen = 0
    while waiting:
        folder, level = waiting.pop(0)
        try:
            inside = sorted(folder.iterdir())
        except OSError:
            continue
        for path in inside:
            n_seen += 1
            if n_seen > _MOST_FILES:
                return
            if path.is_dir():
                if level or path.name.lower() in _FOLDERS:
                    waiting += [(path, level + 1)] if level < _FURTHEST else []
            elif is_plain(path):
                yield path


def system_of(path: Path, one: FileSet) -> str:
    """Return the system of an output: what its name has more than the gold's, else its folder."""
    if path.parent.parent.name.lower() in _FOLDERS:
        return path.parent.name
    parts = _own_parts(path, one)
    if parts:
        return path.name[parts[0][0] : parts[-1][1]]
    return folder_name(path)


def folder_name(path: Path) -> str:
    """Return the nearest folder of a file whose name says more than ``results`` or ``test``."""
    for folder in naming_folders(path):
        name = folder.name
        if not name or NO_PLACE.fullmatch(name):
            break
        if not _SPLIT.fullmatch(name) and name.lower() not in _NO_NAME:
            return name
    return path.parent.name or path.name


def dataset_of(path: Path, one: FileSet) -> str:
    """Return the dataset of a set: what the names share, else the folders around.

    The language pair that a reference is called after tells the sets of a folder apart.
    """
    if path.parent.parent.name.lower() in _FOLDERS:
        added = [text for _, _, text in _own_parts(path, one) if not _SPLIT.fullmatch(text)]
        return " ".join([*one.core, *added])
    if _own_parts(path, one) or says_by_folder(path):
        scope = scope_of(path).name
        pair = pair_in(next(iter(one.gold.values())).name) if one.gold else None
        return f"{scope} {pair}" if pair is not None and pair not in scope else scope
    system = system_of(path, one)
    split = path.parent.name if _SPLIT.fullmatch(path.parent.name) else ""
    names = [folder.name for folder in naming_folders(path)]
    above = names[names.index(system) + 1 :] if system in names else names
    project = next((name for name in above if name and name.lower() not in _NO_NAME), "")
    return "/".join(part for part in (project, split) if part) or one.core[0]


def says_by_folder(path: Path) -> bool:
    """Return whether the folder of a file says what is in it."""
    return path.parent.name.lower() in _FOLDERS


def _own_parts(path: Path, one: FileSet) -> list[Part]:
    """Return the parts of an output's name that are neither the gold's nor its role."""
    left = Counter(one.core)
    named = _named_role(path.name)
    parts = []
    for i, part in enumerate(parts_of(path.name)):
        if left[part[2]] > 0:
            left[part[2]] -= 1
        elif named is None or i != named[0]:
            parts.append(part)
    return parts
