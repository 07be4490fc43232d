"""Results of promptfoo: JSON of versions 1 to 4, and the table that it exports."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from store.errors import ImportFormatError, NoResultsError
from store.importers.places import folder_name
from store.importers.recipes.documents import Document
from store.importers.recipes.paths import as_words
from store.importers.textfile import peek_json

_COLUMN = re.compile(r"\[([^\]]+)\]\s*(.*)", re.DOTALL)
_CELL = re.compile(
    r"\[(PASS|FAIL|ERROR)\]\s*(?:\((-?[\d.]+)((?:, [^\n]+: -?[\d.]+)*)\))?\s*(.*)", re.DOTALL
)
"""``[PASS] (0.74, Correct: 1.00, Length: 0.47)`` and the output."""
_NAMED = re.compile(r", ([^\n]+?): (-?[\d.]+)")
_AGAIN = re.compile(r" \(\d+\)$")
"""What is put behind a column's name that comes again."""
_AS_JSON: Final = '{"raw":'
_METRIC: Final = "Metric: "
_CALLED: Final = 40
"""Characters of a prompt's label that is short enough to be its name."""
_ERROR: Final = 2


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{rows, description, evaluated_on, …}``, one row for each test, provider, prompt."""
    if document.kind == "table":
        rows = _of_table(document.columns, document.content)
        _require_own(rows, path, document.shown)
        return {"rows": rows, "system": folder_name(path)}
    top = {"results": document.content} if document.kind == "lines" else _mapping(document.content)
    held = top.get("results")
    summary = held if isinstance(held, dict) else top
    results = [row for row in summary.get("results") or [] if isinstance(row, dict)]
    config = _mapping(top.get("config"))
    named = _names([_prompt(row) for row in results])
    providers = config.get("providers")
    rows = [
        _row(row, named[_prompt(row)], number)
        for number, row in zip(_tests(results), results, strict=True)
    ]
    if document.kind != "json":
        _require_own(rows, path, document.shown)
    return {
        "rows": rows,
        "system": _only(providers) or folder_name(path),
        "description": config.get("description"),
        "evaluated_on": summary.get("timestamp") or top.get("createdAt"),
        "version": _mapping(top.get("metadata")).get("promptfooVersion"),
        "providers": providers,
    }


def _require_own(rows: Sequence[Mapping[str, Any]], path: Path, shown: str) -> None:
    """Raise where JSON of the same name beside a table has the same verdicts, and more."""
    twin = path.with_suffix(".json")
    try:
        top = _mapping(peek_json(twin)) if twin.is_file() else {}
    except ImportFormatError:
        return
    held = _mapping(top.get("results")).get("results") or top.get("results")
    verdicts = [_mapping(row).get("success") for row in held] if isinstance(held, list) else []
    if verdicts and Counter(verdicts) == Counter(row["pass"] for row in rows):
        raise NoResultsError(f"a copy of what {twin.name} beside it has.", path=shown)


def _only(providers: Any) -> str | None:
    """Return the provider of a configuration that has a single one."""
    listed = providers if isinstance(providers, list) else [providers]
    first = listed[0] if len(listed) == 1 else None
    named = _mapping(first).get("label") or _mapping(first).get("id") or first
    return named if isinstance(named, str) else None


def _prompt(row: Mapping[str, Any]) -> str:
    """Return the template of a row's prompt."""
    prompt = row.get("prompt")
    if not isinstance(prompt, dict):
        return str(prompt or row.get("promptIdx", ""))
    label = prompt.get("label") or prompt.get("display") or ""
    return str(label or row.get("promptIdx") or prompt.get("id") or "")


def _names(prompts: Sequence[str]) -> dict[str, str | None]:
    """Return prompt -> what it is called: its label or number; nothing if there is only one."""
    found = list(dict.fromkeys(prompts))
    if len(found) == 1:
        return {found[0]: None}
    return {
        prompt: prompt if 0 < len(prompt) <= _CALLED and "\n" not in prompt else f"prompt {n}"
        for n, prompt in enumerate(found, start=1)
    }


def _row(row: Mapping[str, Any], prompt: str | None, number: int) -> dict[str, Any]:
    provider, response = row.get("provider"), row.get("response")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    usage = _mapping(_mapping(response).get("tokenUsage") or row.get("tokenUsage"))
    response = _mapping(response)
    test = _mapping(row.get("testCase"))
    variables = _mapping(row.get("vars") or test.get("vars"))
    text = _input(variables)
    is_error = row.get("failureReason") == _ERROR or (
        "failureReason" not in row and bool(row.get("error")) and not row.get("gradingResult")
    )
    return {
        "item": (text or number) if "testIdx" not in row else number,
        "provider": provider,
        "prompt": prompt,
        "input": text,
        "output": as_words(response.get("output")),
        "state": "error" if is_error else None,
        "pass": row.get("success"),
        "score": row.get("score"),
        "named": row.get("namedScores") or {},
        "latency_ms": row.get("latencyMs"),
        "cost": row.get("cost", response.get("cost")),
        "total_tokens": usage.get("total"),
        "description": test.get("description"),
        "metadata": test.get("metadata"),
    }


