"""Annotations of AlpacaEval: a judge's preference between two outputs for each instruction.

``preference`` is 1 for the first output, 2 for the second, 1.5 or 0 (as it was written before) for
a tie, and anything between 1 and 2 where the judge gives probabilities. ``null`` is a judge that
failed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from store.errors import ImportFormatError, NoResultsError
from store.importers.apart import SPLIT, set_apart
from store.importers.bundle import (
    AnnotatorKind,
    BundleCriterion,
    BundleItem,
    BundlePreference,
    BundleRun,
    Choice,
    ImportBundle,
    Provenance,
    ReadOptions,
    RowProblems,
)
from store.importers.judgments.items import content_key
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_suffix, peek_json, read_json

NAME = "alpaca_eval"
DESCRIPTION = "annotations.json of AlpacaEval: preferences of a judge"
DATASET = "AlpacaEval"
CRITERION = "preference"
_HARNESS = "alpaca_eval"
_NEEDED = ("instruction", "generator_1", "generator_2", "preference")
_SWITCHED = ("is_switch_output_1_output_2", "is_switched_outputs")
"""Whether the second output was shown first, where a file keeps it."""
_TIES = (0.0, 1.5)
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "kind": get_args(AnnotatorKind),
    "criterion": (),
    **SPLIT,
}


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is a list of compared outputs."""
    if data_suffix(path) != ".json":
        return False
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    first = content[0] if isinstance(content, list) and content else None
    return isinstance(first, dict) and all(name in first for name in _NEEDED)


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read one file of annotations.

    Raises
    ------
    ImportFormatError
        Not a list of annotations, an unknown option, or a record cannot be used and the import is
        strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    _require_options(settings)
    problems = RowProblems(options.lenient)
    content, sha256 = read_json(path, settings.shown)
    if not isinstance(content, list) or not content:
        raise ImportFormatError("not a list of annotations.", path=settings.shown)
    builder = _Builder(settings, problems)
    builder.sure_judges = _sure_judges(content)
    for number, record in enumerate(content, start=1):
        builder.add(number, record)
    skipped = problems.raise_if_any()
    if not builder.preferences:
        reason = "the file holds no preference: every one is null."
        raise NoResultsError(reason, path=settings.shown)
    kind: Any = options.choices.get("kind", "model")
    criterion = options.choices.get("criterion") or settings.metric or CRITERION
    dataset = settings.dataset_of(settings.dataset or DATASET, builder.items())
    kinds = dict.fromkeys((one.annotator for one in builder.preferences), kind)
    criteria = [BundleCriterion(criterion, 0, "preference")]
    preferences, told = builder.preferences, builder.told(dataset.name)
    if options.choices.get("split") != "no":
        first = {one.first for one in preferences}  # the baseline, unless the order was drawn
        is_drawn = not first.isdisjoint(one.second for one in preferences)
        criteria, preferences, apart = set_apart(
            criteria, preferences, kinds, baselines=() if is_drawn else first
        )
        told += apart
    return ImportBundle(
        NAME,
        settings.files(sha256),
        datasets=[dataset],
        runs=builder.runs(),
        criteria=criteria,
        annotators=kinds,
        preferences=preferences,
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=told,
    )


def _require_options(settings: Settings) -> None:
    for name, value in settings.options.choices.items():
        if name not in _OPTIONS:
            raise ImportFormatError(
                f"there is no option '{name}'. Options: {', '.join(_OPTIONS)}.",
                path=settings.shown,
                field=name,
            )
        if _OPTIONS[name] and value not in _OPTIONS[name]:
            raise ImportFormatError(
                f"'{value}' is no value of this option. It is {' or '.join(_OPTIONS[name])}.",
                path=settings.shown,
                field=name,
            )


def _sure_judges(content: Sequence[Any]) -> set[str]:
    """Return the annotators that give probabilities: some of their preferences are fractions."""
    return {
        str(one.get("annotator") or "")
        for one in content
        if isinstance(one, dict)
        and isinstance(one.get("preference"), float)
        and one["preference"] not in (*_TIES, 1.0, 2.0)
    }


