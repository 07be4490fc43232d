"""The page, the picture and the counts in docs/."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchmarks.calibration.frame import Report
from benchmarks.calibration.replicability import words
from benchmarks.calibration.replicability.estimators import ESTIMATORS, TITLES
from benchmarks.calibration.replicability.picture import draw
from benchmarks.calibration.replicability.run import JOINT_REPETITIONS, Results, worst
from benchmarks.calibration.replicability.scenarios import (
    DEPENDENCES,
    KINDS,
    N_DATASETS,
    Scenario,
)
from benchmarks.calibration.replicability.storage import About, from_json, to_json
from benchmarks.calibration.run import TOO_FEW, TOO_MANY, Figure
from benchmarks.calibration.tables import (
    filled,
    filled_under_heading,
    listed_versions,
    percent,
    table,
    table_if_any,
)

NAME = "calibration_replicability"
_KINDS_OF_FOUND = ("t-50", "mcnemar-50")
_TINY = Scenario("independent", "sign-10", 60, "half strong")


def page(results: Results, about: About) -> str:
    """Return the page in Markdown."""
    parts = [
        words.TOP,
        words.FOLLOWS,
        _kept(results),
        words.FOUND,
        _found(results),
        _small(results),
        words.SIMULATED,
        _dependences(),
        words.EFFECTS,
        _kinds(),
        words.READING,
        _counted(results),
    ]
    for side, title in words.SIDES.items():
        parts.append(f"## {title}")
        for k in ("0", "1", "N/2"):
            text = _table(results, side, k)
            parts += [f"### k = {k}", text] if text else []
    parts.append(_how(about))
    return "\n\n".join(part for part in parts if part) + "\n"


def _figures(results: Results, estimator: str, dependence: str | None = None) -> Iterator[Figure]:
    for scenario, sides in results.items():
        if dependence in (None, scenario.dependence):
            for estimators in sides.values():
                if estimator in estimators:
                    yield estimators[estimator].figure


def _exceeds(results: Results, estimator: str, dependence: str) -> bool:
    return any(figure.too_many for figure in _figures(results, estimator, dependence))


def _kept(results: Results) -> str:
    """Say where each estimator keeps its promise."""
    rows = []
    for estimator in ESTIMATORS:
        told: dict[bool, list[str]] = {True: [], False: []}
        for dependence in DEPENDENCES.values():
            rates = [f.rate() for f in _figures(results, estimator, dependence.name)]
            if rates:
                exceeds = _exceeds(results, estimator, dependence.name)
                title = f"{dependence.title} ({percent(max(rates))})"
                told[exceeds].append(title if exceeds else dependence.title)
        everywhere = "everywhere" if told[False] and not told[True] else ", ".join(told[False])
        if any(told.values()):
            rows.append((TITLES[estimator], everywhere or "–", ", ".join(told[True]) or "–"))
    return table(("estimator", "keeps α", "exceeds α"), rows)


def _found(results: Results) -> str:
    """Tabulate the mean estimate where half of the effects are real and moderate."""
    names = [name for name in ESTIMATORS if any(_figures(results, name))]
    rows = []
    for dependence in DEPENDENCES.values():
        for kind in _KINDS_OF_FOUND:
            cells = []
            for name in names:
                means = [
                    f"{results[scenario]['one-sided'][name].mean:.1f}"
                    for n in N_DATASETS
                    if (scenario := Scenario(dependence.name, kind, n, "half moderate")) in results
                    and name in results[scenario]["one-sided"]
                ]
                text = " / ".join(means)
                exceeds = text and _exceeds(results, name, dependence.name)
                cells.append(f"({text})" if exceeds else text)
            if any(cells):
                rows.append((dependence.title, KINDS[kind].title, *cells))
    return table(("datasets", "p-values", *(TITLES[name] for name in names)), rows)


def _small(results: Results) -> str:
    """Say what is found on many tiny test sets with effects as large as can be."""
    estimates = results.get(_TINY, {}).get("one-sided", {})
    if not estimates:
        return ""
    means = [f"{estimate.mean:.1f} ({TITLES[name]})" for name, estimate in estimates.items()]
    return filled(words.SMALL.format(means=", ".join(means)))


def _table(results: Results, side: str, k: str) -> str:
    names = [name for name in ESTIMATORS if any(_figures(results, name))]
    rows = []
    for dependence in DEPENDENCES:
        for kind in KINDS:
            cells = []
            for name in names:
                found = (worst(results, side, dependence, kind, n, k, name) for n in N_DATASETS)
                texts = [_cell(figure) for figure in found]
                cells.append(" / ".join(texts) if any(text != "–" for text in texts) else "")
            if any(cells):
                rows.append((DEPENDENCES[dependence].title, KINDS[kind].title, *cells))
    return table_if_any(("datasets", "p-values", *(TITLES[name] for name in names)), rows)


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    text = percent(figure.rate()) + figure.mark()
    return f"**{text}**" if figure.too_many else text


def _dependences() -> str:
    rows = ((d.title, d.formula) for d in DEPENDENCES.values())
    return table(("datasets", "what they share"), rows)


def _kinds() -> str:
    return table(("p-values", "from"), ((kind.title, kind.formula) for kind in KINDS.values()))


def _counted(results: Results) -> str:
    marks = {
        name: [
            figure.mark(level)
            for figure in _figures(results, name)
            for level in (0, 1)
            if not math.isnan(figure.errors[level])
        ]
        for name in ESTIMATORS
    }
    every = [mark for listed in marks.values() for mark in listed]
    told = words.COUNTED.format(
        judged=len(every),
        many=every.count(TOO_MANY),
        without=every.count(TOO_MANY) - marks["count"].count(TOO_MANY),
        few=every.count(TOO_FEW),
        chance=len(every) / 1000,
    )
    return filled(told)


def _how(about: About) -> str:
    joint = " and ".join(f"{about.joint[str(n)]:,} with {n} datasets" for n in JOINT_REPETITIONS)
    told = words.HOW.format(
        repetitions=about.repetitions,
        joint=joint,
        n_resamples=about.n_resamples,
        seed=about.seed,
        minutes=about.minutes,
        versions=listed_versions(about.versions),
    )
    return filled_under_heading(told)


REPORT = Report(NAME, to_json, from_json, page, draw)
