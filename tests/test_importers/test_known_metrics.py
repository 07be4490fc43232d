"""Well-known metrics and their direction."""

import pytest

from store.importers.known_metrics import is_cost, lookup, normal_metric
from store.importers.metric_registry import GROUPS
from store.importers.no_metrics import no_metric

HIGHER = """acc|Accuracy|acc_norm|exact_match|EM|F1|macro-F1|BLEU|chrF|ROUGE-L|rouge1|rouge-1.f1
bertscore.f1|LAS|UAS|Spearman|pearsonr|MCC|resolved|pass@1|pass@10|pass_at_1_pct|resolved_pct
nDCG@10|Recall@5|qa-eval.em|METEOR|v_measure|win rate|bleu_max|rougeL_diff"""
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


@pytest.mark.parametrize("name", ["", "zork", "main_score2", "non.acc", "acc_stderr"])
def test_unknown_metrics_stay_unknown(name) -> None:
    assert lookup(name) is None


def test_what_an_output_took_is_a_cost_and_errors_are_none() -> None:
    for name in (
        "latency_ms",
        "cost_usd",
        "total_tokens",
        "api_calls",
        "peak_memory_mb",
        "runtime",
    ):
        assert is_cost(name), name
    for name in ("accuracy", "WER", "errors", "loss", "perplexity", "zork"):
        assert not is_cost(name), name


def test_bounds_and_units() -> None:
    spearman, accuracy = lookup("spearman"), lookup("accuracy")
    assert (spearman.lower, spearman.upper) == (-1.0, 1.0)
    assert (accuracy.lower, accuracy.upper) == (0.0, None), "printed as 0.74 or as 74.4"
    assert (accuracy.over, lookup("bleu").over) == ("mean", "corpus")
    assert lookup("latency").measured == "seconds"


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("eval/loss", "loss"),
        ("val_acc", "accuracy"),
        ("train/loss_mean", "loss"),
        ("final_val_loss", "loss"),
        ("n_errors", "errors"),
        ("usage.n_llm_calls", "calls"),
        ("retrieval_time_ms", "duration"),
        ("n.misspel", "misspellings"),
        ("num_calls", "calls"),
        ("test_f1_macro", "f1"),
        ("HasAns_exact", "exact_match"),
        ("AnswerRelevancy_score", "relevance"),
        ("latencyMs", "latency"),
        ("pass_at_1_pct", "pass_at_k"),
        ("chrF++", "chrf"),
    ],
)
def test_parts_of_a_name_that_change_nothing(name, called) -> None:
    assert lookup(name).name == called


@pytest.mark.parametrize(
    "name", ["1-WER", "no_errors", "non-error", "train/loss_std", "n_resolved"]
)
def test_what_may_be_the_opposite_or_another_thing_stays_unknown(name) -> None:
    assert lookup(name) is None


def test_every_entry_is_stated_once_with_where_it_is_defined() -> None:
    spellings = [
        spelling
        for group in GROUPS
        for name, others in group.names.items()
        for spelling in (name, *others.split())
    ]
    assert len(set(spellings)) == len(spellings)
    assert all(spelling == normal_metric(spelling) for spelling in spellings)
    assert all(" " in group.source for group in GROUPS)
    assert len({name for group in GROUPS for name in group.names}) >= 150


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("seg_id", "id"),
        ("Unnamed: 0", "id"),
        ("row", "id"),
        ("learning_rate", "setting"),
        ("params.alpha", "setting"),
        ("temperature", "setting"),
        ("n_layer", "setting"),
        ("started_at", "time"),
        ("timestamp", "time"),
        ("loss_std", "spread"),
        ("n_items", "count"),
    ],
)
def test_a_name_says_that_a_column_holds_no_scores(name, reason) -> None:
    assert reason in (no_metric(name, ["1", "2"]) or "")


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["True", "False"], "a flag"),
        ([True, False, None], "a flag"),
        (["3"] * 8, "the same in all rows"),
        ([str(i) for i in range(8)], "another whole number in each row"),
        ([str(i + 0.5) for i in range(8)], None),
        (["3"] * 7, None),
        (["1", "0"] * 8, None),
    ],
)
def test_values_say_whether_a_column_of_an_unknown_name_holds_scores(cells, reason) -> None:
    assert no_metric("zork", cells) == reason
    assert no_metric("accuracy", cells) is None


def test_0_and_1_under_the_name_of_a_flag_are_one() -> None:
    assert no_metric("is_short", ["0", "1"]) == "a flag by its name"
    assert no_metric("is_short", ["0", "0.5"]) is None
    assert no_metric("is_correct", ["0", "1"]) is None
