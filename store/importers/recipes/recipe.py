"""What a recipe says, read strictly from its YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, Literal, cast, get_args

from store.errors import ImportFormatError
from store.importers.bundle import COMPONENTS, Aggregation, MetricSource, Status, Unit
from store.importers.cells import CellError, parse_status
from store.importers.identity import ROLES
from store.importers.textfile import read_text
from store.importers.yaml_nodes import YamlValue, parse_yaml

USER_RECIPE: Final = "tiebreak-recipe.yaml"
USER_SUFFIX: Final = ".recipe.yaml"
FIELDS: Final = (
    "system", *ROLES, "dataset", "version", "size", "task", "language", "item", "trial", "run",
    "group", "input", "fingerprint", "reference", "output", "complete",
)  # fmt: skip
"""Roles a recipe can give to a field."""
PROVENANCE: Final = (
    "evaluated_on", "seed", "command", "harness", "harness_version", "git_origin", "git_commit",
    "source_url",
)  # fmt: skip
_METRIC_KEYS = (
    "value", "from", "name", "values", "higher_is_better", "unit", "lower", "upper", "signature",
    "only", "except", "aggregation", "source",
)  # fmt: skip
_REPORTED_KEYS = (
    "from", "value", "metric", "stderr", "n_items", "higher_is_better", "signature", "system",
    "dataset", "version", "only", "except", "values", "lower", "upper", "unit",
)  # fmt: skip
_UNITS = ("proportion", "percent", "points")
_MATCH_KEYS = ("kind", "files", "has", "columns", "members", "beside")
_KEYS = (
    "name", "description", "match", "parts", "hook", "records", "where", "unless", "fields",
    "properties", "metrics", "status", "reported", "provenance", "config", "guesses", "repeats",
    "no_results", "text_parts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Match:
    """How a file is recognised: everything that is stated must hold."""

    kind: str = ""
    files: Sequence[str] = ()
    """Patterns of names or of the ends of paths; one must fit."""
    has: Sequence[str] = ()
    """Paths that must lead somewhere."""
    columns: Sequence[str] = ()
    """Patterns; each must fit a column of the table."""
    members: Sequence[str] = ()
    """Patterns; one must fit a member of the archive."""
    beside: Sequence[str] = ()
    """Patterns of paths from the file's folder; each must lead to something."""


@dataclass(frozen=True, slots=True)
class MetricRule:
    """Where scores stand: in one field, or in each element of a list or mapping."""

    value: str
    name: str
    """An expression where `each` is stated, else the name."""
    each: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    """Words that stand for numbers; NaN for a word that is no score."""
    higher_is_better: bool | str | None = None
    """A direction, or where the file states it."""
    unit: Unit = ""
    lower: float | None = None
    upper: float | None = None
    signature: str = ""
    """An expression, as in `ReportedRule`."""
    aggregation: Aggregation = "mean"
    only: Sequence[str] = ()
    without: Sequence[str] = ()
    source: MetricSource = "automatic"


@dataclass(frozen=True, slots=True)
class ReportedRule:
    """Where stated aggregates stand."""

    each: str
    value: str
    metric: str
    stderr: str = ""
    n_items: str = ""
    higher_is_better: bool | str | None = None
    signature: str = ""
    lower: str = ""
    upper: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Roles that are found otherwise than in the records."""
    only: Sequence[str] = ()
    without: Sequence[str] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    unit: Unit = ""


@dataclass(frozen=True, slots=True)
class StatusRule:
    """Where it stands what happened to an item, and what the words mean."""

    value: str
    values: Mapping[str, Status]
    """``"*"``: any word that is not named."""
    counts: str = ""
    """Where it stands whether the source counts the scores of an attempt that failed."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A format, described."""

    name: str
    description: str
    shown: str
    """Where the YAML lies."""
    text: str
    """The YAML itself."""
    match: Sequence[Match]
    parts: Mapping[str, str] = field(default_factory=dict)
    """Name -> file of a folder, or member of an archive; the first must be there."""
    hook: str = ""
    records: str = ""
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unless: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    metrics: Sequence[MetricRule] = ()
    status: Sequence[StatusRule] = ()
    reported: Sequence[ReportedRule] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    guesses: Mapping[str, str] = field(default_factory=dict)
    """Role -> what the recipe takes it from although the file does not state it."""
    repeats: Literal["error", "trials"] = "error"
    """What it means that an item comes twice without a trial."""
    no_results: Sequence[tuple[Match, str]] = ()
    """Files that belong to the format and hold no results, and what they are."""
    text_parts: Sequence[str] = ()
    """Parts that are read for texts only."""


