"""Well-known metrics and their direction."""

import pytest

from store.importers.known_metrics import lookup

HIGHER = """acc|Accuracy|acc_norm|exact_match|EM|F1|macro-F1|BLEU|chrF|ROUGE-L|rouge1|rouge-1.f1
bertscore.f1|LAS|UAS|Spearman|pearsonr|MCC|resolved|pass@1|pass@10|pass_at_1_pct|resolved_pct
nDCG@10|Recall@5|qa-eval.em|METEOR|v_measure|win rate"""
LOWER = """WER|cer|TER|perplexity|ppl|Loss|edit|edit distance|latency|cost_usd|api_calls|Brier score
MAE|rmse|input_tokens|ECE"""


@pytest.mark.parametrize("name", HIGHER.replace("\n", "|").split("|"))
def test_higher_is_better(name) -> None:
    known = lookup(name)
    assert known is not None
    assert known.higher_is_better


@pytest.mark.parametrize("name", LOWER.replace("\n", "|").split("|"))
def test_lower_is_better(name) -> None:
    known = lookup(name)
    assert known is not None
    assert not known.higher_is_better


@pytest.mark.parametrize(
    "name", ["", "zork", "main_score2", "human.expert.coherence", "acc_stderr"]
)
def test_unknown_metrics_stay_unknown(name) -> None:
    assert lookup(name) is None


def test_bounds_and_units() -> None:
    assert lookup("spearman")[2:] == (-1.0, 1.0)
    assert lookup("accuracy")[1:] == ("", 0.0, None), "printed as 0.74 here and as 74.4 there"
