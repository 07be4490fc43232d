"""Home: what came in, who leads, is the lead real, what changed since the last visit.

URL parameters: `find` (words in a dataset's name), `page`, `sort` (a column of the boards).
"""

import streamlit as st

from analysis import numbers
from analysis.studies.leads_report import leads_report
from dashboard import data
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.imports import named, show_import_actions
from dashboard.ui.leads import show_leads
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.reports import show_report
from dashboard.ui.since import show_since
from store.import_lists import list_imports

PER_PAGE = 20
SHOWN_IMPORTS = 3

st.title("Home", anchor=False)
study = data.overview() if data.has_store() else None
if study is None or study.is_empty:
    states.first_steps()
    st.stop()

answer(plain(study.sentence))
show_since()
boards = data.boards()
counted = ""
is_long = len(boards) > PER_PAGE  # then the search is over all of them, not over a page
if not boards:
    st.markdown("No dataset has scores of two systems yet: there is nothing to compare.")
    show_link(Link("Import results", "import_results", {}))
elif is_long:
    with filters.filter_row("home_filters"):
        words = filters.search("Dataset", key="find")
        shown = [board for board in boards if words.casefold() in board.dataset.casefold()]
        pages = [str(k + 1) for k in range(max(1, -(-len(shown) // PER_PAGE)))]
        page = filters.choose_one("Page", pages, key="page", width=100)
    filters.show_count(len(shown), len(boards), "board")
    if not shown:
        states.no_match("board", len(boards), "find")
        st.stop()
    first = (int(str(page)) - 1) * PER_PAGE
    boards = shown[first : first + PER_PAGE]
    counted = f"Boards {first + 1:,} to {first + len(boards):,} of {len(shown):,}"
if boards:
    leads = data.leads(tuple(board.dataset_uid for board in boards))
    show_leads(boards, leads, counted=counted)
    show_report(lambda: leads_report(data.current_store(), boards, leads), "boards")
if imports := list_imports(data.current_store(), limit=SHOWN_IMPORTS):
    st.header("Latest imports", anchor=False)
    for number, one in enumerate(imports):
        undone = ", undone" if one.undone_at else ""
        told = f"{named(one)}, by {one.actor}, {numbers.moment(one.created_at)}{undone}"
        show_link(Link(told, "import_object", {"uid": one.uid}))
        if number == 0:
            show_import_actions(one)
    show_link(Link("All imports", "import_results", {}))
show_link(Link("Which systems were scored on which datasets", "coverage", {}))
