"""Reading files by a recipe: those that come with Tiebreak, and those that people add."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from store.errors import ImportFormatError, NoResultsError, UnknownFormatError
from store.importers.bundle import ImportBundle, LeftOut, ReadOptions, RowProblems, SourceFile
from store.importers.recipes.archive import Archive
from store.importers.recipes.assemble import Assembler
from store.importers.recipes.documents import Document, parse_tree, read_document
from store.importers.recipes.paths import Place
from store.importers.recipes.recipe import (
    USER_RECIPE,
    USER_SUFFIX,
    Recipe,
    is_recipe_file,
    load_recipe,
)
from store.importers.recipes.recognise import fits, is_part, misses, without_results
from store.importers.settings import load_settings
from store.importers.surroundings import folders_around, is_given
from store.importers.textfile import data_suffix, decode

USER_FORMAT: Final = "recipe"
USER_DESCRIPTION: Final = f"by your own recipe beside the file: {USER_RECIPE} or *{USER_SUFFIX}"
_LEVELS: Final = 4
"""Folders in which a person's recipe is looked for: the file's own and those above it."""


@dataclass(frozen=True, slots=True)
class RecipeImporter:
    """The three functions of an importer, by a recipe."""

    recipe: Recipe

    def sniff(self, path: Path, options: ReadOptions) -> bool:
        """Return whether a file is of the recipe's format; never raises."""
        return fits(self.recipe, path)

    def group(self, paths: Sequence[Path]) -> list[list[Path]]:
        """Join the parts of a folder; any other file is read by itself."""
        groups: dict[Path, list[Path]] = {}
        for path in paths:
            whole = path.parent if is_part(self.recipe, path) else path
            groups.setdefault(whole, []).append(path)
        return list(groups.values())

    def read(
        self, paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]
    ) -> ImportBundle:
        """Read one file, or one folder of parts.

        Raises
        ------
        NoResultsError
            The file is sound and holds no results.
        ImportFormatError
            It is damaged, or not as the recipe says.
        """
        recipe, first = self.recipe, paths[0]
        because = None if is_part(recipe, first) else without_results(recipe, first)
        if because is not None:
            raise NoResultsError(f"{because} ({recipe.name}).", path=shown[first])
        problems = RowProblems(options.lenient)
        if is_part(recipe, first):
            document = _of_folder(recipe, first.parent, shown[first], problems, options.with_text)
            first = first.parent / next(iter(recipe.parts.values()))
        else:
            document = read_document(first, shown[first], problems)
        return _read(recipe, document, first, options, problems)


def _of_folder(
    recipe: Recipe, folder: Path, place: str, problems: RowProblems, with_text: bool
) -> Document:
    """Return the parts of a folder as one document; a part that is absent is ``None``."""
    before = place[: place.rfind("/") + 1]
    content: dict[str, Any] = {}
    files: list[SourceFile] = []
    for part, name in recipe.parts.items():
        content[part] = None
        if (folder / name).is_file() and (with_text or part not in recipe.text_parts):
            one = read_document(folder / name, before + name, problems)
            content[part] = one.content
            files.extend(one.files)
    return Document("json", content, files, shown=before or place)


def _read(
    recipe: Recipe, document: Document, path: Path, options: ReadOptions, problems: RowProblems
) -> ImportBundle:
    shown = document.files[0].path
    settings = load_settings(path, shown, options)
    if recipe.hook:
        hook = importlib.import_module(f".hooks.{recipe.hook}", __package__)
        try:
            content = hook.prepare(document, path, options.with_text)
        except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
            told = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ImportFormatError(
                f"not laid out as {recipe.name} is, as far as is known ({told}).", path=shown
            ) from None
        document = replace(document, content=content)
    elif isinstance(document.content, Archive):
        document = replace(document, content=_members(document.content))
    assembler = Assembler(recipe, settings, problems, with_text=options.with_text)
    top = Place(path, (document.content,))
    if recipe.metrics:
        for number, place in enumerate(top.down(recipe.records or "*")):
            is_numbered = recipe.records in ("", "*") and number < len(document.lines)
            assembler.add(place, document.lines[number] if is_numbered else None)
    for rule in recipe.reported:
        for place in top.down(rule.each):
            assembler.report(rule, place)
    left_out: Sequence[LeftOut] = ()
    if assembler.is_empty:
        problems.raise_if_any()
        raise NoResultsError(f"holds no scores ({recipe.description}).", path=shown)
    return assembler.bundle(document.files, left_out)


