"""Output of lm-evaluation-harness: a results file, its samples files, or both.

A results file and the samples files of the same folder and timestamp are one evaluation. The number
of shots changes the prompt, not the items: it is part of the run's label, beside the time, and so
0-shot and 5-shot runs of one system on one dataset can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    FloatArray,
    Guess,
    ImportBundle,
    Provenance,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.lm_eval_results import (
    HARNESS,
    TIMESTAMP,
    MetricKey,
    Results,
    TaskResult,
    filename_moment,
    is_results,
    read_results,
)
from store.importers.lm_eval_samples import Samples, is_sample, read_samples
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_suffix, peek_json, peek_text

NAME = "lm_eval"
DESCRIPTION = "lm-evaluation-harness: results_*.json and samples_*.jsonl"
_SUMS_OF_LOGS = frozenset({"perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"})
"""Metrics whose values in a samples file are log-likelihoods, not the metric."""
_OF_STEREOTYPES = frozenset({"likelihood_diff", "likelihood_difference", "pct_stereotype"})
"""Lower is better, as today's harness states; files of 2023 state no directions."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is a results or samples file, judged by its content."""
    try:
        if data_suffix(path) == ".json":
            return is_results(peek_json(path))
        if data_suffix(path) == ".jsonl":
            text = peek_text(path)
            return is_sample(json.loads(text.lstrip().partition("\n")[0]))
    except (ImportFormatError, ValueError, RecursionError):
        pass
    return False


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Join a results file with the samples files of its folder and timestamp."""
    groups: dict[tuple[Path, str], list[Path]] = {}
    alone: list[list[Path]] = []
    for path in paths:
        match = TIMESTAMP.search(path.name)
        if match is None:
            alone.append([path])
            continue
        members = groups.setdefault((path.parent, match[1]), [])
        if data_suffix(path) == ".json" and any(data_suffix(p) == ".json" for p in members):
            alone.append([path])
        else:
            members.append(path)
    return [*groups.values(), *alone]


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read one evaluation: at most one results file and any number of samples files.

    Raises
    ------
    ImportFormatError
        A file is damaged, or nothing says which system was evaluated.
    """
    results_paths = [path for path in paths if data_suffix(path) == ".json"]
    samples_paths = [path for path in paths if path not in results_paths]
    first = (results_paths or samples_paths)[0]
    settings = load_settings(first, shown[first], options)
    results = read_results(first, shown[first]) if results_paths else None
    problems = RowProblems(options.lenient)
    samples: dict[str, Samples] = {}
    filters = {name: one.filters for name, one in results.tasks.items()} if results else {}
    for path in samples_paths:
        one = read_samples(
            path, shown[path], problems, with_text=options.with_text, filters=filters
        )
        if one.task in samples:
            raise ImportFormatError(
                f"{samples[one.task].shown} holds the task '{one.task}' too.", path=one.shown
            )
        samples[one.task] = one
    builder = _Builder(settings, results, _system(settings, results, first))
    for task in {**(results.tasks if results else {}), **samples}:
        builder.add(task, samples.get(task), first)
    return builder.bundle(list(samples.values()), problems)


def _system(settings: Settings, results: Results | None, path: Path) -> str:
    """Return the system: given, stated in the results, or the name of the samples' folder."""
    if settings.system:
        return settings.system
    if results and results.identity:
        return results.identity.name()
    folder = path.resolve().parent.name
    if results is None and "__" in folder:
        return folder.replace("__", "/", 1)
    raise ImportFormatError(
        "a samples file does not say which system was evaluated. Read it together with its "
        "results file, or give --system NAME.",
        path=settings.shown,
    )


