"""Evaluation sets in the layout of mt-metrics-eval, version 2: a folder for each test set.

Each language pair of a test set is a dataset. Human scores are scores of metrics whose source is
human, ratings are judgments with error spans; of all scores higher is better, as the layout has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.error_weights import no_weight, penalty, weight_of
from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleCriterion,
    BundleErrorSpan,
    BundleRating,
    ImportBundle,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.first_line import first_line
from store.importers.mt_metrics_eval.files import (
    Place,
    is_score_line,
    is_test_set,
    place_of,
    read_ratings,
    read_scores,
)
from store.importers.mt_metrics_eval.items import Segments, read_segments
from store.importers.mt_metrics_eval.scores import ScoreBuilder
from store.importers.settings import Settings, load_settings
from store.importers.textfile import read_text
from store.importers.wmt.names import told_people
from store.importers.wmt.options import known_choices, parse_weights, told_weights

NAME = "mt_metrics_eval"
DESCRIPTION = "test set of mt-metrics-eval: human-scores, metric-scores, documents and texts"
_SCORED = ("human", "metric")


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    shown: str
    place: Place
    text: str


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file lies where the layout has it, and holds scores where it should."""
    place = place_of(path.resolve())
    if place is None or not is_test_set(place.root):
        return False
    return place.role not in _SCORED or is_score_line(first_line(path))


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the files of a test set and language pair together."""
    groups: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        place = place_of(path.resolve())
        key = (place.root, place.pair) if place else (path, "")
        groups.setdefault(key, []).append(path)
    return list(groups.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read one language pair of a test set.

    Raises
    ------
    ImportFormatError
        Files do not have the same number of segments, an error has no weight, or a line cannot be
        used and the import is strict.
    """
    problems = RowProblems(options.lenient)
    settings = load_settings(paths[0], shown[paths[0]], options)
    chosen = known_choices(options, {"weights": None}, NAME, settings.shown)
    weights = parse_weights(chosen.get("weights", ""), settings.shown)
    files: list[_File] = []
    sources: list[SourceFile] = []
    for path in paths:
        place = place_of(path.resolve())
        if place is None:
            raise ImportFormatError(
                "no file of a test set: it lies in none of the folders human-scores, "
                "metric-scores/PAIR, documents, sources, references and system-outputs/PAIR.",
                path=shown[path],
            )
        text, sha256 = read_text(path, shown[path])
        files.append(_File(path, shown[path], place, text))
        sources.append(SourceFile(shown[path], sha256))
    if settings.mapping.source_file:
        sources.append(settings.mapping.source_file)
    return _Reader(settings, files, weights, problems).bundle(sources)


@dataclass(slots=True)
class _Reader:
    settings: Settings
    files: Sequence[_File]
    weights: Mapping[str, float]
    problems: RowProblems

    def bundle(self, sources: Sequence[SourceFile]) -> ImportBundle:
        """Return everything as a bundle."""
        place = self.files[0].place
        name = self.settings.dataset or f"{place.root.name} {place.pair}"
        texts = [(one.place, one.shown, one.text) for one in self.files]
        segments = read_segments(texts, self.problems, with_text=self.settings.options.with_text)
        builder = ScoreBuilder(self.settings, name, place.pair, segments)
        for one in self.files:
            if one.place.role in _SCORED:
                scores = read_scores(one.text, one.shown, one.place.level, self.problems)
                builder.add(one.place, scores, one.shown)
        criteria, ratings = self._ratings(segments)
        skipped = self.problems.raise_if_any()
        if not builder.has_scores and not ratings:
            raise ImportFormatError(
                "there is no score: the folders human-scores and metric-scores hold nothing of "
                f"{place.pair}.",
                path=self.settings.shown,
            )
        mapping = self.settings.mapping
        systems = [*builder.systems, *(str(rating.system) for rating in ratings)]
        return ImportBundle(
            NAME,
            sources,
            builder.datasets(),
            builder.metrics,
            builder.runs(),
            builder.reported,
            criteria=criteria,
            annotators={rating.annotator: "human" for rating in ratings},
            ratings=ratings,
            overlaps=[*builder.overlaps(), *mapping.overlaps],
            aliases=mapping.aliases,
            skipped=skipped,
            understood=[
                *builder.told(),
                *self._told_ratings(criteria, ratings),
                *told_people(dict.fromkeys(systems)),
            ],
        )

    def _ratings(self, segments: Segments) -> tuple[list[BundleCriterion], list[BundleRating]]:
        """Return a criterion for each file of ratings, and the ratings."""
        criteria: list[BundleCriterion] = []
        ratings: list[BundleRating] = []
        for one in self.files:
            if one.place.role != "rating":
                continue
            lines, sizes = read_ratings(one.text, one.shown, one.place.name, self.problems)
            for size in sizes.values():
                segments.agree(size, one.shown)
            for line in lines:
                self._require_weights(line.spans, one.shown, line.line)
                ratings.append(
                    BundleRating(
                        len(criteria),
                        line.rater,
                        line.segment,
                        self.settings.canonical(line.system),
                        penalty(self.weights, ((s.severity, s.category) for s in line.spans)),
                        spans=segments.with_texts(line.system, line.segment, line.spans),
                    )
                )
            criteria.append(
                BundleCriterion(
                    one.place.name,
                    0,
                    kind="error-spans",
                    higher_is_better=False,
                    lower=0.0,
                    weights=dict(self.weights),
                )
            )
        return criteria, ratings

    def _require_weights(self, spans: Sequence[BundleErrorSpan], shown: str, line: int) -> None:
        for span in spans:
            if weight_of(self.weights, span.severity, span.category) is None:
                raise ImportFormatError(
                    f"{no_weight(self.weights, span.severity, span.category)} Give it one: "
                    f"--option 'weights={span.severity}:5'.",
                    path=shown,
                    line=line,
                    field="severity",
                )

    def _told_ratings(
        self, criteria: Sequence[BundleCriterion], ratings: Sequence[BundleRating]
    ) -> list[str]:
        if not criteria:
            return []
        n_raters = len({rating.annotator for rating in ratings})
        raters = "1 rater" if n_raters == 1 else f"{n_raters} raters"
        names = ", ".join(criterion.name for criterion in criteria)
        return [
            f"{len(ratings):,} ratings by {raters} ({names}): each is the sum of the weights of "
            f"its errors, lower is better: {told_weights(self.weights)}. "
            "--option weights=SEVERITY:W changes them."
        ]
