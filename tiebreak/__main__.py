"""`python -m tiebreak …` is the command `tiebreak …`."""

from __future__ import annotations

from dashboard.cli import main

if __name__ == "__main__":
    main()
