"""MQM annotations of translations, as Google publishes them: errors that raters marked.

One file holds the annotations of a test set. The averages over raters that lie beside it are
compared with those that follow from the errors; alone they are read as scores.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from store.error_weights import no_weight, penalty, weight_of
from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleCriterion,
    BundleErrorSpan,
    BundleItem,
    BundleMetric,
    BundleRating,
    BundleRun,
    BundleScores,
    ImportBundle,
    ReadOptions,
    RowProblems,
    SourceFile,
    Status,
)
from store.importers.first_line import first_line
from store.importers.mqm.averages import (
    SUFFIX,
    Averages,
    check_averages,
    is_averages_header,
    read_averages,
)
from store.importers.mqm.rows import MqmRows, Place, is_mqm_header, read_mqm_rows
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_stem, data_suffix, read_text
from store.importers.wmt.names import told_people
from store.importers.wmt.options import (
    MQM_WEIGHTS,
    known_choices,
    parse_weights,
    told_weights,
)

NAME = "mqm"
DESCRIPTION = "errors that raters marked in translations: the MQM sheets of Google"
CRITERION = "MQM"
RUN_LABEL = "judgments"
_AVERAGE = "mqm_avg_score"


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first line has the columns of annotations or of their averages."""
    if data_suffix(path) in (".json", ".jsonl", ".parquet"):
        return False
    header = first_line(path)
    return is_mqm_header(header) or is_averages_header(header)


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the averages to the annotations that have the same name in the same folder."""
    groups: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        stem = data_stem(path.name).removesuffix(SUFFIX)
        groups.setdefault((path.parent, stem), []).append(path)
    return list(groups.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the annotations of a test set, or the averages alone.

    Raises
    ------
    ImportFormatError
        A row cannot be used and the import is strict, an error has no weight, or an option is not
        known.
    """
    problems = RowProblems(options.lenient)
    sheets: list[tuple[Path, str, str]] = []
    averages: list[tuple[Path, str, str]] = []
    for path in paths:
        text, sha256 = read_text(path, shown[path])
        is_average = is_averages_header(text.partition("\n")[0])
        (averages if is_average else sheets).append((path, text, sha256))
    if len(sheets) > 1 or len(averages) > 1:
        raise ImportFormatError(
            f"{shown[paths[0]]} is the same sheet: give one of them.", path=shown[paths[1]]
        )
    settings = load_settings(paths[0], shown[paths[0]], options)
    chosen = known_choices(options, {"weights": None}, NAME, settings.shown)
    stated = None
    for path, text, _ in averages:
        stated = read_averages(text, shown[path], problems)
    files = [SourceFile(shown[path], sha256) for path, _, sha256 in (*sheets, *averages)]
    if settings.mapping.source_file:
        files.append(settings.mapping.source_file)
    name = settings.dataset or data_stem(paths[0].name).removesuffix(SUFFIX)
    if not sheets:
        assert stated is not None
        return _read_alone(stated, name, settings, files, problems)
    path, text, _ = sheets[0]
    weights = parse_weights(chosen.get("weights", ""), shown[path])
    rows = read_mqm_rows(text, shown[path], problems)
    _require_weights(rows, weights, shown[path])
    return _Builder(settings, name, rows, weights, stated).bundle(files, problems)


def _require_weights(rows: MqmRows, weights: Mapping[str, float], shown: str) -> None:
    """Raise `ImportFormatError` for an error that no weight fits."""
    for (severity, category), line in rows.first_lines.items():
        if weight_of(weights, severity, category) is None:
            raise ImportFormatError(
                f"{no_weight(weights, severity, category)} Give it one: "
                f"--option 'weights={severity}:5'.",
                path=shown,
                line=line,
                field="severity",
            )