def is_recipe_file(path: Path) -> bool:
    """Return whether a file holds a person's recipe and so no results."""
    return path.name == USER_RECIPE or path.name.endswith(USER_SUFFIX)


@lru_cache(maxsize=1)
def shipped() -> tuple[Recipe, ...]:
    """Return the recipes that come with Tiebreak, in the order in which they are asked."""
    folder = resources.files(__package__) / "shipped"
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".yaml")), key=str)
    return tuple(parse_recipe(one.read_text("utf-8"), one.name, is_own=True) for one in files)


@lru_cache(maxsize=64)
def _cached(path: Path, changed: int, size: int, shown: str) -> Recipe:
    return parse_recipe(read_text(path, shown)[0], shown)


def load_recipe(path: Path, shown: str) -> Recipe:
    """Read a person's recipe.

    Raises
    ------
    ImportFormatError
        An unknown key or an unfit value; line and key are named.
    """
    about = path.stat()
    return _cached(path, about.st_mtime_ns, about.st_size, shown)


def parse_recipe(text: str, shown: str, *, is_own: bool = False) -> Recipe:
    """Return the recipe that a YAML text holds; see `load_recipe` and `parse_yaml`."""
    root = parse_yaml(text, shown, is_own=is_own)
    if root is None:
        raise ImportFormatError("the recipe is empty.", path=shown)
    given = root.entries(_KEYS)
    for key in ("name", "match"):
        if key not in given:
            raise ImportFormatError(f"a recipe needs `{key}`.", path=shown, field=key)
    if "metrics" not in given and "reported" not in given and "no_results" not in given:
        reason = "a recipe needs `metrics`, `reported`, or both."
        raise ImportFormatError(reason, path=shown, field="metrics")
    match = given["match"]
    repeats = given["repeats"].choice(("error", "trials")) if "repeats" in given else "error"

    def text_of(key: str) -> str:
        return given[key].text() if key in given else ""

    return Recipe(
        text_of("name"),
        text_of("description") or text_of("name"),
        shown,
        text,
        [_match(match)] if match.is_mapping else [_match(one) for one in match.values()],
        _texts(given.get("parts")),
        text_of("hook"),
        text_of("records"),
        _lists(given.get("where")),
        _lists(given.get("unless")),
        _texts(given.get("fields"), FIELDS),
        _texts(given.get("properties")),
        [_metric(name, one) for name, one in _entries(given.get("metrics"))],
        [_status(one) for one in _one_or_more(given.get("status"))],
        [_reported(one) for one in _one_or_more(given.get("reported"))],
        _texts(given.get("provenance"), PROVENANCE),
        _texts(given.get("config")),
        _texts(given.get("guesses"), FIELDS),
        cast(Literal["error", "trials"], repeats),
        [_no_results(one) for one in _one_or_more(given.get("no_results"))],
        _list(given["text_parts"]) if "text_parts" in given else (),
    )


def _entries(value: YamlValue | None) -> list[tuple[str, YamlValue]]:
    return [] if value is None else list(value.entries().items())


def _texts(value: YamlValue | None, allowed: Sequence[str] | None = None) -> dict[str, str]:
    return {} if value is None else {k: v.text() for k, v in value.entries(allowed).items()}


def _one_or_more(value: YamlValue | None) -> list[YamlValue]:
    if value is None:
        return []
    return [value] if value.is_mapping else value.values()


def _list(value: YamlValue) -> list[str]:
    return [one.text() for one in value.values()] if value.is_list else [value.text()]


