"""Shapes of folders that were met after the importers were written, in files of our own making."""

from __future__ import annotations

import json

import pytest

from store.errors import ImportFormatError
from store.importers.detect import read_paths
from store.importers.known_metrics import likely_direction, lookup
from store.importers.no_metrics import no_metric_by_name

PRINTED = """hf (pretrained=org/tiny,dtype=float16), limit: None

|  Tasks   |Version|     Filter     |n-shot|  Metric   |   |Value |   |Stderr|
|----------|------:|----------------|-----:|-----------|---|-----:|---|-----:|
|arc       |      1|none            |     0|acc        |↑  |0.2850|±  |0.0143|
|          |       |none            |     0|acc_norm   |↑  |0.3110|±  |0.0146|
|gsm8k     |      3|strict-match    |     5|exact_match|↑  |0.1000|±  |0.0100|
|wikitext  |      2|none            |     0|word_perplexity|↓|12.5|±|   N/A|
|mmlu      |      2|none            |      |acc        |↑  |0.2294|±  |0.0036|
| - anatomy|      1|none            |     0|acc        |↑  |0.2850|±  |0.0309|

|Groups|Version|Filter|n-shot|Metric|   |Value |   |Stderr|
|------|------:|------|------|------|---|-----:|---|-----:|
|mmlu  |      2|none  |      |acc   |↑  |0.2294|±  |0.0036|
"""


@pytest.fixture
def figures(write, tmp_path):
    """Return a function that writes files below a folder, imports it, and returns its figures."""

    def make(**files):
        for name, text in files.items():
            text = text if isinstance(text, str) else json.dumps(text)
            write(text, f"project/{name.replace('__', '/').replace('0', '.')}")
        found = read_paths([tmp_path / "project"], root=tmp_path)
        return {
            (s.system, b.datasets[s.dataset].name, b.metrics[s.metric].name): s.value
            for b in found.bundles
            for s in b.reported_scores
        }

    return make


def test_a_table_that_lm_eval_prints(figures) -> None:
    found = figures(log0md=PRINTED)
    assert found == {
        ("org/tiny", "arc", "acc"): 0.285,
        ("org/tiny", "arc", "acc_norm"): 0.311,
        ("org/tiny", "gsm8k", "exact_match"): 0.1,
        ("org/tiny", "wikitext", "word_perplexity"): 12.5,
        ("org/tiny", "anatomy", "acc"): 0.285,
    }


def test_a_printed_table_without_its_model_is_called_after_the_file(figures) -> None:
    found = figures(net_a0md=PRINTED.partition("\n")[2])
    assert {system for system, *_ in found} == {"net_a"}


def test_several_summaries_in_a_folder_are_systems(figures) -> None:
    found = figures(runs__base0json={"accuracy": 0.5}, runs__tuned0json={"accuracy": 0.6})
    assert found == {
        ("base", "project", "accuracy"): 0.5,
        ("tuned", "project", "accuracy"): 0.6,
    }


def test_summaries_called_like_datasets_are_datasets(figures) -> None:
    found = figures(runs__squad0json={"f1": 0.5}, runs__nq0json={"f1": 0.6})
    assert set(found) == {("project", "squad", "f1"), ("project", "nq", "f1")}


def test_a_summary_that_names_its_model(figures) -> None:
    found = figures(x0json={"model": "./org/tiny", "task": "squad", "f1": 0.5})
    assert found == {("org/tiny", "squad", "f1"): 0.5}


def test_the_mean_over_datasets_is_left_out(figures) -> None:
    board = "model,SADA WER,CV WER,Average WER\na,0.5,0.3,0.4\nb,0.6,0.2,0.4\n"
    assert set(figures(board0csv=board)) == {
        (system, dataset, "WER") for system in "ab" for dataset in ("SADA", "CV")
    }


def test_win_rates_on_parts(figures) -> None:
    board = "model,win_rate_scene,win_rate_role,win_rate_avg\na,0.5,0.3,0.4\nb,0.6,0.2,0.4\n"
    assert set(figures(board0csv=board)) == {
        (system, dataset, "win_rate") for system in "ab" for dataset in ("scene", "role")
    }


def test_no_name_is_taken_from_above_the_folder_that_was_given(write, tmp_path) -> None:
    write("id,accuracy\nq1,1\nq2,0\n", "stranger/project/results/scores.csv")
    found = read_paths([tmp_path / "stranger/project"], root=tmp_path)
    (bundle,) = found.bundles
    assert [d.name for d in bundle.datasets] == ["project"]


def test_letters_before_a_rank() -> None:
    assert lookup("P@5").name == "precision"
    assert lookup("r@10").name == "recall"
    assert lookup("p_value") is None


def test_folders_that_begin_alike_are_called_after_the_rest(write, tmp_path) -> None:
    for system in ("net", "tiny"):
        line = json.dumps({"reference": "a b", "prediction": "a c"})
        write(f"{line}\n", f"project/predictions_{system}/squad.jsonl")
    found = read_paths([tmp_path / "project"], root=tmp_path)
    systems = {run.system for bundle in found.bundles for run in bundle.runs}
    assert systems == {"net", "tiny"}


def test_a_column_of_conditions_names_datasets_and_no_sources(figures) -> None:
    found = figures(
        board0csv="Model,Data,WER\na,clean,0.2\na,noisy,0.4\nb,clean,0.1\nb,noisy,0.3\n"
    )
    assert found["a", "project/noisy", "WER"] == 0.4
    assert found["b", "project/clean", "WER"] == 0.1


