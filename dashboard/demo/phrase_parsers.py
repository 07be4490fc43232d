"""Two parsers of phrases: they agree on what is plain, and differ on what takes the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from dashboard.demo.words import BE, BEFORE_A_NOUN, NOUNS, POSSESSIVE, RELATIVE, Arc, Token, Tree

INSIDE = {
    "DET": "det", "ADJ": "amod", "NUM": "nummod", "PRON": "nmod:poss", "NOUN": "compound",
    "PROPN": "compound", "ADV": "advmod",
}  # fmt: skip
OF_NOUNS = frozenset({"of", "about"})
"""Prepositions that hardly ever belong to a verb."""


@dataclass(eq=False)
class Unit:
    """A phrase or a single word that has yet to find its head."""

    head: int
    start: int
    kind: str
    """"noun", "predicate", or the part of speech of any other word."""
    preposition: str = ""
    is_coordinated: bool = False
    is_marked: bool = False
    """Whether a subordinator stands before it."""


@dataclass(eq=False)
class Phrases:
    """What the two parsers of phrases agree on: the inside of phrases, and where predicates are."""

    tokens: Sequence[Token]
    arcs: dict[int, Arc] = field(default_factory=dict)
    """Words that hang from a word of their own phrase, or from the phrase that they introduce."""
    units: list[Unit] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find the phrases, then the predicates, then what introduces both."""
        i = 0
        while i < len(self.tokens):
            end, head = self._noun_phrase(i)
            kind = "noun"
            if head is None:
                end, head, kind = self._single(i)
            self.units.append(Unit(head, i, kind))
            i = end
        for unit in self.units:
            if unit.kind == "AUX":
                self._auxiliary(unit.head)
        for unit in reversed(self.units):
            self._introduce(unit)
        self.units = [unit for unit in self.units if unit.head not in self.arcs]

    def tag(self, i: int) -> str:
        """Return the part of speech at a position, nothing beyond the ends."""
        return self.tokens[i].upos if 0 <= i < len(self.tokens) else ""

    def _noun_phrase(self, start: int) -> tuple[int, int | None]:
        """Return where the noun phrase that starts here ends, and its head: its last noun."""
        i = start
        if self.tokens[i].word in POSSESSIVE and self.tag(i + 1) in BEFORE_A_NOUN | NOUNS:
            i += 1
        elif self.tag(i) == "PRON":
            return self._owner(start, i)
        while self.tag(i) in BEFORE_A_NOUN or (self.tag(i) == "ADV" and self.tag(i + 1) == "ADJ"):
            i += 1
        if self.tag(i) not in NOUNS:
            return (i, i - 1) if i > start and self.tag(i - 1) == "NUM" else (start, None)
        while self.tag(i + 1) in NOUNS:
            i += 1
        for j in range(start, i):
            self.arcs[j] = Arc(i, INSIDE[self.tag(j)])
            if self.tag(j) == "ADV":
                self.arcs[j] = Arc(j + 1, "advmod")
        return self._owner(start, i)

    def _owner(self, start: int, head: int) -> tuple[int, int | None]:
        """Return the phrase as it is, or as part of the phrase that it is the owner in."""
        if head + 1 < len(self.tokens) and self.tokens[head + 1].form == "'s":
            end, owned = self._noun_phrase(head + 2)
            if owned is not None:
                self.arcs |= {head: Arc(owned, "nmod:poss"), head + 1: Arc(head, "case")}
                return end, owned
        return head + 1, head

    def _single(self, i: int) -> tuple[int, int, str]:
        """Return a unit that is no noun phrase: a word with the adverbs right before it."""
        j = i
        while self.tag(j) == "ADV" and self.tag(j + 1) in ("ADJ", "ADV"):
            self.arcs[j] = Arc(j + 1, "advmod")
            j += 1
        kind = "predicate" if self.tag(j) == "VERB" else self.tag(j)
        return j + 1, j, kind

    def _auxiliary(self, i: int) -> None:
        """Hang an auxiliary from its verb; without one, what follows is the predicate."""
        j = i + 1
        while self.tag(j) in ("AUX", "ADV", "PART") and self.tag(j + 1) != "PUNCT":
            j += 1
        unit = next((unit for unit in self.units if unit.head >= j and unit.start <= j), None)
        if unit is None:
            return
        label = "aux" if unit.kind == "predicate" else "cop"
        if label == "aux" and self.tokens[i].word in BE and not self.is_ing(unit.head):
            label = "aux:pass"
        unit.kind = "predicate"
        self.arcs[i] = Arc(unit.head, label)

    def is_ing(self, i: int) -> bool:
        """Return whether a word is a participle such as `running`."""
        return self.tokens[i].word.endswith("ing")

    def _introduce(self, word: Unit) -> None:
        """Hang a preposition, conjunction or subordinator from the phrase that follows."""
        after = [unit for unit in self.units if unit.start > word.head]
        free = [unit for unit in after if unit.kind != "ADP"]
        predicate = next((unit for unit in after if unit.kind == "predicate"), None)
        if (
            word.kind == "ADP"
            and free
            and free[0].kind == "noun"
            and free[0].start <= word.head + 2
        ):
            free[0].preposition = self.tokens[word.head].word
            self.arcs[word.head] = Arc(free[0].head, "case")
        elif word.kind == "CCONJ" and after:
            has_clause_before = any(unit.kind == "predicate" for unit in self.units_before(word))
            first = (self.subject_of(after[0]) if has_clause_before else None) or after[0]
            first.is_coordinated = True
            self.arcs[word.head] = Arc(first.head, "cc")
        elif word.kind in ("SCONJ", "PART") and predicate:
            predicate.is_marked = True
            is_negation = self.tokens[word.head].word == "not"
            self.arcs[word.head] = Arc(predicate.head, "advmod" if is_negation else "mark")

    def units_before(self, word: Unit) -> list[Unit]:
        """Return the units before one."""
        return [unit for unit in self.units if unit.head < word.start]

    def subject_of(self, noun: Unit) -> Unit | None:
        """Return the predicate that a noun without preposition stands right before."""
        if noun.kind != "noun" or noun.preposition:
            return None
        later = [unit for unit in self.units if unit.start > noun.head]
        for unit in later:
            if unit.kind not in ("AUX", "ADV", "PART"):
                between = {self.tag(i) for i in range(noun.head, unit.head)}
                return unit if unit.kind == "predicate" and "CCONJ" not in between else None
        return None


