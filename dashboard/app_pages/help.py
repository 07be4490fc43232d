"""The method in plain words, in ten minutes, on a board of this store.

URL parameters: `dataset`.
"""

import streamlit as st

from analysis import glossary, numbers
from analysis.setting import build
from analysis.studies.across_datasets import AcrossDatasets
from analysis.studies.comparison import Compare
from analysis.studies.leaderboard import Board
from analysis.studies.replicability import ReplicabilityStudy
from dashboard import data
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.lesson import chapters, pairs_of
from dashboard.ui.links import Link, plain, show_link

st.title("Help", anchor=False)
boards = [board for board in data.boards() if board.is_tested] if data.has_store() else []
if not boards:
    answer("Which differences between systems are real?")
    st.markdown(
        "The lesson needs a board with item scores of two systems; this store has none yet."
    )
    show_link(Link("What the words mean", "words", {}))
    states.first_steps()
    st.stop()

with filters.filter_row("help_filters"):
    names = [board.dataset for board in boards]
    dataset = str(filters.choose_one("Dataset", names, key="dataset", width=260))
(uid,) = {board.dataset_uid for board in boards if board.dataset == dataset}
board = data.ask(build(Board, data.defaults_of(Board) | {"dataset": uid}))
pairs = pairs_of(board)
if pairs is None:
    states.no_item_scores(dataset)
    st.stop()

of_pair = {"dataset": uid, "metric": board.metric.label}
of_pair = data.defaults_of(Compare, of_pair) | of_pair
answer(plain(f"Is {pairs.first} really better than {pairs.near} on {dataset}?"))
st.markdown("The method in ten minutes, on the numbers of this store.")
of_pair |= {"a": pairs.first}
near = data.ask(build(Compare, of_pair | {"b": pairs.near}))
far = data.ask(build(Compare, of_pair | {"b": pairs.far})) if pairs.far else None
across = None
if len(data.comparables().datasets(pairs.first, pairs.near)) > 1:
    found = data.ask(AcrossDatasets(a=pairs.first, b=pairs.near))
    across = found if isinstance(found, ReplicabilityStudy) else None
for number, chapter in enumerate(chapters(board, near, far, across), start=1):
    st.header(f"{number}. {chapter.title}", anchor=False)
    st.markdown(plain(chapter.text))
    meanings = [f"- **{plain(word)}**: {plain(glossary.help(word))}" for word in chapter.words]
    st.markdown("\n".join(meanings))
    if chapter.to is not None:
        show_link(chapter.to)
n_words = sum(len(terms) for terms in glossary.SECTIONS.values())
show_link(Link(f"All {numbers.counted(n_words, 'word')} and what they mean", "words", {}))
