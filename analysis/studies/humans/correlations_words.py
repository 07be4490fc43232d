"""Metrics against humans, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis import numbers
from analysis.studies.humans.evidence import ENOUGH_CELLS, Evidence, cells_of, is_partial
from analysis.studies.humans.human_line import HumanLine
from analysis.studies.humans.settings import Chosen, takes_groups
from analysis.studies.study import count, listed

if TYPE_CHECKING:
    from analysis.studies.humans.correlations import CorrelationRow

COEFFICIENTS_IN_WORDS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall-a": "Kendall's τ-a",
    "kendall-b": "Kendall's τ-b",
    "kendall-c": "Kendall's τ-c",
    "pairwise-accuracy": "pairwise accuracy",
    "soft-pairwise-accuracy": "soft pairwise accuracy",
}
LEVELS_IN_WORDS = {
    "system": "over systems",
    "item": "over the systems of an item, averaged over items",
    "per-system": "over the items of a system, averaged over systems",
    "global": "over all cells of item and system",
}
TESTS_IN_WORDS = {
    "fisher-z": "Fisher's z for independent correlations",
    "williams": "Williams' t",
    "steiger": "Steiger's z",
    "perm-inputs": "exchange of the two metrics on whole items",
    "perm-systems": "exchange of the two metrics on whole systems",
    "perm-both": "exchange of the two metrics on whole items and systems",
    "cell-swap": "exchange of the two metrics on single cells",
    "boot-inputs": "bootstrap over items",
    "boot-systems": "bootstrap over systems",
    "boot-both": "bootstrap over items and systems",
}
_FEW_SYSTEMS = 8
_FEW_UNITS = 30
_ENOUGH = 0.5
"""Share of the cells from which on an annotator's line is about as noisy as a metric."""


def units_in_words(evidence: Evidence) -> str:
    """Say what was judged: 16 systems on 100 items, 200 pairs of outputs."""
    n_systems, n_items = evidence.gold.shape
    if evidence.kind == "preferences":
        return f"{count(evidence.n_judged, 'pair')} of outputs"
    if evidence.kind == "reported":
        return f"{count(n_systems, 'system')}, reported figures"
    return f"{count(n_systems, 'system')} on {count(n_items, 'item')}"


def sentence(
    evidence: Evidence,
    chosen: Chosen,
    rows: Sequence[CorrelationRow],
    line: HumanLine | None,
    alpha: float,
) -> str:
    """Return the answer: the best metric, who shares its place, and where people stand."""
    defined = [row for row in rows if not math.isnan(row.coefficient)]
    how = COEFFICIENTS_IN_WORDS[chosen.coefficient] + _level_in_words(evidence, chosen)
    if not defined:
        return (
            f"On {evidence.dataset.label} no metric has a correlation with '{evidence.gold_name}': "
            f"{how} is not defined, one of the two sides is the same everywhere."
        )
    best = defined[0]
    text = (
        f"On {evidence.dataset.label} ({units_in_words(evidence)}) {best.metric} follows "
        f"'{evidence.gold_name}' best: {how} "
        f"{numbers.score(best.coefficient, low=best.ci_low, high=best.ci_high)}"
    )
    if not math.isnan(best.ci_low):
        text += f" ({numbers.interval(best.ci_low, best.ci_high)})"
    text += ". " + _who_shares(defined, alpha) + _humans(line)
    return text.strip()


def _level_in_words(evidence: Evidence, chosen: Chosen) -> str:
    return "" if evidence.kind == "preferences" else f" {LEVELS_IN_WORDS[chosen.level]}"


def _who_shares(rows: Sequence[CorrelationRow], alpha: float) -> str:
    others = rows[1:]
    if not others:
        return ""
    alike = [row.metric for row in others if not row.pvalue_vs_best <= alpha]
    if not alike:
        who = "the other metric" if len(others) == 1 else f"all {len(others)} others"
        return f"It is told apart from {who}. "
    if len(alike) == len(others):
        who = "the other metric" if len(others) == 1 else f"any of the {len(others)} other metrics"
        return f"It cannot be told apart from {who}. "
    return (
        f"It cannot be told apart from {listed(alike)}; {count(len(others) - len(alike), 'metric')}"
        f" {'is' if len(others) - len(alike) == 1 else 'are'} worse. "
    )


