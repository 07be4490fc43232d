"""Finding out what the given files and folders are, and reading them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import ImportBundle, ReadOptions
from store.importers.mapping import (
    FOLDER_MAPPING,
    MAPPING_SUFFIX,
    is_mapping_file,
    load_mapping,
    mapping_path,
)
from store.importers.recipes.recipe import is_recipe_file
from store.importers.registry import IMPORTERS, Importer, importer_named
from store.importers.settings import where_stated
from store.importers.tables import TABLE_SUFFIXES
from store.importers.textfile import data_stem, data_suffix, read_json, read_text, require_size
from store.importers.yaml_nodes import nearest

_DATA_SUFFIXES = TABLE_SUFFIXES | {".json"}
"""Files that hold results by their name: a damaged one in a folder is an error, not passed over."""


class IgnoredFile(NamedTuple):
    """A file found in a folder that holds no results."""

    path: str
    reason: str


class ReadResult(NamedTuple):
    """What `read_paths` found."""

    bundles: list[ImportBundle]
    ignored: list[IgnoredFile]


@dataclass(frozen=True, slots=True)
class _Candidate:
    path: Path
    shown: str
    is_given: bool
    """Named by the person, not merely found in a folder."""


def read_paths(
    paths: Iterable[Path | str] | Path | str,
    *,
    format: str | None = None,
    options: ReadOptions | None = None,
    root: Path | None = None,
) -> ReadResult:
    """Read files and folders into bundles, one for each group of files that belong together.

    Parameters
    ----------
    paths
        Files and folders; folders are searched with all that is below them, in sorted order.
    format
        Name of the importer to use instead of recognising each file by its content.
    options
        What is known about the files.
    root
        Messages and `SourceFile.path` show paths relative to this folder; without it as given.

    Raises
    ------
    UnknownFormatError
        A given file is of no known format. Such a file in a folder is listed in `ignored`.
    ImportFormatError
        A file is missing or cannot be read as it stands.
    """
    options = options or ReadOptions()
    forced = _forced(format)
    given = [paths] if isinstance(paths, (str, Path)) else paths
    try:
        candidates = _expand([Path(path) for path in given], root)
    except PermissionError as error:
        reason = "cannot be opened: permission denied."
        raise ImportFormatError(reason, path=str(error.filename)) from None
    chosen: list[tuple[_Candidate, Importer]] = []
    ignored: list[IgnoredFile] = []
    for candidate in candidates:
        try:
            importer = _recognise(candidate, options, forced)
        except UnknownFormatError as error:
            _raise_if_given([candidate], error)
            ignored.append(IgnoredFile(candidate.shown, error.reason))
            continue
        chosen.append((candidate, importer))
    bundles = []
    for importer, group in _groups(chosen):
        shown = {candidate.path: candidate.shown for candidate in group}
        try:
            chosen_for_it = _with_choices(importer, group, options)
            bundles.append(importer.read([c.path for c in group], chosen_for_it, shown))
        except UnknownFormatError as error:
            _raise_if_given(group, error)
            ignored.extend(IgnoredFile(candidate.shown, error.reason) for candidate in group)
        except ImportFormatError as error:
            placed = _with_line_of_yaml(error, group, options)
            if len(chosen) == len(group) or any(candidate.is_given for candidate in group):
                raise placed from None
            raise _with_way_out(placed, group) from None
    return ReadResult(bundles, ignored)


def _with_choices(
    importer: Importer, group: Sequence[_Candidate], options: ReadOptions
) -> ReadOptions:
    """Return the options with what the YAML of the files chooses; flags go first.

    Raises
    ------
    ImportFormatError
        Something is chosen, and the format has nothing to choose.
    """
    choices: dict[str, str] = {}
    for candidate in group:
        choices |= load_mapping(candidate.path, candidate.shown).choices
    choices |= options.choices
    if choices and not importer.has_options:
        raise ImportFormatError(
            f"the format '{importer.name}' has no options; leave --option and the YAML's "
            f"`options:` out, or force another format with --format.",
            path=group[0].shown,
            field=next(iter(choices)),
        )
    return replace(options, choices=choices)


def _forced(name: str | None) -> Importer | None:
    if name is None:
        return None
    importer = importer_named(name)
    if importer is None:
        names = [known.name for known in IMPORTERS]
        raise UnknownFormatError(f"there is no format '{name}'.{nearest(name, names)}")
    return importer


def _declared(name: str, shown: str, line: int) -> Importer:
    importer = importer_named(name)
    if importer is None:
        names = [known.name for known in IMPORTERS]
        reason = f"there is no format '{name}'.{nearest(name, names)}"
        raise ImportFormatError(reason, path=shown, line=line, field="format")
    return importer


def _expand(paths: Sequence[Path], root: Path | None) -> list[_Candidate]:
    """Return the files that are given and those in given folders, each once."""
    found: dict[Path, _Candidate] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and _is_data(p, path))
            if not inside:
                raise ImportFormatError("the folder holds no file to read.", path=_show(path, root))
            for file in inside:
                found.setdefault(_identity(file), _Candidate(file, _show(file, root), False))
        elif not path.exists():
            raise ImportFormatError("there is no such file.", path=_show(path, root))
        elif is_mapping_file(path):
            raise ImportFormatError(
                "this file describes data files and holds no results. Give the data file; the "
                "description beside it is read with it.",
                path=_show(path, root),
            )
        else:
            found[_identity(path)] = _Candidate(path, _show(path, root), True)
    return list(found.values())


def _identity(path: Path) -> Path:
    """Return what makes a file one: a link is the file it leads to, unless it has its own YAML."""
    described = mapping_path(path)
    if path.is_symlink() and described is not None and described.name != FOLDER_MAPPING:
        return path.parent.resolve() / path.name
    return path.resolve()


def _is_data(path: Path, folder: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return not is_hidden and not is_mapping_file(path) and not is_recipe_file(path)


def _show(path: Path, root: Path | None) -> str:
    if root is None:
        return path.as_posix()
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def _recognise(candidate: _Candidate, options: ReadOptions, forced: Importer | None) -> Importer:
    """Return the importer for a file: forced, named by its YAML, or the first that knows it.

    In a folder only files of data are forced into a format, not the notes beside them.
    """
    path, shown = candidate.path, candidate.shown
    can_force = candidate.is_given or data_suffix(path) in _DATA_SUFFIXES
    try:
        require_size(path, shown)
    except ImportFormatError as error:
        if can_force:
            raise
        raise UnknownFormatError(error.reason, path=shown) from None
    if forced is not None:
        if can_force or forced.sniff(path, options):
            return forced
        raise UnknownFormatError(f"not of the format '{forced.name}'.", path=shown)
    if can_force and mapping_path(path) is not None:
        mapping = load_mapping(path, shown)
        if mapping.format is not None and mapping.source_file is not None:
            return _declared(mapping.format, mapping.source_file.path, mapping.lines["format"])
    for importer in IMPORTERS:
        if importer.sniff(path, options):
            return importer
    try:
        _diagnose(path, shown)
    except ImportFormatError as error:
        if candidate.is_given or data_suffix(path) in _DATA_SUFFIXES:
            raise
        raise UnknownFormatError(error.reason, path=shown, line=error.line) from None
    reason = "no importer recognises the content."
    if candidate.is_given:
        known = "; ".join(f"{importer.name} ({importer.description})" for importer in IMPORTERS)
        reason += f" Known formats: {known}. Force one with --format NAME."
    raise UnknownFormatError(reason, path=shown)


def _diagnose(path: Path, shown: str) -> None:
    """Raise an exact error when the file is damaged rather than merely unknown."""
    if data_suffix(path) == ".json":
        read_json(path, shown)
    else:
        read_text(path, shown)


def _groups(
    chosen: Sequence[tuple[_Candidate, Importer]],
) -> list[tuple[Importer, list[_Candidate]]]:
    """Group the files of each importer, in the order of each group's first file."""
    grouped: list[tuple[int, Importer, list[_Candidate]]] = []
    order = {candidate.path: i for i, (candidate, _) in enumerate(chosen)}
    by_path = {candidate.path: candidate for candidate, _ in chosen}
    for importer in IMPORTERS:
        paths = [candidate.path for candidate, used in chosen if used is importer]
        for group in importer.group(paths):
            first = min(order[path] for path in group)
            grouped.append((first, importer, [by_path[path] for path in group]))
    return [(importer, group) for _, importer, group in sorted(grouped, key=lambda one: one[0])]


def _raise_if_given(candidates: Sequence[_Candidate], error: UnknownFormatError) -> None:
    if any(candidate.is_given for candidate in candidates):
        raise error


def _with_line_of_yaml(
    error: ImportFormatError, group: Sequence[_Candidate], options: ReadOptions
) -> ImportFormatError:
    """Return the error with the line of the YAML that it goes back to, if any."""
    for candidate in group:
        if error.path in ("", candidate.shown):
            return where_stated(error, candidate.path, candidate.shown, options)
    return error


def _with_way_out(error: ImportFormatError, group: Sequence[_Candidate]) -> ImportFormatError:
    """Return the error with what to do when one file in a folder of several is not as the others.

    A flag holds for all files of a folder; a YAML beside a file holds for this one only.
    """
    named = data_stem(group[0].shown)
    reason = (
        f"{error.reason} Flags hold for every file of a folder. Where it holds several kinds of "
        f"files, name them one by one, or let a '{named}{MAPPING_SUFFIX}' beside this one say what "
        f"it is (`format: judgments`, `options:`), and '{FOLDER_MAPPING}' what the others are."
    )
    return ImportFormatError(reason, path=error.path, line=error.line, field=error.field)
