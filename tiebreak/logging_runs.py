"""Runs that a script or notebook logs itself."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from store.console import current_actor
from store.engine import Store, open_store
from store.errors import ImportFormatError, StoreError
from store.importers.logged import LoggedRun, as_score
from store.ingest import IngestReport
from store.journal import (
    Journal,
    folder_of,
    push,
    put_in,
    read_journal,
    require_direction,
    require_names_of_items,
)
from store.remote import Remote
from tiebreak.argument_names import names_arguments
from tiebreak.provenance import provenance_here
from tiebreak.score_inputs import scores_by_metric, texts_by_item
from tiebreak.sending_runs import deliver, require_known_direction, send_run, server_of

AnyStore = Store | str | Path | None


@names_arguments
def log_run(
    *,
    system: str,
    dataset: str,
    scores: Any,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    dataset_version: str = "",
    texts: Any = None,
    references: Any = None,
    outputs: Any = None,
    groups: Any = None,
    run: str = "",
    trial: int = 0,
    seed: int | None = None,
    config: Mapping[str, Any] | None = None,
    replace: bool = False,
    store: AnyStore = None,
) -> IngestReport:
    """Put the scores of a system into a store; return what came in.

    Git commit, command, imported packages, host and time are recorded with the run.

    Parameters
    ----------
    system, dataset, dataset_version
        What was evaluated, and on what.
    scores
        ``{item: score}``, ``{item: {metric: score}}``, an array or list (items are then called
        ``"0"``, ``"1"``, …), a series, or a table (pandas, polars, Arrow) with a row for each item.
        NaN: answered, but not scored. None: the system failed on the item.
    metric
        What is measured, where the scores do not name it.
    higher_is_better
        Direction of the metric; of several metrics, of those that are not generally known.
    texts, references, outputs, groups
        Of the items: input, reference, what the system answered, document or passage. A mapping
        from item, or a list in the order of the scores.
    run
        Tells several runs of one system on one dataset apart, as a date does.
    trial
        Number of the repeat within the run.
    seed, config
        How the system was run.
    replace
        Whether other scores that the store has for this run give way.
    store
        An open store, a file, a database URL, or the address of a server (``https://…``, with
        ``$TIEBREAK_TOKEN``); else ``$TIEBREAK_STORE``, else ``tiebreak.db``. A run that a server
        does not take waits in ``tiebreak.journals`` for `tiebreak push`.

    Raises
    ------
    ImportFormatError
        The scores cannot be used.
    ConflictError
        The store has other scores for this run.
    """
    found = scores_by_metric(scores, metric)
    items = list(dict.fromkeys(item for one in found.values() for item in one))
    told = LoggedRun(
        system,
        dataset,
        dataset_version,
        run,
        trial,
        found,
        texts=texts_by_item(texts, items, "texts"),
        references=texts_by_item(references, items, "references"),
        outputs=texts_by_item(outputs, items, "outputs"),
        groups=texts_by_item(groups, items, "groups"),
        higher_is_better=higher_is_better,
        provenance=provenance_here(config, seed),
    )
    if (server := server_of(store)) is not None:
        return send_run(server, told, replace=replace)
    with _Opened(store) as opened:
        for name in found:
            require_direction(opened, told, name)
        require_names_of_items(opened, told)
        return put_in(opened, told, actor=current_actor(), replace=replace)


def start_run(
    *,
    system: str,
    dataset: str,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    dataset_version: str = "",
    run: str = "",
    trial: int = 0,
    seed: int | None = None,
    config: Mapping[str, Any] | None = None,
    store: AnyStore = None,
) -> RunInProgress:
    """Return a run that takes scores one by one, in a ``with``; see `log_run` for the arguments.

    Every line is in a file beside the store as soon as it is logged. At the end of the ``with`` all
    goes into the store. Where an error ends it, what was logged goes in, marked incomplete. Where
    the script is killed, `tiebreak push` or the next run of a script takes it in.

    Examples
    --------
    >>> with start_run(system="mine", dataset="news", metric="accuracy") as run:  # doctest: +SKIP
    ...     for question in questions:
    ...         run.log(question.id, answer(question) == question.gold)
    """
    told = LoggedRun(
        system,
        dataset,
        dataset_version,
        run,
        trial,
        higher_is_better=higher_is_better,
        provenance=provenance_here(config, seed),
    )
    return RunInProgress(told, metric, store)


class RunInProgress:
    """A run whose scores come one by one; made by `start_run`."""

    report: IngestReport | None = None
    """What came into the store, once the run has ended."""

    def __init__(self, run: LoggedRun, metric: str | None, store: AnyStore) -> None:
        self._run, self._metric = run, metric
        self._server = server_of(store)
        self._opened = _Opened(store)
        self._logged: set[tuple[str, str]] = set()
        self._checked: set[str] = set()

    def __enter__(self) -> Self:
        if self._server is None:
            self._store = self._opened.__enter__()
        try:
            _take_in_what_was_left(self._server or self._store)
            if self._metric is not None:
                self._check(self._metric)
            folder = folder_of(self._store) if self._server is None else self._server.folder
            self._journal = Journal.begin(folder, self._run)
        except BaseException:
            self._opened.close()
            raise
        return self

    @names_arguments
    def log(
        self,
        item: object,
        score: Any,
        *,
        text: str | None = None,
        reference: str | None = None,
        output: str | None = None,
        group: str | None = None,
    ) -> None:
        """Log an item: its score, or ``{metric: score}``; NaN: not scored; None: it failed.

        Raises
        ------
        ImportFormatError
            The item has such a score already, the score is no number, or no metric is named.
        """
        key = str(item)
        if not isinstance(score, Mapping):
            if self._metric is None:
                raise ImportFormatError(
                    "say what is measured: `metric='accuracy'`.", field="metric"
                )
            score = {self._metric: score}
        told = {str(name): as_score(value, key, str(name)) for name, value in score.items()}
        for name in told:
            self._check(name)
            if (key, name) in self._logged:
                raise ImportFormatError(f"the item '{key}' has two scores.", field="scores")
        self._journal.add(key, told, text=text, reference=reference, output=output, group=group)
        self._logged |= {(key, name) for name in told}

    @names_arguments
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        path = self._journal.path
        try:
            if kind is None:
                self._journal.finish()
            self._journal.close()
            if self._logged and self._server is not None:
                self.report = deliver(self._server, path)
                return
            if self._logged and path.exists():
                told, file = read_journal(path)
                self.report = put_in(self._store, told, actor=current_actor(), file=file)
            path.unlink(missing_ok=True)
        except StoreError as refused:
            if error is None:
                refused.add_note(f"What was logged stays in {path}.")
                raise
            error.add_note(f"What was logged stays in {path}: {refused}")
        finally:
            self._opened.close()

    def _check(self, metric: str) -> None:
        if metric not in self._checked:
            if self._server is None:
                require_direction(self._store, self._run, metric)
            else:
                require_known_direction(self._run, metric)
            self._checked.add(metric)


class _Opened:
    """A store for a `with`: one that is given open stays open."""

    def __init__(self, given: AnyStore) -> None:
        self._given = given
        self._own: Store | None = None

    def __enter__(self) -> Store:
        if isinstance(self._given, Store):
            return self._given
        self._own = open_store(self._given, create=True)
        return self._own

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store, if it was opened here."""
        if self._own is not None:
            self._own.close()


def _take_in_what_was_left(into: Store | Remote) -> None:
    """Take in the journals of scripts that were killed; one that does not fit stops nobody."""
    try:
        if isinstance(into, Remote):
            into.push()
        else:
            push(into, actor=current_actor())
    except StoreError as error:
        warnings.warn(str(error), stacklevel=4)
