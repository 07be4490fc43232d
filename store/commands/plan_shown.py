"""The plan of an import as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from store.commands.plan_alike import put_together
from store.errors import describe_place
from store.importers.binaries import may_hold_results
from store.importers.plan import PlanEntry, shown_items, shown_range
from store.ingest.planned import Imported
from store.ingest.report import summarise

_BREAKS = str.maketrans("\n\r\t", "␊␍␉")
"""A name stays on its line."""
_MOST_NAMES = 4
_MOST_FILES = 3


def show_plan(console: Console, done: Imported, *, dry_run: bool) -> None:
    """Print what goes in, what was guessed or asked, and what was left out and why."""
    sound = [entry for entry in done.plan.entries if entry.state != "left out"]
    for entry in put_together(sound, _MOST_NAMES):
        _show_entry(console, entry)
    for report in done.reports:
        for row in report.skipped:
            place = describe_place(row.path, row.line, row.field)
            console.print(f"  skipped {place}{row.reason}", markup=False)
        for found in report.differences:
            console.print(
                f"  {found.run}: the file states {found.metric} = {found.reported:g}, its items "
                f"give {found.recomputed:g}",
                markup=False,
            )
    for line in told_of_faults([one for one in done.plan.entries if one.is_fault]):
        console.print(line, markup=False)
    _show_without_results(console, done.plan.entries)
    console.print(summarise(done.reports))
    uid = next((report.import_uid for report in done.reports if report.import_uid), None)
    show_end(console, uid, dry_run=dry_run)


def show_end(console: Console, uid: str | None, *, dry_run: bool) -> None:
    """Print by which id an import is known, or that nothing was written."""
    if uid is not None:
        console.print(f"Import {uid}; `tiebreak undo {uid}` takes it back whole.", markup=False)
    if dry_run:
        console.print("Dry run: nothing was written.")


def told_of_faults(entries: Sequence[PlanEntry]) -> list[str]:
    """Return what was left out although it seems to hold results, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).extend(entry.files)
    return [f"Left out: {_named(files, _MOST_FILES)}: {why}" for why, files in by_reason.items()]


def _show_entry(console: Console, entry: PlanEntry) -> None:
    console.print(f"[bold]{_named(entry.files, _MOST_FILES)}[/bold] as {entry.read_as}", end="")
    console.print(f" ({entry.state})", markup=False)
    datasets = [f"{one.name} {one.version}".strip() for one in entry.datasets]
    items = shown_items(entry.datasets)
    parts = [
        f"systems: {_named(entry.systems, _MOST_NAMES)}" if entry.systems else "",
        f"datasets: {_named(datasets, _MOST_NAMES)}{f' ({items})' * bool(items)}"
        if datasets
        else "",
        f"metrics: {_named([shown_range(one) for one in entry.metrics], _MOST_NAMES)}"
        if entry.metrics
        else "",
    ]
    console.print(f"  {'; '.join(part for part in parts if part)}", markup=False)
    if entry.text_bytes:
        console.print(f"  texts: {entry.text_bytes / 1e6:,.1f} MB", markup=False)
    for sentence in entry.understood:
        console.print(f"  {sentence}", markup=False)
    for guess in entry.guesses:
        told = f"  guessed: {guess.subject} is {guess.value}, from {guess.because}"
        console.print(told, markup=False)
    for subject, said in entry.answered.items():
        console.print(f"  answered: {subject} is {said}", markup=False)
    for question in entry.questions:
        told = f"  asks: {question.subject}? {question.because} (guess: {question.guess})"
        console.print(told, markup=False)
    if entry.reason:
        console.print(f"  {entry.reason}", markup=False)


def _show_without_results(console: Console, entries: Sequence[PlanEntry]) -> None:
    by_reason: dict[str, list[str]] = {}
    for entry in entries:
        if entry.state == "left out" and not entry.is_fault:
            by_reason.setdefault(entry.reason, []).extend(entry.files)
    for reason, files in by_reason.items():
        what = "Not read" if may_hold_results(reason) else "Holds no results"
        told = f"{what}: {_named(files, _MOST_FILES)}: {reason}"
        console.print(told, markup=False)


def named_files(files: Sequence[str]) -> str:
    """Return the first files by name, and how many more there are."""
    return _named(list(dict.fromkeys(files)), _MOST_FILES)


def _named(names: Sequence[str], most: int) -> str:
    more = len(names) - most
    listed = ", ".join(name.translate(_BREAKS) for name in names[:most])
    return f"{listed} and {more:,} more" if more > 0 else listed