def _members(archive: Archive) -> dict[str, Any]:
    """Return member -> content, of JSON and JSON lines."""
    found: dict[str, Any] = {}
    for name in archive.names:
        place = f"{archive.shown}:{name}"
        if name.endswith((".json", ".jsonl")):
            found[name] = parse_tree(decode(archive.read(name), place), place)
    return found


def user_recipes(path: Path, options: ReadOptions) -> list[Path]:
    """Return the recipes that a person put beside a file, above it, or beside the store."""
    folders = _folders_around(path)
    if options.recipes is not None:
        folders.append(options.recipes)
    found = [one for folder in folders for one in _recipes_in(folder)]
    return list(dict.fromkeys(found))


def _folders_around(path: Path) -> list[Path]:
    return [path.parent, *folders_around(path, _LEVELS)[1:]]


def unused_recipes(shown: Mapping[Path, str]) -> dict[str, str]:
    """Return the recipes beside files, or above them in a named folder, that fit none, and why.

    A recipe that cannot be read is not among them: the files beside it are refused for it.

    Parameters
    ----------
    shown
        All files of the import, with how messages show them.

    Returns
    -------
    dict
        By how messages show the recipe.
    """
    found: dict[str, Path] = {}
    for path, name in shown.items():
        folders = _folders_around(path)
        named = next((n for n, folder in enumerate(folders) if is_given(folder.resolve())), 0)
        for folder, near in zip(folders[: named + 1], Path(name).parents, strict=False):
            found |= {(near / one.name).as_posix(): one for one in _recipes_in(folder)}
    return {
        name: because for name, one in sorted(found.items()) if (because := _why_unused(one, shown))
    }


def _why_unused(recipe_file: Path, paths: Iterable[Path]) -> str:
    try:
        recipe = load_recipe(recipe_file, recipe_file.as_posix())
    except ImportFormatError:
        return ""
    folder = recipe_file.parent.resolve()
    below = [one for one in paths if one.resolve().is_relative_to(folder)]
    data = [one for one in below if not is_recipe_file(one)]
    if not data or any(fits(recipe, one) for one in data):
        return ""
    nearest = min((misses(recipe, one) for one in data), key=len)
    return " ".join(["this recipe fits none of the files beside or below it:", *nearest])


def _recipes_in(folder: Path) -> tuple[Path, ...]:
    try:
        return _listed(folder, folder.stat().st_mtime_ns)
    except OSError:
        return ()


@lru_cache(maxsize=256)
def _listed(folder: Path, changed: int) -> tuple[Path, ...]:
    return tuple(sorted(one for one in folder.glob("*.yaml") if is_recipe_file(one)))


def _recipe_for(path: Path, options: ReadOptions) -> Recipe | None:
    """Return the person's recipe that fits a file.

    Raises
    ------
    ImportFormatError
        A recipe cannot be read.
    """
    for one in user_recipes(path, options):
        recipe = load_recipe(one, one.as_posix())
        if fits(recipe, path):
            return recipe
    return None


def sniff_user(path: Path, options: ReadOptions) -> bool:
    """Return whether a person's recipe fits a file; a broken one claims the data beside it."""
    try:
        return _recipe_for(path, options) is not None
    except ImportFormatError:
        return data_suffix(path) in (".json", ".jsonl", ".csv", ".tsv", ".parquet")


def group_user(paths: Sequence[Path]) -> list[list[Path]]:
    """Put every file into a group of its own."""
    return [[path] for path in paths]


def read_user(
    paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]
) -> ImportBundle:
    """Read a file by the recipe that a person put beside it.

    Raises
    ------
    UnknownFormatError
        No recipe fits the file.
    ImportFormatError
        The recipe or the file is not as it should be.
    """
    recipe = _recipe_for(paths[0], options)
    if recipe is None:
        raise UnknownFormatError("no recipe beside it fits.", path=shown[paths[0]])
    return RecipeImporter(recipe).read(paths, options, shown)
