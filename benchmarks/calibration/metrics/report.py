"""The page, the picture and the counts in docs/."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.statistics.meta_evaluation.comparison import TESTS
from benchmarks.calibration.frame import Report
from benchmarks.calibration.metrics import words
from benchmarks.calibration.metrics.picture import draw
from benchmarks.calibration.metrics.run import Results, Row
from benchmarks.calibration.metrics.scenarios import (
    BLOCK,
    ERROR,
    ERRORS,
    MEASURES,
    N_ITEMS,
    N_SYSTEMS,
    QUALITY,
    Measure,
    Scenario,
)
from benchmarks.calibration.metrics.storage import About, from_json, to_json
from benchmarks.calibration.run import TOO_FEW, TOO_MANY, Figure
from benchmarks.calibration.tables import (
    filled,
    filled_under_heading,
    listed_versions,
    percent,
    table,
    table_if_any,
)

NAME = "calibration_metrics"
_NOTEWORTHY = 0.01
_NULLS = [errors.name for errors in ERRORS.values() if errors.is_null]
_BETTER = {"better": "cells", "better, systems": "systems"}
"""Where x is better, and the null with the same kind of errors."""


def page(results: Results, about: About) -> str:
    """Return the page in Markdown."""
    parts = [words.TOP, words.FOLLOWS, *_in_short(results), *_found(results)]
    simulated = words.SIMULATED.format(quality=QUALITY, error=ERROR, items=N_ITEMS)
    errors = [f"- **{kind.title}**: {kind.formula}." for kind in ERRORS.values()]
    parts += [simulated, "\n".join(errors), words.READING, _counted(results)]
    for measure in MEASURES:
        if text := _table(results, measure):
            parts += [f"### {measure.title[0].upper()}{measure.title[1:]}", text]
    parts.append(
        filled_under_heading(
            words.HOW.format(
                repetitions=about.repetitions,
                resamples=about.n_resamples,
                block=BLOCK,
                seed=about.seed,
                minutes=about.minutes,
                versions=listed_versions(about.versions),
            )
        )
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _figures(results: Results, row: Row, errors: str) -> list[Figure]:
    """Return a row's figures over numbers of systems, as far as there are any."""
    scenarios = (Scenario(errors, n) for n in N_SYSTEMS)
    return [results[s][row] for s in scenarios if s in results and row in results[s]]


def _in_short(results: Results) -> Iterator[str]:
    """Say for each measure where each test exceeds its level."""
    for measure in MEASURES:
        rows = []
        for test in TESTS:
            over, kept = [], []
            for errors in _NULLS:
                figures = _figures(results, Row(measure, test), errors)
                rates = [figure.rate() for figure in figures]
                if any(figure.too_many for figure in figures):
                    over.append(f"{ERRORS[errors].title} ({percent(max(rates))})")
                else:
                    kept += rates
            if over or kept:
                rows.append((test, percent(max(kept)) if kept else "–", "; ".join(over) or "–"))
        if rows:
            head = (f"{measure.title}", "highest", "exceeds α with errors")
            yield table(head, rows)


def _found(results: Results) -> Iterator[str]:
    """Tabulate how often x is found better where it is."""
    for better, null in _BETTER.items():
        rows = []
        for test in TESTS:
            cells = [_cell_found(results, Row(m, test), better, null) for m in _found_measures()]
            if any(cells):
                rows.append((test, *cells))
        if rows:
            if better == "better":
                yield words.FOUND
            heads = [measure.title for measure in _found_measures()]
            yield table((f"{ERRORS[better].title}", *heads), rows)


def _found_measures() -> list[Measure]:
    return [measure for measure in MEASURES if measure.coefficient != "pairwise-accuracy"]


def _cell_found(results: Results, row: Row, better: str, null: str) -> str:
    figures = _figures(results, row, better)
    text = " / ".join(f"{100 * figure.rate():.0f}" for figure in figures)
    exceeds = any(figure.too_many for figure in _figures(results, row, null))
    return f"({text})" if text and exceeds else text


def _table(results: Results, measure: Measure) -> str:
    kinds = [
        errors
        for errors in _NULLS
        if any(_figures(results, Row(measure, test), errors) for test in TESTS)
    ]
    rows = []
    for test in TESTS:
        cells = [
            " / ".join(_cell(figure) for figure in _figures(results, Row(measure, test), errors))
            for errors in kinds
        ]
        if any(cells):
            rows.append((test, *cells))
    return table_if_any(("test", *(ERRORS[errors].title for errors in kinds)), rows)


def _cell(figure: Figure) -> str:
    text = percent(figure.rate())
    if figure.too_many:
        text = f"**{text}{TOO_MANY}**"
    elif figure.mark() == TOO_FEW:
        text += TOO_FEW
    return text + ("†" if figure.undefined > _NOTEWORTHY * figure.repetitions else "")


def _counted(results: Results) -> str:
    marks = [
        figure.mark(level)
        for scenario, figures in results.items()
        if ERRORS[scenario.errors].is_null
        for figure in figures.values()
        for level in (0, 1)
    ]
    told = words.COUNTED.format(
        judged=len(marks),
        many=marks.count(TOO_MANY),
        few=marks.count(TOO_FEW),
        chance=len(marks) / 1000,
    )
    return filled(told)


REPORT = Report(NAME, to_json, from_json, page, draw)
