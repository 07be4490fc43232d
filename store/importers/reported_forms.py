"""Which form a table of stated figures has, and the cells in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.errors import ImportFormatError, NoResultsError, UnknownFormatError
from store.importers.board_columns import (
    OVERALL,
    MetricOn,
    metrics_on_datasets,
    summaries,
    what_columns_are,
)
from store.importers.board_guesses import guess_what_columns_are, numbers_of
from store.importers.bundle import RowProblems
from store.importers.cells import looks_numeric
from store.importers.columnar import Coded
from store.importers.columns import (
    describe_roles,
    free_metric_column,
    normal_name,
    role_cells,
)
from store.importers.key_columns import KeyReader
from store.importers.known_names import share_of_systems
from store.importers.naming_columns import lists_parts
from store.importers.no_metrics import counts_beside, no_metric, no_metric_by_name
from store.importers.places import folder_of_system
from store.importers.printed import plain_name, plain_names
from store.importers.releases import release_of
from store.importers.reported_names import only_system, with_metric_of_systems, with_names
from store.importers.reported_plan import (
    PvalueCell,
    ReportedPlan,
    ScoreCell,
    figure_columns,
    reported_roles,
    unread_columns,
)
from store.importers.reported_pvalues import (
    has_pvalue_rows,
    has_pvalues,
    is_plain_p,
    pair_text,
    pvalue_columns,
    split_pair,
)
from store.importers.reported_rows import is_comparison, tell_rows_apart
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.textfile import data_stem
from store.importers.twin_tables import variant_among_twins

_MOSTLY = 0.5
"""Share of columns called like systems from which each row may have a metric of its own."""


def choose_reported_plan(table: Table, settings: Settings, problems: RowProblems) -> ReportedPlan:
    """Decide how a table of figures is read and return its cells.

    Raises
    ------
    UnknownFormatError
        The columns hold no figures.
    ImportFormatError
        Dataset or metric is not named, or two readings are possible.
    """
    roles = reported_roles(table.columns, settings.columns, table.shown)
    return _FormReader(table, roles, settings, problems).read()


class _FormReader:
    def __init__(
        self, table: Table, roles: dict[str, str], settings: Settings, problems: RowProblems
    ) -> None:
        self._table = table
        self._roles = roles
        self._settings = settings
        self._keys = KeyReader(table, roles, settings, problems)
        self._problems = problems
        self._told: list[str] = []
        self._no_scores: list[str] = []
        self._is_board = False
        """One row for each system, one column for each dataset."""

    def read(self) -> ReportedPlan:
        """Return the cells of the form that fits."""
        roles = self._roles
        first = self._table.columns[0]
        if roles.get("system") == first == "column 1" and self._is_numeric(first):
            del roles["system"]  # the index counts the lines
        if normal_name(roles.get("system", "")) == "name" and lists_parts(
            data_stem(self._settings.path.name)
        ):
            del roles["system"]  # of the parts
        if "precision" in roles and self._is_numeric(roles["precision"]):
            del roles["precision"]  # the metric of that name
        pair = [roles[role] for role in ("system_a", "system_b") if role in roles]
        if len(pair) == 2 and "pvalue" in roles and not any(map(self._is_numeric, pair)):
            return self._plan([], self._long_pvalues(), "Long table: one p-value in each line.")
        for role in ("system_a", "system_b"):  # columns of scores that are headed A and B
            roles.pop(role, None)
        self._table, self._settings = with_names(self._table, roles, self._settings)
        self._keys = KeyReader(self._table, roles, self._settings, self._problems)
        self._settings = tell_rows_apart(self._table, self._roles, self._settings)
        settings = self._settings
        named = free_metric_column(roles, self._table.columns, settings.columns, settings.metric)
        if named is not None:
            roles["score"] = named
            self._require("system")
            self._told.append(f"Figures of '{settings.metric}' from column '{named}'.")
        if ("system" in roles or named is not None) and "score" in roles:
            return self._plan(self._long_scores(), [], "Long table: one figure in each line.")
        if "system" not in roles and has_pvalue_rows(self._table):
            roles["system"] = self._table.columns[0]
        if "system" not in roles and not self._is_of_one_system():
            return self._by_dataset()
        return self._by_system()

    def _is_of_one_system(self) -> bool:
        """Return whether lines are datasets and columns metrics; a folder names the system."""
        if "dataset" not in self._roles or "score" in self._roles or self._settings.metric:
            return False
        counts = counts_beside(numbers_of(self._table))
        figures = [
            column
            for column in figure_columns(self._table, self._roles)
            if column not in counts and no_metric(column, self._table.cells[column]) is None
        ]
        if has_pvalues(self._table.columns) or what_columns_are(figures) != "metrics":
            return False
        if not self._settings.system:
            named = self._settings.named
            if named is not None and named.system:
                self._settings = self._settings.with_system()
            else:
                path = self._settings.path
                system, because = folder_of_system(path), "the name of the folder"
                if variant := variant_among_twins(self._table, self._roles["dataset"], path):
                    system, because = f"{system} ({variant})", f"{because} and of the file"
                self._settings = self._settings.guessing("system", system, because)
        return True

    def _long_pvalues(self) -> list[PvalueCell]:
        self._require("dataset", "metric")
        datasets, metrics = self._names("dataset"), self._names("metric")
        first, second = self._names("system_a"), self._names("system_b")
        column = self._roles["pvalue"]
        return [
            PvalueCell(row, column, first[row], second[row], datasets[row], metrics[row])
            for row in self._usable()
        ]

    def _long_scores(self) -> list[ScoreCell]:
        column = self._roles["score"]
        is_open = "metric" not in self._roles and not self._settings.metric
        if is_open and "system" in self._roles and normal_name(column) == "score":
            self._settings = self._settings.guessing("metric", column, "the column of scores")
        has_metric = "metric" in self._roles or self._settings.metric
        if has_metric and "dataset" not in self._roles and not self._settings.dataset:
            system = only_system(self._table, self._roles)
            self._settings = self._settings.with_dataset(system=system)
        self._require("dataset", "metric")
        systems, datasets, metrics = (
            list(self._names(role)) for role in ("system", "dataset", "metric")
        )
        return [
            ScoreCell(row, column, systems[row], datasets[row], metrics[row])
            for row in self._usable()
        ]

    def _by_dataset(self) -> ReportedPlan:
        """One row for each dataset, one column for each system, p-value columns beside them."""
        columns = self._table.columns
        if (
            "dataset" not in self._roles
            and has_pvalues(columns)
            and not self._is_numeric(columns[0])
        ):
            self._roles["dataset"] = columns[0]
        if "dataset" not in self._roles:
            self._unknown()
        self._roles.pop("score", None)
        self._roles.pop("pvalue", None)
        figures = figure_columns(self._table, self._roles)
        if "metric" not in self._roles and not self._settings.metric:
            self._settings = with_metric_of_systems(figures, self._settings)
        self._require("metric")
        datasets = self._names("dataset")
        metrics = list(self._names("metric"))
        scored = [
            c
            for c in figures
            if not is_plain_p(c) and pair_text(c) is None and no_metric_by_name(c) != "a count"
        ]
        if len(set(metrics)) > 1 and share_of_systems(list(scored)) < _MOSTLY:
            raise ImportFormatError(
                "the rows name several metrics, the columns several systems. Write one figure in "
                "each line instead: system, dataset, metric, value.",
                path=self._table.shown,
                field=self._roles["metric"],
            )
        systems = self._headers(scored)
        headed = pvalue_columns(self._table, list(systems.values()), self._settings)
        if not scored and not headed:
            self._unknown()
        usable = self._usable()
        if of_all := summaries([datasets[row] for row in usable]):
            usable = [row for row in usable if datasets[row] not in of_all]
            self._told.append(f"No datasets, but summaries of the others: {', '.join(of_all)}.")
        scores = [
            ScoreCell(row, column, systems[column], datasets[row], metrics[row])
            for row in usable
            for column in scored
        ]
        pvalues = [
            PvalueCell(row, column, a, b, datasets[row], metrics[row])
            for row in usable
            for column, (a, b) in headed.items()
        ]
        note = f"One row for each dataset; systems {', '.join(systems.values())}."
        if headed:
            told = "; ".join(f"'{column}' is {a} against {b}" for column, (a, b) in headed.items())
            note += f" P-values: {told}."
        return self._plan(scores, pvalues, note)

    def _by_system(self) -> ReportedPlan:
        """One row for each system; columns are datasets, or metrics; rows may hold p-values."""
        figures = [
            column
            for column in figure_columns(self._table, self._roles)
            if pair_text(column) is None
        ]
        if not figures:
            self._unknown()
        places = self._places(figures)
        if "system" in self._roles:
            names = self._keys.column("system")
        else:
            names = self._keys.named("system", self._settings.system or "")
        usable = self._usable()
        if compared := [row for row in usable if is_comparison(names[row])]:
            usable = [row for row in usable if row not in compared]
            rows = ", ".join(dict.fromkeys(names[row] for row in compared))
            self._told.append(f"Rows that compare or sum up others are left out: {rows}.")
        pairs = {row: text for row in usable if (text := pair_text(names[row])) is not None}
        plain = {row: plain_name(names[row]) for row in usable if row not in pairs}
        systems = {row: self._settings.canonical(name) for row, name in plain.items()}
        self._tell_names({names[row]: name for row, name in systems.items()})
        full = self._keys.identified(Coded.of(systems.get(row, "") for row in range(len(names))))
        systems = {row: full[row] for row in systems}
        known = list(dict.fromkeys(systems.values()))
        scores, pvalues = [], []
        for row in usable:
            if row in pairs:
                a, b = split_pair(pairs[row], known, self._settings, self._table.lines[row])
                pvalues += [
                    PvalueCell(row, column, a, b, dataset[row], metric)
                    for column, (dataset, metric) in places.items()
                ]
            else:
                scores += [
                    ScoreCell(row, column, systems[row], dataset[row], metric)
                    for column, (dataset, metric) in places.items()
                ]
        return self._plan(scores, pvalues, "One row for each system.")

    def _places(self, figures: Sequence[str]) -> dict[str, tuple[Sequence[str], str]]:
        """Return column -> (dataset of each row, metric)."""
        if "dataset" not in self._roles and not (self._settings.dataset or self._settings.metric):
            if placed := self._metrics_on_datasets(figures):
                return {
                    column: ([one.dataset] * len(self._table), one.metric)
                    for column, one in placed.items()
                }
            only = only_system(self._table, self._roles)
            self._settings, figures = guess_what_columns_are(
                self._table, self._settings, figures, only
            )
        settings, n_rows = self._settings, len(self._table)
        has_dataset = "dataset" in self._roles or settings.dataset is not None
        if has_dataset:
            datasets = self._names("dataset")
            if settings.metric is None:
                figures = self._scores_among(figures)
                self._told.append(f"Columns read as metrics: {', '.join(figures)}.")
                return {column: (datasets, column) for column in figures}
            if len(figures) != 1:
                raise ImportFormatError(
                    f"no column is called '{settings.metric}' and there are several columns of "
                    f"figures ({', '.join(figures)}). Name the one: --column score=NAME.",
                    path=self._table.shown,
                )
            self._told.append(f"Figures of '{settings.metric}' from column '{figures[0]}'.")
            return {figures[0]: (datasets, settings.metric)}
        if settings.metric is None:
            raise ImportFormatError(
                f"the columns of figures ({', '.join(figures)}) may be datasets or metrics. If "
                "they are datasets, give --metric NAME; if they are metrics, give --dataset NAME.",
                path=self._table.shown,
            )
        if of_all := summaries(figures):
            self._told.append(f"No datasets, but summaries of the others: {', '.join(of_all)}.")
            self._no_scores += of_all
        figures = [column for column in figures if column not in of_all]
        headers = self._headers(figures, role="dataset")
        self._told.append(f"Columns read as datasets: {', '.join(headers.values())}.")
        self._is_board = True
        if settings.metric in headers:
            headers[settings.metric] = OVERALL
        return {column: ([name] * n_rows, settings.metric) for column, name in headers.items()}

    def _metrics_on_datasets(self, figures: Sequence[str]) -> dict[str, MetricOn]:
        """Return the columns whose headers name a dataset and a metric, where they all do."""
        scores = [
            column for column in figures if no_metric(column, self._table.cells[column]) is None
        ]
        placed = metrics_on_datasets([one for one in scores if one not in summaries(scores)])
        if placed:
            names = ", ".join(dict.fromkeys(one.dataset for one in placed.values()))
            self._settings = self._settings.guessing("datasets", names, "the names of the columns")
            self._told.append("Columns read as a metric on a dataset.")
        return placed

    def _scores_among(self, figures: Sequence[str]) -> list[str]:
        """Return the columns that may be metrics; tell the others."""
        declared = (*self._settings.mapping.metrics, *self._settings.options.directions)
        reasons = {
            column: reason
            for column in figures
            if column not in declared
            and (reason := no_metric(column, self._table.cells[column])) is not None
        }
        reasons |= {
            column: "a count"
            for column in counts_beside(numbers_of(self._table))
            if column in figures
        }
        listed = ", ".join(f"{column} ({reason})" for column, reason in reasons.items())
        if len(reasons) == len(figures):
            raise NoResultsError(
                f"no column seems to hold figures of a metric: {listed}. If one does, name it: "
                "--metric NAME, or --column score=NAME.",
                path=self._table.shown,
            )
        self._no_scores += reasons
        if reasons:
            self._told.append(f"Not taken for scores: {listed}; --metric NAME reads one of them.")
        return [column for column in figures if column not in reasons]

    def _names(self, role: str) -> Sequence[str]:
        """Return the plain names of a role for every row."""
        if role in ("system_a", "system_b"):
            texts = self._keys.column(role)
        else:
            texts = self._keys.named(role, getattr(self._settings, role) or "")
        if role == "metric" or role not in self._roles:
            return self._keys.identified(texts) if role == "system" else texts
        plain = {text: plain_name(text) for text in texts.values}
        if role != "dataset":
            plain = {text: self._settings.canonical(name) for text, name in plain.items()}
        self._tell_names(plain)
        names = texts.map(plain.__getitem__)
        return self._keys.identified(names) if role == "system" else names

    def _headers(self, columns: Sequence[str], role: str = "system") -> dict[str, str]:
        plain = plain_names(columns)
        if role == "system":
            plain = {column: self._settings.canonical(name) for column, name in plain.items()}
        self._tell_names(plain)
        return plain

    def _tell_names(self, plain: Mapping[str, str]) -> None:
        changed = [f"'{old}' as '{new}'" for old, new in plain.items() if old != new]
        if changed:
            self._told.append(f"Names read without marks or by alias: {', '.join(changed)}.")

    def _is_numeric(self, column: str) -> bool:
        return looks_numeric(role_cells(self._table, column))

    def _usable(self) -> list[int]:
        return [row for row, usable in enumerate(self._keys.is_usable.tolist()) if usable]

    def _require(self, *wanted: str) -> None:
        missing = [
            role for role in wanted if role not in self._roles and not getattr(self._settings, role)
        ]
        if missing and not any(map(self._is_numeric, self._table.columns)):
            columns = ", ".join(self._table.columns)
            raise NoResultsError(f"no column holds numbers: {columns}.", path=self._table.shown)
        if missing:
            flags = ", ".join(f"--{role} NAME (or --column {role}=NAME)" for role in missing)
            raise ImportFormatError(
                f"the figures do not say their {' and '.join(missing)}. Columns found: "
                f"{', '.join(self._table.columns)}. Give {flags}.",
                path=self._table.shown,
            )

    def _unknown(self) -> None:
        raise UnknownFormatError(
            f"no figures that a paper states: columns {', '.join(self._table.columns)}. Wanted are "
            "system, dataset, metric and value, or one column for each system or dataset; give "
            "--column system=NAME or --column dataset=NAME.",
            path=self._table.shown,
        )

    def _plan(
        self, scores: Sequence[ScoreCell], pvalues: Sequence[PvalueCell], note: str
    ) -> ReportedPlan:
        versions = self._versions()
        read = {*self._no_scores, *(one.column for one in scores), *(p.column for p in pvalues)}
        ignored = unread_columns(self._table, self._roles, read)
        roles = describe_roles(self._roles, self._table.columns, self._settings.columns)
        told = [note, roles, *self._told, *self._keys.understood]
        if ignored:
            told.append(f"Columns not read: {', '.join(ignored)}.")
        return ReportedPlan(
            self._table,
            self._roles,
            scores,
            pvalues,
            told,
            self._keys.identities,
            versions,
            self._settings.guesses,
        )

    def _versions(self) -> Sequence[str]:
        """Return the version of the datasets of each row: as a column says, else the release."""
        if "dataset_version" in self._roles:
            return self._keys.column("dataset_version")
        release = release_of(self._table.shown) if self._is_board else ""
        if release and not self._settings.options.dataset_version:
            self._told.append(
                f"Version of the datasets: '{release}', after the name of the file, since another "
                "release of a board may ask other questions. --dataset-version NAME puts releases "
                "with the same questions together."
            )
        return [release] * len(self._table)
