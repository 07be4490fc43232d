"""The YAML file that may lie beside a data file and says what its columns and names mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Any, cast, get_args

from store.importers.bundle import (
    COMPONENTS,
    Aggregation,
    BundleOverlap,
    MetricSource,
    OverlapKind,
    Provenance,
    Sidedness,
    SourceFile,
    Unit,
)
from store.importers.cells import CellError, parse_date
from store.importers.columns import ROLES
from store.importers.textfile import data_stem, read_text
from store.importers.yaml_nodes import YamlValue, parse_yaml

FOLDER_MAPPING = "tiebreak.yaml"
MAPPING_SUFFIX = ".tiebreak.yaml"
_DATASET_TEXTS = ("version", "task", "language", "domain")
_DATASET_KEYS = (*_DATASET_TEXTS, "n_items")
_METRIC_KEYS = (
    "higher_is_better", "unit", "aggregation", "signature", "lower", "upper", "source",
)  # fmt: skip
_RUN_TEXTS = ("command", "harness", "harness_version", "git_origin", "git_commit", "source_url")
_RUN_KEYS = (
    "label", "seed", "evaluated_on", *_RUN_TEXTS, "git_dirty", "config", "packages",
)  # fmt: skip
KEYS = (
    "format", "columns", "layout", "system", "dataset", "datasets", "metric", "metrics", "run",
    "aliases", "source", "source_url", "reported_on", "comparisons", "overlaps", "options",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DatasetNote:
    """What the YAML says about a dataset."""

    version: str | None = None
    task: str | None = None
    language: str | None = None
    domain: str | None = None
    n_items: int | None = None


@dataclass(frozen=True, slots=True)
class MetricNote:
    """What the YAML says about a metric."""

    higher_is_better: bool | None = None
    unit: Unit = ""
    aggregation: Aggregation | None = None
    signature: str = ""
    lower: float | None = None
    upper: float | None = None
    source: MetricSource = "automatic"


@dataclass(frozen=True, slots=True)
class FileMapping:
    """The content of a mapping file; an absent one is ``FileMapping()``."""

    source_file: SourceFile | None = None
    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    layout: str | None = None
    system: str | None = None
    dataset: str | None = None
    dataset_note: DatasetNote = DatasetNote()
    datasets: Mapping[str, DatasetNote] = field(default_factory=dict)
    metric: str | None = None
    metrics: Mapping[str, MetricNote] = field(default_factory=dict)
    run_label: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str | None = None
    source_url: str | None = None
    reported_on: datetime | None = None
    test: str = ""
    sidedness: Sidedness = "unstated"
    overlaps: Sequence[BundleOverlap] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    """What the format lets one choose, as ``--option`` does."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """Key with the keys above it, as ``columns.item`` -> its line."""


def is_mapping_file(path: Path) -> bool:
    """Return whether a file is a mapping file and so holds no data of its own."""
    return path.name == FOLDER_MAPPING or path.name.endswith(MAPPING_SUFFIX)


def mapping_path(path: Path) -> Path | None:
    """Return the mapping file of a data file: its own, else the folder's, else ``None``."""
    own = path.with_name(data_stem(path.name) + MAPPING_SUFFIX)
    for candidate in (own, path.with_name(FOLDER_MAPPING)):
        if candidate.is_file():
            return candidate
    return None


def load_mapping(path: Path, shown: str) -> FileMapping:
    """Read the mapping file that belongs to the data file `path`.

    Raises
    ------
    ImportFormatError
        An unknown key or an unfit value; line and key are named.
    """
    found = mapping_path(path)
    if found is None:
        return FileMapping()
    place = shown[: -len(path.name)] + found.name if shown.endswith(path.name) else found.name
    text, sha256 = read_text(found, place)
    root = parse_yaml(text, place)
    source_file = SourceFile(place, sha256)
    return FileMapping(source_file) if root is None else _read_root(root, source_file)


def _read_root(root: YamlValue, source_file: SourceFile) -> FileMapping:
    given = root.entries(KEYS)

    def text(key: str) -> str | None:
        return given[key].text() if key in given else None

    columns = given["columns"].entries(ROLES) if "columns" in given else {}
    dataset, dataset_note = _dataset(given.get("dataset"))
    run_label, provenance = _run(given.get("run"))
    test, sidedness = _comparisons(given.get("comparisons"))
    return FileMapping(
        source_file,
        format=text("format"),
        columns={role: value.text_or_empty() for role, value in columns.items()},
        layout=text("layout"),
        system=text("system"),
        dataset=dataset,
        dataset_note=dataset_note,
        datasets=_each(given.get("datasets"), _dataset_note),
        metric=text("metric"),
        metrics=_each(given.get("metrics"), _metric_note),
        run_label=run_label,
        provenance=provenance,
        aliases=_each(given.get("aliases"), _spellings),
        source=text("source"),
        source_url=text("source_url"),
        reported_on=_date(given["reported_on"])[0] if "reported_on" in given else None,
        test=test,
        sidedness=sidedness,
        overlaps=_overlaps(given.get("overlaps")),
        choices=_each(given.get("options"), YamlValue.text),
        lines=root.lines(),
    )


