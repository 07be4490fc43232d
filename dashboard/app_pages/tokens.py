"""Tokens: what programs show when they come over HTTP, with their last use.

URL parameters: none.
"""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data
from dashboard.ui.answers import answer
from dashboard.ui.changing import change, emptied, folded_form
from dashboard.ui.tables import show_table
from store.console import current_actor
from store.engine import Store
from store.tokens import DAYS, add_token, list_tokens, revoke_token

SCOPES = {"ask questions": "read", "bring results too": "write"}


def make(store: Store) -> None:
    """Make the token that the form describes; keep its secret for the page that follows."""
    _, secret = add_token(
        store,
        name,
        actor=current_actor(),
        scope="write" if SCOPES[scope] == "write" else "read",
        dataset=dataset or None,
        days=int(days),
    )
    st.session_state["new_token"] = secret


st.title("Tokens", anchor=False)
tokens = list_tokens(data.current_store())
valid = [token for token in tokens if token.state == "valid"]
answer(
    f"{numbers.counted(len(valid), 'token')} can be shown by programs elsewhere.",
    "Without one, only programs on this machine may ask, and none may bring results.",
)
if secret := st.session_state.pop("new_token", None):
    st.markdown("The new token. It is shown this once:")
    st.code(secret, language=None)
if tokens:
    frame = pd.DataFrame([asdict(token) | {"state": token.state} for token in tokens])
    show_table(
        frame,
        key="tokens",
        columns={
            "name": Column("For"),
            "owner": Column("Whose"),
            "scope": Column("May", words={word: said for said, word in SCOPES.items()}),
            "dataset": Column("Dataset"),
            "state": Column("State"),
            "expires_at": Column("Until", "moment"),
            "last_used_at": Column("Last use", "moment"),
            "uid": Column("Uid", shown=False),
        },
        filename="tokens",
        noun="token",
    )
if data.is_read_only():
    st.stop()

with st.container(horizontal=True, gap="small"):
    with folded_form("Make a token", emptied("make_token")):
        name = st.text_input("What it is for", placeholder="nightly pipeline")
        scope = st.radio("It may", list(SCOPES), horizontal=True)
        datasets = ["", *dict.fromkeys(each.name for each in data.datasets())]
        dataset = st.selectbox("Dataset", datasets, format_func=lambda one: one or "all of them")
        days = st.number_input("Days", 1, 3650, DAYS)
        if st.form_submit_button("Make it"):
            change(make, "The token is made.")
            st.rerun()
    if valid:
        with folded_form("Revoke a token", "revoke_token"):
            by_uid = {token.uid: f"{token.name} ({token.owner}, {token.uid})" for token in valid}
            uid = st.selectbox("Token", list(by_uid), format_func=lambda one: by_uid[one])
            if st.form_submit_button("Revoke it"):
                change(lambda s: revoke_token(s, uid, actor=current_actor()), "It is revoked.")
                st.rerun()
