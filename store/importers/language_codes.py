"""Codes of languages in the names of files: what differs in them alone is of several datasets."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from store.importers.metric_registry import words_of

_CODES = words_of(
    """af am ar as az be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu ha he hi hr hu hy
    id ig is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms mt my nb ne nl nn no or pa pl ps pt ro
    ru rw si sk sl so sq sr sv sw ta te th tk tl tr tt uk ur uz vi xh yo zh zu eng deu ger fra fre
    spa ita por rus ces cze pol tur ara zho chi jpn kor hin ben hun fin swe nld dut dan nor ell gre
    ron rum ukr bul hrv srp slk slv est lav lit lat mon heb fas per urd tam tel mar guj pan vie tha
    ind msa swa yor hau ibo zul xho amh som"""
)
_WORD = re.compile(r"[^\W_]+")


def are_languages(names: Collection[str]) -> bool:
    """Return whether names are codes of two languages or more: ``en``, ``fr``."""
    return len(names) > 1 and all(name.lower() in _CODES for name in names)


def split_language(name: str, others: Sequence[str]) -> tuple[str, str] | None:
    """Return a name without the code of a language in it, and that; ``None`` where it has none.

    One of the `others` must be the same but for the code: ``svm_en`` beside ``svm_fr``.
    """
    for found in reversed(list(_WORD.finditer(name))):
        before, after = name[: found.start()], name[found.end() :]
        rest = f"{before.rstrip('_-. ')}{after}" if before else after.lstrip("_-. ")
        if found[0].lower() not in _CODES or not rest:
            continue
        for other in others:
            code = other[len(before) : len(other) - len(after)]
            is_alike = other.startswith(before) and other.endswith(after)
            if is_alike and code != found[0] and code.lower() in _CODES:
                return rest, found[0]
    return None
