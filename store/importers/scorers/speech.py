"""Word and character error rate, as jiwer aligns the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import BundleMetric
from store.importers.scorers.libraries import scoring_library
from store.importers.scorers.metric import Prepare, Prepared, References, with_gaps


def _error_rate(name: str, process: str, signature: str) -> Prepare:
    def prepare(references: References, language: str) -> Prepared:
        library = scoring_library("jiwer", name)
        if any(len(rights) != 1 for rights in references):
            raise ImportFormatError(f"{name} needs one reference for each item, not several.")
        right = [rights[0] for rights in references]
        metric = BundleMetric(
            name, signature, higher_is_better=False, aggregation="ratio", lower=0.0
        )

        def counts(texts: list[str]) -> Sequence[Sequence[float]]:
            aligned: Any = getattr(library, process)(right, texts)
            return [
                [_errors(chunks), len(words)]
                for chunks, words in zip(aligned.alignments, aligned.references, strict=True)
            ]

        return Prepared(metric, lambda outputs: with_gaps(metric, outputs, counts))

    return prepare


def _errors(chunks: Sequence[Any]) -> int:
    """Return the substitutions, insertions and deletions of one alignment."""
    return sum(
        max(
            chunk.ref_end_idx - chunk.ref_start_idx,
            chunk.hyp_end_idx - chunk.hyp_start_idx,
        )
        for chunk in chunks
        if chunk.type != "equal"
    )


wer: Prepare = _error_rate("WER", "process_words", "errors / reference words")
cer: Prepare = _error_rate("CER", "process_characters", "errors / reference characters")
