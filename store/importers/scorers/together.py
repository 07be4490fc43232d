"""Outputs and their gold, found beside them or named with ``--gold``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from store.errors import UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.scorers.forms import Form, form_of
from store.importers.scorers.layout import (
    FileSet,
    is_plain,
    is_stranger,
    parts_of,
    role_of,
    set_around,
    sets_around,
)


def is_of_form(path: Path, form: Form, options: ReadOptions) -> bool:
    """Return whether a file is of a form and has its gold, or its outputs, beside it or given."""
    if not is_plain(path):
        return False
    own = form_of(path)
    if options.gold is not None:
        return own == form == form_of(options.gold)
    one = set_around(path) if own != "other" else None
    if one is None:
        return False
    # A damaged output is still one: what it should hold is what the gold holds.
    is_damaged = own != form and role_of(path) == "output" and not is_stranger(path, one)
    gold_form = form_of(next(iter(one.gold.values())))
    return gold_form == form and (own == form or is_damaged or path.resolve() == one.source)


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the files of each set together; those without gold beside them by folder."""
    groups: dict[tuple[Path, ...], list[Path]] = {}
    known: dict[Path, tuple[Path, ...]] = {}
    for path in paths:
        full = path.resolve()
        if full not in known:
            known |= {each: tuple(one.paths) for one in sets_around(full) for each in one.paths}
        groups.setdefault(known.get(full, (full.parent,)), []).append(path)
    return list(groups.values())


def set_of(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> FileSet:
    """Return the set that the given files belong to, with the gold that ``--gold`` names."""
    full = [path.resolve() for path in paths]
    found = next((one for one in sets_around(full[0]) if full[0] in one.paths), None)
    if options.gold is not None:
        gold = options.gold.resolve()
        core = tuple(text for _, _, text in parts_of(gold.name))
        others = [path for path in full if path != gold]
        sources = [path for path in others if role_of(path) == "source"]
        outputs = [path for path in others if role_of(path) == "output"]
        return FileSet(
            {"": gold}, found.core if found else core, sources[0] if sources else None, outputs
        )
    if found is None:
        reason = "there is no reference beside the outputs. Name it: --gold FILE."
        raise UnknownFormatError(reason, path=shown[paths[0]])
    return found
