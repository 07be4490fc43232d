"""Reports of NIST's sclite: ``.pra`` aligns each utterance, ``.sys`` and ``.raw`` sum them up.

The counts of each utterance become its word error rate, as errors over reference words. Without an
alignment the sums are stated figures. All other reports show the same once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import (
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
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_stem, peek_text, read_text

NAME = "sclite"
DESCRIPTION = "reports of sclite: .pra with the alignment of each utterance, .sys, .raw"
_ALIGNED = "DUMP OF SYSTEM ALIGNMENT STRUCTURE"
_SUMMED = re.compile(r"SYSTEM SUMMARY PERCENTAGES by SPEAKER")
_OTHERS = (
    "SENTENCE RECOGNITION PERFORMANCE", "SENTENCE LEVEL REPORT FOR THE SYSTEM", "<SYSTEM title=",
    "NIST_TEXT_ALIGNMENT", "SCORING FOR SPEAKER",
)  # fmt: skip
_LABELLED = re.compile(r"[|,\s]*System: .*\|\s*\n(?:[|\s-]*\n)+[|\s]*SPKR\s")
_ENDS = re.compile(
    r"(?:\.(?:pra|prf|sys|raw|dtl|lur|sgml|sbhyp|rsum|sum|(?:snt|spk)\.[^/]+))+$", re.IGNORECASE
)
_TITLE = re.compile(r"^\s*(?:System name:|\|)\s*(\S.*?)\s*\|?\s*$", re.MULTILINE)
_REFERENCE = re.compile(r'(?:Ref file:\s*(\S+)|ref_fname="([^"]*)")')
_SPEAKER = re.compile(r"^Speaker sentences\s+\d+:\s+(\S*)", re.MULTILINE)
_UTTERANCE = re.compile(
    r"^id: \((?P<id>.*)\)[ \t]*\n(?:Labels:.*\n|File:.*\n|Channel:.*\n)*"
    r"Scores: \(#C #S #D #I\) (?P<c>\d+) (?P<s>\d+) (?P<d>\d+) (?P<i>\d+)[ \t]*\n"
    r"(?P<rest>(?:[A-Za-z_ >]+:.*\n?)*)",
    re.MULTILINE,
)
_SUM = re.compile(r"^\s*\|\s*(?:Sum(?:/Avg)?|Total)\s*\|(.*)\|\s*$", re.MULTILINE)
_IDLE = re.compile(r"hyps?|hypothes[ie]s|result|results|text|output|trn|score|scoring|asr", re.I)
_SCORED = re.compile(r"scor(e|ing)([-_]?(?P<unit>wer|cer|ter))?", re.IGNORECASE)
_UNITS = {"cer": "characters", "ter": "tokens", "wer": "words"}
_OTHER_VIEW = "shows the alignment of another report of sclite once more."


class _Utterance(NamedTuple):
    key: str
    speaker: str
    counts: tuple[int, int, int, int]
    """Correct, substituted, deleted, inserted."""
    reference: str
    output: str


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a text is a report of sclite."""
    if path.suffix.lower() in (".csv", ".tsv", ".json", ".jsonl", ".md", ".html", ".parquet"):
        return False
    try:
        text = peek_text(path)[:20_000]
    except ImportFormatError:
        return False
    has_one = _ALIGNED in text or _SUMMED.search(text) or any(one in text for one in _OTHERS)
    return bool(has_one) or _LABELLED.search(text) is not None


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the reports of one system in one folder together."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        groups.setdefault(path.parent / _ENDS.sub("", path.name), []).append(path)
    return list(groups.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the reports of one system.

    Raises
    ------
    NoResultsError
        Neither an alignment nor a sum is among them.
    ImportFormatError
        An utterance is aligned twice.
    """
    settings = load_settings(paths[0], shown[paths[0]], options)
    texts = {path: read_text(path, shown[path]) for path in paths}
    aligned = next(
        (p for p in paths if _UTTERANCE.search(texts[p][0]) and _is_dump(texts[p][0])), None
    )
    summed = next((path for path in paths if _SUM.search(texts[path][0])), None)
    main = aligned or summed
    if main is None:
        raise NoResultsError("no alignment and no sum of one stands in it.", path=settings.shown)
    used = [path for path in (aligned, summed) if path is not None]
    files = [SourceFile(shown[path], texts[path][1]) for path in dict.fromkeys(used)]
    whole = "\n".join(text for text, _ in texts.values())
    settings, metric = _named(settings, main, texts[main][0], whole)
    left_out = [LeftOut(shown[path], _OTHER_VIEW) for path in paths if path not in used]
    reader = _aligned if aligned is not None else _summed
    bundle = reader(settings, metric, texts[main][0], RowProblems(options.lenient), whole)
    return ImportBundle(
        NAME,
        [*files, *settings.files("")[1:]],
        datasets=bundle.datasets,
        metrics=bundle.metrics,
        runs=bundle.runs,
        reported_scores=bundle.reported_scores,
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        understood=bundle.understood,
        guesses=settings.guesses,
        left_out=left_out,
    )


def _is_dump(text: str) -> bool:
    return _ALIGNED in text or "SENTENCE LEVEL REPORT" in text


def _named(settings: Settings, path: Path, text: str, whole: str) -> tuple[Settings, BundleMetric]:
    """Return settings that name system and dataset, and the metric of the reports."""
    title = _TITLE.search(text)
    named = PurePosixPath(title[1] if title else path.as_posix())
    folders = [part for part in named.parts[:-1] if part not in ("/", ".", "..")]
    unit = "wer"
    for part in (*folders, *path.resolve().parts[-4:-1]):
        if (found := _SCORED.fullmatch(part)) and found["unit"]:
            unit = found["unit"].lower()
    stem = data_stem(named.name).removesuffix(".trn")
    telling = [part for part in folders if not _SCORED.fullmatch(part)]
    because = "the title of the report"
    data = None
    if _IDLE.fullmatch(stem):
        data = telling[-1] if telling else None
        stem = telling[-2] if len(telling) > 1 else path.resolve().parent.name
    if not settings.system:
        settings = settings.guessing("system", stem, because)
    if not settings.dataset:
        reference = _REFERENCE.search(whole)
        of_file = data_stem(PurePosixPath(reference[1] or reference[2]).name) if reference else ""
        if of_file and not re.fullmatch(r"refs?|references?|text|gold|stm", of_file, re.I):
            settings = settings.guessing("dataset", of_file, "the file of references")
        elif data:
            settings = settings.guessing("dataset", data, because)
        else:
            settings = settings.with_dataset(use_stem=False)
    signature = f"sclite: errors / reference {_UNITS[unit]}"
    return settings, BundleMetric(
        unit.upper(), signature, higher_is_better=False, aggregation="ratio", lower=0.0
    )


def _utterances(text: str) -> Iterator[_Utterance]:
    speakers = [(found.start(), found[1]) for found in _SPEAKER.finditer(text)]
    for found in _UTTERANCE.finditer(text):
        speaker = next((name for at, name in reversed(speakers) if at < found.start()), "")
        lines = dict(line.split(":", 1) for line in found["rest"].splitlines() if ":" in line)
        is_cased = "Case_sensit" in lines.get("Attributes", "")
        texts = [_plain(lines.get(name, ""), is_cased) for name in ("REF", "HYP")]
        counts = tuple(int(found[name]) for name in "csdi")
        yield _Utterance(found["id"], speaker, counts, *texts)  # type: ignore[arg-type]


def _plain(aligned: str, is_cased: bool) -> str:
    """Return the words of an aligned line; without case its capitals mark errors only."""
    words = [word for word in aligned.split() if set(word) != {"*"}]
    text = " ".join(words)
    return text if is_cased else text.lower()


def _aligned(
    settings: Settings, metric: BundleMetric, text: str, problems: RowProblems, whole: str
) -> ImportBundle:
    items: list[BundleItem] = []
    values: list[tuple[float, float]] = []
    outputs: list[str | None] = []
    seen: set[str] = set()
    totals = np.zeros(4, np.int64)
    for one in _utterances(text):
        if one.key in seen:
            raise ImportFormatError(
                f"the utterance '{one.key}' is aligned twice.", path=settings.shown
            )
        seen.add(one.key)
        correct, replaced, deleted, inserted = one.counts
        totals += one.counts
        with_text = settings.options.with_text
        items.append(
            BundleItem(
                one.key,
                group=one.speaker or None,
                reference_text=one.reference if with_text else None,
            )
        )
        values.append((replaced + deleted + inserted, correct + replaced + deleted))
        outputs.append(one.output)
    told = [
        f"{len(items):,} utterances with the errors that sclite counted.",
        *_checked(whole, totals),
    ]
    run = BundleRun(
        settings.system or "",
        0,
        settings.run_label or "",
        [BundleScores(0, np.array(values, float).reshape(-1, 2))],
        outputs={0: outputs} if settings.options.with_text else {},
        provenance=settings.provenance,
    )
    dataset = settings.dataset_of(settings.dataset or "", tuple(items))
    return ImportBundle(NAME, [], datasets=[dataset], metrics=[metric], runs=[run], understood=told)


def _checked(whole: str, totals: np.ndarray) -> list[str]:
    """Return whether the percentages that the reports state follow from the alignment."""
    correct, replaced, deleted, inserted = totals.tolist()
    n_words = correct + replaced + deleted
    errors = replaced + deleted + inserted
    for found in _SUM.finditer(whole):
        numbers = re.findall(r"\d+(?:\.\d+)?", found[1])
        if len(numbers) < 8 or not n_words:
            continue
        stated = float(numbers[6])
        is_share = "." in numbers[6]
        own = 100 * errors / n_words if is_share else errors
        if abs(own - stated) > (0.0501 if is_share else 0):
            return [f"The report states {numbers[6]}, the alignment gives {own:.4g}."]
        return ["The sum that the reports state follows from the alignment."]
    return []


def _summed(
    settings: Settings, metric: BundleMetric, text: str, problems: RowProblems, whole: str
) -> ImportBundle:
    found = _SUM.search(text)
    assert found is not None
    numbers = re.findall(r"\d+(?:\.\d+)?", found[1])
    if len(numbers) < 8:
        raise NoResultsError("the sum states no errors.", path=settings.shown)
    n_items, n_words = int(float(numbers[0])), float(numbers[1])
    is_share = "." in numbers[6]
    errors, sentences = float(numbers[6]), float(numbers[7])
    stated = (
        (metric.name, errors / (100 if is_share else n_words), numbers[6]),
        ("SER", sentences / (100 if is_share else n_items), numbers[7]),
    )
    metrics = [
        metric,
        BundleMetric("SER", "sclite", higher_is_better=False, lower=0.0, upper=1.0),
    ]
    scores = [
        BundleReportedScore(
            settings.system or "", 0, n, value, n_items=n_items, source=settings.path.name,
            printed=printed, reported_on=settings.reported_on,
        )
        for n, (_, value, printed) in enumerate(stated)
    ]  # fmt: skip
    dataset = settings.dataset_of(settings.dataset or "", n_items_stated=n_items)
    told = ["A sum without an alignment: error rates of words and of sentences, as shares."]
    return ImportBundle(
        NAME, [], datasets=[dataset], metrics=metrics, reported_scores=scores, understood=told
    )
