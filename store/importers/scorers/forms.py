"""What a plain file holds, judged by its first lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from store.errors import ImportFormatError
from store.importers.scorers.correlation import number_of
from store.importers.textfile import decode, read_bytes

Form = Literal["tags", "inflection", "text", "other"]
"""Tagged words, word forms with features, lines of text, or none of these."""

_ENOUGH = 1 << 16
_BLANKS = re.compile(r"[\t ]+")
SPAN_TAG = re.compile(r"O|[BIESLUM]-\S+")
_WORD_TAG = re.compile(r"[A-Z][A-Z0-9$+|=-]{0,11}|[.,:;`'\"#$()!?-]{1,5}|``|''")
_FEATURES = re.compile(r"[A-Z][A-Za-z0-9+/.(){},*_:-]*(;[A-Za-z0-9+/.(){},*_:-]+)+|[A-Z]{1,5}")
_MARKUP = re.compile(r"\s*(\{\s*[\"}]|\[\s*[\[{\"\]]|<\?xml|<!doctype|<html|<mteval|<refset)", re.I)


def form_of(path: Path) -> Form:
    """Return what a file holds. Never raises."""
    try:
        stat = path.stat()
        return _form_of(path, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return "other"


@lru_cache(maxsize=4096)
def _form_of(path: Path, stamp: int, size: int) -> Form:
    try:
        if size > _ENOUGH and path.suffix != ".gz":
            with path.open("rb") as file:
                data = file.read(_ENOUGH)
            data = data[: data.rfind(b"\n") + 1] or data
        else:
            data = read_bytes(path, path.name).data[:_ENOUGH]
            data = data[: data.rfind(b"\n") + 1] or data
        text = decode(data, path.name)
    except (ImportFormatError, OSError):
        return "other"
    return form_of_text(text)


def form_of_text(text: str) -> Form:
    """Return what a text holds."""
    if _MARKUP.match(text):
        return "other"
    lines = text.rstrip("\n").split("\n")
    filled = [line.rstrip("\r") for line in lines if line.strip()]
    if _are_tags(filled, has_blank=len(filled) < len(lines)):
        return "tags"
    if all("\t" in line for line in filled):
        return "inflection" if _are_inflections(filled) else "other"
    is_numbers = all(number_of(line) == number_of(line) for line in filled)
    return "other" if is_numbers else "text"


def _are_tags(lines: list[str], *, has_blank: bool) -> bool:
    if any(line.startswith("-DOCSTART-") for line in lines[:3]):
        return True
    rows = [_BLANKS.split(line.strip(" ")) for line in lines if not line.startswith("# ")]
    widths = {len(row) for row in rows}
    if not rows or min(widths) < 2 or max(widths) > 8 or len(widths) > 2:
        return False
    tags = [row[-1] for row in rows]
    if all(SPAN_TAG.fullmatch(tag) for tag in tags) and (has_blank or set(tags) != {"O"}):
        return True
    return has_blank and len(widths) == 1 and all(_WORD_TAG.fullmatch(tag) for tag in tags)


def _are_inflections(lines: list[str]) -> bool:
    rows = [line.split("\t") for line in lines]
    if {len(row) for row in rows} - {3, 4}:
        return False
    return any(are_features([row[column] for row in rows]) for column in (1, 2))


def are_features(cells: Sequence[str]) -> bool:
    """Return whether a column holds features of words, as ``N;NOM;PL``."""
    n_fitting = sum(bool(_FEATURES.fullmatch(cell)) for cell in cells)
    return 2 * sum(";" in cell for cell in cells) > len(cells) and n_fitting > 0.9 * len(cells)
