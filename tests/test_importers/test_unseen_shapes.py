"""Shapes of files that were met outside: each was refused, or read as what it is not."""

import json

import pytest

from benchmarks import fuzz
from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.lm_eval_results import _number as lm_eval_number

from .stated_figures import figures


@pytest.fixture
def read(tmp_path):
    def make(**files):
        for name, content in files.items():
            path = tmp_path / "all" / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return read_paths(tmp_path / "all", root=tmp_path)

    return make


def test_truth_values_by_item_are_scores(read) -> None:
    solved = {f"django-{n}": n % 2 == 0 for n in range(10)}
    (one, other) = read(
        eval_results_gpt5_DOT_json=solved, eval_results_llama_DOT_json=solved
    ).bundles
    assert [one.runs[0].system, other.runs[0].system] == ["gpt5", "llama"]
    assert one.runs[0].scores[0].values[:, 0].tolist() == [1, 0] * 5


def test_flags_are_no_scores(read) -> None:
    assert not read(config_DOT_json={f"use_{name}": True for name in "abcdefghijkl"}).bundles


def test_records_with_truth_values_are_of_items_and_not_of_systems(read) -> None:
    records = {f"TestWrite{n}": {"success": n > 0, "cost": n / 4} for n in range(3)}
    (one,) = read(turbo__report_DOT_json=records).bundles
    (run,) = one.runs
    assert run.system == "turbo"
    values = {one.metrics[part.metric].name: part.values[:, 0].tolist() for part in run.scores}
    assert values == {"success": [0, 1, 1], "cost": [0, 0.25, 0.5]}
    deeper = {name: {"difficulty": "easy", "metrics": record} for name, record in records.items()}
    (two,) = read(beebot__report_DOT_json={"command": "start", "tests": deeper}).bundles[:1]
    assert [item.key for item in two.datasets[0].items] == list(records)
    assert {metric.name for metric in two.metrics} == {"metrics.success", "metrics.cost"}


def test_nested_figures_by_dataset(read) -> None:
    content = {
        "Retrieval": {"jaqket": {"ndcg@10": 0.5}, "mrtydi": {"ndcg@10": 0.25}},
        "STS": {"jsts": {"spearman": 0.75, "n": 5}},
    }
    found = read(org__e5__summary_DOT_json=content)
    assert figures(found) == {
        ("e5", "jaqket", "ndcg@10"): 0.5,
        ("e5", "mrtydi", "ndcg@10"): 0.25,
        ("e5", "jsts", "spearman"): 0.75,
    }


def test_nested_figures_by_system(read) -> None:
    content = {"gpt-4": {"accuracy": 0.5}, "llama-2-7b": {"accuracy": 0.25}}
    assert figures(read(squad_DOT_json=content)) == {
        ("gpt-4", "squad", "accuracy"): 0.5,
        ("llama-2-7b", "squad", "accuracy"): 0.25,
    }


def test_nested_settings_are_no_figures(read) -> None:
    content = {"model": {"hidden": 5, "heads": 2, "loss": 1}, "data": {"rows": 5, "width": 2}}
    assert not read(config_DOT_json=content).bundles


FRAME = """,summary,config,name
0,"{'val_acc': 0.5, 'loss': nan, '_step': 9, 'g': {'_type': 'histogram'}}","{'lr': 0.1}",wolf-1
1,"{'val_acc': 0.25, '_wandb': {'runtime': 4}}","{'lr': 0.1}",dog-2
"""


def test_runs_of_wandb_as_its_guide_writes_them(read) -> None:
    assert figures(read(project_DOT_csv=FRAME)) == {
        ("wolf-1", "project", "val_acc"): 0.5,
        ("dog-2", "project", "val_acc"): 0.25,
    }


def test_a_name_beside_an_index_is_the_run(read) -> None:
    table = ",name,test_acc,aug_prob\n0,a,0.5,0.1\n1,b,0.25,0.2\n"
    assert figures(read(project_DOT_csv=table)) == {
        ("a", "project", "test_acc"): 0.5,
        ("b", "project", "test_acc"): 0.25,
    }


def test_a_cutoff_tells_lines_apart(read) -> None:
    table = "model,k,recall,mrr\nA,1,0.5,0.25\nA,5,0.75,0.5\nB,1,0.5,0.25\nB,5,0.75,0.5\n"
    found = figures(read(rag_DOT_csv=table))
    assert found["A", "rag/k=5", "recall"] == 0.75
    assert len(found) == 8