def test_means_of_parts_are_not_held_against_all_items(write, tmp_path) -> None:
    items = "task_id,model,score\n" + "".join(f"q{i},a,{i % 2}\n" for i in range(6))
    write(items, "project/items.csv")
    rows = "overall,a,-,6,0.5\ndomain,a,x,3,0.9\ndomain,a,y,3,0.1\n"
    write("breakdown,model,bucket,count,mean_score\n" + rows, "project/leaderboard.csv")
    found = read_paths([tmp_path / "project"], root=tmp_path)
    held = [s for b in found.bundles if b.runs for s in b.reported_scores]
    assert not held


def test_keys_that_say_nothing_are_no_datasets(figures) -> None:
    found = figures(net_a0json={"model": {"layers": 2}, "metrics": {"mae": 0.5, "rmse": 0.7}})
    assert {dataset for _, dataset, _ in found} == {"project"}


def test_the_time_for_an_item_and_the_size_of_a_split() -> None:
    assert lookup("inference_time_ms_per_sample").higher_is_better is False
    assert no_metric_by_name("train_samples") == no_metric_by_name("n_samples")
    assert lookup("tokens_per_second").higher_is_better


def test_a_spread_of_something_is_no_metric() -> None:
    for name in ("standard_error_leaderboard", "std_accuracy", "accuracy_standard_error"):
        assert no_metric_by_name(name) == "a spread"


def test_a_flag_that_is_the_same_everywhere_is_no_result(write, tmp_path) -> None:
    write("id,prompt,public\nq1,a,True\nq2,b,True\n", "project/data.csv")
    write("system,dataset,metric,value\na,d,f1,0.5\n", "project/board.csv")
    found = read_paths([tmp_path / "project"], root=tmp_path)
    assert [(one.path, one.is_fault) for one in found.left_out] == [("project/data.csv", False)]


def test_what_a_run_spent_is_no_result(write, tmp_path) -> None:
    write('{"total_cost": 1.5, "total_steps": 120}', "project/progress.json")
    write('{"total_cost": 1.5, "accuracy": 0.5}', "project/result.json")
    found = read_paths([tmp_path / "project"], root=tmp_path)
    assert [one.path for one in found.left_out] == ["project/progress.json"]


def test_entries_of_one_system_are_told_apart_by_their_mode(figures) -> None:
    rows = "| a | greedy | 50 |\n| a | sampled | 40 |\n| b | greedy | 30 |\n"
    found = figures(net0summary0md="| Model | Mode | Acc |\n|---|---|---|\n" + rows)
    assert found == {
        ("a (greedy)", "net", "Acc"): 50,
        ("a (sampled)", "net", "Acc"): 40,
        ("b", "net", "Acc"): 30,
    }


def test_a_column_called_like_a_pattern_tells_nothing_apart(write, tmp_path) -> None:
    write("Model,{},WER\na,clean,0.2\na,noisy,0.4\n", "board.csv")
    with pytest.raises(ImportFormatError, match="same figure"):
        read_paths([tmp_path / "board.csv"], root=tmp_path)


def test_a_setting_that_tells_lines_apart_is_of_the_system(figures) -> None:
    rows = "".join(
        f"gcn,{data},{aggr},0.{n}5\n"
        for n, (data, aggr) in enumerate(
            (data, aggr) for data in ("cora", "citeseer", "pubmed") for aggr in ("mean", "max")
        )
    )
    found = figures(runs0csv=f"model,dataset,aggr,test_acc\n{rows}")
    assert {(system, dataset) for system, dataset, _ in found} == {
        (f"gcn (aggr={aggr})", data)
        for aggr in ("mean", "max")
        for data in ("cora", "citeseer", "pubmed")
    }


def test_a_word_beside_settings_is_one_and_a_split_is_none(figures) -> None:
    head = "model,split,readout,lr,hidden_dim,accuracy\n"
    rows = "".join(
        f"net,{split},{readout},0.1,8,0.{n}5\n"
        for n, (split, readout) in enumerate(
            (split, readout) for split in ("easy", "hard") for readout in ("sum", "cat")
        )
    )
    found = figures(runs0csv=head + rows)
    assert {system for system, *_ in found} == {"net (readout=sum)", "net (readout=cat)"}
    assert {dataset.rpartition("/")[2] for _, dataset, _ in found} == {"easy", "hard"}


def test_parameters_of_a_fit_percentiles_and_losses_are_no_datasets(figures) -> None:
    head = "agent,coefficient,intercept,bce_loss,p50,p50q0.025,p80,rating_q975,1-4 min,4-16 min,1 h"
    found = figures(fits0csv=f"{head}\na,-0.5,1.5,0.3,6.4,2.8,1.1,9,0.6,0.5,0.2\n")
    assert {dataset for _, dataset, _ in found} == {"1-4 min", "4-16 min", "1 h"}


@pytest.mark.parametrize(
    ("name", "is_high"),
    [("error_anchor_pos", False), ("optimality.gap", False), ("skill", True), ("no_error", True)],
)
def test_what_is_likely_better(name, is_high) -> None:
    assert likely_direction(name) == is_high


def test_a_switch_of_a_configuration_is_no_figure() -> None:
    assert no_metric_by_name("train_cfg.algorithm.use_clipped_value_loss") == "a setting"


def test_a_board_that_is_called_after_its_metric(figures) -> None:
    head = "model,arc,typos,spatial,zebra,nq_arc,nq_typos,nq_spatial,avg_output_tokens"
    found = figures(cost_of_tasks0csv=f"{head}\na,0.1,0.2,0.3,0.4,7,8,9,100\n")
    assert found == {
        ("a", dataset, "cost"): value
        for dataset, value in (("arc", 0.1), ("typos", 0.2), ("spatial", 0.3), ("zebra", 0.4))
    }
