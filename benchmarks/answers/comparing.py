"""Two recordings of answers, value by value: what differs, and which of it was expected."""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from benchmarks.answers.questions import Ask, Line

ABSENT = "(absent)"


@dataclass(frozen=True)
class Difference:
    """A value that is not what it was.

    Attributes
    ----------
    store, line
        Where it was asked for, and by which command line.
    path
        Place in the answer, as ``result.rows.3.score``.
    before, after
        The two values; `ABSENT` where one of them has none.
    """

    store: str
    line: str
    path: str
    before: Any
    after: Any

    @property
    def command(self) -> str:
        """Return the first word of the command line; the first two of `power` and `export`."""
        words = shlex.split(self.line)
        return " ".join(words[: 2 if words[0] in ("power", "export", "simulate", "ls") else 1])

    @property
    def place(self) -> str:
        """Return the path without the positions in lists, and without keys that are names."""
        return ".".join("*" if part.isdigit() else part for part in self.path.split("."))

    @property
    def is_addition(self) -> bool:
        """Return whether the value is new where there was none: that breaks no contract."""
        return self.before == ABSENT


@dataclass(frozen=True)
class Expected:
    """What is expected to differ: patterns as of a shell, and the reason."""

    store: str
    line: str
    path: str
    reason: str

    def covers(self, found: Difference) -> bool:
        """Return whether the difference is one of those expected."""
        return (
            fnmatchcase(found.store, self.store)
            and fnmatchcase(found.line, self.line)
            and fnmatchcase(found.path, self.path)
        )


def read_expected(path: Path) -> list[Expected]:
    """Read lines of ``STORE :: COMMAND LINE :: PATH => REASON``; ``#`` begins a remark.

    Raises
    ------
    ValueError
        A line is not of this form.
    """
    expected = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        patterns, arrow, reason = line.partition("=>")
        parts = [part.strip() for part in patterns.split("::")]
        if not arrow or len(parts) != 3 or not reason.strip():
            raise ValueError(
                f"{path}, line {number}: write STORE :: COMMAND LINE :: PATH => REASON."
            )
        expected.append(Expected(*parts, reason.strip()))
    return expected


def differences(
    before: Any, after: Any, *, tolerance: float = 0.0, path: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Yield path, value before and value after of every leaf that differs.

    Numbers differ beyond `tolerance`, relative to the larger; 0 asks for equality to the last
    digit. Lists of unequal length are compared by their positions.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [*before, *(key for key in after if key not in before)]
        for key in keys:
            yield from differences(
                before.get(key, ABSENT),
                after.get(key, ABSENT),
                tolerance=tolerance,
                path=f"{path}.{key}" if path else str(key),
            )
    elif isinstance(before, list) and isinstance(after, list):
        for i in range(max(len(before), len(after))):
            yield from differences(
                before[i] if i < len(before) else ABSENT,
                after[i] if i < len(after) else ABSENT,
                tolerance=tolerance,
                path=f"{path}.{i}" if path else str(i),
            )
    elif not _same(before, after, tolerance):
        yield path, before, after


def _same(before: Any, after: Any, tolerance: float) -> bool:
    if isinstance(before, str) and isinstance(after, str) and before != after:
        try:
            before, after = float(before), float(after)  # the cells of an exported table
        except ValueError:
            return False
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (before, after))
    if numbers and tolerance:
        return math.isclose(before, after, rel_tol=tolerance, abs_tol=0.0)
    return type(before) is type(after) and before == after if not numbers else before == after


@dataclass(frozen=True)
class Recording:
    """A folder of answers: (store, command line) -> outcome, and what the index says."""

    answers: Mapping[tuple[str, str], Mapping[str, Any]]
    index: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Recording:
        """Read a folder that `record` wrote.

        Raises
        ------
        FileNotFoundError
            The folder holds no recording, or one that was not finished.
        """
        index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
        answers = {}
        for path in sorted(folder.glob("*/*.json")):
            outcome = json.loads(path.read_text(encoding="utf-8"))
            answers[outcome["store"], shlex.join(outcome["line"])] = outcome
        return cls(answers, index)

    def asked(self, store: str) -> Ask:
        """Return a function from a command line to its `result`, None where it was refused.

        It raises `KeyError` for a line that was not asked.
        """

        def ask(line: Line) -> Any:
            answer = self.answers[store, shlex.join(line)]["answer"]
            return answer["result"] if isinstance(answer, dict) else None

        return ask


def compare(before: Recording, after: Recording, *, tolerance: float = 0.0) -> list[Difference]:
    """Return what differs between two recordings, over the questions that both should hold.

    A question that one of them did not ask, for it was quick or lacked the files, is left out;
    one that vanished otherwise differs as a whole.
    """
    partial = before.index["quick"] or after.index["quick"]
    stores = {*before.index["stores"]} & {*after.index["stores"]}
    found = []
    for key in sorted({*before.answers, *after.answers}):
        store, line = key
        if store not in stores:
            continue
        if key not in before.answers or key not in after.answers:
            if not partial:
                there = key in before.answers
                sides = ("answered", ABSENT) if there else (ABSENT, "answered")
                found.append(Difference(store, line, "", *sides))
            continue
        was, now = _compared(before.answers[key]), _compared(after.answers[key])
        found += [
            Difference(store, line, path, *values)
            for path, *values in differences(was, now, tolerance=tolerance)
        ]
    return found


def _compared(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of an answer is held against another: not the line itself."""
    answer = outcome["answer"]
    parts = {key: outcome[key] for key in ("exit_code", "message") if key in outcome}
    return {**parts, **(answer if isinstance(answer, dict) else {"rows": answer})}


def summary(
    found: Iterable[Difference], expected: Iterable[Expected] = (), examples: int = 1
) -> tuple[list[str], int]:
    """Return the lines of a report, and how many differences nobody expected.

    Differences are grouped by command and place; additions are counted and never held against.
    """
    rules = list(expected)
    reasons: Counter[str] = Counter()
    groups: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    additions: Counter[str] = Counter()
    for difference in found:
        if difference.is_addition:
            additions[f"{difference.command}: {difference.place}"] += 1
            continue
        rule = next((rule for rule in rules if rule.covers(difference)), None)
        if rule is None:
            groups[difference.command, difference.place].append(difference)
        else:
            reasons[rule.reason] += 1
    lines: list[str] = []
    by_command = Counter(command for command, _ in groups for _ in groups[command, _])
    for command, total in sorted(by_command.items()):
        lines.append(f"{command}: {total:,} values differ")
        for (owner, place), members in sorted(groups.items()):
            if owner != command:
                continue
            lines.append(f"  {len(members):>7,} × {place or 'the whole answer'}")
            for one in members[:examples]:
                lines.append(
                    f"            {one.store}: {one.line}\n"
                    f"            {one.path}: {_shown(one.before)} → {_shown(one.after)}"
                )
    lines += [f"expected, {reason}: {count:,} values" for reason, count in sorted(reasons.items())]
    if additions:
        lines.append(f"new, without harm: {sum(additions.values()):,} values in {len(additions)}")
        lines += [f"  {count:>7,} × {name}" for name, count in additions.most_common(20)]
    unexpected = sum(by_command.values())
    lines.append(f"{unexpected:,} values differ that nobody expected.")
    return lines, unexpected


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "…"