def test_columns_are_datasets_beside_times_and_sizes(read) -> None:
    table = "model,belebele_ita,wiki_mono,wiki_cross,evaluation_time,dim\nA,0.5,0.25,0.75,9,768\n"
    assert figures(read(board_DOT_csv=table + table.splitlines()[1].replace("A", "B") + "\n")) == {
        (system, name, "score"): value
        for system in "AB"
        for name, value in (("belebele_ita", 0.5), ("wiki_mono", 0.25), ("wiki_cross", 0.75))
    }


def test_a_rank_and_the_depth_of_a_model_are_no_metrics(read) -> None:
    table = "model,Rank,conv_layers,accuracy\nA,1,3,50%\nB,2,2,25%\n"
    assert {key[2] for key in figures(read(board_DOT_csv=table))} == {"accuracy"}


def test_the_answer_given_is_no_score(read) -> None:
    lines = [
        {"question": f"q{n % 4}", "sentence": f"s{n}", "label": n % 2, "idx": n, "correct": n > 3}
        for n in range(9)
    ]
    (bundle,) = read(qnli_DOT_jsonl="\n".join(map(json.dumps, lines))).bundles
    assert [metric.name for metric in bundle.metrics] == ["correct"]
    assert [item.key for item in bundle.datasets[0].items] == [str(n) for n in range(9)]


PAGE = "# Summarization\n\n## MLSUM\n\n| Model | ROUGE-L |\n|---|---|\n| Lead | {} |\n"


def test_pages_of_languages_are_about_other_data(read) -> None:
    found = read(
        german__summarization_DOT_md=PAGE.format(38), russian__summarization_DOT_md=PAGE.format(9)
    )
    assert figures(found) == {
        ("Lead", "German/Summarization/MLSUM", "ROUGE-L"): 38,
        ("Lead", "Russian/Summarization/MLSUM", "ROUGE-L"): 9,
    }


def test_a_metric_on_a_part_has_the_direction_of_the_metric(read) -> None:
    page = "| Model | Acc | Acc on unseen tags |\n|---|---|---|\n| A | 38 | 9 |\n"
    (bundle,) = read(page_DOT_md=page).bundles
    assert bundle.metrics[1].higher_is_better is True


def test_eval_is_the_name_of_no_system(read) -> None:
    rows = [{"task_name": "wino", "prompt_name": "p", "em": 0.5, "em_stderr": 0.1}]
    content = {"results": rows, "versions": {"wino": 1}, "config": {"num_fewshot": 0}}
    name = "eval_results_02-15-2023-21-59-54_DOT_json"
    (bundle,) = read(**{f"410M__{name}": content}).bundles
    assert bundle.reported_scores[0].system == "410M"


def test_a_file_in_the_folder_of_a_system_is_a_dataset(read) -> None:
    table = "id,question,correct\na,x,1\nb,y,0\n"
    (bundle,) = read(**{"gpt-3_DOT_5-turbo__eus_trivia_5-shot_DOT_csv": table}).bundles
    assert bundle.runs[0].system == "gpt-3.5-turbo"
    assert bundle.datasets[0].name == "eus_trivia_5-shot"


def test_boards_of_bfcls_groups_are_about_their_own_categories(read) -> None:
    found = read(
        data_live_DOT_csv="Rank,Model,Live Overall Acc,AST Summary\n1,A,50%,25%\n",
        data_non_live_DOT_csv="Rank,Model,Non-Live Overall Acc,AST Summary\n1,A,75%,N/A\n",
        data_non_live_old_DOT_csv="Rank,Model,Non_Live Overall Acc,AST Summary\n1,B,25%,50%\n",
    )
    assert figures(found) == {
        ("A", "BFCL Live", "accuracy"): 0.5,
        ("A", "BFCL Live AST Summary", "accuracy"): 0.25,
        ("A", "BFCL Non-Live", "accuracy"): 0.75,
        ("B", "BFCL Non-Live", "accuracy"): 0.25,
        ("B", "BFCL Non-Live AST Summary", "accuracy"): 0.5,
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a_DOT_json", '{"gpt-4": {"accuracy": 1%s, "f1": 0.5}, "llama": {"accuracy": NaN}}'),
        ("gpt_DOT_json", '{"accuracy": 1%s, "f1": 0.5}'),
        ("p_DOT_csv", ",summary,config,name\n0,\"{'val_acc': 1%s, 'f1': 0.5}\",{},a\n"),
    ],
)
def test_a_whole_number_without_end_is_told_and_left_out(read, name, text) -> None:
    (bundle,) = read(**{name: text % ("0" * 400)}).bundles
    assert [one.value for one in bundle.reported_scores] == [0.5]
    assert "too large" in " ".join(bundle.warnings)


