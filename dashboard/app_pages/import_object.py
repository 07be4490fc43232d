"""One import: its files, what it brought and guessed; undone with a press.

URL parameters: `uid` of the import.
"""

import streamlit as st

from analysis import numbers
from dashboard import address, data
from dashboard.ui import states
from dashboard.ui.answers import answer
from dashboard.ui.imports import show_import_actions
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.note_list import show_notes
from dashboard.ui.notes import show_facts, show_history
from store.import_lists import brought_by, list_imports
from store.imports import show_import

MOST_LINKS = 30

st.title("Import", anchor=False)
store = data.current_store()
imports = list_imports(store)
asked = address.value("uid") or ""
found = next((one for one in imports if one.uid == asked), None)
if found is None:
    states.unknown_link("import", asked)
    show_link(Link("All imports", "import_results", {}))
    st.stop()

answer(plain(f"{found.summary.get('did') or 'Nothing new'}."))
if found.undone_at:
    st.markdown(f"It was undone on {numbers.moment(found.undone_at)}.")
told = show_import(store, found.uid)
show_facts(
    [
        ("Id", found.uid),
        ("Who", found.actor),
        ("When", numbers.moment(found.created_at)),
        ("Formats", ", ".join(found.summary.get("formats", []))),
        ("Rows changed", numbers.count(sum(told["n_changed"].values()))),
    ]
)
show_notes(data.notes("import", found.uid))
show_import_actions(found)

guesses = found.summary.get("guesses", [])
if guesses:
    st.header("Guessed", anchor=False)
    sentences = [f"{one['subject']} is {one['value']}, from {one['because']}" for one in guesses]
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in sentences))
brought = [] if found.undone_at else brought_by(store, found.uid)
for kind, page in (("dataset", "leaderboard"), ("system", "system"), ("run", "run")):
    own = [one for one in brought if one.kind == kind]
    if not own:
        continue
    with st.expander(numbers.counted(len(own), kind), expanded=len(own) <= 10):
        for one in own[:MOST_LINKS]:
            label = f"{one.label} on {one.dataset}" if kind == "run" else one.label
            params = {"dataset": one.label} if kind == "dataset" else {"uid": one.uid}
            show_link(Link(label, page, params))
        if len(own) > MOST_LINKS:
            st.caption(f"And {len(own) - MOST_LINKS:,} more.")
with st.expander(numbers.counted(len(found.files), "file")):
    st.markdown("\n".join(f"- {plain(name)}" for name in found.files))
show_history(data.events(found.uid))
