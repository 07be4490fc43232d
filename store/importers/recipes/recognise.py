"""Whether a file is of a recipe's format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path

from store.importers.recipes.documents import Document, peek, peek_yaml
from store.importers.recipes.paths import leads_somewhere
from store.importers.recipes.recipe import Match, Recipe


def fits(recipe: Recipe, path: Path) -> bool:
    """Return whether a file, or the folder it is a part of, is of the recipe's format."""
    if is_part(recipe, path) or any(_fits(match, path) for match, _ in recipe.no_results):
        return True
    return not recipe.parts and any(_fits(match, path) for match in recipe.match)


def is_part(recipe: Recipe, path: Path) -> bool:
    """Return whether a file is a part of a folder that holds what the recipe needs."""
    names = list(recipe.parts.values())
    if path.name not in names or not (path.parent / names[0]).is_file():
        return False
    return any(_fits(match, path.parent / names[0]) for match in recipe.match)


def without_results(recipe: Recipe, path: Path) -> str | None:
    """Return what a file of the format is that holds no results; ``None``: it may hold some."""
    if not recipe.parts and any(_fits(match, path) for match in recipe.match):
        return None
    return next((because for match, because in recipe.no_results if _fits(match, path)), None)


def _fits(match: Match, path: Path) -> bool:
    if match.files and not _is_called(path, match.files):
        return False
    if match.kind or match.has or match.columns or match.members:
        document = peek(path)
        if document is None or (match.kind and match.kind != document.kind):
            return False
        if match.kind == "yaml" and match.has:
            document = peek_yaml(path, tuple(one.partition(".")[0] for one in match.has))
        if not (
            _has_members(document, match.members)
            and _has_columns(document.columns, match.columns)
            and _leads_somewhere(document, match.has)
        ):
            return False
    return all(any(path.parent.glob(one)) for one in match.beside)


def misses(recipe: Recipe, path: Path) -> list[str]:
    """Return for each way of recognising the format what the file lacks, a sentence each."""
    told = []
    for number, match in enumerate(recipe.match, start=1):
        checks = {f"kind: {match.kind}": Match(kind=match.kind)} if match.kind else {}
        if match.files:
            checks[f"files: {', '.join(match.files)}"] = Match(files=match.files)
        if match.members:
            checks[f"members: {', '.join(match.members)}"] = Match(members=match.members)
        checks |= {f"beside: {one}": Match(beside=[one]) for one in match.beside}
        checks |= {f"columns: {one}": Match(columns=[one]) for one in match.columns}
        checks |= {f"has: {one}": Match(has=[one]) for one in match.has}
        told += [
            f"match {number}: `{shown}` does not hold."
            for shown, check in checks.items()
            if not _fits(check, path)
        ]
    return told


def _is_called(path: Path, patterns: Sequence[str]) -> bool:
    # Folder by folder: a star of a pattern stays within one name.
    return any(
        _whole_path(path).match(pattern) if "/" in pattern else fnmatch(path.name, pattern)
        for pattern in patterns
    )


@lru_cache(maxsize=4)
def _whole_path(path: Path) -> Path:
    return path.resolve()


def _has_members(document: Document, patterns: Sequence[str]) -> bool:
    if not patterns:
        return True
    return document.kind == "archive" and any(map(document.content.matching, patterns))


def _has_columns(columns: Sequence[str], patterns: Sequence[str]) -> bool:
    return all(any(re.fullmatch(pattern, name) for name in columns) for pattern in patterns)


def _leads_somewhere(document: Document, wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    if document.kind not in ("json", "lines", "yaml"):
        return False
    top = document.content[0] if document.kind == "lines" and document.content else document.content
    return all(any(leads_somewhere(top, one) for one in _choices(choice)) for choice in wanted)


@lru_cache(maxsize=1024)
def _choices(path: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in path.split(" | "))
