"""The segments of an evaluation set of mt-metrics-eval: documents, domains and texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from store.errors import ImportFormatError
from store.importers.bundle import BundleErrorSpan, BundleItem, RowProblems
from store.importers.mt_metrics_eval.files import (
    NO_TRANSLATION,
    Place,
    read_documents,
    read_lines,
)


@dataclass(slots=True)
class Segments:
    """What is known about the segments; an empty list where no file says it."""

    n: int | None = None
    """How many there are; ``None``: no file has said it yet."""
    said_by: str = ""
    domains: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    references: dict[str, list[str]] = field(default_factory=dict)
    outputs: dict[str, list[str | None]] = field(default_factory=dict)
    with_text: bool = False

    def agree(self, n: int, shown: str) -> None:
        """Take a number of segments, or raise when another file has said another one.

        Raises
        ------
        ImportFormatError
            The files do not line up.
        """
        if self.n is None:
            self.n, self.said_by = n, shown
        elif self.n != n:
            raise ImportFormatError(
                f"{n:,} segments here, {self.n:,} in {self.said_by}. All files of a language pair "
                "must line up.",
                path=shown,
            )

    def items(self) -> tuple[BundleItem, ...]:
        """Return the segments as items, known by the number of their line."""
        reference = min(self.references) if self.references else None
        return tuple(
            BundleItem(
                str(i + 1),
                group=self.documents[i] or None if self.documents else None,
                content_hash=_digest(self.sources[i]) if self.sources else None,
                input_text=self.sources[i] if self.sources and self.with_text else None,
                reference_text=(
                    self.references[reference][i] if reference and self.with_text else None
                ),
                metadata={"domain": self.domains[i]} if self.domains else None,
            )
            for i in range(self.n or 0)
        )

    def document_items(self) -> tuple[BundleItem, ...]:
        """Return the documents as items, in the order in which they begin."""
        domain = dict(zip(self.documents, self.domains, strict=True))
        return tuple(
            BundleItem(name, metadata={"domain": domain[name]})
            for name in dict.fromkeys(self.documents)
        )

    def with_texts(
        self, system: str, segment: int, spans: Sequence[BundleErrorSpan]
    ) -> tuple[BundleErrorSpan, ...]:
        """Return error spans with the texts that they mark, where these are known."""
        output = self.outputs[system][segment] if system in self.outputs else None
        source = self.sources[segment] if self.sources else None
        return tuple(_with_text(span, source if span.in_source else output) for span in spans)


def read_segments(
    files: Iterable[tuple[Place, str, str]], problems: RowProblems, *, with_text: bool
) -> Segments:
    """Read documents and texts; each file is its place, how messages show it, and its text.

    Raises
    ------
    ImportFormatError
        Two files do not have the same number of segments.
    """
    found = Segments(with_text=with_text)
    for place, shown, text in files:
        if place.role == "documents":
            found.domains, found.documents = read_documents(text, shown, problems)
            found.agree(len(found.documents), shown)
        elif place.role in ("source", "reference", "output"):
            lines = read_lines(text)
            found.agree(len(lines), shown)
            if place.role == "source":
                found.sources = lines
            elif place.role == "reference":
                found.references[place.name] = lines
            else:
                texts = [None if line == NO_TRANSLATION else line for line in lines]
                found.outputs[place.name] = texts
    return found


def _with_text(span: BundleErrorSpan, text: str | None) -> BundleErrorSpan:
    if text is None or span.start is None or span.end is None:
        return span
    return replace(span, text=text[span.start : span.end])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
