"""What the words of pages, commands and documents mean.

URL parameters: those of the table.
"""

import pandas as pd
import streamlit as st

from analysis import glossary
from analysis.columns import Column
from dashboard.ui.answers import answer
from dashboard.ui.tables import show_table

st.title("Words", anchor=False)
answer("One word for one thing, on pages, in commands and in documents.")
terms = [(section, term) for section, own in glossary.SECTIONS.items() for term in own]
show_table(
    pd.DataFrame(
        {
            "word": [term.name for _, term in terms],
            "meaning": [term.meaning for _, term in terms],
            "also": [", ".join(term.also) for _, term in terms],
            "about": [section for section, _ in terms],
        }
    ),
    key="words",
    columns={
        "word": Column("Word", pinned=True),
        "meaning": Column("Meaning"),
        "also": Column("Also", shown=False),
        "about": Column("About", least=True),
    },
    filename="words",
    noun="word",
    label="Words",
    is_main=True,
)