@dataclass(slots=True)
class _Builder:
    settings: Settings
    name: str
    rows: MqmRows
    weights: Mapping[str, float]
    stated: Averages | None

    def bundle(self, files: Sequence[SourceFile], problems: RowProblems) -> ImportBundle:
        """Return everything as a bundle."""
        skipped = problems.raise_if_any()
        if not self.rows.ratings:
            raise ImportFormatError(
                "the sheet holds no annotation: there is a header and nothing below it.",
                path=self.settings.shown,
            )
        keys = self._keys()
        places = sorted(self.rows.sources, key=_order)
        position = {place: i for i, place in enumerate(places)}
        ratings = [
            BundleRating(
                0,
                judged.rater,
                position[judged.place],
                self.settings.canonical(judged.system),
                _sum(self.weights, spans),
                spans=tuple(spans),
            )
            for judged, spans in self.rows.ratings.items()
        ]
        mapping = self.settings.mapping
        understood, warnings = self._told()
        return ImportBundle(
            NAME,
            files,
            [self.settings.dataset_of(self.name, tuple(map(self._item, places, keys)))],
            runs=self._runs(places) if self.settings.options.with_text else (),
            criteria=[self._criterion()],
            annotators={rating.annotator: "human" for rating in ratings},
            ratings=ratings,
            overlaps=mapping.overlaps,
            aliases=mapping.aliases,
            skipped=skipped,
            understood=understood,
            warnings=warnings,
        )

    def _keys(self) -> list[str]:
        """Return the key of each segment: its number, where that is its own, else document too."""
        places = sorted(self.rows.sources, key=_order)
        if len({place.seg_id for place in places}) == len(places):
            return [place.seg_id for place in places]
        keys = [f"{place.doc}:{place.doc_id or place.seg_id}" for place in places]
        if len(set(keys)) < len(keys):
            raise ImportFormatError(
                "neither seg_id nor doc and doc_id tell the segments apart.",
                path=self.settings.shown,
                field="seg_id",
            )
        return keys

    def _item(self, place: Place, key: str) -> BundleItem:
        text = self.rows.sources[place]
        return BundleItem(
            key,
            group=place.doc or None,
            content_hash=hashlib.sha256(text.encode()).hexdigest(),
            input_text=text if self.settings.options.with_text else None,
        )

    def _criterion(self) -> BundleCriterion:
        return BundleCriterion(
            self.settings.metric or CRITERION,
            0,
            kind="error-spans",
            level="interval",
            higher_is_better=False,
            lower=0.0,
            weights=dict(self.weights),
            question="Mark the errors in the translation; give each a category and a severity.",
        )

    def _runs(self, places: Sequence[Place]) -> list[BundleRun]:
        """Return a run for each system that holds its translations."""
        runs = []
        for system in dict.fromkeys(system for system, _ in self.rows.targets):
            outputs = [self.rows.targets.get((system, place)) for place in places]
            statuses = np.array(
                [Status.NOT_ATTEMPTED if text is None else Status.OK for text in outputs], np.uint8
            )
            runs.append(
                BundleRun(
                    self.settings.canonical(system),
                    0,
                    self.settings.run_label or RUN_LABEL,
                    statuses={0: statuses},
                    outputs={0: outputs},
                    provenance=self.settings.provenance,
                )
            )
        return runs

    def _told(self) -> tuple[list[str], list[str]]:
        """Return what was made of the sheet, and what was odd."""
        rows = self.rows
        systems = list(dict.fromkeys(judged.system for judged in rows.ratings))
        raters = {judged.rater for judged in rows.ratings}
        n_errors = sum(map(len, rows.ratings.values()))
        understood = [
            f"{len(rows.ratings):,} ratings of {len(systems)} systems by {len(raters)} raters on "
            f"{len(rows.sources):,} segments, with {n_errors:,} errors.",
            f"A rating is the sum of the weights of its errors, lower is better: "
            f"{told_weights(self.weights)}. --option weights=SEVERITY:W changes them.",
            *told_people(systems),
        ]
        warnings = list(rows.warnings)
        if self.stated is not None:
            checked = check_averages(self.stated, self._means())
            understood += checked.understood
            warnings += checked.warnings
            if self.weights != MQM_WEIGHTS and checked.warnings:
                understood.append("The stated averages were made with the usual weights.")
        return understood, warnings

    def _means(self) -> dict[tuple[str, str], float]:
        """Return the mean over raters for each system and segment, negated as it is published."""
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for judged, spans in self.rows.ratings.items():
            place = judged.system, judged.place.seg_id
            found[place].append(-_sum(self.weights, spans))
        return {key: math.fsum(values) / len(values) for key, values in found.items()}


def _sum(weights: Mapping[str, float], spans: Sequence[BundleErrorSpan]) -> float:
    """Return the weighted sum of errors; all have a weight."""
    return penalty(weights, ((span.severity, span.category) for span in spans))


def _order(place: Place) -> tuple[int, int, str]:
    """Sort segments by their number; what is no number comes after, by name."""
    is_number = place.seg_id.isdecimal()
    return (0, int(place.seg_id), place.doc) if is_number else (1, 0, place.seg_id)


def _read_alone(
    stated: Averages,
    name: str,
    settings: Settings,
    files: Sequence[SourceFile],
    problems: RowProblems,
) -> ImportBundle:
    """Return averages without the annotations: scores of a metric whose source is human."""
    skipped = problems.raise_if_any()
    segments, systems = stated.segments, stated.systems
    values = np.array(
        [[stated.scores.get((s, segment), math.nan) for segment in segments] for s in systems]
    )
    metric = BundleMetric(_AVERAGE, higher_is_better=True, upper=0.0, source="human")
    label = settings.run_label or RUN_LABEL
    n_missing = int(np.isnan(values).sum())
    return ImportBundle(
        NAME,
        files,
        [settings.dataset_of(name, tuple(map(BundleItem, segments)))],
        [metric],
        [
            BundleRun(
                settings.canonical(system),
                0,
                label,
                [BundleScores(0, values[[i]].T)],
                provenance=settings.provenance,
            )
            for i, system in enumerate(systems)
        ],
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=[
            f"Averages over raters of {len(systems)} systems on {len(segments):,} segments, "
            f"{n_missing:,} of them not judged; the raters and their errors are in another file.",
            f"They are negated penalties: higher is better. The metric is '{_AVERAGE}', its source "
            "is human.",
            *told_people(systems),
        ],
    )
