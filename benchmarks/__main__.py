"""`python -m benchmarks`: run every benchmark and hold its ratio against its gate."""

from __future__ import annotations

import sys

from benchmarks import (
    all_pairs,
    claims,
    long_tables,
    metrics_humans,
    pair_tests,
    power,
    ranking,
    replicability,
    statistics,
    store,
)


def main() -> int:
    """Print name, ratio and gate of every benchmark; return 1 when one misses its gate."""
    missed = 0
    parts = (
        store,
        long_tables,
        statistics,
        all_pairs,
        pair_tests,
        replicability,
        ranking,
        power,
        claims,
        metrics_humans,
    )
    for name, ratio, gate in (row for part in parts for row in part.run()):
        ok = ratio <= gate
        missed += not ok
        print(f"{name:<78} {ratio:9.5f} ×   gate {gate:<8.5g} {'ok' if ok else 'MISSED'}")
    for what, exponent in all_pairs.growth():
        print(f"all pairs, time grows with {what}: exponent {exponent:.2f}")
    for what, mebibytes in all_pairs.peak_memory().items():
        print(f"all pairs, S100 n14042, {what}: {mebibytes:.0f} MiB more at the peak")
    for what, exponent in replicability.growth():
        print(f"k̂ of all pairs, time grows with {what}: exponent {exponent:.2f}")
    for what, mebibytes in replicability.peak_memory().items():
        print(f"k̂ of all pairs, S100 N60 n2000, {what}: {mebibytes:.0f} MiB more at the peak")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
