"""What a table of judgments does not hold, so that nothing is left out without a word."""

from __future__ import annotations

from collections.abc import Iterable

from store.errors import ImportFormatError
from store.importers.judgments.choices import Preferences
from store.importers.judgments.forms import Layout
from store.importers.judgments.rows import RowReader
from store.importers.judgments.scales import Ratings

_MOST_NAMED = 8


def unjudged(rows: RowReader, layout: Layout, found: Ratings | Preferences) -> list[str]:
    """Return a sentence each for the lines, annotators and items that bring no judgment."""
    judgments = found.ratings if isinstance(found, Ratings) else found.preferences
    told = _empty(rows, layout, found) if isinstance(found, Ratings) else []
    heard = {one.annotator for one in judgments}
    annotators = layout.values if layout.form == "workers" else [row.annotator for row in rows.rows]
    silent = [name for name in dict.fromkeys(annotators) if name and name not in heard]
    if silent:
        told.append(f"Judged nothing, and not kept: {_listed(silent)}.")
    datasets = [criterion.dataset for criterion in found.criteria]
    judged = {(datasets[one.criterion], one.item) for one in judgments}
    bare = [
        key
        for dataset, names in enumerate(rows.items)
        for item, key in enumerate(names)
        if (dataset, item) not in judged
    ]
    if bare:
        are = "1 item was" if len(bare) == 1 else f"{len(bare):,} items were"
        told.append(f"{are} judged by nobody, and kept as items: {_listed(bare)}.")
    return told


def no_judgment(found: Ratings | Preferences, shown: str) -> ImportFormatError:
    """Return the error for a table in which nothing is left to keep."""
    reason = "the table holds no judgment: every cell is empty."
    if isinstance(found, Ratings) and found.missing_words:
        words = _listed(sorted(map(repr, found.missing_words)))
        reason = f"the table holds no judgment: its cells say {words}, which is no rating."
    elif isinstance(found, Preferences) and found.n_with_itself:
        reason = "the table holds no judgment: every line compares a system with itself"
        reason += " or holds no choice." if found.n_empty else "."
    return ImportFormatError(reason, path=shown)


def _empty(rows: RowReader, layout: Layout, found: Ratings) -> list[str]:
    n_missing = found.n_missing + rows.n_empty
    if not n_missing:
        return []
    what = "line" if layout.form == "long" else "cell"
    said = [repr(word) for word in sorted(found.missing_words)]
    if rows.n_empty:
        said.append("nothing")
    holds = f"1 {what} holds" if n_missing == 1 else f"{n_missing:,} {what}s hold"
    return [f"{holds} no rating (but {_listed(said)}): nothing was judged there."]


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _MOST_NAMED:,} more" if len(listed) > _MOST_NAMED else ""
    return ", ".join(listed[:_MOST_NAMED]) + more
