"""What is known about a file before it is read: flags go before the YAML, the YAML before names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import (
    COMPONENTS,
    ONE_SCORE,
    Aggregation,
    BundleDataset,
    BundleItem,
    BundleMetric,
    Guess,
    PathNames,
    Provenance,
    Question,
    ReadOptions,
    SourceFile,
)
from store.importers.cells import aware
from store.importers.common_items import SAME_ITEMS
from store.importers.file_names import beside_system, dataset_of_file, system_of_file
from store.importers.known_metrics import lookup
from store.importers.mapping import DatasetNote, FileMapping, MetricNote, load_mapping
from store.importers.remembered_columns import with_remembered
from store.importers.textfile import data_stem
from store.spelling import composed

_SIGNED_NAME = re.compile(r"(\S.*?)\s+\[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class Settings:
    """The flags and the YAML of one file, joined."""

    path: Path
    shown: str
    options: ReadOptions
    mapping: FileMapping
    guesses: tuple[Guess, ...] = ()
    """What nobody states and the names of the file, its folders or its columns suggest."""

    def guessing(self, role: str, value: str, because: str) -> Settings:
        """Return the settings with a name for "system", "dataset", "metric" or "layout" guessed."""
        return replace(self, guesses=(*self.guesses, Guess(role, value, because)))

    @property
    def named(self) -> PathNames | None:
        """What the path says beside those of the files of its kind, if the file has the names."""
        return self.options.names.get(self.path)

    @property
    def questions(self) -> Sequence[Question]:
        """What is asked of the names that were taken from the path."""
        is_used = self.named is not None and any(
            one.because == self.named.because for one in self.guesses
        )
        return self.named.questions if self.named is not None and is_used else ()

    def with_system(self) -> Settings:
        """Return the settings with a system after the path, where nobody states it."""
        if self.system:
            return self
        named = self.named
        if named is not None and named.system:
            return self.guessing("system", named.system, named.because)
        found = system_of_file(self.path)
        return self if found is None else self.guessing("system", *found)

    def with_dataset(self, *, use_stem: bool = True, system: str | None = None) -> Settings:
        """Return the settings with a dataset: as stated, else after the file or its folder.

        What the file's name says of its only `system` does not name the dataset.
        """
        named = self.named
        if named is not None and named.because == SAME_ITEMS and not self.dataset:
            return self.guessing("dataset", named.dataset or "", named.because)
        rest = None
        if use_stem and system and not self.dataset:
            rest = beside_system(data_stem(self.path.name), system)
        if rest:
            return self.guessing("dataset", rest, "the name of the file, without the system's")
        use_stem = use_stem and rest is None
        if not use_stem and not self.dataset and named is not None and named.dataset:
            return self.guessing("dataset", named.dataset, named.because)
        found = None if self.dataset else dataset_of_file(self.path, use_stem=use_stem)
        return self if found is None else self.guessing("dataset", *found)

    def _guessed(self, role: str) -> str | None:
        return next((guess.value for guess in self.guesses if guess.subject == role), None)

    @property
    def system(self) -> str | None:
        """The system of a file that does not name it."""
        return self.options.system or self.mapping.system or self._guessed("system")

    @property
    def dataset(self) -> str | None:
        """The dataset of a file that does not name it."""
        return self.options.dataset or self.mapping.dataset or self._guessed("dataset")

    @property
    def metric(self) -> str | None:
        """The metric of a file that does not name it."""
        return self.options.metric or self.mapping.metric or self._guessed("metric")

    @property
    def layout(self) -> str | None:
        """Pattern of the wide column names."""
        return self.options.layout or self.mapping.layout or self._guessed("layout")

    @property
    def run_label(self) -> str | None:
        """Label of the run of a file that does not name it."""
        told = self.options.run_label or self.mapping.run_label
        return told or (self.named.run_label if self.named else "") or None

    @property
    def columns(self) -> Mapping[str, str]:
        """Role -> column as stated."""
        return {**self.mapping.columns, **self.options.columns}

    @property
    def provenance(self) -> Provenance:
        """Provenance that holds for every run of the file."""
        told = self.mapping.provenance
        if told.seed is None and self.named is not None:
            told = replace(told, seed=self.named.seed)
        if self.options.date is None:
            return told
        moment, assumed = aware(self.options.date)
        return replace(told, evaluated_on=moment, tz_assumed=assumed)

    @property
    def reported_on(self) -> datetime | None:
        """Date of the figures that the file reports."""
        if self.options.date is not None:
            return aware(self.options.date)[0]
        return self.mapping.reported_on

    def canonical(self, system: str) -> str:
        """Return the name of a system for any of its declared spellings."""
        for name, spellings in self.mapping.aliases.items():
            if system in spellings or (
                not system.isascii() and composed(system) in map(composed, spellings)
            ):
                return name
        return system

    def note_of(self, metric: str) -> MetricNote:
        """Return what the YAML declares about a metric."""
        return self.mapping.metrics.get(metric, MetricNote())

    def dataset_of(
        self,
        name: str,
        items: Sequence[BundleItem] = (),
        *,
        version: str = "",
        n_items_stated: int | None = None,
    ) -> BundleDataset:
        """Return a dataset with the properties that the flags, the YAML or the file state."""
        own = self.mapping.datasets.get(name, DatasetNote())
        shared = self.mapping.dataset_note
        if self.mapping.dataset not in (None, name):
            shared = DatasetNote()
        return BundleDataset(
            name,
            self.options.dataset_version or own.version or shared.version or version,
            items,
            task=own.task or shared.task,
            language=own.language or shared.language,
            domain=own.domain or shared.domain,
            n_items_stated=own.n_items or shared.n_items or n_items_stated,
        )

    def direction_of(self, metric: str, stated: bool | None, *, is_only: bool) -> bool | None:
        """Return the direction of a metric: flags, YAML, then what the file states.

        ``--direction NAME=lower`` speaks for one metric and goes before all else.

        With several metrics in a file the flag speaks for those that nobody else describes, and
        for the one that ``--metric`` names.
        """
        if metric in self.options.directions:
            return self.options.directions[metric]
        own = self.note_of(metric).higher_is_better
        described = stated if own is None else own
        flag = self.options.higher_is_better
        is_meant = is_only or self.options.metric == metric
        is_known = described is not None or lookup(metric) is not None
        return described if flag is None or (is_known and not is_meant) else flag

    def metric_of(
        self, name: str, aggregation: Aggregation, *, is_percent: bool, is_only: bool
    ) -> BundleMetric:
        """Return a metric with the properties that the flags, the YAML or the cells state.

        ``"BLEU [tok:13a]"`` is the metric BLEU with the signature ``tok:13a``, as we export it.

        Raises
        ------
        ImportFormatError
            The declared aggregation needs columns that the file does not have, or percent signs
            stand in a metric declared as something else.
        """
        signed = _SIGNED_NAME.fullmatch(name)
        plain, signature = (signed[1], signed[2]) if signed else (name, "")
        note = self.mapping.metrics.get(name) or self.note_of(plain)
        if note.aggregation in ONE_SCORE and aggregation in ONE_SCORE:
            aggregation = note.aggregation
        if note.aggregation is not None and note.aggregation != aggregation:
            wanted = ", ".join(f"{name}.{part}" for part in COMPONENTS[note.aggregation])
            raise self._error_in_yaml(
                f"the YAML declares the aggregation '{note.aggregation}', which needs the columns "
                f"{wanted}.",
                name if name in self.mapping.metrics else plain,
                "aggregation",
            )
        if is_percent and note.unit not in ("", "percent"):
            raise self._error_in_yaml(
                f"the cells carry % signs but the unit is declared as '{note.unit}'. "
                "Set unit: percent.",
                name if name in self.mapping.metrics else plain,
                "unit",
            )
        direction = self.direction_of(plain, note.higher_is_better, is_only=is_only)
        return BundleMetric(
            plain,
            note.signature or signature,
            higher_is_better=direction,
            aggregation=aggregation,
            unit="percent" if is_percent else note.unit,
            lower=note.lower,
            upper=note.upper,
            source=note.source,
        )

    def _error_in_yaml(self, reason: str, metric: str, key: str) -> ImportFormatError:
        error = ImportFormatError(reason, path=self.shown, field=metric)
        return stated_at(error, self.mapping, f"metrics.{metric}.{key}")

    def bounds_of(self, metric: BundleMetric) -> tuple[float | None, float | None]:
        """Return the declared bounds of a metric; a proportion lies in 0..1."""
        usual = {"proportion": (0.0, 1.0), "percent": (0.0, 100.0)}.get(metric.unit, (None, None))
        lower = usual[0] if metric.lower is None else metric.lower
        upper = usual[1] if metric.upper is None else metric.upper
        return lower, upper

    def files(self, sha256: str) -> tuple[SourceFile, ...]:
        """Return the data file and, when there is one, its mapping file."""
        mapping = (self.mapping.source_file,) if self.mapping.source_file else ()
        return SourceFile(self.shown, sha256), *mapping


def load_settings(path: Path, shown: str, options: ReadOptions) -> Settings:
    """Read the mapping file of `path`, if any, and join it with the flags.

    What is remembered of the columns of such tables goes behind both.
    """
    mapping = load_mapping(path, shown)
    known = with_remembered(path, options).columns
    columns = {role: name for role, name in known.items() if role not in mapping.columns}
    options = replace(options, columns={**columns, **options.columns})
    return Settings(path, shown, options, mapping)


def stated_at(error: ImportFormatError, mapping: FileMapping, key: str) -> ImportFormatError:
    """Return an error of a data file with the line of the YAML in which `key` stands."""
    if mapping.source_file is None or key not in mapping.lines:
        return error
    place = f"{mapping.source_file.path}, line {mapping.lines[key]}"
    return type(error)(
        f"{error.reason} `{key}` is stated in {place}.", path=error.path, field=error.field
    )


def where_stated(
    error: ImportFormatError, path: Path, shown: str, options: ReadOptions
) -> ImportFormatError:
    """Return an error of a whole file with the line of the YAML that it goes back to, if any.

    An error with a line is about a row, or names the line of the YAML already; what a flag says
    goes before the YAML.
    """
    if error.line is not None or error.field is None or error.path not in ("", shown):
        return error
    mapping = load_mapping(path, shown)
    name = error.field
    flags = {"columns": options.columns, "options": options.choices}
    for section, given in flags.items():
        if f"{section}.{name}" in mapping.lines:
            return error if name in given else stated_at(error, mapping, f"{section}.{name}")
    is_flag = getattr(options, name, None) is not None
    return error if is_flag else stated_at(error, mapping, name)


def outside_reason(value: float, printed: str, lower: float | None, upper: float | None) -> str:
    """Return why a value beyond the declared bounds is refused."""
    low = "…" if lower is None else f"{lower:g}"
    high = "…" if upper is None else f"{upper:g}"
    hint = "correct the value or the bounds of the metric in the YAML"
    if (lower, upper) == (0.0, 1.0) and 1.0 < value <= 100.0:
        hint = "is it a percentage? Set unit: percent (without bounds 0..1)"
    return f"{printed} is outside {low}..{high}; {hint}."