def _tests(results: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the number of each row's test, or of the row where none is said.

    ``--repeat`` numbers each repeat of a test as a test of its own: where all tests come several
    times, alike, they are numbered anew.
    """
    numbers = [row.get("testIdx", n) for n, row in enumerate(results)]
    if any("testIdx" not in row for row in results):
        return numbers
    tests = [json.dumps([row.get("testCase"), row.get("vars")], sort_keys=True) for row in results]
    seen: dict[str, set[Any]] = {}
    for test, number in zip(tests, numbers, strict=True):
        seen.setdefault(test, set()).add(number)
    if any(len(of_test) == 1 for of_test in seen.values()):
        return numbers
    first = {test: n for n, test in enumerate(sorted(seen, key=lambda one: min(seen[one])))}
    return [first[test] for test in tests]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _input(variables: Mapping[str, Any]) -> str | None:
    """Return the variables of a test as a text: a single one as it is, else all with names."""
    if len(variables) == 1:
        return as_words(next(iter(variables.values())))
    return as_words(dict(variables))


def _of_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each cell that holds an output.

    Today a column of outputs is followed by its status, scores and reasons; older ones have the
    verdict in the cell. What stands before the first one are the variables of the test, in the
    first versions what stands behind the last one.
    """
    starts = [n for n, name in enumerate(columns) if _is_judged(columns, rows, n)]
    named = _names([_template(columns[n]) for n in starts])
    variables = columns[: min(starts, default=0)] or columns[max(starts, default=0) + 1 :]
    found = []
    inputs = [_input({name: row[name] for name in variables if row[name]}) for row in rows]
    for number, text, row in zip(_lines(inputs), inputs, rows, strict=True):
        for start, end in zip(starts, [*starts[1:], len(columns)], strict=True):
            head = _head(columns[start])
            about = {_AGAIN.sub("", name): row[name] for name in columns[start + 1 : end]}
            verdict = _verdict(str(row[columns[start]] or ""), about)
            if head is not None and verdict is not None:
                found.append(
                    {
                        "item": text or number if head.provider is None else number,
                        "provider": head.provider,
                        "prompt": named[_template(columns[start])],
                        "input": text,
                        **verdict,
                    }
                )
    return found


def _lines(inputs: Sequence[str | None]) -> list[int]:
    """Return the number of each line's test: all lines that come equally often are repeats."""
    times = Counter(inputs)
    if None in times or len(set(times.values())) > 1 or set(times.values()) == {1}:
        return list(range(len(inputs)))
    first = {text: n for n, text in enumerate(times)}
    return [first[text] for text in inputs]


class _Head(NamedTuple):
    """What the header of a column of outputs names."""

    provider: str | None
    template: str


def _head(column: str) -> _Head | None:
    """Return provider and prompt; the first versions wrote both, or the prompt alone, as JSON."""
    if match := _COLUMN.fullmatch(_AGAIN.sub("", column)):
        return _Head(match[1], match[2])
    if not column.startswith(_AS_JSON):
        return None
    try:
        said = _mapping(json.loads(column))
    except (ValueError, RecursionError):
        return None
    return _Head(as_words(said.get("provider")) or None, str(said.get("display")))


def _template(column: str) -> str:
    head = _head(column)
    return column if head is None else head.template


def _is_judged(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], n: int) -> bool:
    """Return whether a column holds outputs: its header names a prompt, verdicts are stated."""
    if _head(columns[n]) is None:
        return False
    if n + 1 < len(columns) and _AGAIN.sub("", columns[n + 1]) == "Status":
        return True
    return any(_CELL.match(str(row[columns[n]] or "").strip()) for row in rows[:50])


def _verdict(cell: str, about: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return verdict, score and output of a cell; ``None`` where nothing was asked."""
    if "Status" in about:
        status, score, output = str(about["Status"]), about.get("Score"), cell
        named = {
            name.removeprefix(_METRIC): value
            for name, value in about.items()
            if name.startswith(_METRIC)
        }
    else:
        match = _CELL.match(cell.strip())
        if match is None:
            return None
        status, score, scores, output = match.groups()
        named = dict(_NAMED.findall(scores or ""))
    if status not in ("PASS", "FAIL", "ERROR"):
        return None
    return {
        "state": "error" if status == "ERROR" else None,
        "pass": status == "PASS",
        "score": None if score in (None, "") else score,
        "named": named,
        "output": output,
    }
