"""What sacreBLEU prints as JSON: one metric, several, or several systems with their p-values.

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
from store.importers.settings import load_settings
from store.importers.textfile import data_suffix, peek_json, read_json

NAME = "sacrebleu"
DESCRIPTION = "sacreBLEU's JSON: scores with their signatures, and p-values against a baseline"
_BASELINE = "Baseline: "
_TEST = "paired resampling (sacreBLEU)"


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether JSON holds scores with signatures, or systems with scores."""
    if data_suffix(path) != ".json":
        return False
    try:
        content = peek_json(path)
    except ImportFormatError:
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
    content, sha256 = read_json(path, settings.shown)
    dataset = settings.dataset or folder_name(path)
    figures = Figures(settings, RowProblems(options.lenient))
    guesses = [] if settings.dataset else [Guess("dataset", dataset, "the name of the folder")]
    pvalues: list[tuple[str, str, float]] = []
    baseline = ""
    for number, record in enumerate(content if isinstance(content, list) else [content]):
        if not isinstance(record, dict) or not (_is_score(record) or _is_system(record)):
            reason = "is neither a score with its signature nor a system with scores."
            raise ImportFormatError(reason, path=settings.shown, field=f"entry {number + 1}")
        if _is_score(record):
            system = settings.system or own_name(path)
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
    if not settings.system and any(
        figure.system == own_name(path) for figure, _, _ in figures.figures
    ):
        guesses.append(Guess("system", own_name(path), "the name of the file"))
    bundle = figures.bundle(NAME, settings.files(sha256), guesses=guesses)
    return replace(bundle, reported_comparisons=_comparisons(bundle, pvalues, baseline))


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
