"""Well-known metrics: which way is better, in which unit, between which bounds."""

from __future__ import annotations

import re
from typing import NamedTuple

from store.importers.bundle import Unit


class KnownMetric(NamedTuple):
    """What is generally agreed about a metric."""

    higher_is_better: bool
    unit: Unit
    lower: float | None
    upper: float | None


_SHARE = KnownMetric(True, "", 0.0, None)
_PROPORTION_OR_PERCENT = """
accuracy acc acc_norm acc_norm_bytes acc_mutual_info balanced_accuracy exact_match em exact
exact_str_match quasi_exact_match prefix_exact_match strict_match flexible_match match correct
is_correct correctness success success_rate solved solve_rate resolved resolved_rate resolve_rate
resolution_rate pass passed pass_rate pass_at_1 pass_at_5 pass_at_10 pass_at_100 pass_1 pass_5
pass_10 pass_100 f1 f1_score micro_f1 macro_f1 weighted_f1 span_f1 token_f1 f_score f_measure
precision recall sensitivity specificity auc auroc roc_auc auprc average_precision ap map mrr ndcg
ndcg_at_10 ndcg_10 hit_rate recall_at_10 recall_at_100 las uas la clas mlas blex las_f1 uas_f1 upos
xpos pos_accuracy bleu bleu_1 bleu_2 bleu_3 bleu_4 sacrebleu sacrebleu_bleu sacrebleu_chrf chrf
chrf1 chrf2 chrf3 rouge rouge_1 rouge_2 rouge_3 rouge_4 rouge_l rouge_lsum rouge_su4 rouge_w rouge1
rouge2 rougel rougelsum meteor bertscore bert_score moverscore win_rate length_controlled_win_rate
lc_win_rate win_rate_lc mc1 mc2 jaccard iou v_measure purity multiple_choice_grade joint_accuracy
slot_f1 intent_accuracy math_equiv truthful
"""
_UNBOUNDED_HIGHER = """
comet cometkiwi bleurt bartscore yisi yisi_0 yisi_1 yisi_2 beer prism nist log_likelihood
loglikelihood logprob log_probability r2 r_squared reward rating human_score likert fluency
adequacy relevance coherence consistency faithfulness helpfulness quality preference elo
throughput tokens_per_second
"""
_COEFFICIENTS = """
spearman spearmanr spearman_rho rho pearson pearsonr pearson_r kendall kendall_tau tau mcc
matthews_corrcoef matthews_correlation phi cohen_kappa kappa krippendorff_alpha cosine_spearman
cosine_pearson
"""
_LOWER = """
wer cer ter per mer wil cder hter tder edit edit_distance edit_dist levenshtein mean_edit_distance
error error_rate err eer perplexity ppl word_perplexity byte_perplexity bits_per_byte
bits_per_token bits_per_character bpb bpc loss nll cross_entropy log_loss latency latency_ms
latency_s time runtime duration seconds wall_time inference_time cost cost_usd price instance_cost
tokens input_tokens output_tokens total_tokens prompt_tokens completion_tokens api_calls steps turns
brier brier_score ece calibration_error expected_calibration_error mae mse rmse mape
mean_absolute_error mean_squared_error root_mean_squared_error toxicity hallucination_rate
false_positive_rate fpr false_negative_rate fnr memory memory_mb carbon kg_co2_emissions
"""

KNOWN: dict[str, KnownMetric] = {
    **dict.fromkeys(_PROPORTION_OR_PERCENT.split(), _SHARE),
    **dict.fromkeys(_UNBOUNDED_HIGHER.split(), KnownMetric(True, "", None, None)),
    **dict.fromkeys(_COEFFICIENTS.split(), KnownMetric(True, "", -1.0, 1.0)),
    **dict.fromkeys(_LOWER.split(), KnownMetric(False, "", 0.0, None)),
}
"""Normalised name -> what is known. Whether a share is printed as 0.74 or as 74.4 differs from file
to file, so that no unit is claimed for it."""

_DROPPED_SUFFIXES = re.compile(r"_(pct|percent|percentage|score|mean|avg|average)$")


def lookup(name: str) -> KnownMetric | None:
    """Return what is known about a metric; case and punctuation do not matter.

    ``"Pass@1"``, ``"ROUGE-L.f1"`` and ``"pass_at_1_pct"`` are found, a made-up name is not.
    """
    spelled = name.lower().replace("@", "_at_").replace("%", "_pct")
    key = re.sub(r"[^0-9a-z]+", "_", spelled).strip("_")
    if key.endswith(("_stderr", "_std", "_p_value")):
        return None
    candidates = [key, _DROPPED_SUFFIXES.sub("", key)]
    match = re.fullmatch(r"(pass|recall|precision|ndcg|map|mrr|hits?|hit_rate)_(at_)?\d+", key)
    if match:
        candidates.append("recall" if match[1].startswith("hit") else match[1])
    # The first or last word of a compound: "rouge-1.f1", "bertscore.f1", "squad exact_match".
    candidates += [key.rpartition("_")[2] if key.endswith(("_f1", "_em", "_recall")) else ""]
    for candidate in candidates:
        if candidate in KNOWN:
            return KNOWN[candidate]
    return None


def is_share(name: str) -> bool:
    """Whether a metric is a share of something, printed as 0.74 or as 74.4."""
    return lookup(name) is _SHARE
