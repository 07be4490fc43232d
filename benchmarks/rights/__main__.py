"""Try everything; write what came of it into ``docs/reliability.md``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.rights.forged import try_forged
from benchmarks.rights.page import BEGIN, END, PAGE, told
from benchmarks.rights.trying import try_all


def main() -> None:
    """Try everything; write what came of it into the page."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        section = told(try_all(Path(one)), try_forged(Path(two)))
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    PAGE.write_text(head.rstrip() + "\n\n" + section + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
