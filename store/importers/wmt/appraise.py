"""Judgments as Appraise exports them: ``CAMPAIGN.scores.csv``, without a header.

A line is annotator, system, item, kind, the two languages, score, document, whether the score is
of a whole document, marked errors (newer releases), start and end as seconds since 1970.

Later campaigns name documents ``DOCUMENT#SYSTEM`` and count items in the order of an annotator's
task: their segments are counted from the first that the annotator saw of the document.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleCriterion,
    BundleErrorSpan,
    BundleItem,
    BundleRating,
    Guess,
    ImportBundle,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.first_line import first_line
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_stem, read_text

NAME = "appraise"
DESCRIPTION = "judgments of translations as Appraise exports them, without a header"
CRITERION = "score"
ERRORS = "errors"
WEIGHTS: Mapping[str, float] = {"major": 5.0, "minor": 1.0, "undecided": 0.0, "neutral": 0.0}
"""Severity, in small letters, to what an error counts, as in MQM."""
_JUDGED = "TGT"
_KINDS = (_JUDGED, "BAD", "CHK", "REF", "SRC")
_WIDTHS = (11, 12)
_TEST_SET = re.compile(r"([a-z]+\d{2,4})\.(.+)")
"""``wmt23.ONLINE-W``: the test set before the system."""
_NUMBER = re.compile(r"\d+(\.\d+)?")


class _Row(NamedTuple):
    annotator: str
    system: str
    number: int
    kind: str
    pair: str
    score: float
    document: str
    is_document: bool
    errors: str
    start: str
    end: str
    campaign: str
    line: int
    shown: str


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first line is a judgment of Appraise."""
    try:
        return _is_judgment(next(csv.reader([first_line(path)]), []))
    except csv.Error:
        return False


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put all files together: the files of a campaign may lie beside one that joins them."""
    return [list(paths)] if paths else []


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the judgments of one or more campaigns.

    Raises
    ------
    ImportFormatError
        A row is no judgment and the import is strict.
    """
    settings = load_settings(paths[0], shown[paths[0]], options)
    problems = RowProblems(options.lenient)
    files: list[SourceFile] = []
    rows: list[_Row] = []
    seen: set[tuple[Any, ...]] = set()
    n_copies = 0
    for path in sorted(paths, key=lambda one: (len(one.parts), one.name)):
        text, sha256 = read_text(path, shown[path])
        files.append(SourceFile(shown[path], sha256))
        campaign = data_stem(path.name).removesuffix(".scores")
        for row in _rows(text, shown[path], campaign, problems):
            said = row[:11]
            n_copies += said in seen
            if said not in seen:
                seen.add(said)
                rows.append(row)
    skipped = problems.raise_if_any()
    builder = _Builder(settings, problems)
    builder.add(_of_one_campaign(rows))
    told = list(builder.told)
    if n_copies:
        told.append(f"{n_copies:,} lines that stand twice, with the same times, count once.")
    return ImportBundle(
        NAME,
        [*files, *settings.files("")[1:]],
        datasets=[
            settings.dataset_of(name, tuple(items.values()))
            for name, items in builder.items.items()
        ],
        criteria=list(builder.criteria.values()),
        annotators={row.annotator: "human" for row in rows},
        ratings=builder.ratings,
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=[*skipped, *problems.raise_if_any()],
        understood=told,
        guesses=[*builder.settings.guesses, *builder.guesses],
    )


def _is_judgment(cells: Sequence[str]) -> bool:
    if len(cells) not in _WIDTHS:
        return False
    is_flag = cells[8] in ("True", "False")
    numbers = (cells[2], cells[6], *cells[-2:])
    return cells[3] in _KINDS and is_flag and all(map(_NUMBER.fullmatch, numbers))


def _rows(text: str, shown: str, campaign: str, problems: RowProblems) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""))
    for cells in reader:
        if not cells:
            continue
        if not _is_judgment(cells):
            reason = "no judgment of Appraise: 11 or 12 cells, the fourth of them TGT, BAD …."
            problems.report(shown, reader.line_num, None, reason)
            continue
        errors = cells[9] if len(cells) == max(_WIDTHS) else ""
        yield _Row(
            cells[0],
            cells[1],
            int(float(cells[2])),
            cells[3],
            f"{cells[4]}-{cells[5]}",
            float(cells[6]),
            cells[7],
            cells[8] == "True",
            errors,
            cells[-2],
            cells[-1],
            campaign,
            reader.line_num,
            shown,
        )


def _of_one_campaign(rows: Sequence[_Row]) -> Sequence[_Row]:
    """Return the rows without their campaign where it is one: ``…A``, ``…B`` are parts of it."""
    names = {row.campaign for row in rows}
    if len(names) > 1 and len({name[:-1] for name in names}) > 1:
        return rows
    return [row._replace(campaign="") for row in rows]


