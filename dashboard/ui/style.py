"""The one place with CSS: what the theme cannot say.

Streamlit writes white text on the primary colour (buttons, chips) and writes the chosen tab,
segment, pill, slider value and the button under the pointer *in* the primary colour. On a dark
ground no colour has a contrast of 4.5 in both roles, so the second role takes the colour of text;
the frame shows the state.

A filter of one choice has no default as far as Streamlit knows (so that its choice stands in the
URL) and would show a cross to clear it. There is always a choice: the cross is hidden.
"""

from typing import Final

import streamlit as st

_CSS: Final = """<style>
button[kind="secondary"]:not(:disabled), button[kind="tertiary"]:not(:disabled),
button[aria-checked="true"], button[aria-pressed="true"],
[data-testid="stTab"][aria-selected="true"],
[data-testid="stSliderThumbValue"], [data-testid="stSliderThumbValue"] * {
  color: inherit !important;
}
.tiebreak-tabs { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 0.95rem; }
.tiebreak-tabs a { color: inherit; text-decoration: none; padding: 4px 0; opacity: 0.75; }
.tiebreak-tabs a:hover { opacity: 1; }
.tiebreak-tabs a[aria-current] { opacity: 1; font-weight: 600; border-bottom: 2px solid; }
.tiebreak-link { color: inherit; text-decoration: none; }
.tiebreak-link:hover { text-decoration: underline; }
.tiebreak-name { display: flex; gap: 10px; align-items: center; line-height: 1.25; }
.tiebreak-places { display: flex; flex-direction: column; gap: 2px; }
.tiebreak-places a { color: inherit; text-decoration: none; padding: 4px 8px; border-radius: 4px;
  overflow-wrap: anywhere; }
.tiebreak-places a:hover, .tiebreak-places a[aria-current] { background: rgba(127, 136, 148, 0.2); }
.tiebreak-places a[aria-current] { font-weight: 600; }
[data-testid="stMarkdownContainer"] td { overflow-wrap: anywhere; }
[data-testid="stMarkdownContainer"] td:first-child { overflow-wrap: break-word; }
[data-testid="stMainBlockContainer"] { padding: 3rem 2.5rem 6rem; }
[class*="_filters"] > :first-child:has(.tiebreak-fold) { display: none; }
[class*="_filters"] > [data-testid="stElementContainer"]:has([data-testid="stSelectbox"]) {
  flex-grow: 1; max-width: 22rem; }
[class*="_filters"] [data-testid="stSelectbox"] { width: 100% !important; }
[data-testid="stSelectbox"] input { text-overflow: ellipsis; }
.tiebreak-fold summary { cursor: pointer; padding: 4px 0; }
@media (min-width: 1200px) { /* filters become narrower before one goes to a second row */
  [class*="_filters"] { flex-wrap: nowrap !important; }
  [class*="_filters"] > * { min-width: 7.5rem !important; flex-shrink: 1 !important; }
  [class*="_filters"] > :has([data-testid="stPopover"]) { flex-shrink: 0 !important; }
}
@media (max-width: 640px) {
  [class*="_filters"] > :first-child:has(.tiebreak-fold) { display: block; width: 100%; }
  [class*="_filters"]:has(> * .tiebreak-fold:not([open])) > :not(:first-child) { display: none; }
  [data-testid="stMainBlockContainer"] { padding: 3rem 1rem 6rem; }
  /* The answer stands on the first screen, above what can be set. */
  :has(> * > .st-key-answer) > :has(> [class*="_filters"]) { order: 1; }
  :has(> * > .st-key-answer) > :has(> .st-key-answer) ~ * { order: 2; }
}
#MainMenu, [data-testid="stMainMenu"] { display: none; }
.st-key-address, .st-key-address_redirect { display: none; }
[data-testid="stSelectbox"] button[aria-label="Clear value"] { display: none; }
</style>"""


def apply_style() -> None:
    """Add the CSS; call once per run, from the entry script."""
    st.html(_CSS)
