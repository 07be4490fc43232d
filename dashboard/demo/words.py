"""What a parser of the demo sees, and what it gives back."""

from __future__ import annotations

from typing import NamedTuple

POSSESSIVE = frozenset(["my", "your", "his", "her", "its", "our", "their"])
RELATIVE = frozenset(["who", "whom", "which", "that", "what", "where"])
BE = frozenset(["is", "are", "was", "were", "be", "been"])
NOUNS = frozenset({"NOUN", "PROPN"})
NOMINAL = NOUNS | {"PRON", "NUM"}
BEFORE_A_NOUN = frozenset({"DET", "ADJ", "NUM"})


class Token(NamedTuple):
    """All that a parser sees of a word."""

    form: str
    upos: str

    @property
    def word(self) -> str:
        """The form in small letters."""
        return self.form.lower()


class Arc(NamedTuple):
    """What a word hangs from: a position, -1 for nothing; and as what."""

    head: int
    label: str


Tree = list[Arc]
