"""The words of the page; every figure on it is counted."""

from __future__ import annotations

TOP = """\
# Calibration of the defaults, end to end

Files go in, `--json` comes out: every command is asked, with nothing but its defaults, about data
in which nothing differs or the true difference is known. The data are unfriendly on purpose. The
command `python -m benchmarks.calibration.end_to_end --out docs` computes and writes this page and
all counts ([calibration_end_to_end.json](calibration_end_to_end.json))."""

READING = """\
## How to read it

An answer is asked for; it is refused where no test is known to hold ("no valid test"); else it is
given. **False alarms** are answers that find a difference where there is none, in 100 asked for;
**of those given**, in 100 given. **Missed** are the intervals that do not hold the true value, in
100 shown. **▲** more than a level that is kept gives but once in 1,000 ({level} unless another
one is stated).

"pairs" is the single reading (`--correction none`) of pairs of systems that do not depend on each
other. On a leaderboard of equal systems every exclusion of a rank is a false alarm; for
replicability every k̂ above 0, in each direction; for claims every history in which a record is
"supported". `rank` is asked with `--independent`, but for copies and shared items: there what
the store knows decides."""

HOW = """\
## How it was computed

Each scenario has a store of its own, filled by `ingest` from tables that are drawn with seed
{seed}; the answers are those of the commands. A run took {minutes:.0f} minutes of processor time.
Versions: {versions}.

The bounds of `analysis/statistics/validity_bounds.py` were then: {bounds}."""
