"""`python -m benchmarks`: run every benchmark and hold its ratio against its gate."""

from __future__ import annotations

import sys

from benchmarks import statistics, store


def main() -> int:
    """Print name, ratio and gate of every benchmark; return 1 when one misses its gate."""
    missed = 0
    for name, ratio, gate in [*store.run(), *statistics.run()]:
        ok = ratio <= gate
        missed += not ok
        print(f"{name:<66} {ratio:8.3f} × peer   gate {gate:g}   {'ok' if ok else 'MISSED'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
