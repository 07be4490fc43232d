"""The page, the picture and the counts in docs/."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.calibration.claims import words
from benchmarks.calibration.claims.levels import ALPHA
from benchmarks.calibration.claims.picture import draw
from benchmarks.calibration.claims.procedures import (
    ALONE,
    BY_CLAIM,
    BY_LOOK,
    FRONTIER,
    PROCEDURES,
    TITLES,
)
from benchmarks.calibration.claims.run import (
    N_SUMS,
    Intervals,
    Results,
    pooled_intervals,
    promised,
    worst,
)
from benchmarks.calibration.claims.scenarios import (
    DEPENDENCES,
    N_ITEMS,
    N_LOOKS,
    PATTERNS,
    START,
    Scenario,
)
from benchmarks.calibration.claims.storage import About, from_json, to_json
from benchmarks.calibration.frame import Report
from benchmarks.calibration.run import TOO_FEW, TOO_MANY, Figure
from benchmarks.calibration.tables import (
    filled,
    filled_under_heading,
    listed_versions,
    percent,
    table,
    table_if_any,
)

NAME = "calibration_claims"
_TABLES = {
    "By claim": (ALONE, *(name for name in PROCEDURES if name.endswith(BY_CLAIM))),
    "By look": (*(name for name in PROCEDURES if name.endswith(BY_LOOK)), FRONTIER),
}
_COMPARED = (
    *_TABLES["By claim"],
    f"alpha-spending {BY_LOOK}",
    f"saffron {BY_LOOK}",
    FRONTIER,
)
_LOOKS_OF_FOUND = 100
_FEWEST = 0.01
"""True claims that hold, on average, below which a ratio says nothing."""


def page(results: Results, about: About) -> str:
    """Return the page in Markdown."""
    parts = [
        words.TOP,
        words.FOLLOWS,
        _kept(results),
        _lineage(results),
        words.FOUND,
        _found(results),
        _compared(results),
        *_intervals(results),
        words.SIMULATED.format(start=100 * START),
        words.PATTERNS,
        words.RULES,
        words.READING,
        _counted(results),
    ]
    for pattern in PATTERNS.values():
        tables = {
            heading: text
            for heading, names in _TABLES.items()
            if (text := _table(results, pattern.name, names))
        }
        if tables:
            parts.append(f"## {pattern.title[0].upper()}{pattern.title[1:]}")
        for heading, text in tables.items():
            parts += [f"### {heading}", text]
    parts.append(_how(about))
    return "\n\n".join(part for part in parts if part) + "\n"


def _figures(results: Results, name: str, dependence: str | None = None) -> Iterator[Figure]:
    for scenario, result in results.items():
        if dependence in (None, scenario.dependence):
            yield promised(name, result.found[name])


def _exceeds(results: Results, name: str, dependence: str) -> bool:
    return any(figure.too_many for figure in _figures(results, name, dependence))


def _kept(results: Results) -> str:
    """Say where each rule keeps its promise."""
    rows = []
    for name in PROCEDURES:
        told: dict[bool, list[str]] = {True: [], False: []}
        kept: list[float] = []
        for dependence in DEPENDENCES.values():
            rates = [figure.rate() for figure in _figures(results, name, dependence.name)]
            if rates:
                exceeds = _exceeds(results, name, dependence.name)
                highest = f"{dependence.title} ({percent(max(rates))})"
                told[exceeds].append(highest if exceeds else dependence.title)
                kept += [] if exceeds else rates
        everywhere = "everywhere" if told[False] and not told[True] else "; ".join(told[False])
        most = percent(max(kept)) if kept else "–"
        rows.append((TITLES[name], everywhere or "–", most, "; ".join(told[True]) or "–"))
    return table(("rule", "keeps α", "highest", "exceeds α"), rows)


def _lineage(results: Results) -> str:
    told = []
    for n_looks in N_LOOKS:
        rates = [
            figure.rate()
            for d in DEPENDENCES.values()
            if d.kind == "lineage"
            and (
                figure := worst(
                    results, FRONTIER, dependence=d.name, n_looks=n_looks, pattern="none"
                )
            )
        ]
        if rates:
            told.append(f"{100 * max(rates):.0f} ({n_looks:,} looks)")
    return filled(words.LINEAGE.format(rates=", ".join(told))) if told else ""


def _found(results: Results) -> str:
    """Tabulate the true claims that hold."""
    rows = []
    for pattern in PATTERNS.values():
        for dependence in DEPENDENCES.values():
            cells = []
            for name in _COMPARED:
                means = [
                    f"{results[scenario].found[name].mean_true:.2f}"
                    for n in N_ITEMS
                    if (scenario := Scenario(dependence.name, n, _LOOKS_OF_FOUND, pattern.name))
                    in results
                ]
                text = " / ".join(means)
                exceeds = text and _exceeds(results, name, dependence.name)
                cells.append(f"({text})" if exceeds else text)
            if any(cells) and pattern.gain:
                rows.append((pattern.name, dependence.title, *cells))
    return table_if_any(("gains", "histories", *(TITLES[name] for name in _COMPARED)), rows)


def _compared(results: Results) -> str:
    """Say how much more is found where claims are counted instead of looks."""
    pairs = [
        tuple(
            result.found[f"alpha-spending {counting}"].mean_true for counting in (BY_CLAIM, BY_LOOK)
        )
        for scenario, result in results.items()
        if scenario.n_looks == _LOOKS_OF_FOUND and PATTERNS[scenario.pattern].gain
    ]
    ratios = [claim / look for claim, look in pairs if look >= _FEWEST]
    if not ratios:
        return ""
    claim, look = (sum(found) / len(pairs) for found in zip(*pairs, strict=True))
    return filled(
        words.COMPARED.format(claim=claim, look=look, least=min(ratios), most=max(ratios))
    )


def _intervals(results: Results) -> list[str]:
    total = Intervals(*[0] * N_SUMS)
    for result in results.values():
        total = total + result.intervals
    if not total.records:
        return []
    rows = []
    for dependence in DEPENDENCES.values():
        cells = [
            _interval(pooled_intervals(results, dependence.name, pattern)) for pattern in PATTERNS
        ]
        if any(cells):
            rows.append((dependence.title, *cells))
    told = words.INTERVALS.format(below=f"{100 * total.below / total.records:.0f}")
    return [told, table(("histories", *(pattern.title for pattern in PATTERNS.values())), rows)]


def _interval(found: Intervals) -> str:
    if not found.records:
        return ""
    rate = percent(found.rate)
    rate = f"**{rate}{TOO_MANY}**" if found.exceeds(ALPHA) else rate
    over, plain = found.exaggerated / found.records, found.missed_plain / found.records
    return f"{rate} / {percent(over)} ({percent(plain)})"


def _table(results: Results, pattern: str, names: Sequence[str]) -> str:
    rows = []
    for dependence in DEPENDENCES.values():
        cells = []
        for name in names:
            figures = (
                worst(results, name, dependence=dependence.name, n_looks=n, pattern=pattern)
                for n in N_LOOKS
            )
            texts = [_cell(figure) for figure in figures]
            cells.append(" / ".join(texts) if any(text != "–" for text in texts) else "")
        if any(cells):
            rows.append((dependence.title, *cells))
    return table_if_any(("histories", *(TITLES[name] for name in names)), rows)


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    text = percent(figure.rate())
    return f"**{text}{TOO_MANY}**" if figure.too_many else text


def _counted(results: Results) -> str:
    marks = {name: [figure.mark() for figure in _figures(results, name)] for name in PROCEDURES}
    every = [mark for listed in marks.values() for mark in listed]
    outside = sum(marks[name].count(TOO_MANY) for name in (ALONE, FRONTIER))
    told = words.COUNTED.format(
        judged=len(every),
        many=every.count(TOO_MANY),
        rules=every.count(TOO_MANY) - outside,
        few=every.count(TOO_FEW),
        chance=len(every) / 1000,
    )
    return filled(told)


def _how(about: About) -> str:
    repetitions = ", ".join(
        f"{number:,} histories of {int(looks):,} looks"
        for looks, number in about.repetitions.items()
    )
    told = words.HOW.format(
        repetitions=repetitions,
        seed=about.seed,
        minutes=about.minutes,
        versions=listed_versions(about.versions),
    )
    return filled_under_heading(told)


REPORT = Report(NAME, to_json, from_json, page, draw)
