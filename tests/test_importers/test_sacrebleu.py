"""sacreBLEU's JSON, in files of our own making."""

import json

import pytest

from store.errors import ImportFormatError


def score(name="BLEU", value=20.8, signature="nrefs:1|tok:13a"):
    return {"name": name, "score": value, "signature": signature, "verbose_score": "54.4/26.6"}


def test_scores_keep_their_signatures(read):
    both = [score(), score(signature="nrefs:1|tok:zh", value=30), score("chrF2", 50.1, "nc:6")]
    bundle = read(json.dumps(both), "wmt/opus.json")
    assert [(m.name, m.signature) for m in bundle.metrics] == [
        ("BLEU", "nrefs:1|tok:13a"),
        ("BLEU", "nrefs:1|tok:zh"),
        ("chrF2", "nc:6"),
    ]
    assert [(s.system, s.value) for s in bundle.reported_scores] == [
        ("opus", 20.8),
        ("opus", 30),
        ("opus", 50.1),
    ]
    assert {guess.subject for guess in bundle.guesses} == {"system", "dataset"}
    assert bundle.datasets[0].name == "wmt"


def test_systems_are_compared_with_the_baseline(read):
    systems = [
        {"system": "Baseline: a.txt", "BLEU": {"score": 26.6, "p_value": None, "ci": 0.6}},
        {"system": "b.txt", "BLEU": {"score": 27.5, "p_value": 0.01, "ci": 0.6}},
    ]
    bundle = read(json.dumps(systems), "wmt/paired.json", dataset="wmt20")
    assert [(s.system, s.value) for s in bundle.reported_scores] == [
        ("a.txt", 26.6),
        ("b.txt", 27.5),
    ]
    (comparison,) = bundle.reported_comparisons
    assert (comparison.system_a, comparison.system_b) == ("b.txt", "a.txt")
    assert comparison.pvalue == 0.01


def test_an_entry_of_another_kind_is_named(read):
    with pytest.raises(ImportFormatError, match="entry 2"):
        read(json.dumps([score(), {"name": "BLEU"}]), "a.json")