def test_a_pointer_of_git_lfs_is_no_file_of_texts(read) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 9\n"
    found = read(
        ref__model_DOT_txt=pointer.format("a" * 64),
        sys__model_DOT_txt=pointer.format("b" * 64),
        scores_DOT_csv=pointer.format("c" * 64),
    )
    assert not found.bundles
    assert all("git lfs pull" in one.reason for one in found.left_out)
    assert [one.path for one in found.faults] == ["all/scores.csv"]


def test_files_of_evalplus_in_one_folder_are_called_by_their_names(read) -> None:
    def content(status):
        return {"eval": {"HumanEval/0": [{"base_status": status, "plus_status": status}]}}

    found = read(
        codes__phi_1_samples_eval_results_DOT_json=content("pass"),
        codes__t5_samples_eval_results_DOT_json=content("fail"),
        codes__samples_eval_results_DOT_json=content("fail"),
    )
    means = {b.runs[0].system: b.runs[0].scores[0].values[0, 0] for b in found.bundles}
    assert means == {"phi_1": 1, "t5": 0, "codes": 0}


def test_humanevals_own_results_with_two_programs_of_a_task(read) -> None:
    lines = [
        {"task_id": f"HumanEval/{n}", "completion": "x", "result": r, "passed": r == "passed"}
        for n, r in ((0, "passed"), (0, "timed out"), (1, "passed"), (1, "passed"))
    ]
    text = "\n".join(map(json.dumps, lines))
    (bundle,) = read(**{"gpt4_samples.jsonl_results_DOT_jsonl": text}).bundles
    assert (bundle.runs[0].system, bundle.datasets[0].name) == ("gpt4", "HumanEval")
    by_trial = {one.trial: one.values[:, 0].tolist() for one in bundle.runs[0].scores}
    assert by_trial == {0: [1, 1], 1: [0, 1]}


def test_settings_of_runs_are_no_datasets(read) -> None:
    spec = {"name": "r", "metric_specs": [], "adapter_spec": {"model": "m", "num_outputs": 1}}
    spec["adapter_spec"] |= {"max_tokens": 5, "max_train_instances": 3, "num_train_trials": 1}
    assert not read(run_specs_DOT_json=[spec, spec]).bundles
    other = [{"model": "m", "run_args.depth_x": 1, "run_args.b": 2, "run_args.c": 3}]
    assert not read(others_DOT_json=other).bundles


def test_a_run_of_wandb_without_figures_has_none(read) -> None:
    found = read(
        **{
            "run-1__files__wandb-summary_DOT_json": {"_wandb": {"runtime": 4}},
            "run-1__files__config_DOT_yaml": "wandb_version: 1\nbackend:\n  value: nccl\n",
        }
    )
    assert not found.bundles
    assert not found.faults


def test_an_abbreviation_behind_a_name_says_the_same(read) -> None:
    text = "experiment;dataset;metric_accuracy;metric_recall (TPR);metric_FPS\na;d;0.5;0.25;30\n"
    found = read(perf_DOT_csv=text)
    assert {key[2]: value for key, value in figures(found).items()} == {
        "metric_accuracy": 0.5,
        "metric_recall (TPR)": 0.25,
        "metric_FPS": 30.0,
    }
    assert not any(bundle.questions for bundle in found.bundles)


def test_bfcls_score_files_under_other_names(read) -> None:
    failed = {"id": "multiple_1", "test_category": "multiple", "valid": False, "prompt": {}}
    lines = [{"accuracy": 0.75, "correct_count": 3, "total_count": 4}, failed]
    (bundle,) = read(saved__haiku_DOT_json="\n".join(map(json.dumps, lines))).bundles
    assert (bundle.runs[0].system, bundle.datasets[0].name) == ("haiku", "BFCL multiple")
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [1, 0, 1, 1]


def test_the_classes_of_a_classification_report_are_no_systems(read) -> None:
    row = {"precision": 0.5, "recall": 0.25, "f1-score": 0.3, "support": 4}
    report = {"cat": row, "dog": row, "accuracy": 0.25, "macro avg": row | {"recall": 0.2}}
    assert figures(read(net__eval_report_DOT_json=report)) == {
        ("net", "net", "accuracy"): 0.25,
        ("net", "net", "macro precision"): 0.5,
        ("net", "net", "macro recall"): 0.2,
        ("net", "net", "macro f1-score"): 0.3,
    }


def test_classification_reports_of_several_systems(read) -> None:
    row = {"precision": 0.5, "support": 4}
    report = {"cat": row, "accuracy": 0.25, "weighted avg": row}
    found = figures(read(x__scores_DOT_json={"bert-base": report, "gpt2": report}))
    assert {(system, metric) for system, _, metric in found} == {
        (system, metric)
        for system in ("bert-base", "gpt2")
        for metric in ("accuracy", "weighted precision")
    }


