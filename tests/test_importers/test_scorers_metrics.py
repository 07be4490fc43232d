"""Metrics computed at import: equal to their library's own figure over the whole corpus."""

import sys

import jiwer
import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF, TER

from store import vectors
from store.errors import ImportFormatError
from store.importers.scorers.scoring import SCORERS, Scoring, chosen, usual_for

OUTPUTS = ["the cat sat on the mat .", "", "a dog runs", "grün läuft es heute"]
FIRST = ["the cat sits on the mat .", "nothing here", "a dog ran fast", "es läuft grün heute"]
SECOND = ["a cat sat on a mat .", "no", "the dog runs", "heute läuft es grün"]


def value_of(name, references, outputs):
    scoring = Scoring([name], references)
    (scores,) = scoring.scores(outputs)
    return vectors.aggregate(scores.values, scoring.metrics[0].aggregation)


@pytest.mark.parametrize("streams", [[FIRST], [FIRST, SECOND]])
@pytest.mark.parametrize(("name", "library"), [("bleu", BLEU), ("chrf", CHRF), ("ter", TER)])
def test_translation_metrics_are_those_of_sacrebleu(name, library, streams):
    expected = library().corpus_score(OUTPUTS, streams).score / (100 if name == "ter" else 1)
    found = value_of(name, list(zip(*streams, strict=True)), OUTPUTS)
    assert found == pytest.approx(expected, rel=1e-12)


def test_references_may_differ_in_number():
    streams = [FIRST, [*SECOND[:2], None, None]]
    references = [[text for text in texts if text] for texts in zip(*streams, strict=True)]
    expected = BLEU().corpus_score(OUTPUTS, streams).score
    assert value_of("bleu", references, OUTPUTS) == pytest.approx(expected, rel=1e-12)


def test_chinese_is_cut_into_characters():
    (metric,) = Scoring(["bleu"], [["你好世界"]], "zh").metrics
    assert "tok:zh" in metric.signature
    assert "version" not in metric.signature


@pytest.mark.parametrize(("name", "rate"), [("wer", jiwer.wer), ("cer", jiwer.cer)])
def test_error_rates_are_those_of_jiwer(name, rate):
    found = value_of(name, [[text] for text in FIRST], OUTPUTS)
    assert found == pytest.approx(rate(FIRST, OUTPUTS), rel=1e-12)


def test_more_errors_than_words():
    assert value_of("wer", [["yes"], ["no"]], ["yes it is", "no"]) == 1.0


def test_rouge_is_that_of_the_best_reference():
    right = RougeScorer(["rougeL"]).score(SECOND[2], OUTPUTS[2])["rougeL"].fmeasure
    assert value_of("rougel", [[FIRST[2], SECOND[2]]], [OUTPUTS[2]]) == right


@pytest.mark.parametrize(
    ("name", "given", "rights", "expected"),
    [
        ("exact_match", " Paris", ["Paris"], 1.0),
        ("exact_match", "paris", ["Paris", "Lutetia"], 0.0),
        ("normalised_match", "The  Paris!", ["Lutetia", "paris"], 1.0),
        ("normalised_match", "thesis", ["sis"], 0.0),
        ("token_f1", "in the city of Paris", ["Paris"], 0.4),
        ("token_f1", "", [""], 1.0),
        ("token_f1", "the", [""], 1.0),
        ("token_f1", "Paris", [""], 0.0),
        ("token_f1", "no no", ["no"], 2 / 3),
        ("accuracy", "B", ["B"], 1.0),
        ("edit_distance", "kitten", ["sitting"], 3.0),
        ("edit_distance", "kitten", ["sitting", "mitten"], 1.0),
    ],
)
def test_one_answer(name, given, rights, expected):
    assert value_of(name, [rights], [given]) == pytest.approx(expected)


def test_correlation_is_kept_as_pairs():
    scoring = Scoring(["spearman"], [["1.5"], ["2.5"], ["3.5"]])
    (scores,) = scoring.scores(["10", "20", "about 3"])
    np.testing.assert_array_equal(scores.values, [[10, 1.5], [20, 2.5], [np.nan, np.nan]])


@pytest.mark.parametrize("name", list(SCORERS))
def test_no_output_is_missing_and_not_zero(name):
    (scores,) = Scoring([name], [["1.5"], ["2.5"]]).scores([None, "2.5"])
    assert np.isnan(scores.values[0]).all()
    assert not np.isnan(scores.values[1]).any()


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["pos", "neg"] * 10, "accuracy"),
        (["Paris", "1989", "the Nile", "Ada Lovelace"], "exact_match, normalised_match, token_f1"),
        (["45", "4", "2.50", "12"], "exact_match, normalised_match, token_f1"),
        (["3.8", "1.25", "0.5", "4.0"], "pearson, spearman"),
        (["A long summary of a text that goes on and on."] * 3, "rouge1, rouge2, rougel"),
    ],
)
def test_metrics_follow_the_references(texts, names):
    choice = usual_for([[text] for text in texts], is_speech=False, is_translation=False)
    assert ", ".join(choice.names) == names
    assert "--score" in choice.guesses[0].because


def test_metrics_by_name():
    usual = usual_for([["x"]], is_speech=True, is_translation=False)
    assert chosen(["ROUGE-L", "EM"], usual, "f").names == ("rougel", "exact_match")
    with pytest.raises(ImportFormatError, match=r"'blue' is no metric.*[Dd]id you mean 'bleu'"):
        chosen(["blue"], usual, "f")


def test_a_missing_library_is_said_with_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jiwer", None)
    with pytest.raises(ImportFormatError, match=r"jiwer.*pip install 'tiebreak\[scorers\]'"):
        Scoring(["wer"], [["x"]])
