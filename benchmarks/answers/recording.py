"""Ask every question of every store, in one process, and keep each answer in a file of its own."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.answers.questions import Line, questions
from benchmarks.answers.stores import FOLDER, STORES, AnsweredStore
from dashboard.cli import app

INDEX = "index.json"
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.+:Z]*")

_NEW_EACH_TIME = ("uid", "actor", "chain_hash", "audit_head")


def record(
    folder: Path,
    *,
    quick: bool = False,
    only: Sequence[str] = (),
    stores: Iterable[AnsweredStore] = STORES,
    tell: io.TextIOBase | Any = sys.stderr,
) -> None:
    """Record all answers into a folder, in place of those that it holds; or those of some stores.

    Each file holds `store`, `line`, `exit_code`, `answer` (the JSON object, without what is new in
    every store: uids and times) and `message`, where the command refused. ``index.json`` holds the
    names of the stores and the seconds of each answer.
    """
    folder = folder.absolute()
    if not only:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    index: dict[str, Any] = {"quick": quick, "stores": [], "seconds": {}}
    if (folder / INDEX).exists():
        index = {**json.loads((folder / INDEX).read_text("utf-8")), "quick": quick}
    with tempfile.TemporaryDirectory() as place, inside(Path(place)):
        for store in stores:
            if only and store.name not in only:
                continue
            if store.missing:
                print(
                    f"{store.name}: left out, {store.missing[0]} is not there.",
                    file=tell,
                )
                continue
            shutil.rmtree(folder / store.name, ignore_errors=True)
            for name in [name for name in index["seconds"] if name.startswith(f"{store.name}: ")]:
                del index["seconds"][name]
            _record_store(folder, store, index, quick=quick, tell=tell)
            index["stores"] = sorted({*index["stores"], store.name})
            _write(folder / INDEX, index)


def _record_store(
    folder: Path, store: AnsweredStore, index: dict[str, Any], *, quick: bool, tell: Any
) -> None:
    began = time.perf_counter()
    for line in store.lines():
        made = run(store.name, tuple(line), as_json=False)
        if made["exit_code"] != 0:
            raise SystemExit(f"{store.name} cannot be made: {shlex.join(line)}\n{made['message']}")
    kept: dict[Line, dict[str, Any]] = {}

    def answered(line: Line) -> dict[str, Any]:
        if line not in kept:
            started = time.perf_counter()
            kept[line] = run(store.name, line)
            index["seconds"][f"{store.name}: {shlex.join(line)}"] = round(
                time.perf_counter() - started, 4
            )
        return kept[line]

    def ask(line: Line) -> Any:
        answer = answered(line)["answer"]
        return answer["result"] if isinstance(answer, dict) else None

    (folder / store.name).mkdir()
    for line in questions(store, ask, quick=quick):
        answered(line)
    for line, outcome in kept.items():
        _write(folder / store.name / file_name(line), outcome)
    seconds = time.perf_counter() - began
    print(f"{store.name}: {len(kept):,} answers in {seconds:.0f} s", file=tell)


def run(store: str, line: Line, *, as_json: bool = True) -> dict[str, Any]:
    """Run a command line in this process; return what it answered, in a form that can be kept."""
    words = [*line, "--json"] if as_json and line[0] != "export" else list(line)
    arguments = ["--store", f"{store}.db", *words]
    out, messages = io.StringIO(), io.StringIO()
    outcome: dict[str, Any] = {
        "store": store,
        "line": list(line),
        "exit_code": 0,
        "answer": None,
    }
    given, sys.argv = sys.argv, ["tiebreak", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
            app(arguments, prog_name="tiebreak")
    except SystemExit as ended:
        outcome["exit_code"] = ended.code or 0
    except Exception as error:  # what a person sees as a traceback is an answer too
        outcome["exit_code"] = f"{type(error).__name__}: {error}"
    finally:
        sys.argv = given
    if outcome["exit_code"] not in (0, 1):
        outcome["message"] = " ".join(messages.getvalue().split())
    text = out.getvalue().replace(f"{FOLDER}/", "@")  # another checkout stands elsewhere
    if as_json and text:
        outcome["answer"] = lasting(_parsed(line, text))
    return outcome


def _parsed(line: Line, text: str) -> Any:
    if line[0] == "export":
        return list(csv.DictReader(io.StringIO(text)))
    return json.loads(text)


def lasting(value: Any) -> Any:
    """Return an answer without what is new in every store: uids, times, the actor, hashes."""
    if isinstance(value, dict):
        return {
            key: lasting(part)
            for key, part in value.items()
            if not (key in _NEW_EACH_TIME or key.endswith(("_uid", "_uids", "uids")))
        }
    if isinstance(value, list):
        return [lasting(part) for part in value]
    if isinstance(value, str) and _STAMP.search(value):
        return _STAMP.sub("(time)", value)
    return value


def file_name(line: Sequence[str]) -> str:
    """Return the name of the file that keeps the answer to a command line."""
    text = shlex.join(line)
    readable = re.sub(r"[^\w.=-]+", "_", text)[:80].strip("_")
    return f"{readable}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder, with no store and no actor of the surroundings."""
    surroundings, before = dict(os.environ), Path.cwd()
    os.environ.pop("TIEBREAK_STORE", None)
    os.environ["TIEBREAK_ACTOR"] = "answers"
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(surroundings)
