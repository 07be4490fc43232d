"""The page, the picture and the figures in docs/."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.calibration import words
from benchmarks.calibration.frame import Report
from benchmarks.calibration.picture import draw
from benchmarks.calibration.populations import POPULATIONS
from benchmarks.calibration.procedures import FAMILIES, JOBS_OF_ROWS, ROWS
from benchmarks.calibration.run import BY_GROUP, TOO_FEW, TOO_MANY, Figure, Figures
from benchmarks.calibration.storage import About, from_json, to_json
from benchmarks.calibration.tables import filled, listed_versions, percent, table

NAME = "calibration"
_SIZES = (20, 50, 200, 1_000)
_NOTEWORTHY = 0.01  # share of samples without an answer


def page(figures: Figures, about: About) -> str:
    """Return the page in Markdown."""
    parts = [
        words.TOP,
        _what_follows(figures),
        words.SIMULATED,
        _populations(),
        words.NULLS,
        f"{words.READING} {_counted(figures)}",
    ]
    for family, (heading, note) in words.FAMILIES.items():
        rows = [row for row in figures if FAMILIES[row] == family]
        if not rows:
            continue
        parts += [words.CHAPTERS[family]] if family in words.CHAPTERS else []
        parts += [f"### {heading}", *([note] if note else []), _table(figures, rows, family)]
    parts.append(_how(figures, about))
    return "\n\n".join(parts) + "\n"


def title_of(column: str) -> str:
    """Return the title of a population, and what is made of its groups."""
    name = column.removesuffix(BY_GROUP)
    title = POPULATIONS[name].title
    if column != name:
        return f"{title} (by group)"
    return f"{title} (groups ignored)" if POPULATIONS[name].grouped else title


def ordered(columns: Mapping[str, Any]) -> list[str]:
    """Return columns in the order of the populations, those by group first."""
    names = list(POPULATIONS)

    def place(column: str) -> tuple[int, bool]:
        name = column.removesuffix(BY_GROUP)
        return names.index(name), column == name

    return sorted(columns, key=place)


def _table(figures: Figures, rows: list[str], family: str) -> str:
    of_intervals = family.startswith("ci")
    sizes = [n for n in _SIZES if any(n in cells for r in rows for cells in figures[r].values())]
    first = "correction" if family.startswith("corrections") else "interval"
    first = first if of_intervals or family.startswith("corrections") else "test"
    lines = []
    for row in rows:
        for column in ordered(figures[row]):
            cells = figures[row][column]
            texts = [_cell(cells[n], of_intervals) if n in cells else "" for n in sizes]
            lines.append((_row_title(row), title_of(column), *texts))
    return table((first, "population", *(f"n = {n:,}" for n in sizes)), lines)


def _row_title(row: str) -> str:
    title = ROWS[row].title
    if FAMILIES[row].startswith("corrections"):
        test = row.split()[1]
        return f"{title}, {words.TESTS[test]}"
    return title


def _cell(figure: Figure, of_interval: bool) -> str:
    if of_interval:
        text = percent(1 - figure.rate()) + figure.mark()
    else:
        text = " / ".join(percent(figure.rate(level)) + figure.mark(level) for level in (0, 1))
    text = f"**{text}**" if figure.too_many else text
    return text + ("†" if figure.undefined > _NOTEWORTHY * figure.repetitions else "")


def _what_follows(figures: Figures) -> str:
    tests = [row for row in figures if FAMILIES[row] in words.TEST_FAMILIES]
    intervals = [row for row in figures if FAMILIES[row].startswith("ci")]
    of_tests = (
        (_full_title(row), _marked(figures, row, True), _marked(figures, row, False))
        for row in tests
    )
    of_intervals = ((_full_title(row), _marked(figures, row, True)) for row in intervals)
    parts = (
        words.FOLLOWS,
        _defaults(figures),
        _ignoring_groups(figures, tests),
        table(("test", "do not use it for", "cautious with"), of_tests),
        words.FOLLOWS_INTERVALS,
        table(("interval", "do not use it for"), of_intervals),
        _corrections_in_short(figures),
    )
    return "\n\n".join(parts)


def _defaults(figures: Figures) -> str:
    """Say how what the product takes by itself fares."""
    rows = []
    for scores, test, interval, columns in words.TAKEN:
        if test not in figures or interval not in figures:
            continue
        told = ((ROWS[row].title, _marked(figures, row, True, columns)) for row in (test, interval))
        rows.append((scores, *itertools.chain.from_iterable(told)))
    head = ("scores", "test", "not kept for", "interval", "not kept for")
    return f"{words.DEFAULTS}\n\n{table(head, rows)}"


def _full_title(row: str) -> str:
    """Return a title that says what of."""
    family, title = FAMILIES[row], ROWS[row].title
    if family in ("corpus", "ci corpus"):
        return f"{POPULATIONS[JOBS_OF_ROWS[row].populations[0]].title}: {title}"
    if family.startswith("ci"):
        return f"{words.FAMILIES[family][0]}: {title}"
    return title


def _ignores_groups(column: str) -> bool:
    return column in POPULATIONS and POPULATIONS[column].grouped


def _ignoring_groups(figures: Figures, tests: list[str]) -> str:
    """Say what it costs to take items of groups as independent."""
    ignoring = {
        row: [f for c, cells in figures[row].items() if _ignores_groups(c) for f in cells.values()]
        for row in tests
    }
    unable = [
        ROWS[row].title.split(",")[0]
        for row in tests
        if ignoring[row] and not JOBS_OF_ROWS[row].takes_groups
    ]
    found = [figure for listed in ignoring.values() for figure in listed]
    if not found:
        return ""
    told = words.IGNORING.format(
        many=sum(figure.too_many for figure in found),
        all=len(found),
        most=f"{100 * max(figure.rate() for figure in found):.0f}",
        unable=", ".join(dict.fromkeys(unable)),
    )
    return filled(told)


def _marked(figures: Figures, row: str, too_many: bool, only: tuple[str, ...] | None = None) -> str:
    """Return the populations and sizes where a row has a mark, with its rates at .05."""
    found = []
    for column in ordered(figures[row]):
        if only is not None and column not in only:
            continue
        cells = figures[row][column]
        marked = [n for n in sorted(cells) if _has_mark(cells[n], too_many)]
        if not marked or _ignores_groups(column):
            continue
        rates = [100 * cells[n].rate() for n in marked]
        told = f"{min(rates):.1f}" + (f" to {max(rates):.1f}" if len(rates) > 1 else "") + " %"
        sizes = "n = " + ", ".join(f"{n:,}" for n in marked)
        if len(marked) == len(cells) > 1:
            sizes = "any n"
        title = "" if FAMILIES[row] in ("corpus", "ci corpus") else f"{title_of(column)}: "
        found.append(title.replace(", with gold", "") + sizes + (f" ({told})" if too_many else ""))
    return "; ".join(found) if found else "–"


def _has_mark(figure: Figure, too_many: bool) -> bool:
    if too_many:
        return figure.too_many
    return not figure.too_many and figure.mark() == TOO_FEW


def _corrections_in_short(figures: Figures) -> str:
    rows = [r for r in figures if FAMILIES[r].startswith("corrections")]
    failing = sorted(
        {
            f"{ROWS[row].title} ({words.TESTS[row.split()[1]]})"
            for row in rows
            if ROWS[row].title != "none"
            and any(f.too_many for cells in figures[row].values() for f in cells.values())
        }
    )
    bare = [
        f.rate()
        for r in rows
        if ROWS[r].title == "none" and r.startswith("all")
        for cells in figures[r].values()
        for f in cells.values()
    ]
    told = f"between {100 * min(bare):.0f} and {100 * max(bare):.0f} %" if bare else ""
    held = (
        "Every correction kept its error at both levels on every board."
        if not failing
        else f"Not keeping it somewhere: {', '.join(failing)}."
    )
    return filled(words.FOLLOWS_CORRECTIONS.format(bare=told, held=held))


def _populations() -> str:
    rows = []
    for population in POPULATIONS.values():
        yes = "yes" if population.exchangeable else "no"
        title = population.title
        title += " (20 systems)" if population.kind == "board" else ""
        rows.append((title, population.formula, yes))
    return table(("population", "items", "exchangeable"), rows)


def _all(figures: Figures) -> Iterator[Figure]:
    for columns in figures.values():
        for cells in columns.values():
            yield from cells.values()


def _counted(figures: Figures) -> str:
    marks = [
        figure.mark(level)
        for figure in _all(figures)
        for level in (0, 1)
        if not math.isnan(figure.errors[level])
    ]
    return words.COUNTED.format(
        judged=len(marks),
        chance=f"{len(marks) / 1000:.1f}",
        many=marks.count(TOO_MANY),
        few=marks.count(TOO_FEW),
    )


def _how(figures: Figures, about: About) -> str:
    standard = words.HOW_MANY.format(
        repetitions=f"{about.repetitions:,}", half=f"{about.repetitions // 2:,}"
    )
    told = words.HOW.format(
        n_resamples=about.n_resamples,
        seed=about.seed,
        minutes=f"{about.minutes:.0f}",
        versions=listed_versions(about.versions),
    )
    fewer = _fewer(figures, about.repetitions)
    paragraphs = [filled(part) for part in (*told.split("\n\n"), words.NOT_SIMULATED)]
    return "\n\n".join(["## How it was computed", standard, *fewer, *paragraphs])


def _fewer(figures: Figures, repetitions: int) -> list[str]:
    """Say which procedures had fewer samples, as they take long."""
    lines = []
    for many, standard in ((False, repetitions), (True, repetitions // 2)):
        found: dict[int, dict[str, list[str]]] = {}
        for row, columns in figures.items():
            cells = ((n, f) for listed in columns.values() for n, f in listed.items())
            numbers = {f.repetitions for n, f in cells if (n >= 1_000) == many} - {standard}
            for number in numbers:
                found.setdefault(number, {}).setdefault(FAMILIES[row], []).append(row)
        for number in sorted(found, reverse=True):
            families = (
                f"{words.FAMILIES[family][0].lower()} ("
                + ", ".join(dict.fromkeys(ROWS[row].title for row in rows))
                + ")"
                for family, rows in found[number].items()
            )
            of = "1,000" if many else "up to 200"
            lines.append(f"- {number:,} with {of} items: {'; '.join(families)}")
    return ["\n".join(lines)] if lines else []


REPORT = Report(NAME, to_json, from_json, page, draw)
