"""What is given to an import, as single files: folders, patterns, archives and a stream."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.budget import Budget, OverBudgetError
from store.importers.guard import PART, require_bytes, require_file
from store.importers.mapping import FOLDER_MAPPING, is_mapping_file, mapping_path
from store.importers.recipes.recipe import is_recipe_file
from store.importers.sheets import is_workbook, require_known_workbook, write_sheets
from store.importers.snapshots import by_name, cache_of, is_blob, leads_to_blob
from store.importers.unpack import (
    is_archive,
    is_packed,
    members,
    require_known_packing,
    sniffed_suffix,
    unpack,
)

STREAM = "-"
"""Stands for what comes in on standard input."""
_HEAD = 100_000
_IN_HIDDEN = (".latest_test_run.json",)
"""Results that their tool hides: DeepEval's ``.deepeval/.latest_test_run.json``."""
_DEEPEST = 3
"""Archives in archives are unpacked so often."""
_AROUND = 3
"""Folders around an archive that its members keep."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One file to look at."""

    path: Path
    shown: str
    """How messages call it."""
    is_given: bool
    """Named by the person, not merely found in a folder or an archive."""


_OF_THE_KERNEL: Final = ("/proc/", "/sys/")
"""What lies there is made while it is read, and may never end."""


class Sources:
    """Finds the files behind what a person gave; unpacked ones lie in a folder of its own."""

    def __init__(
        self,
        scratch: Path,
        root: Path | None,
        on_fault: Callable[[Candidate, ImportFormatError], None],
    ) -> None:
        """
        Parameters
        ----------
        scratch
            Empty folder for what is unpacked; whoever made it removes it.
        root
            Messages show paths relative to this folder; without it as given.
        on_fault
            Is told of what cannot be found, and of archives that cannot be unpacked.
        """
        self.budget = Budget(scratch)
        """Of all that is found."""
        self._scratch = scratch
        self._root = root
        self._on_fault = on_fault
        self._found: dict[Path, Candidate] = {}
        self._n_unpacked = 0

    def find(self, given: Iterable[Path]) -> list[Candidate]:
        """Return every file once, those of folders in sorted order.

        `on_fault` is told of what does not exist, of folders without files, and of what is no file.
        """
        for path in given:
            try:
                self._find(path)
            except ImportFormatError as error:
                self._on_fault(Candidate(path, self._show(path), True), error)
        return list(self._found.values())

    def _find(self, path: Path) -> None:
        """Add the files behind one thing that is given."""
        if str(path) != STREAM and str(path.resolve()).startswith(_OF_THE_KERNEL):
            require_file(path, self._show(path))  # of a pipe it says what to do
            raise ImportFormatError("the system's own, no results.", path=self._show(path))
        if str(path) == STREAM:
            self._add(self._stream(), "standard input", is_given=True)
        elif path.is_dir():
            self._add_folder(path)
        elif path.exists():
            if is_mapping_file(path):
                raise ImportFormatError(
                    "this file describes data files and holds no results. Give the data file; "
                    "the description beside it is read with it.",
                    path=self._show(path),
                )
            require_file(path, self._show(path))
            self._add(path, self._show(path), is_given=True)
        else:
            self._add_pattern(path)

    def _add_folder(self, folder: Path) -> None:
        inside = [path for path in members(folder) if self._is_wanted(path, folder)]
        if not inside:
            raise ImportFormatError("the folder holds no file to read.", path=self._show(folder))
        root = folder.resolve()
        for file in inside:
            try:
                self._add_found(file, folder, root)
            except PermissionError:
                shown = self._show_by_name(file)
                error = ImportFormatError("cannot be opened: permission denied.", path=shown)
                self._on_fault(Candidate(file, shown, False), error)

    def _is_wanted(self, path: Path, folder: Path) -> bool:
        return _is_data(path, folder)

    def _add_found(self, file: Path, folder: Path, root: Path) -> None:
        """Add what lies in a folder that is read; no link leads out of `root`."""
        shown = self._show_by_name(file) if file.is_symlink() else self._show(file)
        cache = cache_of(file)
        if cache is not None and is_blob(file, cache):
            return
        try:
            if cache is not None and leads_to_blob(file, cache):
                file = by_name(file, cache, self._scratch / "by name")
            elif file.is_symlink():
                _require_inside(file, root, shown)
            require_file(file, shown)
        except ImportFormatError as error:
            self._on_fault(Candidate(file, shown, False), error)
            return
        if file.is_dir() and not file.is_symlink():  # else it would have been looked into
            raise PermissionError
        if file.is_file():  # else a link to a folder
            self._add(file, shown, is_given=False, folder=folder)

    def _add_pattern(self, pattern: Path) -> None:
        """Add what a pattern that no shell has spelled out stands for."""
        fixed = Path(pattern.anchor)
        parts = list(pattern.parts[1:] if pattern.anchor else pattern.parts)
        while parts and not set("*?[") & set(parts[0]):
            fixed /= parts.pop(0)
        matched = sorted(fixed.glob("/".join(parts))) if parts else []
        if not matched:
            raise ImportFormatError("there is no such file.", path=self._show(pattern))
        root = (self._root or fixed).resolve()
        for path in matched:
            if path.is_dir():
                self._add_folder(path)
            elif path.is_file() and not is_mapping_file(path):
                self._add_found(path, fixed, root)

    def _add(
        self,
        path: Path,
        shown: str,
        *,
        is_given: bool,
        depth: int = 0,
        folder: Path | None = None,
    ) -> None:
        """Add a file, or what it packs; `folder`: the one that was given, not the file itself."""
        identity = _identity(path)
        known = self._found.get(identity)
        if known is not None:
            if is_given:
                self._found[identity] = Candidate(path, shown, True)
            return
        candidate = Candidate(path, shown, is_given)
        try:
            require_known_packing(path, shown)
            require_known_workbook(path, shown)
            if depth == 0:
                self.budget.n_sent += path.stat().st_size
            if not (is_archive(path) or is_packed(path) or is_workbook(path)):
                self._found[identity] = candidate
            elif depth == 0:
                self._unpack_whole(candidate)
            else:
                self._unpack(candidate, depth)
        except OverBudgetError as error:
            if depth:
                raise
            self._on_fault(candidate, ImportFormatError(error.reason, path=shown))
        except ImportFormatError as error:
            self._on_fault(candidate, error)

    def _unpack_whole(self, candidate: Candidate) -> None:
        """Add what is in an archive and in all archives in it; nothing of it if it is too much."""
        n_before, found = self._n_unpacked, self._found.copy()
        try:
            with self.budget.given_back():
                self._unpack(candidate, 0)
        except OverBudgetError:
            for path in self._found.keys() - found.keys():
                path.unlink()
            for number in range(n_before, self._n_unpacked):
                shutil.rmtree(self._scratch / str(number))
            self._found = found
            raise

    def _unpack(self, candidate: Candidate, depth: int) -> None:
        """Add what is in an archive, a packed file or a workbook."""
        path, shown, is_given = candidate.path, candidate.shown, candidate.is_given
        if depth >= _DEEPEST:
            raise ImportFormatError(
                f"an archive inside {_DEEPEST} others. Unpack it yourself.", path=shown
            )
        # Names are taken from folders: what is unpacked lies in those of the same names.
        around = [name for name in path.absolute().parent.parts[1:] if name][-_AROUND:]
        folder = self._scratch.joinpath(str(self._n_unpacked), *around, path.name.partition(".")[0])
        folder.mkdir(parents=True)
        self._n_unpacked += 1
        (write_sheets if is_workbook(path) else unpack)(path, folder, shown, self.budget)
        inside = [file for file in members(folder) if _is_data(file, folder)]
        is_one = is_packed(path) or (is_workbook(path) and len(inside) == 1)
        if not is_workbook(path) and _is_packed_file(inside, path):
            inside = [self._beside_others(file, around) for file in inside]
            folder = inside[0].parent
        for file in inside:
            inner = f"{shown}/{file.relative_to(folder).as_posix()}"
            if is_workbook(path):
                inner = inner.removesuffix(".csv")
            if is_one:
                inner = shown if is_workbook(path) else shown[: -len(path.suffix)]
            self._add(file, inner, is_given=is_given and is_one, depth=depth + 1)

    def _beside_others(self, file: Path, around: Sequence[str]) -> Path:
        """Move the only file of an archive to those that lay packed in the same folder as it."""
        place = self._scratch.joinpath("alone", *around, file.name)
        if place.exists():
            return file
        place.parent.mkdir(parents=True, exist_ok=True)
        return file.rename(place)

    def _stream(self) -> Path:
        folder = self._scratch / "stream"
        folder.mkdir(exist_ok=True)
        head = sys.stdin.buffer.read(_HEAD)
        path = folder / f"stdin{sniffed_suffix(head)}"
        n_bytes = 0
        with path.open("wb") as file:
            part = head
            while part:
                n_bytes += file.write(part)
                require_bytes(n_bytes, "standard input")
                part = sys.stdin.buffer.read(PART)
        return path

    def _show_by_name(self, file: Path) -> str:
        return f"{self._show(file.parent)}/{file.name}"

    def _show(self, path: Path) -> str:
        if self._root is None:
            return path.as_posix()
        try:
            return path.resolve().relative_to(self._root.resolve()).as_posix()
        except ValueError:
            return path.as_posix()


