"""An arc-standard machine with rules written by hand.

A word is shifted to the stack, or one of the two topmost words becomes a dependent of the other.
Nivre (2004): Incrementality in deterministic dependency parsing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dashboard.demo.words import BE, BEFORE_A_NOUN, NOUNS, POSSESSIVE, RELATIVE, Arc, Token, Tree

NOMINAL = NOUNS | {"PRON"}
OF_NOUNS = frozenset(["of", "about", "with", "near", "under", "behind"])
"""Prepositions that the machine gives to a noun; all others belong to a verb if there is one."""
STARTS_A_PHRASE = BEFORE_A_NOUN | NOMINAL

LEFT, RIGHT = "left", "right"
Step = tuple[str, str]
"""Which of the two topmost words becomes a dependent: `LEFT` the lower one; and as what."""


class Machine:
    """A stack, what is yet to be read, and the arcs so far."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.stack: list[int] = []
        self.next = 0
        self.arcs: dict[int, Arc] = {}

    def run(self) -> Tree:
        """Read the sentence; what is left on the stack hangs from its first predicate."""
        while True:
            step = self._step() if len(self.stack) > 1 else None
            if step:
                self._connect(*step)
            elif self.next < len(self.tokens):
                self.stack.append(self.next)
                self.next += 1
            else:
                break
        predicates = [i for i in self.stack if self._is_predicate(i)]
        root = (predicates or self.stack)[0]
        for i in self.stack:
            self.arcs[i] = Arc(root, REST.get(self._tag(i), "dep"))
        self.arcs[root] = Arc(-1, "root")
        return [self.arcs[i] for i in range(len(self.tokens))]

    def _step(self) -> Step | None:
        """Return what the first rule says that has something to say."""
        below, top = self.stack[-2:]
        steps = (rule(self, below, top) for rule in RULES)
        return next((step for step in steps if step), None)

    def _connect(self, direction: str, label: str) -> None:
        top, below = self.stack.pop(), self.stack.pop()
        head, dependent = (top, below) if direction == LEFT else (below, top)
        self.arcs[dependent] = Arc(head, label)
        self.stack.append(head)

    def _tag(self, i: int) -> str:
        return self.tokens[i].upos if 0 <= i < len(self.tokens) else ""

    def _word(self, i: int) -> str:
        return self.tokens[i].word if 0 <= i < len(self.tokens) else ""

    def _has(self, i: int, *labels: str) -> bool:
        return any(arc.head == i and arc.label in labels for arc in self.arcs.values())

    def _is_predicate(self, i: int) -> bool:
        return self._tag(i) == "VERB" or self._has(i, "cop")

    def _is_free_noun(self, i: int) -> bool:
        """Return whether a word is a noun or number that no preposition or copula introduces."""
        return self._tag(i) in NOMINAL | {"NUM"} and not self._has(i, "case", "cop")

    def _goes_on(self) -> bool:
        """Return whether the noun on top of the stack goes on with the next word."""
        ahead, then = self._tag(self.next), self._tag(self.next + 1)
        if ahead in NOUNS and self._tag(self.next - 1) in NOUNS | {"ADJ", "NUM"}:
            return True
        if self._word(self.next) == "'s" or self._word(self.next) in OF_NOUNS:
            return True
        if ahead == "CCONJ":
            return then != "VERB"
        is_clause = ahead in ("PRON", "ADV") and self._word(self.next) in RELATIVE
        return is_clause or (ahead == "PRON" and then in ("AUX", "ADV", "VERB"))

    def in_a_noun_phrase(self, below: int, top: int) -> Step | None:
        """`the boats`, `her key`, `school play`, `children 's`."""
        tag = self._tag(below)
        if self._word(top) == "'s":
            return RIGHT, "case"
        if self._tag(top) not in NOUNS or self._tag(self.next) in NOUNS:
            return None
        if tag in LABELS:
            return LEFT, LABELS[tag]
        if self._has(below, "case") and self.tokens[below + 1].form == "'s":
            return LEFT, "nmod:poss"
        if tag == "PRON" and self._word(below) in POSSESSIVE:
            return LEFT, "nmod:poss"
        return (LEFT, "compound") if tag in NOUNS and below + 1 == top else None

    def function_word(self, below: int, top: int) -> Step | None:
        """`with` a noun, `has` a verb, `very` an adjective, `and` what is added."""
        tag, of = self._tag(below), self._tag(top)
        if tag == "ADP" and of in NOMINAL | {"NUM"}:
            is_possessive = of == "PRON" and self._tag(self.next) in STARTS_A_PHRASE
            is_done = not is_possessive and self._word(self.next) != "'s"
            return (LEFT, "case") if is_done and self._tag(self.next) not in NOUNS else None
        if tag == "ADV" and of in ("ADJ", "ADV"):
            return LEFT, "advmod"
        if of == "VERB" and tag in ("AUX", "PART", "SCONJ", "ADV"):
            is_passive = self._word(below) in BE and not self._word(top).endswith("ing")
            label = {"AUX": "aux", "ADV": "advmod"}.get(tag, "mark")
            if self._word(below) == "not":
                label = "advmod"
            return LEFT, "aux:pass" if tag == "AUX" and is_passive else label
        if tag == "AUX" and of in NOUNS | {"ADJ", "ADV"}:
            is_done = self._tag(self.next) not in STARTS_A_PHRASE | {"ADV", "VERB"}
            return (LEFT, "cop") if is_done else None
        if tag == "SCONJ" and self._is_predicate(top):
            return LEFT, "mark"
        if tag == "CCONJ" and of in NOMINAL | {"VERB", "ADJ"}:
            is_subject = self._tag(self.next) == "AUX" and self._tag(self.stack[-3]) == "VERB"
            return None if of in NOMINAL and (is_subject or self._goes_on()) else (LEFT, "cc")
        return None

    def subject(self, below: int, top: int) -> Step | None:
        """`the boats sank`; a relative pronoun before a subject is the object."""
        if not self._is_predicate(top) or not self._is_free_noun(below):
            return None
        if self._has(below, "cc"):
            return None
        if not self._has(top, "nsubj"):
            return LEFT, "nsubj"
        return (LEFT, "obj") if self._word(below) in RELATIVE else None

    def clause_before(self, below: int, top: int) -> Step | None:
        """`While it slept, the cat ate`; `running late, he ran`."""
        is_first = len(self.stack) == 2 and below != top and self._tag(below) == "VERB"
        if is_first and self._is_predicate(top) and not self._has(top, "mark", "cc"):
            is_participle = self._word(below).endswith("ing")
            if self._has(below, "mark") or is_participle:
                return LEFT, "advcl"
        return None

    def added(self, below: int, top: int) -> Step | None:
        """`bread and butter`, `carrots, two onions`."""
        is_alike = self._tag(below) == self._tag(top) or {self._tag(below), self._tag(top)} <= NOUNS
        if not is_alike or (self._is_free_noun(top) and self._goes_on()):
            return None
        if self._tag(top) == "VERB" and self._tag(self.next) not in ("PUNCT", ""):
            return None
        if self._has(top, "cc"):
            return RIGHT, "conj"
        is_list = self._has(below, "punct") and self._tag(top) in NOUNS
        return (RIGHT, "conj") if is_list and not self._has(top, "case") else None

    def object(self, below: int, top: int) -> Step | None:
        """`watched the boats`, `gave him a book`."""
        if self._tag(below) != "VERB" or not self._is_free_noun(top) or self._goes_on():
            return None
        if self._has(below, "obj") or self._word(top) in RELATIVE:
            return None
        is_pronoun = self._tag(top) == "PRON"
        is_possessive = is_pronoun and self._word(top) in POSSESSIVE
        if is_possessive and self._tag(self.next) in NOUNS | {"ADJ", "NUM"}:
            return None
        is_next_subject = self._tag(self.next) in ("VERB", "AUX")
        if is_next_subject and self._has(below, "mark") and len(self.stack) == 2:
            return None
        if is_pronoun and is_next_subject and self._has(below, "punct"):
            return None
        has_second = self._tag(self.next) in BEFORE_A_NOUN and not self._has(below, "iobj")
        return RIGHT, "iobj" if has_second else "obj"

    def with_preposition(self, below: int, top: int) -> Step | None:
        """`the key to the door`, `keeps in a jar`."""
        if not self._has(top, "case") or self._tag(top) not in NOMINAL | {"NUM"} or self._goes_on():
            return None
        if self._is_predicate(below):
            return RIGHT, "obl"
        return (RIGHT, "nmod") if self._tag(below) in NOMINAL else None

    def relative_clause(self, below: int, top: int) -> Step | None:
        """`the road we take`: it ends where another predicate or the end of the sentence comes."""
        is_clause = self._tag(below) in NOMINAL and self._tag(top) == "VERB"
        is_over = self._tag(self.next) in ("AUX", "VERB", "PUNCT", "")
        if is_clause and is_over and self._has(top, "nsubj", "mark"):
            return RIGHT, "acl" if self._has(top, "mark") else "acl:relcl"
        return None

    def after_a_verb(self, below: int, top: int) -> Step | None:
        """`went badly`, `fell down`, `seems short`, `likes sleeping`."""
        ahead, tag = self._tag(self.next), self._tag(top)
        if not self._is_predicate(below):
            return None
        if tag == "ADV" and ahead not in ("ADJ", "ADV", "VERB", "AUX"):
            return RIGHT, "advmod"
        if tag == "ADP" and ahead in ("PUNCT", "CCONJ", "SCONJ", "ADP", ""):
            return RIGHT, "compound:prt"
        if tag == "ADJ" and ahead not in NOUNS | {"ADJ"}:
            return RIGHT, "xcomp"
        if self._is_predicate(top) and ahead in ("PUNCT", "") and not self._has(top, "cc"):
            if self._word(top).endswith("ing") and not self._has(top, "mark"):
                return RIGHT, "xcomp"
            is_told = self._has(top, "nsubj") and self._has(below, "nsubj")
            marks = [j for j, arc in self.arcs.items() if arc == (top, "mark")]
            is_that = any(self._word(j) in ("that", "whether") for j in marks)
            return RIGHT, "ccomp" if is_that or (is_told and not marks) else "advcl"
        return None

    def punctuation(self, below: int, top: int) -> Step | None:
        """Hang a mark from what it follows, or from what it opens."""
        if self._tag(top) == "PUNCT" and self._tag(below) != "PUNCT":
            return RIGHT, "punct"
        return (LEFT, "punct") if self._tag(below) == "PUNCT" and self._is_predicate(top) else None


LABELS = {"DET": "det", "ADJ": "amod", "NUM": "nummod"}
REST = {"PUNCT": "punct", "VERB": "parataxis", "ADP": "case", "ADV": "advmod", "INTJ": "discourse"}

RULES: tuple[Callable[[Machine, int, int], Step | None], ...] = (
    Machine.in_a_noun_phrase,
    Machine.function_word,
    Machine.subject,
    Machine.clause_before,
    Machine.added,
    Machine.object,
    Machine.with_preposition,
    Machine.relative_clause,
    Machine.after_a_verb,
    Machine.punctuation,
)
"""Asked in this order."""


def shift_reduce(tokens: Sequence[Token]) -> Tree:
    """Run the machine."""
    return Machine(tokens).run()