@dataclass(slots=True)
class _Builder:
    settings: Settings
    problems: RowProblems
    items: dict[str, dict[str, BundleItem]] = field(default_factory=dict)
    """Dataset -> key -> item."""
    criteria: dict[tuple[str, str], BundleCriterion] = field(default_factory=dict)
    ratings: list[BundleRating] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    guesses: list[Guess] = field(default_factory=list)
    _numbers: dict[str, dict[str, int]] = field(default_factory=dict)
    _times: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def add(self, rows: Sequence[_Row]) -> None:
        """Add all ratings; controls of the annotators' care are left out and counted."""
        controls = Counter(row.kind for row in rows if row.kind != _JUDGED)
        if controls:
            named = ", ".join(f"{n:,} {kind}" for kind, n in controls.items())
            self.told.append(f"Controls of the annotators' care are left out: {named}.")
        judged = [row for row in rows if row.kind == _JUDGED]
        if not judged:
            raise ImportFormatError("no judgment of a system's output.", path=self.settings.shown)
        scored = {row.campaign for row in judged if row.score}
        if silent := {row.campaign for row in judged} - scored:
            self.told.append(
                f"All scores are 0 in {', '.join(sorted(silent)) or 'the file'}: nobody was asked "
                "for one, and the marked errors alone are read."
            )
        first = self._first_numbers(judged)
        for row in sorted(judged, key=lambda one: (float(one.start), float(one.end))):
            item = self._item(row, first)
            if row.campaign in scored:
                self._rate(row, CRITERION, item, row.score, ())
            if row.errors and not row.is_document:
                self._rate(row, ERRORS, item, math.nan, self._spans(row))
        n_again = sum(n > 1 for n in self._times.values())
        if n_again:
            self.told.append(
                f"{n_again:,} outputs were judged again by the same annotator; all judgments are "
                "kept, in the order of their times."
            )

    def _first_numbers(self, rows: Sequence[_Row]) -> dict[tuple[str, str], int]:
        """Return the first item of each annotator and document where items count a task."""
        if not any(_of_system(row) for row in rows):
            return {}
        because = "items count the annotator's task, and the document is shown from its beginning"
        self.guesses.append(Guess("items", "the place in the document", because))
        seen: dict[tuple[str, str], list[int]] = defaultdict(list)
        for row in rows:
            seen[row.annotator, row.document].append(row.number)
        return {place: min(numbers) for place, numbers in seen.items()}

    def _item(self, row: _Row, first: Mapping[tuple[str, str], int]) -> tuple[str, str]:
        """Return dataset and key of what was judged; the dataset has it then."""
        named = _TEST_SET.fullmatch(row.system)
        name = self._dataset(row.pair, named[1] if named else "")
        document = row.document.partition("#")[0] if _of_system(row) else row.document
        number = row.number - first.get((row.annotator, row.document), 0)
        key = document if row.is_document else f"{document}:{number}"
        if row.is_document:
            name += ", documents"
        items = self.items.setdefault(name, {})
        if key not in items:
            self._numbers.setdefault(name, {})[key] = len(items)
            items[key] = BundleItem(key, group=None if row.is_document else document)
        return name, key

    def _dataset(self, pair: str, test_set: str) -> str:
        if self.settings.dataset and not self.settings.guesses:
            return self.settings.dataset
        if test_set:
            return f"{test_set} {pair}"
        if not self.settings.guesses:
            self.settings = self.settings.with_dataset(use_stem=False)
        return " ".join(filter(None, (self.settings.dataset, pair)))

    def _rate(
        self,
        row: _Row,
        criterion: str,
        place: tuple[str, str],
        value: float,
        spans: Sequence[BundleErrorSpan],
    ) -> None:
        dataset, key = place
        named = _TEST_SET.fullmatch(row.system)
        system = self.settings.canonical(named[2] if named else row.system)
        name = f"{criterion} ({row.campaign})" if row.campaign else criterion
        found = self.criteria.setdefault(
            (name, dataset),
            BundleCriterion(
                name,
                list(self.items).index(dataset),
                "rating" if criterion == CRITERION else "error-spans",
                higher_is_better=criterion == CRITERION,
                lower=0.0 if criterion == CRITERION else None,
                upper=100.0 if criterion == CRITERION else None,
                weights=None if criterion == CRITERION else dict(WEIGHTS),
            ),
        )
        again = (name, dataset, row.annotator, key, system)
        self.ratings.append(
            BundleRating(
                list(self.criteria.values()).index(found),
                row.annotator,
                self._numbers[dataset][key],
                system,
                value if criterion == CRITERION else _sum(spans),
                self._times[again],
                datetime.fromtimestamp(float(row.end), UTC),
                spans,
                row.line,
            )
        )
        self._times[again] += 1

    def _spans(self, row: _Row) -> tuple[BundleErrorSpan, ...]:
        """Return the errors that were marked; what is no list of them is reported."""
        try:
            marked = json.loads(row.errors)
            return tuple(_span(one) for one in marked)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            reason = "no list of errors with a known severity."
            self.problems.report(row.shown, row.line, "errors", reason)
            return ()


def _of_system(row: _Row) -> bool:
    """Return whether a document is named with the system whose translation of it was shown."""
    parts = row.document.split("#")[1:]
    return bool(parts) and row.system.rpartition(".")[2] in parts[0] and not parts[0].isdigit()


def _span(marked: Mapping[str, Any]) -> BundleErrorSpan:
    severity = str(marked["severity"]).lower()
    if severity not in WEIGHTS:
        raise KeyError(severity)
    places = [marked.get(name) for name in ("start_i", "end_i")]
    start, end = (one if isinstance(one, int) else None for one in places)
    kinds = marked.get("error_type")
    category = "/".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds or "")
    if "missing" in places and not category:
        category = "Accuracy/Omission"
    return BundleErrorSpan(severity, category, start, end)


def _sum(spans: Sequence[BundleErrorSpan]) -> float:
    return math.fsum(WEIGHTS[span.severity] for span in spans)
