"""What a request says about the files that it brings: the options of `tiebreak ingest`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final

from analysis.setting import Setting, build, fields_of
from store.commands.ingest import parse_date
from store.errors import StoreError
from store.importers.bundle import ReadOptions
from store.lookup import did_you_mean


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """The fields of a form, or of the JSON beside the records."""

    format: Annotated[str | None, Setting("Name of the format; else it is recognised.")] = None
    system: Annotated[str | None, Setting("System, where the file names none.")] = None
    dataset: Annotated[str | None, Setting("Dataset, where the file names none.")] = None
    dataset_version: Annotated[str | None, Setting("Version of the dataset.")] = None
    metric: Annotated[str | None, Setting("Metric, where the file names none.")] = None
    higher_is_better: Annotated[bool | None, Setting("Direction of metrics that state none.")] = (
        None
    )
    date: Annotated[str | None, Setting("When it was evaluated, as 2026-11-21.")] = None
    run: Annotated[str | None, Setting("Name of the run, to keep several apart.")] = None
    layout: Annotated[
        str | None, Setting("Pattern of wide column names, as '{system}_{metric}'.")
    ] = None
    lenient: Annotated[bool, Setting("Skip and list rows that cannot be used.")] = False
    replace: Annotated[bool, Setting("Accept other scores or judgments than known.")] = False
    with_text: Annotated[bool, Setting("Keep the texts of items and outputs.")] = True
    dry_run: Annotated[bool, Setting("Say what would happen.")] = False
    strict: Annotated[bool, Setting("Refuse all as soon as something has to be asked.")] = False
    yes: Annotated[bool, Setting("Take every guess, ask nothing.")] = False
    mappings: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of `MAPPINGS`: name -> what is given."""

    def options(self) -> ReadOptions:
        """Return what the importers are told."""
        directions = self.mappings.get("directions", {})
        for metric, word in directions.items():
            if word not in ("higher", "lower"):
                raise StoreError(f"`directions`: {metric} is higher or lower, not '{word}'.")
        return ReadOptions(
            system=self.system,
            dataset=self.dataset,
            dataset_version=self.dataset_version,
            metric=self.metric,
            higher_is_better=self.higher_is_better,
            directions={metric: word == "higher" for metric, word in directions.items()},
            run_label=self.run,
            date=None if self.date is None else parse_date(self.date, "`date`"),
            columns=self.mappings.get("columns", {}),
            layout=self.layout,
            answers=self.mappings.get("answers", {}),
            lenient=self.lenient,
            with_text=self.with_text,
        )


MAPPINGS: Final = {
    "answers": "Question -> answer, for what an earlier request was asked.",
    "columns": "Role -> column.",
    "directions": "Metric -> higher or lower.",
}
"""Settings that are JSON objects of texts."""


_WORDS: Final = {"True": "yes", "False": "no", "true": "yes", "false": "no"}


def settings_of(given: Mapping[str, Any]) -> ImportSettings:
    """Return the settings of a request, checked.

    Raises
    ------
    StoreError
        One is unknown, or has no such value.
    """
    known = {each.name: each for each in fields_of(ImportSettings)}
    values: dict[str, Any] = {}
    mappings: dict[str, dict[str, str]] = {}
    for name, value in given.items():
        if name in MAPPINGS:
            mappings[name] = _mapping(name, value)
        elif name not in known:
            near = did_you_mean(name, [*known, *MAPPINGS])
            raise StoreError(f"An import has no setting `{name}`.{near}")
        elif value is not None:
            values[name] = known[name].read(_WORDS.get(str(value), str(value)))
    return replace(build(ImportSettings, values), mappings=mappings)


def _mapping(name: str, value: Any) -> dict[str, str]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise StoreError(f"`{name}` is no JSON: {error}") from None
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise StoreError(f'`{name}` is a JSON object of texts, as {{"a": "b"}}.')
    return value
