"""LAS of single parts of speech, and of content against function words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from store.importers.bundle import FloatArray
from store.importers.conllu.attachment import right_heads, right_labels
from store.importers.conllu.corpus import Aligned


def pos_wise_scores(
    aligned: Aligned, content: Sequence[str], function: Sequence[str] | None
) -> dict[str, FloatArray]:
    """Return LAS among the tokens of each gold part of speech, and of two classes of them.

    Parameters
    ----------
    aligned
        The trees.
    content, function
        Parts of speech of the two classes. Without `function` it is all that is neither of
        `content` nor written in punctuation alone.

    Returns
    -------
    By name (``"LAS (NOUN)"``, …, ``"LAS (content)"``, ``"LAS (function)"``), shape
    (n_sentences, 2): tokens that are right, and tokens that are scored. What no token is of, is
    left out.
    """
    is_right = right_heads(aligned) & right_labels(aligned)
    is_content = np.isin(aligned.tag, list(content))
    if function is None:
        is_function = ~is_content & ~aligned.is_punctuation
    else:
        is_function = np.isin(aligned.tag, list(function))
    classes = {tag: aligned.tag == tag for tag in sorted(set(aligned.tag.tolist()))}
    classes |= {"content": is_content, "function": is_function}
    return {
        f"LAS ({name})": aligned.per_sentence(is_right, among & aligned.is_scored)
        for name, among in classes.items()
        if (among & aligned.is_scored).any()
    }
