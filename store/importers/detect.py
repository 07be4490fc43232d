"""Finding out what the given files and folders are, and reading them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from store.errors import ImportFormatError, UnknownFormatError, clipped, describe_place
from store.importers import generic
from store.importers.artefacts import names_of_artefacts
from store.importers.budget import Budget, OverBudgetError, require_size
from store.importers.bundle import ImportBundle, PathNames, ReadOptions
from store.importers.cells import CellError
from store.importers.derived import without_derived
from store.importers.figure_names import names_of_figure_files
from store.importers.file_names import is_of_settings
from store.importers.guard import looked_at, require_content
from store.importers.judges_apart import with_judges_apart
from store.importers.languages_apart import with_languages_apart
from store.importers.mapping import load_mapping, mapping_path
from store.importers.mlflow import local_path
from store.importers.naming import names_of_files
from store.importers.problems import together
from store.importers.recipes.importer import unused_recipes
from store.importers.registry import (
    FIGURES_NAMED_BY_PATHS,
    IMPORTERS,
    NAMED_BY_FOLDERS,
    NAMED_BY_PATHS,
    SCORING,
    Importer,
    importer_named,
)
from store.importers.releases_apart import with_releases_apart
from store.importers.remembered_columns import said_with_flags, used_answers, with_remembered
from store.importers.run_folders import names_of_runs
from store.importers.runs_apart import with_runs_apart
from store.importers.same_questions import with_same_questions
from store.importers.settings import where_stated
from store.importers.settings_apart import with_settings_apart
from store.importers.sources import Candidate, Sources, paths_of
from store.importers.surroundings import looked_for_within
from store.importers.tables import TABLE_SUFFIXES
from store.importers.textfile import data_suffix, read_json, read_text
from store.importers.unread_results import unread_file
from store.importers.versions_apart import with_versions_apart
from store.importers.yaml_nodes import nearest, parse_yaml
from store.progress import tell
from store.scratch import scratch_folder

_DATA_SUFFIXES = TABLE_SUFFIXES | {".json"}
"""Files that hold results by their name: a damaged one in a folder is an error, not passed over."""
_MOST_READ_AGAIN = 10_000
"""Files that are read again because another one of their group is damaged."""


@dataclass(frozen=True, slots=True)
class LeftOutFile:
    """A file that brings nothing into the store, and why."""

    path: str
    reason: str
    is_fault: bool = False
    """Whether it should have brought something: it is damaged, or its columns do not suffice."""
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        return describe_place(self.path, self.line, self.field) + self.reason


class Reading(NamedTuple):
    """What a group of files that belong together gave."""

    bundle: ImportBundle
    is_given: bool
    """Whether a person named one of the files, so that it must go in or nothing does."""


class ReadResult(NamedTuple):
    """What `read_paths` found."""

    readings: list[Reading]
    left_out: list[LeftOutFile]

    @property
    def bundles(self) -> list[ImportBundle]:
        """The contents of all groups of files, in order."""
        return [reading.bundle for reading in self.readings]

    @property
    def faults(self) -> list[LeftOutFile]:
        """What was left out and should have brought something."""
        return [one for one in self.left_out if one.is_fault]


def read_paths(
    paths: Iterable[Path | str] | Path | str,
    *,
    format: str | None = None,
    options: ReadOptions | None = None,
    root: Path | None = None,
    whole: bool = False,
) -> ReadResult:
    """Read files, folders and archives into bundles, one for each group of files.

    What cannot be read in a folder or an archive is left out and told; files that a person named
    must be readable, and one error tells what is wrong with all of them.

    Parameters
    ----------
    paths
        Files, folders, archives and patterns, or ``-`` for standard input; folders are searched
        with all that is below them, in sorted order.
    format
        Name of the importer to use instead of recognising each file by its content.
    options
        What is known about the files.
    root
        Messages and `SourceFile.path` show paths relative to this folder; without it as given.
    whole
        A file of a folder that is damaged stops all, as if it was named.

    Raises
    ------
    UnknownFormatError
        A given file is of no known format.
    ImportFormatError
        A given file is missing or cannot be read as it stands.
    """
    options = options or ReadOptions()
    if options.gold is not None and not options.gold.is_file():
        reason = "there is no such file with what is right."
        raise ImportFormatError(reason, path=options.gold.as_posix(), field="gold")
    forced = _forced(format)
    left_out: list[LeftOutFile] = []
    refused: list[ImportFormatError] = []

    def leave_out(candidates: Sequence[Candidate], error: ImportFormatError) -> None:
        is_unknown = isinstance(error, UnknownFormatError)
        is_blank = error.reason == "the file is empty."
        holds_none = all(
            is_of_settings(one.path) or (is_blank and data_suffix(one.path) not in _DATA_SUFFIXES)
            for one in candidates
        )  # a page to be written is empty, too
        is_fault = not is_unknown and not holds_none
        if (whole and is_fault) or any(candidate.is_given for candidate in candidates):
            refused.append(error)
            return
        for candidate in candidates:
            own = error.path in ("", candidate.shown)
            place = (error.line, error.field) if own else (None, None)
            told = error.reason if own else str(error)
            left_out.append(LeftOutFile(candidate.shown, told, is_fault, *place))

    given = [local_path(path) for path in paths_of(paths)]
    with (
        scratch_folder() as scratch,
        looked_for_within(given, scratch),
    ):
        try:
            sources = Sources(scratch, root, lambda one, error: leave_out([one], error))
            candidates = sources.find(given)
        except OSError as error:
            reason = f"cannot be opened: {(error.strerror or str(error)).lower()}."
            place = Path(str(error.filename))
            if root is not None and place.is_relative_to(root):
                place = place.relative_to(root)
            raise ImportFormatError(reason, path=clipped(str(place), 300)) from None
        chosen: list[tuple[Candidate, Importer]] = []
        for number, candidate in enumerate(candidates):
            tell("looking at files", number, len(candidates))
            try:
                chosen.append((candidate, _recognise(candidate, options, forced, sources.budget)))
            except ImportFormatError as error:
                leave_out([candidate], error)
        options = replace(options, names=_names(chosen, options))
        readings = []
        n_read = 0
        for importer, group in _groups(chosen):
            tell("reading files", n_read, len(chosen))
            n_read += len(group)
            n_left = max(_MOST_READ_AGAIN, 2 * len(group))
            n_refused = len(refused)
            while group:
                n_left -= len(group)
                shown = {candidate.path: candidate.shown for candidate in group}
                try:
                    chosen_for_it = _with_choices(importer, group, options)
                    bundle = _read(importer, shown, chosen_for_it)
                except ImportFormatError as error:
                    damaged = [one for one in group if one.shown == error.path]
                    rest = [one for one in group if one.shown != error.path]
                    is_one_of_many = len(damaged) == 1 and bool(rest) and n_left >= 0
                    is_unknown = isinstance(error, UnknownFormatError)
                    placed = error if is_unknown else _with_line_of_yaml(error, group, options)
                    leave_out(damaged if is_one_of_many else group, placed)
                    # Once one is refused, what the others of its group lack may go back to it.
                    group = rest if is_one_of_many and len(refused) == n_refused else []
                else:
                    bundle = _with_what_was_said(bundle, group, options)
                    readings.append(Reading(bundle, any(one.is_given for one in group)))
                    left_out += [LeftOutFile(one.path, one.reason) for one in bundle.left_out]
                    break
        if forced is None:
            unused = unused_recipes({one.path: one.shown for one in candidates})
            left_out += [LeftOutFile(*one, is_fault=True) for one in unused.items()]
    if refused:
        raise together(refused)
    bundles, derived = without_derived([reading.bundle for reading in readings])
    bundles = with_releases_apart(with_settings_apart(bundles))
    bundles = with_languages_apart(bundles)
    bundles = with_runs_apart(with_same_questions(with_versions_apart(bundles)))
    bundles = with_judges_apart(bundles)
    left_out += [LeftOutFile(one.path, one.reason) for one in derived]
    pairs = zip(readings, bundles, strict=True)
    readings = [reading._replace(bundle=bundle) for reading, bundle in pairs if bundle.files]
    is_asked = bool(options.score) or options.gold is not None
    if is_asked and readings and not any(one.bundle.format in SCORING for one in readings):
        formats = ", ".join(dict.fromkeys(one.bundle.format for one in readings))
        reason = f"nothing was scored: the files were read as {formats}, whose scores are given. "
        raise ImportFormatError(reason + "Leave --score and --gold out.", field="score")
    return ReadResult(readings, left_out)


def _read(importer: Importer, shown: Mapping[Path, str], options: ReadOptions) -> ImportBundle:
    """Return what an importer makes of files.

    Raises
    ------
    ImportFormatError
        The importer refuses a file, or came upon a cell that is none and named no place of it.
    """
    try:
        return importer.read(list(shown), options, shown)
    except CellError as error:
        path = next(iter(shown.values())) if len(shown) == 1 else ""
        raise ImportFormatError(f"a cell that names something {error}.", path=path) from None


def _with_choices(
    importer: Importer, group: Sequence[Candidate], options: ReadOptions
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


def _with_what_was_said(
    bundle: ImportBundle, group: Sequence[Candidate], options: ReadOptions
) -> ImportBundle:
    """Return the bundle with the answers about columns that it rests on, and new ones."""
    questions = list(bundle.questions)
    said = dict(bundle.said)
    for candidate in group:
        questions += used_answers(candidate.path, options)
        said |= said_with_flags(candidate.path, options)
    return replace(bundle, questions=questions, said=said)


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


def _recognise(
    candidate: Candidate, options: ReadOptions, forced: Importer | None, budget: Budget
) -> Importer:
    """Return the importer for a file: forced, named by its YAML, or the first that knows it.

    In a folder only files of data are forced into a format, not the notes beside them.
    """
    path, shown = candidate.path, candidate.shown
    can_force = candidate.is_given or data_suffix(path) in _DATA_SUFFIXES
    try:
        require_size(path, shown, budget)
        require_content(path, shown)
    except ImportFormatError as error:
        if can_force or isinstance(error, OverBudgetError):
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
    options = with_remembered(path, options)
    with looked_at(path):
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
    if not candidate.is_given and (unread := unread_file(path)) is not None:
        raise ImportFormatError(unread, path=shown)
    if candidate.is_given:
        known = ", ".join(importer.name for importer in IMPORTERS)
        reason += f" Known formats: {known}. Force one with --format NAME."
    raise UnknownFormatError(reason, path=shown)


def _diagnose(path: Path, shown: str) -> None:
    """Raise an exact error when the file is damaged rather than merely unknown."""
    suffix = data_suffix(path)
    if suffix == ".json":
        read_json(path, shown)
    elif suffix in (".yaml", ".yml"):
        parse_yaml(read_text(path, shown)[0], shown)
    else:
        read_text(path, shown)


def _names(
    chosen: Sequence[tuple[Candidate, Importer]], options: ReadOptions
) -> dict[Path, PathNames]:
    """Return what the paths of tables without a system say, those of one importer together."""
    found: dict[Path, PathNames] = {}
    tables = [one.path for one, used in chosen if used.name == generic.NAME]
    kept = names_of_artefacts(tables)
    for name in NAMED_BY_PATHS:
        shown = {
            one.path: one.shown
            for one, used in chosen
            if used.name == name and one.path not in kept
        }
        if shown:
            found |= names_of_files(list(shown), options, shown)
    runs = [one.path for one, used in chosen if used.name in NAMED_BY_FOLDERS]
    found |= kept | names_of_runs(runs, options.answers)
    for name in FIGURES_NAMED_BY_PATHS if options.system is None else ():
        paths = [one.path for one, used in chosen if used.name == name and one.path not in found]
        found |= names_of_figure_files(paths, options.answers)
    return found


def _groups(
    chosen: Sequence[tuple[Candidate, Importer]],
) -> list[tuple[Importer, list[Candidate]]]:
    """Group the files of each importer, in the order of each group's first file."""
    grouped: list[tuple[int, Importer, list[Candidate]]] = []
    order = {candidate.path: i for i, (candidate, _) in enumerate(chosen)}
    by_path = {candidate.path: candidate for candidate, _ in chosen}
    for importer in IMPORTERS:
        paths = [candidate.path for candidate, used in chosen if used is importer]
        for group in importer.group(paths):
            first = min(order[path] for path in group)
            grouped.append((first, importer, [by_path[path] for path in group]))
    return [(importer, group) for _, importer, group in sorted(grouped, key=lambda one: one[0])]


def _with_line_of_yaml(
    error: ImportFormatError, group: Sequence[Candidate], options: ReadOptions
) -> ImportFormatError:
    """Return the error with the line of the YAML that it goes back to, if any."""
    for candidate in group:
        if error.path in ("", candidate.shown):
            return where_stated(error, candidate.path, candidate.shown, options)
    return error
