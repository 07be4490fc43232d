"""What Streamlit runs; `tiebreak serve` starts it."""

from dashboard.app import run

run()
