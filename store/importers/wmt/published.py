"""Scores of systems as WMT publishes them: ``automatic-scores.tsv`` and ``WMT23.results.txt``.

The first is a table of pair, system and metric, where ``bleu-refA`` is BLEU against reference A;
the second the output of Appraise, with averages of DA+SQM for each language pair.
"""

from __future__ import annotations

import ast
import csv
import io
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedScore,
    Guess,
    ImportBundle,
    ReadOptions,
    RowProblems,
)
from store.importers.first_line import first_line
from store.importers.settings import Settings, load_settings
from store.importers.textfile import read_text
from store.importers.wmt.names import LANGUAGE_PAIR, test_set_in, told_people

NAME = "wmt_scores"
DESCRIPTION = "published scores of WMT's systems: automatic-scores.tsv, WMT23.results.txt"
_COLUMNS = ("pair", "system", "metric", "score")
_METRIC = re.compile(r"(?P<name>.+?)-(?P<reference>all|src|ref[A-Z0-9]?)")
_NAMES = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER", "comet": "COMET"}
_APPRAISE = "Processing annotations in file"
_PAIR = re.compile(r"\[([a-z]{2,3})-->([a-z]{2,3})\]")
_ROW = re.compile(r"\d+\.\d+ (\('.*\))")
_SHORT = {
    "ces": "cs", "ukr": "uk", "deu": "de", "eng": "en", "jpn": "ja", "zho": "zh", "heb": "he",
    "rus": "ru", "fra": "fr", "spa": "es", "isl": "is", "hau": "ha", "liv": "liv", "hrv": "hr",
    "sah": "sah", "hin": "hi",
}  # fmt: skip
_HUMAN = "DA+SQM"


class _Score(NamedTuple):
    pair: str
    system: str
    metric: BundleMetric
    value: float
    printed: str


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file begins as either form; in the table the first pair is of languages."""
    columns = first_line(path).split("\t")
    if columns[0].startswith(_APPRAISE):
        return True
    if not set(_COLUMNS) <= set(columns):
        return False
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            row = [next(file, "") for _ in range(2)][1].rstrip("\n").split("\t")
    except OSError:
        return False
    pair = dict(zip(columns, row, strict=False)).get("pair", "")
    return LANGUAGE_PAIR.fullmatch(pair) is not None


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the scores of a file.

    Raises
    ------
    ImportFormatError
        A score is no number or stands twice with two values, and the import is strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    problems = RowProblems(options.lenient)
    text, sha256 = read_text(path, settings.shown)
    is_human = text.startswith(_APPRAISE)
    scores = list(_human(text, settings) if is_human else _automatic(text, settings, problems))
    if not scores:
        raise ImportFormatError("no line states a score.", path=settings.shown)
    test_set = (test_set_in(path.resolve()) or "wmt").lower()
    return _bundle(settings, sha256, scores, test_set, problems)


def _rows(text: str, settings: Settings) -> Iterator[dict[str, str]]:
    lines = io.StringIO(text, newline="")
    reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    try:
        yield from reader
    except csv.Error as error:
        line = reader.line_num + 1
        raise ImportFormatError(f"{error}.", path=settings.shown, line=line) from None


def _automatic(text: str, settings: Settings, problems: RowProblems) -> Iterator[_Score]:
    known: dict[tuple[str, str, str], str] = {}
    for number, row in enumerate(_rows(text, settings), start=2):
        pair, system, name, printed = (row[column] or "" for column in _COLUMNS)
        if not printed or (pair, system, name) == _COLUMNS[:3]:
            continue  # the header of a file that was appended
        if not LANGUAGE_PAIR.fullmatch(pair):
            reason = f"'{pair}' is no language pair."
            problems.report(settings.shown, number, "pair", reason)
            continue
        earlier = known.setdefault((pair, system, name), printed)
        if earlier != printed:
            reason = f"'{name}' of {system} stands twice for {pair}: {earlier} and {printed}."
            problems.report(settings.shown, number, "score", reason)
            continue
        try:
            value = float(printed)
        except ValueError:
            problems.report(settings.shown, number, "score", f"'{printed}' is no number.")
            continue
        found = _METRIC.fullmatch(name)
        plain = found["name"] if found else name
        named = _NAMES.get(plain.lower(), plain)
        made = settings.metric_of(
            f"{named} [{found['reference']}]" if found else named,
            "mean",
            is_percent=False,
            is_only=False,
        )
        if math.isfinite(value):
            yield _Score(pair, system, made, value, printed)


def _human(text: str, settings: Settings) -> Iterator[_Score]:
    """Yield raw and standardised averages: ``(system, judgments, z, raw, …)`` below each pair."""
    raw = BundleMetric("DA raw", _HUMAN, True, lower=0.0, upper=100.0, source="human")
    z = BundleMetric("DA z", _HUMAN, True, source="human")
    pair = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if found := _PAIR.search(line):
            pair = "-".join(_SHORT.get(one, one) for one in found.groups())
        elif (row := _ROW.fullmatch(line.strip())) and pair:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SyntaxWarning)  # such as of "1if"
                    system, _, mean_z, mean_raw, *_ = ast.literal_eval(row[1])
                values = _finite(mean_z), _finite(mean_raw)
            except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
                reason = f"'{row[1][:60]}' is not system, judgments, z and raw."
                raise ImportFormatError(reason, path=settings.shown, line=number) from None
            yield _Score(pair, str(system), raw, values[1], repr(values[1]))
            yield _Score(pair, str(system), z, values[0], repr(values[0]))


def _bundle(
    settings: Settings,
    sha256: str,
    scores: Sequence[_Score],
    test_set: str,
    problems: RowProblems,
) -> ImportBundle:
    mapping = settings.mapping
    base = settings.dataset or test_set
    found = list(dict.fromkeys((one.pair, one.system, one.metric, one.value) for one in scores))
    printed = {(one.pair, one.system, one.metric): one.printed for one in scores}
    pairs = list(dict.fromkeys(pair for pair, *_ in found))
    metrics = list(dict.fromkeys(metric for _, _, metric, _ in found))
    datasets = [_dataset(settings, f"{base} {pair}", pair) for pair in pairs]
    reported = [
        BundleReportedScore(
            settings.canonical(system),
            pairs.index(pair),
            metrics.index(metric),
            value,
            reported_on=settings.reported_on,
            source=mapping.source or settings.shown.rpartition("/")[2],
            source_url=mapping.source_url,
            printed=printed[pair, system, metric],
        )
        for pair, system, metric, value in found
    ]
    because = "the names of file and folders; --dataset NAME takes another"
    return ImportBundle(
        NAME,
        settings.files(sha256),
        datasets,
        metrics,
        reported_scores=reported,
        overlaps=mapping.overlaps,
        aliases=mapping.aliases,
        skipped=problems.raise_if_any(),
        understood=told_people(dict.fromkeys(one.system for one in scores)),
        guesses=[] if settings.dataset else [Guess("dataset", f"{base} and the pair", because)],
    )


def _dataset(settings: Settings, name: str, pair: str) -> BundleDataset:
    made = settings.dataset_of(name)
    return BundleDataset(
        made.name,
        made.version,
        task=made.task or "machine translation",
        language=made.language or pair,
        domain=made.domain,
        n_items_stated=made.n_items_stated,
    )


def _finite(printed: object) -> float:
    """Return a number; ``ValueError`` for what is none, or has no end."""
    value = float(str(printed))
    if not math.isfinite(value):
        raise ValueError(f"{printed} has no end")
    return value
