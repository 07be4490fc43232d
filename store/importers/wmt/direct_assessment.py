"""Direct Assessment as WMT publishes it: averages of what people gave, without the people.

No single judgment is in these tables, so that they are scores of metrics whose source is human:
``DA raw``, 0 to 100, and ``DA z``, standardised for each annotator.

The number of a segment counts the segments of the annotation campaign, not the lines of the test
set: the segments are a dataset of their own, so that nobody takes them for lines.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
    LeftOut,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.first_line import first_line
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_suffix
from store.importers.wmt.direct_assessment_tables import (
    DaTable,
    SystemRow,
    kind_of,
    plain_name,
    read_da_table,
    without_copies,
)
from store.importers.wmt.names import pair_in, test_set_in, told_people

NAME = "wmt_da"
DESCRIPTION = "WMT Direct Assessment: ad-seg-scores, ad-sys-scores, names of the systems"
SEGMENTS = ", DA segments"
"""What the name of a dataset has more when its items are the segments of the campaign."""
RUN_LABEL = "direct assessment"
METRICS = (
    BundleMetric("DA raw", higher_is_better=True, lower=0.0, upper=100.0, source="human"),
    BundleMetric("DA z", higher_is_better=True, source="human"),
)
_SLACK = 1e-6
_OF_DOCUMENTS = "means of documents, which follow from the scores of the segments."
_COPY = "the same averages as in another table, with other names of systems or segments."


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first line is that of a table of Direct Assessment."""
    if data_suffix(path) in (".json", ".jsonl", ".parquet"):
        return False
    return kind_of(first_line(path)) is not None


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the tables of a folder and language pair together."""
    groups: dict[tuple[Path, str | None], list[Path]] = {}
    for path in paths:
        groups.setdefault((path.parent, pair_in(path.name)), []).append(path)
    return list(groups.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the tables of one language pair.

    Raises
    ------
    ImportFormatError
        Nothing says what was translated, or a row cannot be used and the import is strict.
    """
    problems = RowProblems(options.lenient)
    settings = load_settings(paths[0], shown[paths[0]], options)
    tables = [read_da_table(path, shown[path], problems) for path in paths]
    documents = [table for table in tables if table.kind == "documents"]
    if len(documents) == len(tables):
        raise NoResultsError(_OF_DOCUMENTS, path=documents[0].shown)
    tables, copies = without_copies([one for one in tables if one.kind != "documents"])
    bundle = _Builder(settings, _dataset(settings), tables, problems).bundle()
    left_out = [
        *(LeftOut(table.shown, _OF_DOCUMENTS) for table in documents),
        *(LeftOut(table.shown, _COPY) for table in copies),
    ]
    return replace(bundle, left_out=left_out)


def _dataset(settings: Settings) -> str:
    """Return the dataset: given, or test set and language pair by the names of file and folders."""
    if settings.dataset:
        return settings.dataset
    pair = pair_in(settings.path.name)
    if pair is None:
        raise ImportFormatError(
            "the name of the file does not say the language pair, as ad-seg-scores-de-en.csv does. "
            "Give --dataset NAME, such as 'newstest2021 de-en'.",
            path=settings.shown,
            field="dataset",
        )
    return " ".join(filter(None, (test_set_in(settings.path.resolve()), pair)))