def _lists(value: YamlValue | None) -> dict[str, Sequence[str]]:
    return {key: _list(one) for key, one in _entries(value)}


def _match(value: YamlValue) -> Match:
    given = value.entries(_MATCH_KEYS)
    kinds = ("json", "lines", "table", "archive", "yaml")
    kind = given["kind"].choice(kinds) if "kind" in given else ""
    lists = {key: _list(given[key]) for key in _MATCH_KEYS[1:] if key in given}
    if not kind and not lists:
        raise value.error("says nothing by which a file could be recognised.")
    return Match(kind, **lists)


def _no_results(value: YamlValue) -> tuple[Match, str]:
    given = value.entries((*_MATCH_KEYS, "because"))
    if "because" not in given:
        raise value.error("needs `because`: what such a file is.")
    lists = {key: _list(given[key]) for key in _MATCH_KEYS[1:] if key in given}
    kind = given["kind"].text() if "kind" in given else ""
    return Match(kind, **lists), given["because"].text()


def _numbers(value: YamlValue | None) -> dict[str, float]:
    def number(one: YamlValue) -> float:
        return float("nan") if one.text() in ("nan", ".nan", "missing") else one.number()

    return {key: number(one) for key, one in _entries(value)}


def _direction(value: YamlValue | None) -> bool | str | None:
    if value is None:
        return None
    return value.flag() if isinstance(value.plain(), bool) else value.text()


def _metric(name: str, value: YamlValue) -> MetricRule:
    if not value.is_mapping:
        return MetricRule(value.text(), name)
    given = value.entries(_METRIC_KEYS)
    each = given["from"].text() if "from" in given else ""
    unit = given["unit"].choice(_UNITS) if "unit" in given else ""
    aggregation = (
        given["aggregation"].choice(tuple(COMPONENTS)) if "aggregation" in given else "mean"
    )
    source = given["source"].choice(get_args(MetricSource)) if "source" in given else "automatic"
    if "value" not in given:
        raise value.error("needs `value`: where the score stands.")
    return MetricRule(
        given["value"].text(),
        given["name"].text() if "name" in given else (name if not each else "@key"),
        each,
        _numbers(given.get("values")),
        _direction(given.get("higher_is_better")),
        cast(Unit, unit),
        given["lower"].number() if "lower" in given else None,
        given["upper"].number() if "upper" in given else None,
        given["signature"].text() if "signature" in given else "",
        cast(Aggregation, aggregation),
        _list(given["only"]) if "only" in given else (),
        _list(given["except"]) if "except" in given else (),
        cast(MetricSource, source),
    )


def _status(value: YamlValue) -> StatusRule:
    given = value.entries(("value", "values", "counts"))
    if not given.keys() >= {"value", "values"}:
        raise value.error("needs `value` and `values`.")
    words = {}
    for word, below in given["values"].entries().items():
        try:
            words[word] = parse_status(below.text()) or Status.OK
        except CellError as error:
            raise below.error(f"{error}.") from None
    counts = given["counts"].text() if "counts" in given else ""
    return StatusRule(given["value"].text(), words, counts)


def _reported(value: YamlValue) -> ReportedRule:
    given = value.entries(_REPORTED_KEYS)
    for key in ("from", "value", "metric"):
        if key not in given:
            raise value.error(f"needs `{key}`.")

    def text_of(key: str) -> str:
        return given[key].text() if key in given else ""

    return ReportedRule(
        text_of("from"),
        text_of("value"),
        text_of("metric"),
        text_of("stderr"),
        text_of("n_items"),
        _direction(given.get("higher_is_better")),
        text_of("signature"),
        text_of("lower"),
        text_of("upper"),
        {role: given[role].text() for role in ("system", "dataset", "version") if role in given},
        _list(given["only"]) if "only" in given else (),
        _list(given["except"]) if "except" in given else (),
        _numbers(given.get("values")),
        cast(Unit, given["unit"].choice(_UNITS) if "unit" in given else ""),
    )