def test_figures_in_a_folder_called_results_are_of_the_one_above(read) -> None:
    found = read(bert__eval_results__eval_results_DOT_json={"eval_accuracy": 0.5})
    assert figures(found) == {("bert", "bert", "eval_accuracy"): 0.5}


def test_an_index_without_a_name_beside_words_is_no_score(read) -> None:
    rows = [f"{n},{n},word{n},O,{n // 5}" for n in range(12)]
    assert not read(dev_DOT_csv="\n".join([",index,Word,Tag,sentence_id", *rows])).faults


def test_speech_in_another_script_is_scored_by_error_rates(read) -> None:
    lines = [{"audio_path": f"{n}.wav", "reference": "نعم يا", "prediction": "نعم"} for n in "ab"]
    (bundle,) = read(m__casa_DOT_jsonl="\n".join(map(json.dumps, lines))).bundles
    assert [metric.name for metric in bundle.metrics] == ["WER", "CER"]


def test_rouge_is_not_taken_for_texts_that_it_does_not_see(tmp_path) -> None:
    line = {"id": "a", "reference": "يوم جديد في هذه المدينة", "prediction": "يوم جديد في المدينة"}
    path = tmp_path / "out.jsonl"
    path.write_text("\n".join(json.dumps({**line, "id": i}) for i in "abc"))
    (bundle,) = read_paths(path).bundles
    assert [metric.name for metric in bundle.metrics] == ["chrF"]
    with pytest.raises(ImportFormatError, match="letters a to z"):
        read_paths(path, options=ReadOptions(score=("rouge1",)))


def test_tabs_with_quotation_marks_that_do_not_pair_up(read) -> None:
    text = 'system\titem\tscore\tsaid\nA\tq1\t1\t"What" he said\nA\tq2\t0\t"no\n'
    (bundle,) = read(scores_DOT_tsv=text).bundles
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [1, 0]
    assert read(cut_DOT_tsv='system\titem\tscore\nA\tq1\t"1\t2\n').faults


def test_damaged_copies_of_files_are_tried(tmp_path, capsys) -> None:
    (tmp_path / "scores.csv").write_text("system,dataset,item,acc\nA,d,q1,1\nA,d,q2,0\n")
    assert fuzz.main([str(tmp_path), "--inputs", "12"]) == 0
    assert "12 inputs of 1 formats, 0 undocumented errors" in capsys.readouterr().out


def test_whole_numbers_without_end_among_scores_of_mteb_are_left_out(tmp_path) -> None:
    folder = tmp_path / "org__m" / "rev"
    folder.mkdir(parents=True)
    scores = [{"hf_subset": "default", "languages": ["eng-Latn"], "main_score": 0.5, "map": 1}]
    task = {
        "task_name": "T",
        "dataset_revision": "r",
        "mteb_version": "1",
        "scores": {"test": scores},
    }
    text = json.dumps(task).replace('"map": 1', '"map": ' + "9" * 400)
    (folder / "T.json").write_text(text)
    found = read_paths(tmp_path)
    assert [one.value for bundle in found.bundles for one in bundle.reported_scores] == [0.5]


def test_a_whole_number_without_end_in_lm_eval_is_left_out() -> None:
    assert lm_eval_number(int("9" * 400)) is None
    assert lm_eval_number(0.5) == 0.5


def test_a_name_like_a_date_that_does_not_exist_is_a_name(read) -> None:
    card = (
        "---\nmodel-index:\n- name: W\n  results:\n  - task:\n      type: asr\n    dataset:\n"
        "      name: 2026-13-45\n      type: x/y\n    metrics:\n    - type: wer\n"
        "      value: 10.1\n"
        "---\n# W\n"
    )
    found = read(README_DOT_md=card)
    assert [(dataset, value) for (_, dataset, _), value in figures(found).items()] == [
        ("2026-13-45", 10.1)
    ]


def test_numbers_of_numbered_items_are_scores_of_items(read) -> None:
    record = {"f1": 0.5, "cost": 0.1}
    found = read(
        net_DOT_json={f"HumanEval/{n}": record for n in range(3)},
        issues_DOT_json={f"org__repo-{n}": record for n in (100, 200, 300)},
        shots_DOT_json={"arc/25": {"acc": 0.5}, "boolq/5": {"acc": 0.6}, "piqa/10": {"acc": 0.7}},
    )
    items = [
        [item.key for item in bundle.datasets[run.dataset].items]
        for bundle in found.bundles
        for run in bundle.runs
    ]
    assert sorted(items) == [
        ["HumanEval/0", "HumanEval/1", "HumanEval/2"],
        ["org__repo-100", "org__repo-200", "org__repo-300"],
    ]
    assert {dataset for _, dataset, _ in figures(found)} == {"arc/25", "boolq/5", "piqa/10"}
