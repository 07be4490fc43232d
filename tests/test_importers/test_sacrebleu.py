"""sacreBLEU's JSON and text, in files of our own making."""

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


def test_lines_of_both_generations(read):
    new = "BLEU|nrefs:1|tok:13a|version:2.0.0 = 20.8 54.4/26.6 (BP = 1.000 ratio = 1.0)\n"
    chrf = "chrF2|nrefs:1|nc:6|version:2.0.0 = 50.1\n"
    bundle = read(new + chrf, "wmt/opus.bleu.txt")
    assert [(m.name, m.signature) for m in bundle.metrics] == [
        ("BLEU", "nrefs:1|tok:13a|version:2.0.0"),
        ("chrF2", "nrefs:1|nc:6|version:2.0.0"),
    ]
    assert [(s.system, s.value) for s in bundle.reported_scores] == [("opus", 20.8), ("opus", 50.1)]
    old = "BLEU+case.mixed+tok.13a+version.1.5.1 = 43.8 74.3/53.6 (BP = 0.967)\n"
    bundle = read(old, "wmt/old.txt")
    assert [s.value for s in bundle.reported_scores] == [43.8]


def test_a_log_that_states_a_score_again_and_again_is_none(read):
    line = "BLEU|tok:13a|version:2.0.0 = 20.8\n"
    with pytest.raises(ImportFormatError):
        read(line + line.replace("20.8", "21.9"), "wmt/train.log")


def test_a_table_of_systems_with_pvalues(read):
    text = """╒═════════════╤══════════════╕
│      System │     BLEU     │
╞═════════════╪══════════════╡
│ Baseline: a │     26.6     │
├─────────────┼──────────────┤
│           b │     27.5     │
│             │ (p = 0.0099)*│
╘═════════════╧══════════════╛
Metric signatures
 - BLEU       nrefs:1|tok:13a|version:2.0.0
"""
    bundle = read(text, "wmt/paired.txt")
    assert [(s.system, s.value) for s in bundle.reported_scores] == [("a", 26.6), ("b", 27.5)]
    assert bundle.metrics[0].signature == "nrefs:1|tok:13a|version:2.0.0"
    (one,) = bundle.reported_comparisons
    assert (one.system_a, one.system_b, one.pvalue) == ("b", "a", 0.0099)