def _humans(line: HumanLine | None) -> str:
    if line is None:
        return ""
    return f"One annotator follows the others with {numbers.fixed(line.value, 3)}."


def warn(
    evidence: Evidence,
    chosen: Chosen,
    rows: Sequence[CorrelationRow],
    line: HumanLine | None,
) -> tuple[str, ...]:
    """Return what a reader must know before believing the answer."""
    warnings = list(evidence.notes)
    n_systems = len(evidence.systems)
    if chosen.level == "system" and n_systems < _FEW_SYSTEMS:
        warnings.append(
            f"A correlation over {count(n_systems, 'system')} hangs on each of them: intervals are "
            "wide and normal theory does not hold."
        )
    if evidence.kind == "preferences" and evidence.n_judged < _FEW_UNITS:
        warnings.append(f"There are only {count(evidence.n_judged, 'judged pair')}.")
    if chosen.test == "fisher-z":
        warnings.append(
            "Fisher's z takes two correlations as independent; these share systems, items and "
            "gold. It finds too few differences between metrics that resemble each other."
        )
    warnings += _groups(evidence, chosen)
    warnings += _not_human(evidence)
    warnings += _averages(chosen, rows, evidence)
    warnings += _uncovered(evidence)
    if line is not None and line.share < _ENOUGH:
        warnings.append(
            f"The line of one annotator against the others rests on {numbers.share(line.share, 1)} "
            "of the cells that metrics are held against, on average: with fewer cells every "
            "coefficient is noisier, and at system level lower."
        )
    return tuple(warnings)


def _groups(evidence: Evidence, chosen: Chosen) -> list[str]:
    if evidence.groups is None:
        return []
    n_groups = len({label for label in evidence.groups if label is not None})
    blind = [
        name
        for name, word in (("interval", chosen.interval), ("test", chosen.test))
        if not takes_groups(word)
    ]
    if not blind:
        return [f"The items form {count(n_groups, 'group')}, which are drawn and exchanged whole."]
    does = "does" if len(blind) == 1 else "do"
    return [
        f"The items form {count(n_groups, 'group')}; the {' and the '.join(blind)} {does} not know "
        "of them: if the items of a group depend on each other, too much is claimed."
    ]


def _uncovered(evidence: Evidence) -> list[str]:
    """Say which metrics are over other cells than the others."""
    n_cells = cells_of(evidence)
    part = [name for name, n in zip(evidence.names, n_cells, strict=True) if n < max(n_cells)]
    if not part:
        return []
    partial = is_partial(evidence)
    below = [
        f"{name} ({n:,})"
        for name, n, low in zip(evidence.names, n_cells, partial, strict=True)
        if low and n
    ]
    text = (
        f"Not everything that was judged has a score of {listed(part)}: each coefficient is over "
        "the cells that its metric scored, two metrics are compared on those that both scored."
    )
    if below:
        text += (
            f" Of {max(n_cells):,} cells fewer than {100 * ENOUGH_CELLS:.0f} % have "
            f"{listed(below)}: they stand below the others, whatever their coefficient."
        )
    return [text]


def _not_human(evidence: Evidence) -> list[str]:
    if evidence.gold_source == "human":
        return []
    who = "models" if evidence.gold_source == "model" else "an automatic metric"
    return [f"'{evidence.gold_name}' comes from {who}, not from people."]


def _averages(chosen: Chosen, rows: Sequence[CorrelationRow], evidence: Evidence) -> list[str]:
    lost = {row.metric: row.n_undefined for row in rows if row.n_undefined}
    if not lost or chosen.level not in ("item", "per-system"):
        return []
    what = "items" if chosen.level == "item" else "systems"
    most = max(lost.values())
    return [
        f"Averages are over the {what} on which the coefficient is defined; up to {most:,} "
        f"{what} have none, because gold or metric is the same for all."
    ]
