"""Runs that go to a server: kept beside the script until the server has them."""

from __future__ import annotations

import warnings
from pathlib import Path

from store.engine import Store
from store.errors import ImportFormatError, StoreError, UnreachableError
from store.importers.known_metrics import lookup
from store.importers.logged import LoggedRun
from store.ingest import IngestReport
from store.journal import Journal
from store.location import is_remote, resolve_location
from store.remote import Remote


def server_of(store: Store | str | Path | None) -> Remote | None:
    """Return the server that is meant, ``None`` for a store that is opened here."""
    if isinstance(store, (Store, Path)):
        return None
    location = resolve_location(store)
    return Remote(location) if is_remote(location) else None


def require_known_direction(run: LoggedRun, metric: str) -> None:
    """Raise `ImportFormatError` where the script does not say whether higher is better.

    The server may know, but a script must not work for hours on what it may refuse.
    """
    if run.higher_is_better is None and lookup(metric) is None:
        raise ImportFormatError(
            f"nobody says whether higher is better for the metric '{metric}'. Give "
            "`higher_is_better=True` or `False`.",
            field="metric",
        )


def send_run(server: Remote, run: LoggedRun, *, replace: bool = False) -> IngestReport:
    """Bring a whole run; see `deliver`."""
    for metric in run.scores:
        require_known_direction(run, metric)
    run.bundle()  # what cannot be used is refused here, before it is sent
    journal = Journal.begin(server.folder, run)
    for item in dict.fromkeys(item for one in run.scores.values() for item in one):
        journal.add(
            item,
            {metric: given[item] for metric, given in run.scores.items() if item in given},
            text=run.texts.get(item),
            reference=run.references.get(item),
            output=run.outputs.get(item),
            group=run.groups.get(item),
        )
    journal.finish()
    journal.close()
    return deliver(server, journal.path, replace=replace)


def deliver(server: Remote, path: Path, *, replace: bool = False) -> IngestReport:
    """Bring the journal of a run and remove it; it stays where the server does not take it.

    A server that does not answer is no error of the script: there is a warning, and the report
    says in `refused` where the run waits.

    Raises
    ------
    StoreError
        The server refuses the run; a note says where it stays.
    """
    try:
        report = server.send_journal(path, replace=replace)
    except UnreachableError as error:
        told = (
            f"{error} The run waits in {path}: `tiebreak --store {server.address} push` sends it."
        )
        warnings.warn(told, stacklevel=4)
        return IngestReport("logged", [path.name], refused=told)
    except StoreError as refused:
        refused.add_note(f"What was logged stays in {path}.")
        raise
    path.unlink()
    return report
