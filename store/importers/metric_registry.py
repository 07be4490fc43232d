"""Well-known metrics as data: what they are called, which way is better, how far they go.

Each group says in words where its entries are defined. Names are normalised: lower case, words
joined by underscores, ``@`` written as ``at``. To add a metric, add a line to the group it fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Range = Literal["share", "coefficient", "from zero", "any"]
"""``share``: 0..1, or 0..100 where it is printed in percent; ``coefficient``: −1..1."""
Measured = Literal["share", "points", "seconds", "money", "count", "nats or bits", "bytes", "grams"]
"""What a value is counted in."""
Over = Literal["mean", "corpus"]
"""How the metric arises over many items: as the mean of their scores, or from their parts."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


class Group(NamedTuple):
    """Metrics that are alike in all but their name."""

    source: str
    """Where their direction and range are defined."""
    higher_is_better: bool
    range: Range
    measured: Measured
    over: Over
    names: Mapping[str, str]
    """Name -> its other spellings, separated by blanks."""


GROUPS: tuple[Group, ...] = (
    Group(
        "shares of right answers, as scikit-learn's guide and evaluation harnesses define them",
        True, "share", "share", "mean",
        {
            "accuracy": "acc accuracy_score classification_accuracy overall_accuracy avg_acc",
            "normalised_accuracy": "acc_norm acc_norm_bytes accuracy_norm normalized_accuracy",
            "mutual_information_accuracy": "acc_mutual_info",
            "balanced_accuracy": "balanced_acc bacc",
            "top_k_accuracy":
                "top_1_accuracy top1_accuracy top1 acc1 top_5_accuracy top5 acc5 top1_acc",
            "exact_match": "em exact exact_str_match exact_match_score acc_em strict_exact_match",
            "quasi_exact_match": "qem",
            "prefix_exact_match": "quasi_prefix_exact_match",
            "strict_match": "strict",
            "flexible_match": "flexible_extract",
            "match": "matched includes contains pattern string_match equal equals json_equal",
            "correct":
                "is_correct correctness correct_answer answer_correct is_right equivalent "
                "is_equivalent",
            "success": "success_rate task_success is_success successful goal_completion",
            "solved": "solve_rate is_solved solved_rate",
            "resolved": "resolved_rate resolve_rate resolution_rate is_resolved",
            "passed": "pass pass_rate passing_rate pass_ratio is_pass has_passed pass_percent",
            "pass_at_k":
                "pass_at_1 pass_at_5 pass_at_10 pass_at_100 pass_1 pass_5 pass_10 pass_100",
            "all_passes": "pass_hat_k pass_all",
            "validity": "valid is_valid validity_rate valid_json json_valid schema_valid",
            "completion_rate": "completed task_completion",
            "test_case_pass_rate": "tests_passed_rate",
            "slot_accuracy": "joint_accuracy joint_goal_accuracy intent_accuracy",
            "part_of_speech_accuracy": "upos xpos pos_accuracy ufeats feats lemmas alltags",
            "multiple_choice_grade": "mcq_accuracy multiple_choice_accuracy",
            "mathematical_equivalence": "math_equiv math_equiv_chain_of_thought math_verify",
            "truthful": "mc1 mc2 truthfulness truthfulqa",
            "instruction_following":
                "prompt_level_strict_acc prompt_level_loose_acc inst_level_strict_acc "
                "inst_level_loose_acc ifeval",
            "executable": "execution_accuracy execution_match ex compile_rate compiled",
            "syntax_match": "ast_match ast_accuracy",
            "tool_call_accuracy": "tool_accuracy function_call_accuracy",
            "word_accuracy": "wacc word_information_preserved wip",
            "character_accuracy": "char_accuracy",
            "sentence_accuracy": "sequence_accuracy",
        },
    ),
    Group(
        "retrieval and classes, from counts, as scikit-learn's guide and trec_eval define them",
        True, "share", "share", "corpus",
        {
            "f1":
                "f1_score f1score micro_f1 macro_f1 weighted_f1 span_f1 token_f1 f_score "
                "f_measure fscore f1_micro f1_macro f1_weighted f_1 entity_f1 slot_f1 "
                "ents_f sents_f token_f spans_sc_f cats_micro_f cats_macro_f",
            "f2": "f2_score",
            "f0_5": "f05 f0_5_score f_0_5",
            "precision":
                "prec precision_score ppv ents_p sents_p token_p spans_sc_p cats_micro_p "
                "cats_macro_p",
            "recall":
                "rec recall_score sensitivity tpr true_positive_rate ents_r sents_r token_r "
                "spans_sc_r cats_micro_r cats_macro_r",
            "specificity": "tnr true_negative_rate",
            "area_under_curve": "auc auroc roc_auc roc_auc_score auc_roc",
            "area_under_precision_recall": "auprc aupr pr_auc average_precision ap auc_pr",
            "mean_average_precision": "map mean_ap",
            "mean_reciprocal_rank": "mrr reciprocal_rank recip_rank rr",
            "discounted_gain": "ndcg ndcg_at_10 ndcg_10 ndcg_at_k dcg",
            "hit_rate": "hits hit hits_at_1 hits_at_10 hit_at_k",
            "recall_at_k": "recall_at_10 recall_at_100 recall_100",
            "jaccard": "iou jaccard_index intersection_over_union miou mean_iou",
            "dice": "dice_score dice_coefficient",
            "purity": "cluster_purity",
            "v_measure": "homogeneity completeness_score",
            "normalised_mutual_information": "nmi ami",
        },
    ),
    Group(
        "parsing, as the CoNLL shared tasks' scorer defines them",
        True, "share", "share", "corpus",
        {
            "labelled_attachment": "las las_f1 labeled_attachment_score labelled_attachment_score",
            "unlabelled_attachment": "uas uas_f1 unlabeled_attachment_score",
            "label_accuracy": "la",
            "content_attachment": "clas",
            "weighted_attachment": "wlas weighted_las",
            "morphology_attachment": "mlas",
            "bilexical": "blex",
            "smatch": "smatch_f1",
            "evalb": "bracketing_f1 parseval_f1 bracket_f1",
            "coreference": "conll_f1 muc b_cubed bcubed ceaf lea",
        },
    ),
    Group(
        "overlap with reference texts, as sacrebleu, rouge-score and METEOR define them",
        True, "share", "share", "corpus",
        {
            "bleu":
                "bleu_1 bleu_2 bleu_3 bleu_4 bleu1 bleu2 bleu3 bleu4 sacrebleu sacrebleu_bleu "
                "corpus_bleu sentence_bleu spbleu bleu_score self_normalised_bleu",
            "chrf": "chrf1 chrf2 chrf3 chrf_pp chrfpp chrf_plus_plus sacrebleu_chrf chrf2_pp",
            "codebleu": "code_bleu crystalbleu",
            "gleu": "google_bleu",
            "sari": "",
            "ribes": "",
            "tree_edit_similarity": "teds teds_s",
        },
    ),
    Group(
        "likeness to true answers, alone and less that to false ones, as TruthfulQA defines it",
        True, "any", "points", "mean",
        {
            "truthful_likeness":
                "bleu_max rouge1_max rouge2_max rougel_max rouge_1_max rouge_2_max rouge_l_max "
                "bleurt_max",
            "truthful_difference":
                "bleu_diff rouge1_diff rouge2_diff rougel_diff rouge_1_diff rouge_2_diff "
                "rouge_l_diff bleurt_diff",
        },
    ),
    Group(
        "similarity to reference texts item by item, as the papers of these metrics define them",
        True, "share", "share", "mean",
        {
            "rouge":
                "rouge_1 rouge_2 rouge_3 rouge_4 rouge_l rouge_lsum rouge_su4 rouge_w rouge1 "
                "rouge2 rougel rougelsum rouge_score rouge_1_f rouge_2_f rouge_l_f "
                "rouge1_f rouge2_f rougel_f rouge1_fmeasure rouge2_fmeasure rougel_fmeasure "
                "rougelsum_fmeasure rouge1_precision rouge2_precision rougel_precision "
                "rouge1_recall rouge2_recall rougel_recall",
            "meteor": "",
            "bertscore": "bert_score bertscore_f1 bert_score_f1",
            "moverscore": "mover_score",
            "semantic_similarity":
                "sts cosine_similarity answer_similarity similarity sas embedding_similarity",
            "win_rate":
                "winrate win win_prob win_probability discrete_win_rate win_rate_lc lc_win_rate "
                "length_controlled_win_rate length_controlled_winrate preference_rate",
            "accuracy_of_citations": "citation_precision citation_recall citation_f1",
            "pyramid": "lite_pyramid s3_pyr s3_resp",
            "graphs_of_ngrams": "autosummeng memog npower",
            "sms": "sentence_mover_similarity",
            "spice": "",
            "entailment": "entailment_rate nli_score summac",
            "coverage": "concept_coverage",
        },
    ),
    Group(
        "judged by a model or people, as RAGAS, DeepEval, G-Eval and SummEval define them",
        True, "any", "points", "mean",
        {
            "adequacy": "",
            "fluency": "",
            "relevance":
                "relevancy answer_relevance answer_relevancy answerrelevancy "
                "contextual_relevancy context_relevance context_relevancy response_relevancy",
            "coherence": "",
            "consistency": "factual_consistency",
            "faithfulness": "groundedness grounded faithful",
            "factuality": "factual_accuracy factual_correctness answer_correctness",
            "context_precision": "contextual_precision contextualprecision context_utilization "
            "llm_context_precision_with_reference llm_context_precision_without_reference "
            "non_llm_context_precision_with_reference id_based_context_precision",
            "context_recall": "contextual_recall contextualrecall context_entity_recall",
            "g_eval": "geval",
            "helpfulness": "helpful usefulness useful",
            "harmlessness": "harmless safety safety_score",
            "quality": "overall_quality overall_rating",
            "naturalness": "",
            "engagingness": "interestingness engaging",
            "informativeness": "informative",
            "understandability": "clarity readability_rating",
            "conciseness": "concise",
            "completeness": "complete_answer",
            "preference": "human_preference",
            "plain_score": "score points grade mark main_score",
            "direct_assessment": "human_da human_da_z human_da_raw",
            "likert": "human_score rating mean_opinion_score mos stars",
            "mt_bench": "mtbench mt_bench_score wb_score wildbench",
            "elo": "elo_rating arena_score bradley_terry",
            "reward": "reward_score rm_score episode_return mean_reward return",
        },
    ),
    Group(
        "learned metrics and likelihoods, which have no fixed end, as their authors define them",
        True, "any", "points", "mean",
        {
            "comet": "comet22 comet_22 xcomet unbabel_comet comet_da wmt22_comet_da",
            "cometkiwi": "comet_kiwi comet_qe",
            "bleurt": "bleurt_20",
            "bartscore": "bart_score",
            "yisi": "yisi_0 yisi_1 yisi_2",
            "prism": "prismref",
            "beer": "",
            "nist": "",
            "cider": "cider_d",
            "unieval": "",
            "lerc": "",
            "metricx_negated": "",
            "log_likelihood": "loglikelihood logprob log_probability log_prob ll",
            "evidence_lower_bound": "elbo",
            "r_squared": "r2 r2_score explained_variance",
            "throughput":
                "tokens_per_second tokens_per_sec samples_per_second items_per_second "
                "steps_per_second tps requests_per_second words_per_second "
                "fps frames_per_second tok_s toks_s tokens_s tok_per_s tok_per_sec tokens_per_s",
            "speedup": "",
            "inception_score": "",
            "snr": "si_sdr psnr pesq stoi sdr",
        },
    ),
    Group(
        "coefficients of agreement and correlation, as statistics textbooks define them",
        True, "coefficient", "points", "corpus",
        {
            "spearman":
                "spearmanr spearman_rho rho spearman_correlation spearman_r cosine_spearman "
                "spearman_corr",
            "pearson":
                "pearsonr pearson_r pearson_correlation pearson_corr cosine_pearson correlation "
                "corr",
            "kendall": "kendall_tau kendalltau tau tau_b",
            "matthews": "mcc matthews_corrcoef matthews_correlation phi matthews_cc",
            "kappa": "cohen_kappa cohens_kappa fleiss_kappa quadratic_weighted_kappa qwk",
            "krippendorff": "krippendorff_alpha alpha_krippendorff",
            "concordance": "ccc concordance_correlation lin_ccc",
            "intraclass_correlation": "icc",
            "adjusted_rand": "ari adjusted_rand_index",
        },
    ),
    Group(
        "rates of errors in speech, translation and characters, as NIST and jiwer define them",
        False, "from zero", "share", "corpus",
        {
            "word_error_rate": "wer",
            "character_error_rate": "cer",
            "phoneme_error_rate": "per",
            "token_error_rate": "sentence_error_rate utterance_error_rate",
            "translation_edit_rate": "ter hter tder sacrebleu_ter",
            "match_error_rate": "mer",
            "word_information_lost": "wil",
            "cder": "",
            "diarisation_error_rate": "der",
            "slot_error_rate": "",
        },
    ),
    Group(
        "rates of what should not happen, as the fields that count it define them",
        False, "share", "share", "mean",
        {
            "error_rate": "err error_ratio classification_error zero_one_loss",
            "equal_error_rate": "eer",
            "detection_cost": "min_dcf mindcf dcf",
            "false_positive_rate":
                "fpr false_alarm_rate false_discovery_rate fdr fpr_at_tpr fpr_at_tpr_95 "
                "fpr_at_tpr_99 fpr95 fpr_at_95",
            "false_negative_rate": "fnr miss_rate",
            "failure_rate": "fail_rate crash_rate timeout_rate exception_rate missing_rate",
            "hallucination_rate":
                "hallucination hallucinations chair chairi chairs chair_i chair_s "
                "noise_sensitivity",
            "toxicity":
                "toxic toxicity_fraction expected_maximum_toxicity toxicity_probability "
                "toxic_fraction",
            "bias_score":
                "stereotype_score pct_stereotype likelihood_diff likelihood_difference "
                "demographic_parity_difference equalized_odds_difference",
            "attack_success_rate":
                "attack_success asr_attack jailbreak_rate harmful_rate violation_rate",
            "refusal_rate": "over_refusal over_refusal_rate",
            "repetition": "repetition_rate rep_n self_bleu copy_rate",
            "contamination": "contamination_rate",
            "invalid_rate": "invalid_json_rate format_error_rate parse_error_rate unparsable",
            "calibration_error":
                "ece expected_calibration_error ece_10_bin ece_1_bin max_calibration_error "
                "mce",
            "brier": "brier_score brier_score_loss",
            "optimality_gap": "regret",
        },
    ),
    Group(
        "losses of training and language modelling, as deep-learning libraries define them",
        False, "any", "nats or bits", "mean",
        {
            "loss": "train_loss eval_loss val_loss test_loss step_loss total_loss objective",
            "cross_entropy": "ce ce_loss cross_entropy_loss xent",
            "log_loss": "logloss",
            "negative_log_likelihood": "nll neg_log_likelihood nll_loss",
            "kl_divergence": "kl kld kl_div js_divergence",
            "hinge_loss": "contrastive_loss triplet_loss",
        },
    ),
    Group(
        "language modelling over a corpus, as the lm-evaluation-harness defines them",
        False, "from zero", "nats or bits", "corpus",
        {
            "perplexity": "ppl word_perplexity byte_perplexity token_perplexity pplx",
            "bits_per_byte": "bpb",
            "bits_per_token": "bits_per_word bpw",
            "bits_per_character": "bpc bit_per_character bit_per_character_bpc bits_per_char",
        },
    ),
    Group(
        "distances and deviations, as scikit-learn's guide and textbooks define them",
        False, "from zero", "points", "mean",
        {
            "edit_distance":
                "edit edit_dist levenshtein mean_edit_distance lev tree_edit_distance ted",
            "mean_absolute_error": "mae absolute_error abs_error l1",
            "mean_squared_error": "mse squared_error l2",
            "root_mean_squared_error": "rmse root_mean_square_error",
            "scaled_error": "mase mean_absolute_scaled_error rmsse",
            "continuous_ranked_probability_score": "crps mean_crps",
            "percentage_error": "mape smape mean_absolute_percentage_error",
            "max_error": "maximum_error",
            "median_absolute_error": "medae",
            "deviation": "mean_deviation displacement",
            "frechet_distance": "fid frechet_inception_distance fad",
            "mel_cepstral_distortion": "mcd",
            "wasserstein": "earth_mover_distance emd",
            "mqm_penalty": "mqm_errors metricx metricx_23 metricx_24",
            "perplexity_gap": "generalisation_gap generalization_gap",
        },
    ),
    Group(
        "counts of faults; a count of what is good has no place here",
        False, "from zero", "count", "mean",
        {
            "errors": "error error_count mistakes mistake faults fault bugs bug",
            "misspellings": "misspel misspell misspelled misspelling typos typo",
            "failures": "failure failed fails crashes timeouts exceptions warnings",
            "violations": "violation infractions",
            "false_positives": "fp false_alarms",
            "false_negatives": "fn misses",
            "omissions": "omission additions insertions deletions substitutions mistranslations",
            "retries": "retry attempts_needed",
            "tests_failed": "failed_tests n_failed",
        },
    ),
    Group(
        "time, as measured by a clock",
        False, "from zero", "seconds", "mean",
        {
            "latency":
                "latency_ms latency_s latencyms response_time time_to_first_token ttft ttfa "
                "inter_token_latency",
            "duration":
                "runtime run_time time seconds wall_time elapsed elapsed_time wall_clock "
                "wallclock wall sec_item seconds_item",
            "real_time_factor": "rtf realtime_factor",
            "inference_time": "generation_time decode_time inference_runtime time_per_example",
            "training_time": "train_time training_time_sec training_runtime train_runtime",
            "evaluation_time": "eval_time total_evaluation_time_seconds eval_runtime",
            "execution_time": "exec_time cpu_time",
        },
    ),
    Group(
        "what it takes to get an answer: money, tokens, calls",
        False, "from zero", "count", "mean",
        {
            "cost":
                "cost_usd price instance_cost total_cost usd dollars cost_per_task api_cost "
                "total_cost_usd",
            "tokens":
                "input_tokens output_tokens total_tokens prompt_tokens completion_tokens "
                "num_tokens n_tokens token_count reasoning_tokens tokens_used",
            "calls": "api_calls model_calls tool_calls requests instance_calls n_calls queries",
            "steps": "turns n_steps num_steps n_turns num_turns iterations_needed actions",
            "interventions": "human_interventions",
        },
    ),
    Group(
        "memory and energy, as profilers report them",
        False, "from zero", "bytes", "mean",
        {
            "memory":
                "memory_mb memory_gb peak_memory peak_memory_mb max_memory gpu_memory vram "
                "ram rss",
            "energy": "energy_kwh energy_joules power_watts kwh",
            "carbon": "kg_co2_emissions co2 co2_emissions emissions kg_co2",
            "model_size": "size_mb disk_size",
            "flops": "macs gflops tflops_needed",
        },
    ),
)  # fmt: skip

