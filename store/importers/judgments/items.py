"""What the items of a table of judgments are called."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import SourceFile
from store.importers.columns import LINE_NUMBER
from store.importers.conllu.trees import read_sentences
from store.importers.judgments.forms import Layout
from store.importers.judgments.options import JudgmentOptions
from store.importers.key_columns import KeyReader
from store.importers.settings import Settings
from store.importers.textfile import data_suffix, read_text

_TREES = (".conll", ".conllu", ".conllx")


def content_key(text: str) -> str:
    """Return the name of an item that nothing names: the beginning of its content's fingerprint."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def item_names(
    layout: Layout,
    settings: Settings,
    options: JudgmentOptions,
    keys: KeyReader,
    understood: list[str],
) -> Sequence[str]:
    """Return the name of the item of every line of the table, and say where it is from."""
    table, roles = layout.table, layout.roles
    if options.items:
        names, file = _read_names(settings, options)
        if len(names) != len(table):
            raise ImportFormatError(
                f"it names {len(names)} items, and '{table.shown}' has {len(table)} lines.",
                path=file.path,
                field="items",
            )
        understood.append(f"Items are called as in '{file.path}'.")
        return names
    if "item" not in roles:
        understood.append("Items are called after the fingerprint of their input.")
        return [content_key(text) for text in keys.column("input")]
    if roles["item"] == LINE_NUMBER and layout.form == "workers":
        before = table.lines[0] - 1 if len(table) else 0
        understood.append("Items are called by the number of their line.")
        return [str(line - before) for line in table.lines]
    return keys.column("item")


def names_file(settings: Settings, options: JudgmentOptions) -> tuple[SourceFile, ...]:
    """Return the file that names the items, if there is one."""
    return (_read_names(settings, options)[1],) if options.items else ()


def _read_names(settings: Settings, options: JudgmentOptions) -> tuple[list[str], SourceFile]:
    """Return the names in a file: one in each line, or those of its sentences."""
    path = Path(options.items)
    if not path.is_file() and (beside := settings.path.parent / path).is_file():
        path = beside
    text, sha256 = read_text(path, options.items)
    if data_suffix(path) in _TREES:
        sentences = read_sentences(text, options.items)
        stated = [one.sent_id for one in sentences if one.sent_id]
        is_named = len(set(stated)) == len(sentences)
        names = stated if is_named else [str(i + 1) for i in range(len(sentences))]
    else:
        names = [line.strip() for line in text.splitlines() if line.strip()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ImportFormatError(f"it names '{twice}' twice.", path=options.items, field="items")
    return names, SourceFile(options.items, sha256)