@dataclass(slots=True)
class _Builder:
    settings: Settings
    dataset: str
    tables: Sequence[DaTable]
    problems: RowProblems
    names: dict[str, str] = field(default_factory=dict)
    """System as the tables call it -> without the number of its submission."""
    aliases: dict[str, list[str]] = field(default_factory=dict)

    def bundle(self) -> ImportBundle:
        """Return everything as a bundle."""
        self._find_names()
        segments = [table for table in self.tables if table.kind == "segments"]
        stated = self._stated()
        datasets = [self._described(self.dataset)] if stated else []
        runs: list[BundleRun] = []
        told: list[str] = []
        warnings: list[str] = []
        if segments:
            items, runs, told = self._segments(segments, len(datasets))
            datasets.append(self._described(self.dataset + SEGMENTS, items))
            checked = self._compare(segments, stated)
            told += checked[0]
            warnings += checked[1]
        skipped = self.problems.raise_if_any()
        if not datasets:
            raise ImportFormatError("the table holds no score.", path=self.settings.shown)
        mapping = self.settings.mapping
        files = [SourceFile(table.shown, table.sha256) for table in self.tables]
        systems = dict.fromkeys(
            [*(run.system for run in runs), *(self._name(row.system) for _, row in stated)]
        )
        return ImportBundle(
            NAME,
            [*files, *([mapping.source_file] if mapping.source_file else [])],
            datasets,
            METRICS,
            runs,
            [score for table, row in stated for score in self._reported(table, row)],
            overlaps=mapping.overlaps,
            aliases={**self.aliases, **mapping.aliases},
            skipped=skipped,
            understood=[
                "Averages over people who are not named: scores of 'DA raw' (0 to 100) and 'DA z' "
                "(standardised for each annotator), whose source is human.",
                *told,
                *self._told_names(),
                *told_people(systems),
            ],
            warnings=warnings,
        )

    def _described(self, name: str, items: tuple[BundleItem, ...] = ()) -> BundleDataset:
        made = self.settings.dataset_of(name, items)
        return replace(
            made,
            language=made.language or pair_in(self.settings.path.name),
            task=made.task or "machine translation",
        )

    def _find_names(self) -> None:
        """Leave off the numbers of submissions; the names of the ranking become aliases."""
        judged = [row.system for table in self.tables for row in table.segments]
        judged += [row.system for table in self.tables for row in table.systems]
        systems = list(dict.fromkeys(judged))
        short = [plain_name(system) for system in systems]
        for system, plain in zip(systems, short, strict=True):
            self.names[system] = system if short.count(plain) > 1 else plain
        for row in (row for table in self.tables for row in table.systems):
            name = self.names[row.system]
            if row.name and row.name not in (name, *systems):
                self.aliases[name] = [row.name]

    def _name(self, system: str) -> str:
        return self.settings.canonical(self.names[system])

    def _stated(self) -> list[tuple[DaTable, SystemRow]]:
        """Return the means of the systems; those of the ranking only where nothing else has them.

        The ranking is printed with fewer digits.
        """
        kinds = [[t for t in self.tables if t.kind == kind] for kind in ("systems", "names")]
        chosen = kinds[0] or kinds[1]
        known: dict[str, int] = {}
        found = []
        for table in chosen:
            for row in table.systems:
                if row.system in known:
                    reason = f"a second mean of '{row.system}'; see line {known[row.system]}."
                    self.problems.report(table.shown, row.line, "SYS", reason)
                    continue
                known[row.system] = row.line
                found.append((table, row))
        return found

    def _reported(self, table: DaTable, row: SystemRow) -> list[BundleReportedScore]:
        mapping = self.settings.mapping
        return [
            BundleReportedScore(
                self._name(row.system),
                0,
                metric,
                value,
                n_items=row.n,
                reported_on=self.settings.reported_on,
                source=mapping.source or table.path.name,
                source_url=mapping.source_url,
                printed=row.printed[metric],
            )
            for metric, value in enumerate((row.raw, row.z))
        ]

    def _segments(
        self, tables: Sequence[DaTable], dataset: int
    ) -> tuple[tuple[BundleItem, ...], list[BundleRun], list[str]]:
        """Return the items, a run for each system, and what was made of them."""
        rows = [(table, row) for table in tables for row in table.segments]
        ids = sorted({row.segment for _, row in rows}, key=_order)
        position = {segment: i for i, segment in enumerate(ids)}
        values: dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]] = defaultdict(
            lambda: np.full((2, len(ids)), np.nan)
        )
        first: dict[tuple[str, str], int] = {}
        for table, row in rows:
            line = first.setdefault((row.system, row.segment), row.line)
            if line != row.line:
                reason = f"a second score of '{row.system}' on segment {row.segment}; see line "
                self.problems.report(table.shown, row.line, "SID", f"{reason}{line}.")
                continue
            if not 0.0 <= row.raw <= 100.0:
                reason = f"{row.raw:g} is outside 0..100."
                self.problems.report(table.shown, row.line, "RAW.SCR", reason)
                continue
            values[row.system][:, position[row.segment]] = row.raw, row.z
        runs = [
            BundleRun(
                self._name(system),
                dataset,
                self.settings.run_label or RUN_LABEL,
                [BundleScores(metric, scores[metric][:, None]) for metric in range(len(METRICS))],
                provenance=self.settings.provenance,
            )
            for system, scores in values.items()
        ]
        n_judgments = sum(row.n for _, row in rows)
        told = [
            f"{len(rows):,} scores of {len(runs)} systems on {len(ids):,} segments, from "
            f"{n_judgments:,} judgments.",
            f"The segments are those of the annotation campaign and not lines of the test set, so "
            f"they are a dataset of their own: '{self.dataset}{SEGMENTS}'.",
        ]
        return tuple(BundleItem(_key(segment)) for segment in ids), runs, told

    def _compare(
        self, tables: Sequence[DaTable], stated: Sequence[tuple[DaTable, SystemRow]]
    ) -> tuple[list[str], list[str]]:
        """Compare the stated means with those of the segments."""
        sums: dict[str, list[float]] = defaultdict(list)
        for one in (one for table in tables for one in table.segments):
            sums[one.system].append(one.raw)
        off = []
        compared = [(table, row) for table, row in stated if row.system in sums]
        for table, row in compared:
            own = math.fsum(sums[row.system]) / len(sums[row.system])
            slack = _SLACK if table.kind == "systems" else 0.05 + _SLACK
            if abs(own - row.raw) > slack:
                off.append(f"{row.system}: {row.raw:g} stated, {own:g} from its segments")
        if not compared:
            return [], []
        n_equal = len(compared) - len(off)
        told = f"{n_equal} of {len(compared)} stated means equal the mean over the segments."
        more = f" and {len(off) - 1} more" if len(off) > 1 else ""
        return [told], [f"Stated means that differ: {off[0]}{more}."] if off else []

    def _told_names(self) -> list[str]:
        cut = next(((old, new) for old, new in self.names.items() if old != new), None)
        same = [f"{spellings[0]} is {name}" for name, spellings in self.aliases.items()]
        told = [f"By the ranking, {', '.join(same)}."] if same else []
        if cut:
            how = f"{cut[0]} is {cut[1]}"
            told.insert(0, f"Systems are named without the number of their submission: {how}.")
        return told


def _order(segment: str) -> tuple[int, int, str]:
    return (0, int(segment), "") if segment.isdecimal() else (1, 0, segment)


def _key(segment: str) -> str:
    """Return the key of a segment; a bare number must not be taken for a line number."""
    return f"SID {segment}" if segment.isdecimal() else segment
