"""The trees of a gold file and of a predicted one, laid beside each other as arrays."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from store.importers.bundle import FloatArray
from store.importers.conllu.trees import Sentence

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
StrArray = npt.NDArray[np.str_]

SUBTYPE_MARK = ":"
UNSTATED = "_"


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The tokens of all sentences of a file, one after the other."""

    start: IntArray
    """Shape (n_sentences + 1,): number of each sentence's first token, and that of all tokens."""
    head: IntArray
    """Shape (n_tokens,): number of the head among all tokens; ``n_tokens`` is the root of all."""
    label: StrArray
    """Shape (n_tokens,)."""

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.head)

    def local_heads(self, sentence: int) -> list[int]:
        """Return the heads of a sentence, from 0 within it; -1 is the root."""
        low, high = int(self.start[sentence]), int(self.start[sentence + 1])
        heads = self.head[low:high]
        local: list[int] = np.where(heads == self.n_tokens, -1, heads - low).tolist()
        return local


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """A gold and a predicted tree for each sentence; the tokens are the same."""

    gold: Trees
    predicted: Trees
    tag: StrArray
    """Shape (n_tokens,): part of speech in the gold file."""
    is_punctuation: BoolArray
    """Shape (n_tokens,): whether the word is written in punctuation alone."""
    is_scored: BoolArray
    """Shape (n_tokens,): whether the token counts."""

    def per_sentence(self, counted: BoolArray, among: BoolArray | None = None) -> FloatArray:
        """Return how many tokens count in each sentence, out of how many.

        Parameters
        ----------
        counted
            Shape (n_tokens,).
        among
            Shape (n_tokens,); by default the tokens that are scored.

        Returns
        -------
        Shape (n_sentences, 2): numerator and denominator.
        """
        among = self.is_scored if among is None else among
        columns = [_sums(counted & among, self.gold.start), _sums(among, self.gold.start)]
        return np.stack(columns, axis=1).astype(np.float64)


def trees_of(sentences: Sequence[Sentence], *, strips_subtypes: bool) -> Trees:
    """Return the trees of sentences; a subtype is what follows the first colon of a label."""
    lengths = [len(sentence.tokens) for sentence in sentences]
    start = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    n_tokens = int(start[-1])
    heads = np.array([token.head for one in sentences for token in one.tokens], dtype=np.int64)
    offset = np.repeat(start[:-1], lengths)
    labels = [token.deprel for one in sentences for token in one.tokens]
    if strips_subtypes:
        labels = [without_subtype(label) for label in labels]
    return Trees(start, np.where(heads == 0, n_tokens, heads - 1 + offset), np.array(labels))


def align(
    gold: Sequence[Sentence],
    predicted: Sequence[Sentence],
    *,
    drops_punctuation: bool,
    strips_subtypes: bool,
) -> Aligned:
    """Lay predicted sentences beside gold ones of the same lengths."""
    tokens = [token for sentence in gold for token in sentence.tokens]
    known: dict[str, bool] = {}
    for token in tokens:
        if token.form not in known:
            known[token.form] = is_punctuation(token.form)
    marks = np.array([known[token.form] for token in tokens], dtype=bool)
    return Aligned(
        trees_of(gold, strips_subtypes=strips_subtypes),
        trees_of(predicted, strips_subtypes=strips_subtypes),
        np.array([token.upos for token in tokens]),
        marks,
        ~marks if drops_punctuation else np.ones(len(tokens), dtype=bool),
    )


def is_punctuation(form: str) -> bool:
    """Return whether every character is of a Unicode category P; ``$`` and ``+`` are not.

    The rule of eval.pl of the CoNLL shared task of 2006 (Buchholz and Marsi 2006). A form ``_``
    alone is one that the file does not state, as UD writes the parts of some contractions.
    """
    if form in ("", UNSTATED):
        return False
    return all(unicodedata.category(character)[0] == "P" for character in form)


def without_subtype(label: str) -> str:
    """Return a label without what follows its first colon: ``nmod`` for ``nmod:tmod``."""
    return label.partition(SUBTYPE_MARK)[0] or label


def _sums(counted: BoolArray, start: IntArray) -> IntArray:
    totals = np.concatenate(([0], np.cumsum(counted)))
    sums: IntArray = totals[start[1:]] - totals[start[:-1]]
    return sums
