"""What annotators together say of each unit."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.annotation.consensus import Consensus
from analysis.studies.humans.judged_units import JudgedUnits
from store.errors import StoreError
from store.shown import spreadsheet_safe


@dataclass(frozen=True, slots=True)
class GoldValue:
    """What annotators together say of one unit."""

    item_key: str
    system: str
    """Empty where the item itself was judged; of a pair, the first by name."""
    against: str
    """The other system of a pair."""
    value: float
    """NaN where the rule leaves it open."""
    label: str
    """Name of the label, or of the preferred system; "tie"."""
    entropy: float
    """How uncertain a label is, in nats (MACE); NaN under other rules."""
    n_judgments: int


def item_matrix(units: JudgedUnits, values: FloatArray) -> FloatArray:
    """Return values per system and item; of choices the share of the pairs that a system wins."""
    shape = (len(units.systems), len(units.item_keys))
    total, times = np.zeros(shape), np.zeros(shape)
    known = ~np.isnan(values)
    sides: tuple[tuple[IntArray, FloatArray], ...]
    item = units.item[known]
    if units.what == "choices":
        won = (1 + values[known]) / 2
        sides = ((units.first[known], won), (units.second[known], 1 - won))
    else:
        sides = ((units.first[known], values[known]),)
    for system, value in sides:
        judged = system >= 0
        np.add.at(total, (system[judged], item[judged]), value[judged])
        np.add.at(times, (system[judged], item[judged]), 1)
    matrix = np.full(shape, np.nan)
    np.divide(total, times, out=matrix, where=times > 0)
    return matrix


def gold_values(units: JudgedUnits, found: Consensus) -> tuple[GoldValue, ...]:
    """Return a row per unit."""
    model = found.model
    judged = np.count_nonzero(~np.isnan(units.values), axis=0)
    rows = []
    for i, value in enumerate(found.values):
        first, second = int(units.first[i]), int(units.second[i])
        rows.append(
            GoldValue(
                item_key=units.item_keys[units.item[i]],
                system="" if first < 0 else units.systems[first],
                against="" if second < 0 else units.systems[second],
                value=float(value),
                label=_label(units, i, float(value)),
                entropy=math.nan if model is None else float(model.entropy[i]),
                n_judgments=int(judged[i]),
            )
        )
    return tuple(rows)


def _label(units: JudgedUnits, unit: int, value: float) -> str:
    if math.isnan(value):
        return ""
    if units.what == "choices":
        if value == 0:
            return "tie"
        return units.systems[int(units.first[unit] if value > 0 else units.second[unit])]
    labels = units.criterion.labels
    return labels[int(value)] if units.what == "labels" and int(value) < len(labels) else ""


def labels_counted(values: Sequence[GoldValue]) -> dict[str, int]:
    """Return how often each label came out, the commonest first."""
    counts: dict[str, int] = {}
    for one in values:
        name = one.label or ("open" if math.isnan(one.value) else f"{one.value:g}")
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def values_as_csv(values: Sequence[GoldValue], *, raw: bool = False) -> str:
    """Return one line per unit; unless `raw` no text is one that a spreadsheet would compute."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["item", "system", "against", "value", "label", "entropy", "n_judgments"])
    for one in values:
        value, entropy = ("" if math.isnan(x) else repr(x) for x in (one.value, one.entropy))
        row = [one.item_key, one.system, one.against, value, one.label, entropy, one.n_judgments]
        writer.writerow(row if raw else map(spreadsheet_safe, row))
    return file.getvalue()


def known_labels(units: JudgedUnits, controls: Mapping[str, str]) -> FloatArray:
    """Return the known label of each unit, NaN where none is known.

    Raises
    ------
    StoreError
        An item was not judged, or there is no such label.
    """
    known = np.full(units.n_units, np.nan)
    places: dict[str, list[int]] = {}
    for i, item in enumerate(units.item):
        places.setdefault(units.item_keys[item], []).append(i)
    for key, label in controls.items():
        if key not in places:
            raise StoreError(
                f"`controls`: nobody judged the item '{key}' of '{units.criterion.dataset}'."
            )
        for unit in places[key]:
            known[unit] = _code(units, unit, label)
    return known


def _code(units: JudgedUnits, unit: int, label: str) -> float:
    if units.what == "choices":
        sides = [units.systems[units.first[unit]], units.systems[units.second[unit]]]
        if label == "tie":
            return 0.0
        # A pair without that system is not about it.
        return {sides[0]: 1.0, sides[1]: -1.0}.get(label, math.nan)
    labels = list(units.criterion.labels)
    if label in labels:
        return float(labels.index(label))
    given = np.unique(units.values[~np.isnan(units.values)])
    try:
        code = math.nan if labels else float(label)
    except ValueError:
        code = math.nan
    if code not in given:
        numbers = ", ".join(f"{value:g}" for value in given[:12])
        raise StoreError(
            f"`controls`: '{label}' for item '{units.item_keys[units.item[unit]]}' is no label "
            f"that anybody gave for '{units.criterion.name}'. Labels are "
            f"{', '.join(labels) or numbers}."
        )
    return code
