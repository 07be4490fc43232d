"""All metrics that are computed at import, which of them fit some texts, and computing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import BundleMetric, BundleScores, Guess
from store.importers.scorers import answers, entities, speech, translation
from store.importers.scorers.correlation import correlation, number_of
from store.importers.scorers.libraries import version_of
from store.importers.scorers.metric import Outputs, Prepared, References, Scorer
from store.importers.scorers.translation import rouge_counts
from store.importers.yaml_nodes import nearest

_ALL = (
    Scorer("bleu", translation.bleu, "sacrebleu"),
    Scorer("chrf", translation.chrf, "sacrebleu"),
    Scorer("ter", translation.ter, "sacrebleu"),
    Scorer("rouge1", translation.rouge("1"), "rouge-score"),
    Scorer("rouge2", translation.rouge("2"), "rouge-score"),
    Scorer("rougeL", translation.rouge("L"), "rouge-score"),
    Scorer("wer", speech.wer, "jiwer"),
    Scorer("cer", speech.cer, "jiwer"),
    Scorer("exact_match", answers.exact_match),
    Scorer("normalised_match", answers.normalised_match),
    Scorer("token_f1", answers.token_f1),
    Scorer("accuracy", answers.accuracy),
    Scorer("edit_distance", answers.edit_distance, "rapidfuzz"),
    Scorer("pearson", correlation("pearson")),
    Scorer("spearman", correlation("spearman")),
)
SCORERS: Mapping[str, Scorer] = {scorer.name.lower(): scorer for scorer in _ALL}
"""By the name that ``--score`` takes, in lower case."""
TAG_SCORERS: Mapping[str, Scorer] = {
    "span_f1": Scorer("span_f1", entities.span_f1),
    "span_f1_strict": Scorer("span_f1_strict", entities.span_f1_strict),
    "tag_accuracy": Scorer("tag_accuracy", entities.tag_accuracy),
}
"""For tagged words; the texts are the tags of a sentence."""
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "rouge": ("rouge1", "rouge2", "rougel"),
    "em": ("exact_match",),
    "exact": ("exact_match",),
    "normalized_match": ("normalised_match",),
    "chrf2": ("chrf",),
    "levenshtein": ("edit_distance",),
    "squad": ("normalised_match", "token_f1"),
}
_SHORT = 4
"""Words of a short answer, at most, in the middle of all."""
_FEW = 20
"""Labels that need not be repeated often to be labels."""


class Choice(NamedTuple):
    """The metrics of some texts, and why these."""

    names: tuple[str, ...]
    because: str
    is_guess: bool = True

    @property
    def guesses(self) -> list[Guess]:
        """What to tell, when nobody chose them."""
        if not self.is_guess:
            return []
        because = f"{self.because}; --score METRIC,METRIC takes others"
        return [Guess("metrics", ", ".join(self.names), because)]


def chosen(
    named: Sequence[str], usual: Choice, shown: str, known: Sequence[str] = tuple(SCORERS)
) -> Choice:
    """Return the metrics that ``--score`` names, or the usual ones.

    Raises
    ------
    ImportFormatError
        There is no such metric for such files; those that there are, are named.
    """
    if not named:
        return usual
    found: dict[str, None] = {}
    for name in named:
        plain = name.strip().lower().replace("-", "_")
        plain = plain if plain in known else plain.replace("_", "") if "rouge" in plain else plain
        meant = (plain,) if plain in known else _OTHER_NAMES.get(plain, ())
        if plain == "f1":
            meant = ("span_f1",) if "span_f1" in known else ("token_f1",)
        if not meant or not set(meant) <= set(known):
            reason = f"--score '{name}' is no metric for such files.{nearest(name, list(known))}"
            raise ImportFormatError(f"{reason} Metrics: {', '.join(known)}.", path=shown)
        found |= dict.fromkeys(meant)
    return Choice(tuple(found), "--score", is_guess=False)


_STOPS = (".", "!", "?", "。", "।")
"""What ends a sentence, and no label."""


def usual_for(references: References, *, is_speech: bool, is_translation: bool) -> Choice:
    """Return the metrics that fit some gold texts."""
    if is_speech:
        return Choice(("wer", "cer"), "files of speech recognition, by their names")
    rights = [text for texts in references for text in texts]
    if not rights:
        return Choice(("exact_match",), "no reference to judge by")
    numbers = [number_of(text) for text in rights]
    if all(value == value for value in numbers):
        n_broken = sum(not value.is_integer() for value in numbers)
        if n_broken > len(numbers) / 2 and len(set(numbers)) > 2:
            return Choice(("pearson", "spearman"), "references that are decimal numbers")
    lengths = [len(text.split()) for text in rights]
    n_labels = len(set(rights))
    is_repeated = n_labels * (3 if n_labels <= _FEW else 10) <= len(rights)
    is_punctuated = is_translation and any(text.endswith(_STOPS) for text in rights)
    if is_repeated and max(lengths) <= _SHORT and not is_punctuated:
        return Choice(("accuracy",), f"{n_labels} labels among the references")
    if is_translation:
        return Choice(("chrf", "bleu"), "texts that line up with references of another source")
    if median(lengths) <= _SHORT:
        names = ("exact_match", "normalised_match", "token_f1")
        return Choice(names, "references that are short answers")
    if not rouge_counts(references):
        return Choice(("chrf",), "longer texts in letters that ROUGE does not count")
    return Choice(("rouge1", "rouge2", "rougel"), "references that are longer texts")


class Scoring:
    """Some metrics on the gold of one dataset, for the outputs of any number of systems."""

    def __init__(self, names: Sequence[str], references: References, language: str = "") -> None:
        scorers = [{**SCORERS, **TAG_SCORERS}[name] for name in names]
        self._prepared: list[Prepared] = [one.prepare(references, language) for one in scorers]
        self.metrics: list[BundleMetric] = [one.metric for one in self._prepared]
        packages = dict.fromkeys(scorer.package for scorer in scorers)
        self.packages: dict[str, str] = {name: version_of(name) for name in packages if name}

    def scores(self, outputs: Outputs, first_metric: int = 0) -> list[BundleScores]:
        """Return the scores of one system; `first_metric` is the bundle's index of the first."""
        return [
            BundleScores(first_metric + i, one.score(outputs))
            for i, one in enumerate(self._prepared)
        ]