HEADS = words_of(
    """accuracy acc f1 em precision recall loss wer cer ter bleu chrf meteor auc auroc mae mse rmse
    perplexity ppl latency cost tokens runtime errors error error_rate exact exact_match bertscore
    ndcg mrr las uas mistakes failures misspellings spearman pearson rouge geval correctness success
    faithfulness relevancy relevance coherence fluency helpfulness quality time teds tok_s"""
)
"""Names that say what a longer name is about when they end it, as in ``squad_exact_match``."""

SETTINGS = words_of(
    """learning_rate lr min_lr max_lr base_lr batch_size micro_batch_size block_size dropout
    seed random_seed weight_decay warmup
    warmup_steps warmup_iters warmup_ratio lr_decay_iters momentum beta1 beta2
    epsilon eps grad_clip max_grad_norm gradient_accumulation_steps epochs n_epochs num_epochs
    num_train_epochs max_epochs max_iters max_steps max_length max_len max_seq_length max_tokens
    max_new_tokens max_output_tokens min_length context_length context_window ctx n_ctx seq_len
    hidden_size hidden_dim d_model n_embd embedding_dim embed_dim dim n_dim n_layer n_layers
    num_layers n_head n_heads num_heads vocab_size n_params num_params params parameters
    n_parameters param_count model_parameters active_params temperature temp top_p top_k min_p
    repetition_penalty frequency_penalty presence_penalty num_beams beam_size n_beams beam best_of
    num_return_sequences n_samples_per_task shots n_shot n_shots num_shots num_fewshot fewshot
    few_shot k_shot k fold folds n_folds num_seeds n_seeds eval_interval eval_iters log_interval
    save_interval iter iters iteration step global_step lora_r lora_alpha lora_dropout rank_r bits
    quantization_bits num_workers n_gpus num_gpus gpus gpu_count threads n_threads bias_term
    train_size train_examples train_steps timeout limit bootstrap_iters gamma alpha beta lambda tau
    sigma threshold best_threshold decision_threshold cutoff n_estimators max_depth"""
)
"""Names of what somebody chose before the run."""