class PhraseParser(ABC):
    """A parser of phrases. What is plain is done here; who takes the rest, each decides."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.phrases = Phrases(tokens)
        self.tokens = tokens
        self.units = self.phrases.units
        self.main = self._main()

    @abstractmethod
    def noun_for(self, i: int) -> Unit | None:
        """Return the noun before unit `i` that takes it."""

    @abstractmethod
    def predicate_for(self, i: int) -> Unit:
        """Return the predicate that takes unit `i`."""

    @abstractmethod
    def host_of_preposition(self, i: int) -> Unit:
        """Return the noun or predicate that takes the noun `i`, which has a preposition."""

    def parse(self) -> Tree:
        """Return the tree."""
        arcs = dict(self.phrases.arcs)
        for i, unit in enumerate(self.units):
            head, label = self._attach(i, unit)
            arcs[unit.head] = Arc(-1, "root") if head is unit else Arc(head.head, label)
        return [arcs[i] for i in range(len(self.tokens))]

    def _main(self) -> Unit:
        """Return the first predicate that starts no clause within another, else the first word."""
        predicates = [i for i, unit in enumerate(self.units) if unit.kind == "predicate"]
        for i in predicates:
            unit = self.units[i]
            is_first_word = unit.start == 0 and self.phrases.is_ing(unit.head)
            if not (unit.is_marked or is_first_word or self.relative_start(i) is not None):
                return unit
        return self.units[predicates[0]] if predicates else self.units[0]

    def relative_start(self, i: int) -> int | None:
        """Return where the clause of predicate `i` begins if it belongs to a noun before it.

        `man who sold`, `coat that my aunt wore`, `road we usually take`.
        """
        before = [j for j in range(i) if self.units[j].kind != "ADV"][-2:]
        if len(before) < 2 or self.units[before[1]].kind != "noun":
            return None
        first, subject = (self.tokens[self.units[j].head] for j in before)
        if first.word in RELATIVE:
            return before[0]
        is_after_noun = self.units[before[0]].kind == "noun" and subject.upos == "PRON"
        return before[1] if is_after_noun else None

    def _attach(self, i: int, unit: Unit) -> tuple[Unit, str]:
        if unit is self.main:
            return unit, "root"
        if unit.kind == "noun":
            return self._attach_noun(i, unit)
        if unit.kind == "predicate":
            return self._attach_predicate(i, unit)
        if unit.kind == "PUNCT":
            is_last = i == len(self.units) - 1
            return self.main if is_last else self.predicate_for(i), "punct"
        labels = {"ADP": "compound:prt", "ADV": "advmod", "ADJ": "xcomp", "INTJ": "discourse"}
        return self.predicate_for(i), labels.get(unit.kind, "dep")

    def _attach_noun(self, i: int, unit: Unit) -> tuple[Unit, str]:
        subject_of = self.phrases.subject_of(unit)
        noun = self.noun_for(i)
        if noun and unit.is_coordinated:
            return noun, "conj"
        if subject_of:
            return subject_of, "nsubj"
        if noun and self._is_in_list(i):
            return noun, "conj"
        if self.tokens[unit.head].word in RELATIVE:
            later = (unit for unit in self.units[i + 1 :] if unit.kind == "predicate")
            return next(later, self.main), "obj"
        if unit.preposition:
            host = self.host_of_preposition(i)
            return host, "nmod" if host.kind == "noun" else "obl"
        predicate = self.predicate_for(i)
        if predicate.start > unit.head:
            return predicate, "nsubj"
        is_first = self.units[i - 1] is predicate
        return predicate, "iobj" if is_first and self._is_bare_noun(i + 1) else "obj"

    def _is_bare_noun(self, i: int) -> bool:
        """Return whether unit `i` could be a second object."""
        if i >= len(self.units) or self.tokens[self.units[i].head].word in RELATIVE:
            return False
        unit = self.units[i]
        is_bare = unit.kind == "noun" and not unit.preposition and not unit.is_coordinated
        return is_bare and not self.phrases.subject_of(unit)

    def _is_in_list(self, i: int) -> bool:
        """Return whether a comma stands between noun `i` and the noun before it."""
        kinds = [unit.kind for unit in self.units[max(i - 2, 0) : i]]
        return kinds == ["noun", "PUNCT"] and not self.units[i].preposition

    def _attach_predicate(self, i: int, unit: Unit) -> tuple[Unit, str]:
        start = self.relative_start(i)
        noun = None if start is None else self.noun_for(start)
        if noun:
            return noun, "acl:relcl"
        host = self.predicate_for(i)
        if unit.is_coordinated:
            return host, "conj"
        if unit.is_marked or host.start > unit.head:
            return host, "advcl"
        if self.phrases.is_ing(unit.head):
            return host, "xcomp"
        return host, "parataxis" if self.units[i - 1].kind == "PUNCT" else "ccomp"


class NearestHead(PhraseParser):
    """The nearest word takes it."""

    def _nearest(self, i: int, *kinds: str) -> Unit | None:
        left = [unit for unit in self.units[:i] if unit.kind in kinds]
        return left[-1] if left else None

    def noun_for(self, i: int) -> Unit | None:
        """Return the last noun before."""
        return self._nearest(i, "noun")

    def predicate_for(self, i: int) -> Unit:
        """Return the last predicate before, else the first after; for a noun no relative one."""
        is_noun = self.units[i].kind == "noun"
        right = [
            unit
            for j, unit in enumerate(self.units[i + 1 :], start=i + 1)
            if unit.kind == "predicate" and not (is_noun and self.relative_start(j) is not None)
        ]
        return self._nearest(i, "predicate") or (right or [self.main])[0]

    def host_of_preposition(self, i: int) -> Unit:
        """Return the last noun or predicate before."""
        return self._nearest(i, "noun", "predicate") or self.predicate_for(i)


class VerbFirst(PhraseParser):
    """The main verb takes it, or the first noun on the same side of that verb."""

    def noun_for(self, i: int) -> Unit | None:
        """Return the first noun before that is on the same side of the main verb."""
        is_after = self.units[i].start > self.main.head
        same_side = [unit for unit in self.units[:i] if (unit.start > self.main.head) == is_after]
        return next((unit for unit in same_side if unit.kind == "noun"), None)

    def predicate_for(self, i: int) -> Unit:
        """Return the main verb."""
        return self.main

    def host_of_preposition(self, i: int) -> Unit:
        """Return the main verb; before it, and for `of`, a noun."""
        unit = self.units[i]
        before = self.units[i - 1] if i else unit
        if unit.preposition in OF_NOUNS and before.kind == "noun" and i:
            return before
        noun = self.noun_for(i)
        return noun if noun and unit.start < self.main.head else self.main


def nearest_head(tokens: Sequence[Token]) -> Tree:
    """Hang what is ambiguous from the nearest word that can be its head."""
    return NearestHead(tokens).parse()


def verb_first(tokens: Sequence[Token]) -> Tree:
    """Hang what is ambiguous from the main verb."""
    return VerbFirst(tokens).parse()
