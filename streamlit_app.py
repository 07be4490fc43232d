"""What Streamlit runs; `tiebreak serve` starts it.

Streamlit's server finds `app` in this file; it runs the file itself for every page. Only what the
server needs to listen is imported here: everything else comes while people can connect already.
"""

import streamlit as st
from starlette.middleware import Middleware

from dashboard.api import routes
from dashboard.server import Guard
from dashboard.warm_up import warm_up

if __name__ == "__main__":
    with warm_up.page():
        if not warm_up.has_frame:
            place = st.empty()
            place.caption("Tiebreak is starting …")
            warm_up.wait_for_frame()
            place.empty()
        from dashboard.app import run

        run()
else:
    warm_up.begin()
    app = st.App(__file__, routes=routes(), middleware=[Middleware(Guard)])
