"""Answers that took long, kept whole in the store for whoever asks again: page, command, HTTP.

The key is the question with all its settings, the store's revision, the last change of tags and
notes of systems and datasets, and the product's code. So an import empties the shelf; numbers that
are worth more than that are kept by themselves, under the data that they rest on: see
`analysis.studies.kept_results`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from analysis.question import Progress, Question
from analysis.statistics.signature import METHOD_VERSION
from analysis.studies.packing import pack, unpack
from analysis.studies.study import Study
from analysis.workers.parts import cpu_s_elsewhere
from store.engine import Store
from store.results_cache import load_result, save_result
from store.version import VERSION

A = TypeVar("A", bound=Study)

WORTH_KEEPING_S: Final = 0.3
"""CPU seconds; what takes less is computed again."""
_TOP: Final = Path(__file__).resolve().parents[2]


def kept_answer(asked: Question[A], store: Store, progress: Progress | None = None) -> A:
    """Return the answer to a question about a store: the kept one, or a new one.

    Raises
    ------
    StoreError
        What is asked for does not exist, or cannot be answered.
    """
    if not asked.is_kept_whole:
        return asked.answer(store, progress)
    arguments = dataclasses.asdict(cast("Any", asked))
    name = type(asked).__qualname__
    return kept(store, name, asked.name, arguments, lambda: asked.answer(store, progress))


def kept(
    store: Store,
    key: str,
    question: str,
    arguments: dict[str, Any],
    make: Callable[[], A],
    holds: Callable[[A], bool] = lambda _: True,
) -> A:
    """Return what was made of `arguments` before, or make it now.

    Parameters
    ----------
    key, question
        What is asked, for programs and for people.
    make
        Called where nothing is kept.
    holds
        Whether what was made would be made again.
    """
    state = (store.revision(), store.last_label())
    version = [VERSION, METHOD_VERSION, _code()]
    full = json.dumps([key, arguments, state, *version], sort_keys=True, default=str)
    stored = load_result(store, full)
    if stored is not None:
        try:
            found = unpack(stored)
        except ValueError:
            pass  # damaged, or not written by us: computed again
        else:
            if isinstance(found, Study):
                return cast("A", found)
    began = _cpu_s()
    answer = make()
    if _cpu_s() - began >= WORTH_KEEPING_S and holds(answer):
        _keep(store, full, answer, f"answer: {question}", arguments)
    return answer


def _cpu_s() -> float:
    """Return the CPU seconds that this process and workers elsewhere have spent."""
    return time.process_time() + cpu_s_elsewhere()


def _keep(store: Store, key: str, answer: Study, question: str, arguments: dict[str, Any]) -> None:
    try:
        packed = pack(answer)
    except TypeError:
        return
    said = {**arguments, "method_version": METHOD_VERSION}
    save_result(store, key, packed, question=question, arguments=said)


@cache
def _code() -> str:
    """Return what changes with the code that answers, words too."""
    stamp = hashlib.blake2b(digest_size=16)
    for room in ("analysis", "store"):
        for path in sorted((_TOP / room).rglob("*.py")):
            status = path.stat()
            stamp.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return stamp.hexdigest()
