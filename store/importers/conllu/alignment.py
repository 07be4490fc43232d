"""Whether a predicted file has the sentences and words of the gold file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from store.errors import AlignmentError
from store.importers.conllu.trees import Sentence

_PLACEHOLDER = re.compile(r"<\w+>")
"""What a parser writes instead of a word: MSTParser ``<num>``."""
_ESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"',
}  # fmt: skip
_HINT = (
    " Sentences and words must be those of the gold file. A parser that is run on raw text (its "
    "files are often called *.rawtext.conllu) splits them anew: let it parse the words of the gold "
    "file."
)


def require_aligned(
    gold: Sequence[Sentence],
    predicted: Sequence[Sentence],
    *,
    gold_shown: str,
    shown: str,
    checks_forms: bool,
) -> int:
    """Check that two files have the same sentences, in the same order.

    Returns
    -------
    How many words the predicted file writes as a placeholder, escaped or composed otherwise.

    Raises
    ------
    AlignmentError
        The number of sentences differs, or a sentence has other words; the sentence, the line and
        both words are named.
    """
    n_other = 0
    for number, (one, other) in enumerate(zip(gold, predicted, strict=False), start=1):
        name = f"sentence {number}" + (f" ('{one.sent_id}')" if one.sent_id else "")
        where = f"{gold_shown}, line {one.line}"
        words = [(a.form, b.form, b.line) for a, b in zip(one.tokens, other.tokens, strict=False)]
        differing = next((each for each in words if not _is_same(*each[:2])), None)
        if checks_forms and differing:
            reason = f"{name}: the word '{differing[1]}' is '{differing[0]}' in {where}."
            escape = " If they are the same words written otherwise: --option forms=ignore."
            is_short = len(one.tokens) == len(other.tokens)
            hint = _HINT + (escape if is_short else "")
            raise AlignmentError(reason + hint, path=shown, line=differing[2], field="FORM")
        if len(one.tokens) != len(other.tokens):
            reason = f"words in {name}: {len(other.tokens)}, but {len(one.tokens)} in {where}."
            raise AlignmentError(reason + _HINT, path=shown, line=other.line, field="ID")
        n_other += sum(a != b for a, b, _ in words)
    if len(gold) != len(predicted):
        reason = f"sentences: {len(predicted):,}, but {len(gold):,} in {gold_shown}."
        raise AlignmentError(reason + _HINT, path=shown)
    return n_other


def _is_same(gold: str, predicted: str) -> bool:
    if gold == predicted or _PLACEHOLDER.fullmatch(predicted):
        return True
    return _plain(gold) == _plain(predicted)


def _plain(form: str) -> str:
    composed = unicodedata.normalize("NFC", form)
    return _ESCAPED.get(composed, composed)