@dataclass(slots=True)
class _Builder:
    settings: Settings
    problems: RowProblems
    preferences: list[BundlePreference] = field(default_factory=list)
    sure_judges: set[str] = field(default_factory=set)
    _items: dict[str, BundleItem] = field(default_factory=dict)
    _positions: dict[str, int] = field(default_factory=dict)
    _outputs: dict[str, dict[int, str]] = field(default_factory=dict)
    """System -> item -> its output."""
    _times: Counter[tuple[str, str, frozenset[str]]] = field(default_factory=Counter)
    """How often a judge compared two systems on an instruction so far."""
    n_failed: int = 0
    n_with_itself: int = 0
    n_ties: int = 0
    n_repeated: int = 0

    def add(self, number: int, record: Any) -> None:
        """Add one record, or report why it cannot be used."""
        if not isinstance(record, dict) or any(name not in record for name in _NEEDED):
            self._refuse(number, None, f"not an annotation: it needs {', '.join(_NEEDED)}.")
            return
        sides = [record["generator_1"], record["generator_2"]]
        if not all(isinstance(side, str) and side.strip() for side in sides) or not isinstance(
            record["instruction"], str
        ):
            self._refuse(number, None, "instruction and both generators must be texts.")
            return
        stated = record.get("annotator")
        if stated is not None and not isinstance(stated, str):
            self._refuse(number, "annotator", f"the annotator is no text: {str(stated)[:40]}.")
            return
        first, second = (self.settings.canonical(side.strip()) for side in sides)
        if first == second:
            self.n_with_itself += 1
            return
        judge = stated or "unnamed judge"
        item = self._item(record, judge, frozenset((first, second)))
        for side, name in ((first, "output_1"), (second, "output_2")):
            if isinstance(record.get(name), str):
                self._outputs.setdefault(side, {}).setdefault(item, record[name])
        value = record["preference"]
        if value is None:
            self.n_failed += 1
            return
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not (value == 0 or 1 <= value <= 2)
        ):
            self._refuse(number, "preference", f"{value!r} is none of 1..2, 0 and null.")
            return
        made = self._preference(record, judge, item, (first, second), value)
        self.preferences.append(replace(made, line=number))

    def _preference(
        self, record: Mapping[str, Any], judge: str, item: int, sides: Sequence[str], value: float
    ) -> BundlePreference:
        """Return the preference, the output that was shown first as the first one if known."""
        second_wins = 0.5 if value in _TIES else float(value) - 1
        lengths = [_length(record.get(name)) for name in ("output_1", "output_2")]
        stated = [record[name] for name in _SWITCHED if isinstance(record.get(name), bool)]
        if stated and stated[0]:
            sides, lengths, second_wins = sides[::-1], lengths[::-1], 1 - second_wins
        choice: Choice = "first" if second_wins < 0.5 else "second"
        if second_wins == 0.5:
            choice = "tie"
            self.n_ties += 1
        return BundlePreference(
            0,
            judge,
            item,
            sides[0],
            sides[1],
            choice,
            second_wins if judge in self.sure_judges else None,
            bool(stated),
            lengths[0],
            lengths[1],
        )

    def _item(self, record: Mapping[str, Any], judge: str, sides: frozenset[str]) -> int:
        """Return the position of the item: an instruction that comes again is another item."""
        instruction = record["instruction"]
        key = content_key(instruction)
        self._times[key, judge, sides] += 1
        if (times := self._times[key, judge, sides]) > 1:
            key = f"{key}#{times}"
            self.n_repeated += 1
        if key not in self._items:
            subset = record.get("dataset")
            self._items[key] = BundleItem(
                key,
                content_hash=hashlib.sha256(instruction.encode()).hexdigest(),
                input_text=instruction if self.settings.options.with_text else None,
                metadata={"subset": subset} if isinstance(subset, str) else None,
            )
        return self._positions.setdefault(key, len(self._positions))

    def items(self) -> tuple[BundleItem, ...]:
        """Return the items in the order of the file."""
        return tuple(self._items.values())

    def runs(self) -> list[BundleRun]:
        """Return a run with the outputs of each system, when texts are kept."""
        if not self.settings.options.with_text:
            return []
        n_items = len(self._items)
        label = self.settings.run_label or ""
        return [
            BundleRun(
                system,
                0,
                label,
                outputs={0: [outputs.get(i) for i in range(n_items)]},
                provenance=Provenance(harness=_HARNESS),
            )
            for system, outputs in self._outputs.items()
        ]

    def told(self, dataset: str) -> list[str]:
        """Return what was made of the file."""
        told = [
            f"Dataset '{dataset}'; an item is an instruction, called after the fingerprint of its "
            "text; its subset is a property."
        ]
        if self.sure_judges:
            told.append("A preference between 1 and 2 is the probability of the second, plus 1.")
        ties = "1 tie" if self.n_ties == 1 else f"{self.n_ties} ties"
        told.append(f"{ties} (1.5, or 0 as written before).")
        if self.n_failed:
            told.append(f"{self.n_failed} without a preference: the judge failed there.")
        if self.n_with_itself:
            compare, are = ("compares", "is") if self.n_with_itself == 1 else ("compare", "are")
            told.append(f"{self.n_with_itself} {compare} a system with itself and {are} left out.")
        if self.n_repeated:
            come = (
                "1 instruction comes"
                if self.n_repeated == 1
                else (f"{self.n_repeated} instructions come")
            )
            told.append(f"{come} again; each is an item of its own.")
        if not any(one.order_known for one in self.preferences):
            told.append("The file does not say which output was shown first.")
        return told

    def _refuse(self, number: int, column: str | None, reason: str) -> None:
        self.problems.report(self.settings.shown, number, column, f"Record {number}: {reason}")


def _length(text: Any) -> int | None:
    return len(text) if isinstance(text, str) else None
