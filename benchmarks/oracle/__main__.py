"""`python -m benchmarks.oracle`: draw new data, ask R and ourselves, hold the values together."""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.answers.recording import inside
from benchmarks.oracle import ours
from benchmarks.oracle.cases import draw_cases, draw_family, draw_judged, draw_plans
from benchmarks.oracle.comparing import ON_PURPOSE, compare
from benchmarks.oracle.reference import ask_r, write_cases


def main(arguments: list[str] | None = None) -> int:
    """Return 1 where a value disagrees, or a command refuses; 0 otherwise, and without R."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracle", description=__doc__)
    parser.add_argument("--seed", type=int, help="of the data; by default a new one")
    parser.add_argument("--repeats", type=int, default=1, help="cases of each kind")
    parser.add_argument("--kinds", default="", help="only these kinds, separated by commas")
    parser.add_argument("--most", type=int, default=60, help="disagreements to print")
    chosen = parser.parse_args(arguments)
    if shutil.which("Rscript") is None:
        print("R not found: skipped. On Debian: apt-get install r-base-core.")
        return 0
    seed = secrets.randbelow(2**31) if chosen.seed is None else chosen.seed
    print(f"seed {seed}: `python -m benchmarks.oracle --seed {seed}` draws the same data")
    kinds = tuple(filter(None, chosen.kinds.split(",")))
    cases = [
        case
        for case in draw_cases(seed, chosen.repeats)
        if not kinds or case.name.rpartition("-")[0] in kinds
    ]
    family, judged, plans = draw_family(seed), draw_judged(seed), draw_plans(seed)
    refusals: list[ours.Refused] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        began = time.perf_counter()
        write_cases(folder, cases, family, judged, plans)
        reference = ask_r(folder)
        print(f"R: {len(reference):,} values in {time.perf_counter() - began:.0f} s", flush=True)
        began = time.perf_counter()
        with inside(folder):
            ours.fill("cases", cases)
            ours.fill("family", family.cases)
            ours.fill_judged("judged", judged)
            values = [
                value for case in cases for value in ours.of_case("cases", case, refusals.append)
            ]
            values += ours.of_family("family", family, refusals.append)
            values += ours.of_judged("judged", judged, refusals.append)
            values += ours.of_plans(plans, refusals.append)
        print(f"ours: {len(values):,} values in {time.perf_counter() - began:.0f} s")
    outcome = compare(reference, values)
    for line in outcome.disagreements[: chosen.most]:
        print(line)
    if len(outcome.disagreements) > chosen.most:
        print(f"… and {len(outcome.disagreements) - chosen.most:,} more")
    for refusal in refusals[: chosen.most]:
        print(f"refused: {refusal}")
    for reason in dict.fromkeys(rule.reason for rule in ON_PURPOSE):
        print(f"on purpose, {outcome.on_purpose[reason]:,} values: {reason}")
    without = ", ".join(f"{kind} {n}" for kind, n in outcome.without_reference.most_common())
    print(f"given by us and not by R: {without or 'none'}")
    print(
        f"{outcome.n_compared:,} values compared, {len(outcome.disagreements):,} disagree beyond "
        f"rounding, {sum(outcome.on_purpose.values()):,} differ on purpose, "
        f"{len(refusals):,} refused."
    )
    return 1 if outcome.disagreements or refusals else 0


if __name__ == "__main__":
    sys.exit(main())