class FilesToSend(Sources):
    """Finds the same files as they are, with their descriptions, and names to send them under."""

    def find_named(self, given: Iterable[Path]) -> list[tuple[str, Path]]:
        """Return a name for each file, with the folder that was given; see `Sources.find`."""
        self._named: dict[str, Path] = {}
        self.find(given)
        return list(self._named.items())

    def _is_wanted(self, path: Path, folder: Path) -> bool:
        return not _is_hidden(path, folder)

    def _add(
        self,
        path: Path,
        shown: str,
        *,
        is_given: bool,
        depth: int = 0,
        folder: Path | None = None,
    ) -> None:
        if self._found.setdefault(_identity(path), Candidate(path, shown, is_given)).path != path:
            return
        described = mapping_path(path) if folder is None else None
        if described is not None and described.is_symlink():
            _require_inside(described, path.parent.resolve(), self._show(described))
        by_names = self._scratch / "by name"
        if path.is_relative_to(by_names):
            name = path.relative_to(by_names)
        elif folder is None:
            name = Path(path.name)
        else:
            name = folder.resolve().name / path.relative_to(folder)
        if described is not None and described.name == FOLDER_MAPPING:
            name = path.absolute().parent.name / name  # it describes no other file
        sent = {name.as_posix(): path}
        if described is not None:
            sent[name.with_name(described.name).as_posix()] = described
        if any(self._named.get(one, place) != place for one, place in sent.items()):
            raise ImportFormatError(
                "another file of this name is given. Give the folder that holds both.",
                path=self._show(path),
            )
        self._named |= sent