def _each(value: YamlValue | None, read: Any) -> dict[str, Any]:
    return {} if value is None else {name: read(below) for name, below in value.entries().items()}


def _dataset(value: YamlValue | None) -> tuple[str | None, DatasetNote]:
    if value is None:
        return None, DatasetNote()
    if not value.is_mapping:
        return value.text(), DatasetNote()
    given = value.entries(("name", *_DATASET_KEYS))
    name = given.pop("name").text() if "name" in given else None
    return name, _note_of(given)


def _dataset_note(value: YamlValue) -> DatasetNote:
    return _note_of(value.entries(_DATASET_KEYS))


def _note_of(given: Mapping[str, YamlValue]) -> DatasetNote:
    size = given["n_items"].integer() if "n_items" in given else None
    if size is not None and size < 1:
        raise given["n_items"].error(f"must be at least 1, got {size}.")
    texts = {key: given[key].text() for key in _DATASET_TEXTS if key in given}
    return DatasetNote(n_items=size, **texts)


def _metric_note(value: YamlValue) -> MetricNote:
    given = value.entries(_METRIC_KEYS)
    bounds = {key: given[key].number() for key in ("lower", "upper") if key in given}
    unit = given["unit"].choice(get_args(Unit)) if "unit" in given else ""
    aggregation = given["aggregation"].choice(tuple(COMPONENTS)) if "aggregation" in given else None
    signature = str(given["signature"].plain() or "") if "signature" in given else ""
    source = given["source"].choice(get_args(MetricSource)) if "source" in given else "automatic"
    direction = given["higher_is_better"].flag() if "higher_is_better" in given else None
    if len(bounds) == 2 and bounds["lower"] >= bounds["upper"]:
        raise given["upper"].error("must be larger than lower.")
    return MetricNote(
        higher_is_better=direction,
        unit=cast(Unit, unit),
        aggregation=cast("Aggregation | None", aggregation),
        signature=signature,
        source=cast(MetricSource, source),
        **bounds,
    )


def _run(value: YamlValue | None) -> tuple[str | None, Provenance]:
    if value is None:
        return None, Provenance()
    given = value.entries(_RUN_KEYS)
    moment, assumed = _date(given["evaluated_on"]) if "evaluated_on" in given else (None, False)
    config = given.get("config")
    if config is not None and not config.is_mapping:
        raise config.error("must be a mapping of keys to values.")
    return given["label"].text() if "label" in given else None, Provenance(
        evaluated_on=moment,
        tz_assumed=assumed,
        seed=given["seed"].integer() if "seed" in given else None,
        git_dirty=given["git_dirty"].flag() if "git_dirty" in given else None,
        packages=_each(given.get("packages"), YamlValue.text) or None,
        config=config.plain() if config is not None else None,
        **{key: given[key].text() for key in _RUN_TEXTS if key in given},
    )


def _date(value: YamlValue) -> tuple[datetime, bool]:
    try:
        return parse_date(value.text())
    except CellError as error:
        raise value.error(f"{error}.") from None


def _spellings(value: YamlValue) -> tuple[str, ...]:
    return tuple(spelling.text() for spelling in value.values())


def _comparisons(value: YamlValue | None) -> tuple[str, Sidedness]:
    if value is None:
        return "", "unstated"
    given = value.entries(("test", "sidedness"))
    sidedness = given["sidedness"].choice(get_args(Sidedness)) if "sidedness" in given else ""
    test = given["test"].text() if "test" in given else ""
    return test, cast(Sidedness, sidedness or "unstated")


def _overlaps(value: YamlValue | None) -> list[BundleOverlap]:
    found = []
    for entry in value.values() if value is not None else ():
        given = entry.entries(("datasets", "kind", "note"))
        names = [name.text() for name in given["datasets"].values()] if "datasets" in given else []
        if len(set(names)) < 2:
            raise entry.error("needs `datasets: [A, B]` with at least two different names.")
        kind = given["kind"].choice(get_args(OverlapKind)) if "kind" in given else "shared-items"
        note = given["note"].text() if "note" in given else ""
        for first, second in combinations(names, 2):
            found.append(BundleOverlap(first, second, cast(OverlapKind, kind), note))
    return found