@dataclass(slots=True)
class _Builder:
    settings: Settings
    results: Results | None
    system: str
    datasets: list[BundleDataset] = field(default_factory=list)
    metrics: dict[tuple[str, str], BundleMetric] = field(default_factory=dict)
    runs: list[BundleRun] = field(default_factory=list)
    reported: list[BundleReportedScore] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, task: str, samples: Samples | None, first: Path) -> None:
        """Add a task: its dataset, its run, and what the results state about it."""
        result = self.results.tasks.get(task) if self.results else None
        stated = result.stated if result else {}
        vectors = self._vectors(samples, result) if samples else {}
        if not vectors and not stated:
            self.warnings.append(f"'{task}': no score for its items and no aggregate; left out.")
            return
        dataset = len(self.datasets)
        items = tuple(samples.items) if samples else ()
        self.datasets.append(
            self.settings.dataset_of(
                task,
                items,
                version=result.version if result else "",
                n_items_stated=result.n_original if result else None,
            )
        )
        better = result.higher_is_better if result else {}
        is_only = len({key.name for key in (*stated, *vectors)}) == 1
        index = {
            key: self._metric(key, better.get(key.name), is_only=is_only)
            for key in (*stated, *vectors)
        }
        self.runs.append(
            BundleRun(
                self.settings.canonical(self.system),
                dataset,
                self._label(result, first),
                [BundleScores(index[key], values) for key, values in vectors.items()],
                outputs={0: samples.outputs} if samples and any(samples.outputs) else {},
                provenance=self._provenance(result, first),
            )
        )
        if result is not None and self.results is not None:
            self._add_stated(result, self.results, index, first)
        if samples:
            self._tell_coverage(samples, result)

    def _add_stated(
        self, result: TaskResult, results: Results, index: Mapping[MetricKey, int], first: Path
    ) -> None:
        """Add the aggregates that the results file states about the last run."""
        for key, (value, stderr) in result.stated.items():
            self.reported.append(
                BundleReportedScore(
                    self.runs[-1].system,
                    self.runs[-1].dataset,
                    index[key],
                    value,
                    stderr,
                    result.n_effective,
                    results.provenance.evaluated_on,
                    self.settings.mapping.source or first.name,
                    self.settings.mapping.source_url,
                    repr(value),
                    run=len(self.runs) - 1,
                )
            )

    def bundle(self, samples: Sequence[Samples], problems: RowProblems) -> ImportBundle:
        """Return everything as a bundle."""
        if self.settings.dataset:
            self._rename_dataset(self.settings.dataset)
        results = self.results
        told = [f"System '{self.system}'."]
        if results is None and not self.settings.system:
            told = [f"System '{self.system}', after the folder's name; --system NAME overrides it."]
        if results and results.groups:
            told.append(f"Sums over several tasks are not read: {', '.join(results.groups)}.")
        if results and results.unread:
            self.warnings.append(f"Aggregates without a number: {'; '.join(results.unread)}.")
        read = [SourceFile(one.shown, one.sha256) for one in samples]
        if results:
            read.insert(0, SourceFile(results.shown, results.sha256))
        mapping = self.settings.mapping
        is_named = results and results.identity and not self.settings.system
        stated = results.identity.stated if results and results.identity and is_named else {}
        return ImportBundle(
            NAME,
            [*read, *([mapping.source_file] if mapping.source_file else [])],
            self.datasets,
            list(self.metrics.values()),
            self.runs,
            self.reported,
            overlaps=mapping.overlaps,
            identities={self.settings.canonical(self.system): stated} if stated else {},
            aliases=mapping.aliases,
            skipped=problems.raise_if_any(),
            understood=[*told, *self.understood],
            warnings=self.warnings,
            guesses=self._guesses(),
        )

    def _guesses(self) -> list[Guess]:
        if self.settings.system or not (self.results and self.results.is_named_by_file):
            return []
        return [Guess("system", self.system, "the file's name: it states no model")]

    def _vectors(self, samples: Samples, result: TaskResult | None) -> dict[MetricKey, FloatArray]:
        """Return the vectors whose mean is the metric; say why others are left out."""
        left_out = [f"{key.name}{_in_filter(key)}" for key in samples.not_numbers]
        vectors = {}
        for key, values in samples.vectors.items():
            stated = result.stated.get(key) if result else None
            aggregation = result.aggregations.get(key.name, "mean") if result else "mean"
            is_mean = aggregation in ("mean", "nanmean") and key.name not in _SUMS_OF_LOGS
            if stated is not None and not is_mean:
                is_mean = bool(np.isclose(np.nanmean(values), stated.value, rtol=1e-6, atol=1e-9))
            if is_mean:
                vectors[key] = values
            else:
                left_out.append(f"{key.name}{_in_filter(key)}")
        if left_out:
            self.warnings.append(
                f"'{samples.task}': {', '.join(left_out)} is computed over the whole corpus, its "
                "values for single items are no scores; only the stated aggregate is kept."
            )
        if samples.ignored:
            names = ", ".join(dict.fromkeys(samples.ignored))
            self.understood.append(f"'{samples.task}': fields that are no scores: {names}.")
        return vectors

    def _metric(self, key: MetricKey, stated: bool | None, *, is_only: bool) -> int:
        """Return the index of a metric; a new one for a new name or filter."""
        metric = self.settings.metric_of(key.name, "mean", is_percent=False, is_only=is_only)
        identity = (key.name, key.signature or metric.signature)
        if stated is None and key.name in _OF_STEREOTYPES:
            stated = False
        direction = self.settings.direction_of(key.name, stated, is_only=is_only)
        if identity not in self.metrics:
            self.metrics[identity] = replace(
                metric, signature=identity[1], higher_is_better=direction
            )
        known = self.metrics[identity]
        if None not in (direction, known.higher_is_better) and direction != known.higher_is_better:
            raise ImportFormatError(
                f"the file says of '{key.name}' both that higher and that lower is better. Import "
                "the tasks apart.",
                path=self.settings.shown,
                field="higher_is_better",
            )
        if known.higher_is_better is None and direction is not None:
            self.metrics[identity] = replace(known, higher_is_better=direction)
        return list(self.metrics).index(identity)

    def _label(self, result: TaskResult | None, first: Path) -> str:
        if self.settings.run_label:
            return self.settings.run_label
        match = TIMESTAMP.search(first.name)
        moment = self.results.timestamp if self.results else (match[1] if match else "")
        shots = f"{result.n_shot}-shot" if result and result.n_shot is not None else ""
        return " ".join(part for part in (shots, moment) if part)

    def _provenance(self, result: TaskResult | None, first: Path) -> Provenance:
        """Return what the results file states; the flags and the YAML go before it."""
        given = self.settings.provenance
        if self.results is not None:
            own = self.results.provenance
            config = {**(own.config or {}), **(result.config if result else {})}
            own = replace(own, config={k: v for k, v in config.items() if v is not None})
        else:
            match = TIMESTAMP.search(first.name)
            moment = filename_moment(match[1]) if match else None
            own = Provenance(moment, tz_assumed=moment is not None, harness=HARNESS)
        stated = {
            name: value
            for name in Provenance.__dataclass_fields__
            if (value := getattr(given, name)) not in (None, False)
        }
        if given.evaluated_on is not None:
            stated["tz_assumed"] = given.tz_assumed
        if given.config:
            stated["config"] = {**(own.config or {}), **given.config}
        return replace(own, **stated)

    def _rename_dataset(self, name: str) -> None:
        if len(self.datasets) != 1:
            tasks = ", ".join(dataset.name for dataset in self.datasets)
            raise ImportFormatError(
                f"--dataset '{name}' cannot rename {len(self.datasets)} tasks ({tasks}).",
                path=self.settings.shown,
            )
        old = self.datasets[0]
        if old.name != name:
            self.datasets[0] = self.settings.dataset_of(
                name, tuple(old.items), version=old.version, n_items_stated=old.n_items_stated
            )
            self.understood.append(f"The task '{old.name}' is called '{name}'.")

    def _tell_coverage(self, samples: Samples, result: TaskResult | None) -> None:
        n_items = len(samples.items)
        effective = result.n_effective if result else None
        original = result.n_original if result else None
        if effective is not None and n_items < effective:
            self.warnings.append(
                f"'{samples.task}': the samples file holds {n_items:,} of the {effective:,} items "
                "that were evaluated; the stated aggregate is over all of them."
            )
        elif original is not None and n_items < original:
            self.understood.append(
                f"'{samples.task}': {n_items:,} of {original:,} items were evaluated (limit)."
            )
        if self.results and (self.results.provenance.config or {}).get("samples"):
            self.warnings.append(
                f"'{samples.task}': the run picked its items (--samples), so doc_id may count the "
                "picked ones only; items are checked by their hash when they are stored."
            )


def _in_filter(key: MetricKey) -> str:
    return f" (filter {key.filter})" if key.signature else ""