def paths_of(given: Iterable[Path | str] | Path | str) -> Sequence[Path]:
    """Return what is given as paths.

    Raises
    ------
    ImportFormatError
        It is neither a path nor several.
    """
    try:
        return [Path(path) for path in ([given] if isinstance(given, (str, Path)) else given)]
    except TypeError:
        reason = f"{given!r:.60} is no path and no list of paths. Write it as 'runs/scores.csv'."
        raise ImportFormatError(reason, field="paths") from None


def _identity(path: Path) -> Path:
    """Return what makes a file one: a link is the file it leads to, unless it has its own YAML."""
    described = mapping_path(path)
    if path.is_symlink() and described is not None and described.name != FOLDER_MAPPING:
        return path.parent.resolve() / path.name
    return path.resolve()


def _require_inside(link: Path, root: Path, shown: str) -> None:
    """Raise `ImportFormatError` for a link to nothing, or out of the folder that is read."""
    try:
        target = link.resolve()
        is_there = target.exists()
    except (OSError, RuntimeError):  # it leads to itself
        target, is_there = link, False
    if not is_there:
        is_lost_log = link.suffix in (".log", ".out", ".err", "")
        raise (UnknownFormatError if is_lost_log else ImportFormatError)(
            f"a link to {target}, which is not there. Fetch that file, or remove the link.",
            path=shown,
        )
    if not target.is_relative_to(root):
        raise ImportFormatError(
            f"a link that leads out of the folder, to {target}. Give that file itself, or the "
            "folder that holds both.",
            path=shown,
        )


def _is_packed_file(inside: Sequence[Path], archive: Path) -> bool:
    """Return whether an archive holds one file, called as it is: a packed file, and no folder."""
    return len(inside) == 1 and archive.stem in (inside[0].name, inside[0].stem)


def _is_hidden(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    return any(part.startswith((".", "~$")) for part in parts) and parts[-1] not in _IN_HIDDEN


def _is_data(path: Path, folder: Path) -> bool:
    is_about_data = is_mapping_file(path) or is_recipe_file(path)
    return not _is_hidden(path, folder) and not is_about_data
