"""`python -m dashboard …` is the command `tiebreak …` without an installation."""

from dashboard.cli import main

main()
