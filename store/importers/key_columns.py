"""Reading the columns that say what a row belongs to: system, dataset, item, metric, run, trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import CellError, as_text
from store.importers.columnar import Coded, Codes, combined, repeated, smallest
from store.importers.columns import FILE_NAME, role_cells
from store.importers.identity import ROLES as IDENTITY
from store.importers.identity import identity_of
from store.importers.known_names import share_of_systems
from store.importers.settings import Settings
from store.importers.tables import Table

IntArray = npt.NDArray[np.int64]

SETTINGS = {"system": "system", "dataset": "dataset", "metric": "metric", "run": "run_label"}
"""Role -> attribute of `Settings` and `ReadOptions` that gives it for a whole file."""
OF_WHOLE_FILE = "The whole file is of"
"""How the sentence begins that says what a file is of, where nothing in it does."""
_OPTIONAL_CELLS = frozenset({"run", "seed", "dataset_version"})
_FLAG_NAMES = {
    "system": "--system", "dataset": "--dataset", "metric": "--metric", "run": "--run",
}  # fmt: skip


class KeyReader:
    """Reads key columns of one table and remembers which rows are usable."""

    def __init__(
        self,
        table: Table,
        roles: Mapping[str, str],
        settings: Settings,
        problems: RowProblems,
    ) -> None:
        self._table = table
        self._roles = roles
        self._settings = settings
        self._problems = problems
        self.is_usable = np.ones(len(table), np.bool_)
        self.understood: list[str] = []
        self.identities: dict[str, Mapping[str, str]] = {}
        """Of the systems whose revision, back-end or such a column states."""

    def column(self, role: str) -> Coded:
        """Return the trimmed texts of a role's column; report rows where it is empty."""
        column = self._roles[role]
        cells = role_cells(self._table, column)
        texts = self._texts(cells, column, keeps_apart=role != "trial")
        if role not in _OPTIONAL_CELLS and "" in texts.values:
            empty = [number for number, text in enumerate(texts.values) if not text]
            for row in np.flatnonzero(np.isin(texts.codes, empty)).tolist():
                if self.is_usable[row]:
                    self._refuse(row, column, f"the {role} is not named.")
        return texts

    def named(self, role: str, given: str) -> Coded:
        """Return the names of a role from its column or, without one, as given for the file."""
        rename: Callable[[str], str] = self._settings.canonical if role == "system" else str
        if role not in self._roles:
            if given and role != "run":
                self.understood.append(f"{OF_WHOLE_FILE} {role} '{given}'.")
            return Coded.constant(rename(given), len(self._table))
        texts = self.column(role)
        distinct = dict.fromkeys(texts.values)
        if self._roles[role] == FILE_NAME:
            self.understood.append(f"The {role} is '{texts[0]}', the name of the file.")
        flag = getattr(self._settings.options, SETTINGS[role])
        if flag and len(distinct) > 1:
            raise ImportFormatError(
                f"{_FLAG_NAMES[role]} {flag!r} cannot rename the {len(distinct)} names in this "
                f"column. Leave the flag out, or switch the column off with --column {role}=",
                path=self._table.shown,
                field=self._roles[role],
            )
        if flag:
            only = next(iter(distinct), "")
            if only != flag:
                self.understood.append(f"The {role} is called '{flag}' instead of '{only}'.")
            return Coded.constant(rename(flag), len(texts))
        if given and given not in distinct:
            self.understood.append(
                f"The {role} '{given}' of the YAML is not used: column '{self._roles[role]}' "
                "names it."
            )
        renamed = {name: rename(name) for name in distinct}
        changed = [f"'{old}' as '{new}'" for old, new in renamed.items() if old != new]
        if changed:
            self.understood.append(f"Aliases: {', '.join(changed)}.")
            return texts.map(renamed.__getitem__)
        return texts

    def identified(self, models: Coded) -> Coded:
        """Return the names of systems: of a model and what the row states beside it."""
        columns = {role: self._roles[role] for role in IDENTITY if role in self._roles}
        cells = {
            role: self._texts(role_cells(self._table, column), column)
            for role, column in columns.items()
        }
        if "revision" in cells and _are_models(cells["revision"].values):
            del cells["revision"], columns["revision"]
        if not cells:
            return models
        rows = combined([models, *cells.values()]).rows(np.ones(len(models), np.bool_))
        revisions: dict[str, set[str]] = {}
        for model, *stated in rows.values:
            revision = dict(zip(cells, stated, strict=True)).get("revision", model)
            revisions.setdefault(model, set()).add(revision)
        known: dict[tuple[str, ...], str] = {}
        for model, *stated in rows.values:
            identity = identity_of(model, dict(zip(cells, stated, strict=True)))
            name = identity.name(has_several=len(revisions[model]) > 1)
            known[model, *stated] = name
            if identity.stated:
                self.identities[name] = identity.stated
        names = rows.map(known.__getitem__)
        told = ", ".join(f"{role} in '{column}'" for role, column in columns.items())
        self.understood.append(f"A system is a model with its {told}, as '{names[0]}'.")
        return names

    def trials(self) -> tuple[Codes, int]:
        """Return the number of each row's trial, from 0, and how many trials there are."""
        if "trial" not in self._roles:
            return repeated(0, len(self._table)), 1
        texts = self.column("trial")
        labels = sorted({text for text in texts.values if text}, key=_trial_order)
        number = {label: i for i, label in enumerate(labels)}
        if any(label != str(i) for label, i in number.items()):
            told = ", ".join(f"{label} is {i}" for label, i in list(number.items())[:10])
            more = ", …" if len(labels) > 10 else ""
            self.understood.append(f"Trials are counted from 0: {told}{more}.")
        numbers = np.array([number.get(text, 0) for text in texts.values], smallest(len(labels)))
        return numbers[texts.codes], max(len(labels), 1)

    def _texts(self, cells: Sequence[Any], column: str, *, keeps_apart: bool = False) -> Coded:
        """Return the cells as trimmed text.

        With `keeps_apart` names that differ in nothing but blanks keep these, which is told.
        """
        try:
            texts = cells if isinstance(cells, Coded) else Coded.of(cells)
            trim = _trimmed(texts.values).__getitem__ if keeps_apart else str.strip
            trimmed = texts.map(trim)
        except TypeError:  # JSON and Parquet hold more than text
            return self._other_texts(cells, column)
        apart = [text for text in trimmed.values if text != text.strip()]
        if apart:
            self.understood.append(
                f"Names in '{column}' that differ in nothing but blanks stay apart, as "
                f"'{apart[0]}'."
            )
        elif trimmed.values != texts.values:
            self.understood.append(f"Blanks around the names in '{column}' were removed.")
        return trimmed

    def _other_texts(self, cells: Sequence[Any], column: str) -> Coded:
        if isinstance(cells, Coded):
            return cells.map(as_text)  # what can be numbered is no list and no object
        texts = []
        for row, cell in enumerate(cells):
            try:
                texts.append(as_text(cell))
            except CellError as error:
                self._refuse(row, column, f"{error}.")
                texts.append("")
        return Coded.of(texts)

    def _refuse(self, row: int, column: str, reason: str) -> None:
        self.is_usable[row] = False
        self._problems.report(self._table.shown, self._table.lines[row], column, reason)


def _trimmed(texts: Collection[str]) -> Mapping[str, str]:
    """Return texts without the blanks around them; with them, where two would become one."""
    n_spelled = Counter(map(str.strip, texts))
    return {text: text if n_spelled[text.strip()] > 1 else text.strip() for text in texts}


def _are_models(checkpoints: Sequence[str]) -> bool:
    """Return whether checkpoints are the models that systems were made from: ``bert-base``."""
    filled = [name for name in checkpoints if name]
    return bool(filled) and share_of_systems([name.rpartition("/")[2] for name in filled]) > 0


def _trial_order(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
