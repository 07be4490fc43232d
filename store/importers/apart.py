"""Preferences of several judges, or against several baselines: one criterion for each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from store.importers.bundle import AnnotatorKind, BundleCriterion, BundlePreference

SPLIT = {"split": ("yes", "no")}
"""The option that keeps them together, and its values."""


def set_apart(
    criteria: Sequence[BundleCriterion],
    preferences: Sequence[BundlePreference],
    kinds: Mapping[str, AnnotatorKind],
    *,
    baselines: Collection[str] = (),
) -> tuple[list[BundleCriterion], list[BundlePreference], list[str]]:
    """Give every judge, and every baseline, a criterion of its own.

    Shares of comparisons won by two judges, or against two baselines, are two measures. Only
    models are set apart: people are a panel, and where they judged beside a model, it is theirs
    that it is held to.

    Parameters
    ----------
    baselines
        First sides of all pairs, where the file says that these are what the second is held to.

    Returns
    -------
    criteria, preferences, told
        Those without several judges or baselines as they were, and a sentence for each change.
    """
    made: list[BundleCriterion] = []
    number_of: dict[tuple[int, str, str], int] = {}
    told, moved = [], []
    for number, criterion in enumerate(criteria):
        mine = [one for one in preferences if one.criterion == number]
        judges = sorted({one.annotator for one in mine})
        several = len(judges) > 1 and all(kinds.get(name) == "model" for name in judges)
        by = {name: f" by {name}" if several else "" for name in judges}
        against: dict[tuple[str, str, str], str] = {}
        all_baselines: set[str] = set()
        for judge in judges:
            met = {(one.first, one.second) for one in mine if one.annotator == judge}
            stated = {pair: pair[0] for pair in met} if len(baselines) > 1 else {}
            for pair, baseline in (stated or baselines_of(met)).items():
                against[judge, *pair] = f" against {baseline}"
                all_baselines.add(baseline)
        for one in mine:
            key = (
                number,
                by[one.annotator],
                against.get((one.annotator, one.first, one.second), ""),
            )
            if key not in number_of:
                number_of[key] = len(made)
                made.append(replace(criterion, name=criterion.name + key[1] + key[2]))
            moved.append(replace(one, criterion=number_of[key]))
        if not mine:
            made.append(criterion)
        what = [f"{len(judges)} judges"] * several
        what += [f"{len(all_baselines)} baselines"] * bool(all_baselines)
        if what:
            told.append(
                f"'{criterion.name}' has {' and '.join(what)}: each is a metric of its own. "
                "--option split=no keeps them in one."
            )
    return made, moved, told


def baselines_of(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the baseline of each pair of systems, where there are several.

    Baselines are systems that were never compared with each other, while each of the others, more
    in number, met all baselines that its group has. Otherwise, as in an arena, there are none.
    """
    met: dict[str, set[str]] = {}
    listed = list(pairs)
    for first, second in listed:
        met.setdefault(first, set()).add(second)
        met.setdefault(second, set()).add(first)
    baselines: set[str] = set()
    seen: set[str] = set()
    for start in met:
        if start in seen:
            continue
        sides = (met[next(iter(met[start]))], met[start])
        seen |= sides[0] | sides[1]
        if any(met[name] != sides[1] for name in sides[0]):
            return {}
        if any(met[name] != sides[0] for name in sides[1]) or len(sides[0]) == len(sides[1]):
            return {}
        baselines |= min(sides, key=len)
    if len(baselines) < 2:
        return {}
    return {(a, b): a if a in baselines else b for a, b in listed}
