"""What sacreBLEU prints as JSON or text: one metric or several, or systems with their p-values.

A score is a metric with its signature: two BLEU scores with different signatures are two metrics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleReportedComparison,
    Guess,
    ImportBundle,
    ReadOptions,
    RowProblems,
)
from store.importers.figures import Figure, Figures
from store.importers.places import folder_name, own_name
from store.importers.sacrebleu_text import may_be_printed, records_of, system_of
from store.importers.settings import load_settings
from store.importers.textfile import data_suffix, peek_json, peek_text, read_json, read_text

NAME = "sacrebleu"
DESCRIPTION = (
    "sacreBLEU's JSON and text: scores with their signatures, and p-values against a baseline"
)
_BASELINE = "Baseline: "
_TEST = "paired resampling (sacreBLEU)"


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether JSON or text holds scores with signatures, or systems with scores."""
    try:
        if data_suffix(path) != ".json":
            return may_be_printed(path) and bool(records_of(peek_text(path)))
        content = peek_json(path)
    except (ImportFormatError, OSError):
        return False
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and (_is_score(first) or _is_system(first))


def _is_score(record: Mapping[str, Any]) -> bool:
    return {"name", "score", "signature"} <= record.keys()


def _is_system(record: Mapping[str, Any]) -> bool:
    return "system" in record and any(
        isinstance(one, dict) and {"score", "p_value"} <= one.keys() for one in record.values()
    )


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the scores of a file; the system of one without systems is the file.

    Raises
    ------
    ImportFormatError
        An entry holds no score.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    content, sha256 = _content(path, settings.shown)
    named = options.names.get(path)
    own = named.system if named is not None and named.system else system_of(own_name(path))
    around = named.dataset if named is not None and named.dataset else folder_name(path)
    dataset = settings.dataset or around
    figures = Figures(settings, RowProblems(options.lenient))
    guesses = [] if settings.dataset else [Guess("dataset", dataset, "the name of the folder")]
    pvalues: list[tuple[str, str, float]] = []
    baseline = ""
    for number, record in enumerate(content if isinstance(content, list) else [content]):
        if not isinstance(record, dict) or not (_is_score(record) or _is_system(record)):
            reason = "is neither a score with its signature nor a system with scores."
            raise ImportFormatError(reason, path=settings.shown, field=f"entry {number + 1}")
        if _is_score(record):
            system = settings.system or own
            metric = f"{record['name']} [{record['signature']}]"
            figures.add(
                Figure(system, dataset, metric, record["score"], column=f"entry {number + 1}")
            )
            continue
        system = str(record["system"])
        if system.startswith(_BASELINE):
            system = baseline = system.removeprefix(_BASELINE)
        for name, one in record.items():
            if isinstance(one, dict) and "score" in one:
                signature = one.get("signature")
                metric = f"{name} [{signature}]" if signature else name
                figures.add(Figure(system, dataset, metric, one["score"], column=system))
                if isinstance(one.get("p_value"), float) and 0 <= one["p_value"] <= 1:
                    pvalues.append((system, metric, one["p_value"]))
    if not settings.system and any(figure.system == own for figure, _, _ in figures.figures):
        because = "the name of the file" if named is None else named.because
        guesses.append(Guess("system", own, because))
    bundle = figures.bundle(NAME, settings.files(sha256), guesses=guesses)
    return replace(bundle, reported_comparisons=_comparisons(bundle, pvalues, baseline))


def _content(path: Path, shown: str) -> tuple[Any, str]:
    """Return records, of text those that the JSON would have, and the fingerprint of the file."""
    if data_suffix(path) == ".json":
        return read_json(path, shown)
    text, sha256 = read_text(path, shown)
    return records_of(text), sha256


def _comparisons(
    bundle: ImportBundle, pvalues: Sequence[tuple[str, str, float]], baseline: str
) -> list[BundleReportedComparison]:
    """Return the p-values of systems against the baseline."""
    index = {}
    for number, metric in enumerate(bundle.metrics):
        signed = f"{metric.name} [{metric.signature}]" if metric.signature else metric.name
        index[signed] = number
    source = bundle.reported_scores[0].source if bundle.reported_scores else ""
    return [
        BundleReportedComparison(
            system, baseline, 0, index[metric], value, _TEST, source=source, printed=repr(value)
        )
        for system, metric, value in pvalues
        if baseline and system != baseline
    ]
