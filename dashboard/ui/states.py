"""What a page says when it has nothing to draw: what is the case, why, and what to do next."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from typing import Final

import streamlit as st

from analysis.numbers import counted
from dashboard import address, data
from dashboard.ui.filters import show_all_button
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.notes import without_commands
from store.console import current_actor
from store.engine import open_store
from store.errors import StoreError, clipped
from store.location import resolve_location, without_password

_MOST_PLACES: Final = 6
"""Systems with where they were scored, before a number stands for the rest."""


def empty_store() -> None:
    """The store holds nothing yet."""
    st.subheader("Nothing here yet.", anchor=False)
    st.markdown("This store has no runs. Three ways to begin:")
    show_link(Link("Import results", "import_results", {}))
    show_link(Link("Try your own scores, nothing is stored", "adhoc", {}))
    _offer_example()


def stop_without(here: Collection[str], why: str) -> None:
    """Stop where the address asks for a dataset of the store that has nothing to show here.

    Parameters
    ----------
    here
        Labels of the datasets that have.
    why
        What the others lack: "has no item scores".
    """
    asked = address.value("dataset")
    if asked is None or asked in here or asked not in {d.label for d in data.datasets()}:
        return
    st.subheader(plain(f"{asked} {why}."), anchor=False)
    others = {"dataset": None, "metric": None}
    st.button("Show another dataset", on_click=address.tell, args=(others,))
    st.stop()


def _offer_example() -> None:
    """Show a button that fills the store with the example; a viewer gets none."""
    if data.is_read_only():
        st.caption("Whoever may import here can load the example.")
        return
    if not st.button("Load the example", key="load_example"):
        return
    from dashboard.demo import load_demo  # reads many files: only who asks for it waits

    try:
        with st.spinner("Loading the example"), closing(open_store(create=True)) as store:
            load_demo(store, actor=current_actor())
    except StoreError as error:
        st.error(plain(without_commands(str(error))))
    else:
        st.rerun()


def first_steps() -> None:
    """Show the three ways to begin, on the first page of a store that holds nothing yet."""
    st.subheader("Three steps from a score to what is real.", anchor=False)
    steps = (
        (
            "Bring results",
            "Drop files of scores: tables, lm-evaluation-harness, promptfoo and others are "
            "recognised, and shown before anything is written.",
            Link("Import results", "import_results", {}),
        ),
        (
            "Or try two systems",
            "Paste or drop the scores of two systems; nothing is stored.",
            Link("Try your own", "adhoc", {}),
        ),
        (
            "Or see the example",
            "Systems that tie, a gain that is real, and a record that was noise.",
            None,
        ),
    )
    for number, (column, (title, text, to)) in enumerate(
        zip(st.columns(3, gap="large"), steps, strict=True), start=1
    ):
        with column:
            st.markdown(f"**{number}. {title}**")
            st.markdown(text)
            if to is not None:
                show_link(to)
            else:
                _offer_example()


def vanished_store() -> None:
    """The store was open before, and its file is there no more."""
    location = without_password(resolve_location())
    st.subheader("The store is gone.", anchor=False)
    st.markdown(
        f"{plain(location)} was open before and is there no more: it was moved or deleted. "
        "Put it back, or put a backup in its place:"
    )
    st.code(f"tiebreak --store {shlex.quote(location)} db restore BACKUP", language="sh")


def no_item_scores(what: str, links: Sequence[Link] = ()) -> None:
    """A question needs item scores, and `what` has only a reported score."""
    st.subheader(f"There are no item scores for {plain(what)}.", anchor=False)
    st.markdown(
        "Only a reported score is stored. Without a score per item nobody can say which "
        "difference is real: two systems with the same reported gap may be far apart or tied. "
        "Import the per-item file of the same run to get an answer."
    )
    _links([Link("Import", "import_results", {}), *links])


def no_pair(scored: Mapping[str, Collection[tuple[str, str]]]) -> None:
    """No two systems have item scores in common; `scored` has dataset and metric of each system."""
    only = next(iter(scored)) if len(scored) == 1 else ""
    st.subheader(
        plain(f"Only {only} has item scores: a comparison takes a second system.")
        if only
        else "No two systems have item scores on the same dataset and metric.",
        anchor=False,
    )
    places = [
        f"- {plain(f'{system}: {metric} on {dataset}')}"
        for system, cells in sorted(scored.items())
        for dataset, metric in cells
    ]
    more = len(places) - _MOST_PLACES
    st.markdown("\n".join(places[:_MOST_PLACES] + [f"- and {more:,} more"] * (more > 0)))
    st.markdown(
        "Import the scores of another system on one of these datasets, under the same name of the "
        "dataset and with the same metric. To compare two files without a store, use *Try your "
        "own*."
    )
    _links(
        [
            Link("Import", "import_results", {}),
            Link("Try your own", "adhoc", {}),
            Link("What the store holds", "coverage", {}),
        ]
    )


def no_judgments(n_scored: int = 0) -> None:
    """Nobody's judgments are in the store; on `n_scored` datasets people's scores are."""
    st.subheader("Nobody's judgments are here yet.", anchor=False)
    if n_scored:
        st.markdown(
            f"People's scores are stored for {counted(n_scored, 'dataset')}, but not who "
            "gave which."
        )
        show_link(Link("Metrics and humans", "metrics_humans", {}))
    st.markdown(
        "Import what people (or models) think of outputs: ratings, preferences between two "
        "outputs, or marked errors. The format is recognised, and outputs come along."
    )
    show_link(Link("Import", "import_results", {}))


def no_history() -> None:
    """Nothing in the store has a date, so there is no order of claims."""
    st.subheader("Nothing here has a date.", anchor=False)
    st.markdown(
        "Which score was a record depends on when it was there. Import results that say when they "
        "were evaluated: a table with a column date, once more for runs that are here already."
    )
    _links([Link("Import", "import_results", {}), Link("Runs", "runs", {})])


def unknown_link(kind: str, wanted: str, suggestions: Sequence[Link] = ()) -> None:
    """The URL names a `kind` (a run, a system, …) that the store does not have."""
    st.subheader(f"This store has no {kind} “{plain(clipped(wanted, 200))}”.", anchor=False)
    st.markdown(
        "It may have been deleted or renamed, or the link comes from another store."
        + (" Did you mean one of these?" if suggestions else "")
    )
    _links(suggestions or [Link("Trash", "trash", {})])


def wrong_revision(message: str, command: str) -> None:
    """The store is older or newer than this code; `message` names both revisions."""
    st.subheader("This store needs another version.", anchor=False)
    st.markdown(plain(message))
    st.code(command, language="sh")


def no_match(noun: str, total: int, *filters: str) -> None:
    """The filters leave nothing of `total`; a button empties those with the keys `filters`."""
    st.subheader(f"No {noun} matches these filters.", anchor=False)
    st.markdown(f"Without them there {'is' if total == 1 else 'are'} {counted(total, noun)}.")
    show_all_button(*filters)


def too_much(why: str) -> None:
    """The browser sent more than a page takes."""
    st.subheader("That is more than a page takes.", anchor=False)
    st.markdown(f"{plain(why)} Nothing was changed.")
    st.button("Show the page again", on_click=address.leave)


def no_page(wanted: str, known: Sequence[Link]) -> None:
    """The URL names a page that the dashboard does not have."""
    address.call("No such page")
    st.subheader(f"There is no page “{plain(clipped(wanted, 200))}”.", anchor=False)
    _links(known)


def _links(links: Sequence[Link]) -> None:
    for to in links:
        show_link(to)
