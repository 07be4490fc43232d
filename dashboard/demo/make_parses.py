"""Make the parses that ship with Tiebreak: three small parsers read 48 sentences of ours.

The parsers see words and parts of speech, never a gold head. None has learnt anything: each is a
few pages of rules, so that it is plain why two of them differ.

* `nearest-head`: what is ambiguous hangs from the nearest word that can be its head.
* `verb-first`: what is ambiguous hangs from the main verb of the sentence.
* `shift-reduce`: an arc-standard machine that sees the top of its stack and two words ahead.

    python -m dashboard.demo.make_parses
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from dashboard.demo.phrase_parsers import nearest_head, verb_first
from dashboard.demo.shift_reduce import shift_reduce
from dashboard.demo.words import Token, Tree

FOLDER = Path(__file__).parent / "parses"
GOLD = FOLDER / "gold.conllu"


class Sentence(NamedTuple):
    """A sentence without its tree."""

    name: str
    text: str
    tokens: tuple[Token, ...]


def read_sentences(path: Path = GOLD) -> list[Sentence]:
    """Read names, words and parts of speech, and leave the trees alone."""
    sentences = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        about = dict(line[2:].split(" = ", 1) for line in lines if line.startswith("# "))
        cells = [line.split("\t") for line in lines if not line.startswith("#")]
        tokens = tuple(Token(cell[1], cell[3]) for cell in cells)
        sentences.append(Sentence(about["sent_id"], about["text"], tokens))
    return sentences


PARSERS: dict[str, Callable[[Sequence[Token]], Tree]] = {
    "nearest-head": nearest_head,
    "verb-first": verb_first,
    "shift-reduce": shift_reduce,
}


def as_conllu(sentences: Sequence[Sentence], parse: Callable[[Sequence[Token]], Tree]) -> str:
    """Return the trees of a parser as CoNLL-U."""
    lines = []
    for sentence in sentences:
        lines += [f"# sent_id = {sentence.name}", f"# text = {sentence.text}"]
        tree = parse(sentence.tokens)
        for i, (token, arc) in enumerate(zip(sentence.tokens, tree, strict=True), start=1):
            cells = (i, token.form, "_", token.upos, "_", "_", arc.head + 1, arc.label, "_", "_")
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write a file for each parser."""
    sentences = read_sentences()
    for name, parse in PARSERS.items():
        (FOLDER / f"{name}.conllu").write_text(as_conllu(sentences, parse), encoding="utf-8")


if __name__ == "__main__":
    main()
