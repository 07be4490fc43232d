"""Numbers that took long, kept in the store under the data that they rest on.

They outlive imports of other data, unlike the answers of `analysis.studies.kept_answers`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from analysis.statistics.results import Result
from analysis.statistics.signature import METHOD_VERSION
from analysis.studies.packing import pack, unpack
from store.engine import Store
from store.results_cache import load_result, save_result

R = TypeVar("R", bound=Result)


def kept(
    store: Store,
    question: str,
    arguments: Mapping[str, Any],
    fingerprint: str,
    kind: type[R],
    compute: Callable[[], R],
) -> R:
    """Return the stored answer to a question, or compute and store it.

    Parameters
    ----------
    store
        Where the answer is kept; a read-only or busy store keeps nothing.
    question, arguments, fingerprint
        What was asked, with what settings, of what data: together they are the key, with the
        version of the statistics.
    kind
        Class of the result.
    compute
        How to get it.
    """
    key = json.dumps(
        [question, dict(arguments), fingerprint, METHOD_VERSION], sort_keys=True, default=str
    )
    stored = load_result(store, key)
    if stored is not None:
        try:
            found = unpack(stored)
        except ValueError:
            pass  # written by another version or damaged: computed again
        else:
            if isinstance(found, kind):
                return found
    result = compute()
    said = {**arguments, "method_version": METHOD_VERSION}
    save_result(store, key, pack(result), question=question, arguments=said)
    return result
