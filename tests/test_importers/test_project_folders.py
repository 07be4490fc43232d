"""Shapes of result folders of projects, in files of our own making."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np
import pytest

from store.importers.bundle import Status
from store.importers.cells import CellError, parse_status
from store.importers.detect import read_paths
from store.importers.known_metrics import lookup
from store.importers.no_metrics import no_metric_by_name


@pytest.fixture
def found(write, tmp_path):
    """Return a function that writes files below a folder and imports the folder."""

    def make(files: dict[str, Any]):
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            write(text, f"project/{name}")
        return read_paths([tmp_path / "project"], root=tmp_path)

    return make


def figures_of(found) -> dict[tuple[str, str, str], float]:
    """Return (system, dataset, metric) -> stated figure."""
    return {
        (s.system, b.datasets[s.dataset].name, b.metrics[s.metric].name): s.value
        for b in found.bundles
        for s in b.reported_scores
    }


def means_of(found) -> dict[tuple[str, str, str], float]:
    """Return (system, dataset, metric) -> mean of the item scores over all trials, rounded."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for b in found.bundles:
        for run in b.runs:
            for one in run.scores:
                key = (run.system, b.datasets[run.dataset].name, b.metrics[one.metric].name)
                values.setdefault(key, []).extend(one.values[:, 0].tolist())
    return {key: round(float(np.nanmean(of_key)), 6) for key, of_key in values.items()}


def test_a_submission_says_its_model_beside_the_figures(found) -> None:
    def submission(model: str, value: float) -> dict[str, Any]:
        results = {"retail": {"pass_1": value, "pass_2": value / 2}, "air": {"pass_1": None}}
        run = {"config": {"tick_sec": 0.2, "window_sec": 1.0, "wait_sec": 2.0, "gap_sec": 3.0}}
        links = [{"url": "x", "title": "y"}]
        return {"model_name": model, "results": results, "references": links, "run": run}

    files = {
        "submissions/a_2026-01-02/submission.json": submission("Net A", 50.0),
        "submissions/b_2026-01-02/submission.json": submission("Net B", 60.0),
    }
    assert figures_of(found(files)) == {
        ("Net A", "retail", "pass_1"): 50.0,
        ("Net A", "retail", "pass_2"): 25.0,
        ("Net B", "retail", "pass_1"): 60.0,
        ("Net B", "retail", "pass_2"): 30.0,
    }


def test_summaries_of_a_folder_are_named_in_one_way(found) -> None:
    files = {
        "gpqa-gemma.json": {"accuracy": 0.5, "model_label": "gemma-q3"},
        "gpqa-other-n20.json": {"accuracy": 0.6, "model_label": "other-iq3"},
        "toy-gemma.json": {"accuracy": 1.0, "model_label": "gemma-toy"},
    }
    assert figures_of(found(files)) == {
        ("gemma-q3", "project", "accuracy"): 0.5,
        ("other-iq3", "project", "accuracy"): 0.6,
        ("gemma-toy", "project", "accuracy"): 1.0,
    }


def test_counts_of_right_answers_are_no_shares(found) -> None:
    table = "model,total_cases,correct_cases,correct,accuracy\nA,40,30,30,0.75\nB,40,20,20,0.5\n"
    summary = {"model_name": "C", "accuracy": 0.4, "correct": 16, "attempted": 40}
    figures = figures_of(found({"board.csv": table, "c.json": summary}))
    assert {metric for *_, metric in figures} == {"accuracy"}
    assert sorted(figures.values()) == [0.4, 0.5, 0.75]


@pytest.mark.parametrize(
    ("name", "higher"),
    [
        ("ttft_p50", False),
        ("tps_p95", True),
        ("Avg prompt tok/s", True),
        ("Avg sec/item", False),
        ("extraction_time", False),
        ("time_1", False),
        ("wallMs", False),
        ("CHAIRi", False),
        ("table_TEDS", True),
        ("json_equal", True),
        ("retrieval_ms", False),
        ("avg_predicted_tokens_per_second", True),
        ("Negative Precision (NP)", True),
        ("Positive Recall (PR)", True),
    ],
)
def test_what_projects_call_well_known_metrics(name, higher) -> None:
    known = lookup(name)
    assert known is not None
    assert known.higher_is_better is higher


@pytest.mark.parametrize(
    "name",
    [
        "total_cases",
        "correct_attempts",
        "format.n_items_parsed",
        "repeats",
        "samples",
        "total_correct",
    ],
)
def test_counts_of_cases_are_no_metrics(name) -> None:
    assert no_metric_by_name(name) == "a count"


def test_columns_of_far_apart_scales_are_no_datasets(found) -> None:
    rows = "Konfig,Success Rate (%),Nutzen,Kosten USD,Tokens Mittel\na,20.0,0.5,0.01,810000\n"
    result = found({"comparison.csv": rows + "b,30.0,0.6,0.12,950000\n"})
    assert {(d, m) for _, d, m in figures_of(result)} == {
        ("project", metric)
        for metric in ("Success Rate (%)", "Nutzen", "Kosten USD", "Tokens Mittel")
    }
    better = {m.name: m.higher_is_better for b in result.bundles for m in b.metrics}
    assert better["Tokens Mittel"] is None  # asked for


def test_what_succeeded_is_no_kind_of_failure(found) -> None:
    rows = "konfig,lost_way,no_answer,wrong_tool,official_success\na,5,4,3,8\nb,2,2,2,14\n"
    figures = figures_of(found({"part_failure_counts.csv": rows}))
    assert {dataset for _, dataset, _ in figures} == {"lost_way", "no_answer", "wrong_tool"}
    assert {metric for *_, metric in figures} == {"failure"}


def test_rows_of_parts_are_no_systems(found) -> None:
    files = {
        "net_a/group_by_object_condition.csv": "object_condition,n,f1\nbig,9,0.5\nsmall,9,0.25\n",
        "net_a/by_topic.csv": "topic,accuracy\nbirds,0.5\nfish,0.75\n",
    }
    assert figures_of(found(files)) == {
        ("net_a", "group_by_object_condition/big", "f1"): 0.5,
        ("net_a", "group_by_object_condition/small", "f1"): 0.25,
        ("net_a", "topic/birds", "accuracy"): 0.5,
        ("net_a", "topic/fish", "accuracy"): 0.75,
    }


def test_a_table_of_datasets_without_a_system_is_of_its_folder(found) -> None:
    figures = figures_of(found({"results/sft/gsm8k/all.csv": "dataset,accuracy\ngsm8k,0.125\n"}))
    assert figures == {("sft", "gsm8k", "accuracy"): 0.125}


def test_exercises_are_items_and_no_systems(found) -> None:
    def results(*passed: bool) -> dict[str, Any]:
        rows = [{"exercise": f"e{n}", "pass_1": p, "time_1": n} for n, p in enumerate(passed)]
        return {"language": "go", "total": len(rows), "rate_1": 50.0, "exercises": rows}

    files = {
        "results/go/results.json": results(True, False),
        "results/c/results.json": results(True),
    }
    means = means_of(found(files))
    assert means["project", "go", "pass_1"] == 0.5
    assert means["project", "c", "pass_1"] == 1.0


def test_an_error_of_an_agent_is_an_error() -> None:
    assert parse_status("agent_error") is Status.ERROR
    with pytest.raises(CellError, match="no known status"):
        parse_status("undefined")


def test_attempts_at_tasks_are_scores_of_items(found) -> None:
    rows = [
        {"model": model, "task": task, "trial": trial, "solved": model == "A", "costUsd": 0.5}
        for model in "AB"
        for task in ("merge", "cache")
        for trial in (1, 2)
    ]
    result = found({"runs.jsonl": "\n".join(map(json.dumps, rows))})
    assert means_of(result)["A", "project", "solved"] == 1.0
    assert means_of(result)["B", "project", "solved"] == 0.0
    (bundle,) = result.bundles
    assert [item.key for item in bundle.datasets[0].items] == ["merge", "cache"]
    assert {scores.trial for run in bundle.runs for scores in run.scores} == {0, 1}
    assert not bundle.reported_scores


def test_files_packed_one_by_one_lie_beside_each_other(write, tmp_path) -> None:
    for system, letters in (("net_a", "AB"), ("net_b", "AA")):
        rows = [{"question_id": n, "pred": p, "answer": "A"} for n, p in enumerate(letters)]
        rows[1]["answer"] = "B"
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(f"model_outputs_{system}.json", json.dumps(rows))
        write(packed.getvalue(), f"quiz/model_outputs_{system}.zip")
    means = means_of(read_paths([tmp_path / "quiz"], root=tmp_path))
    assert {dataset for _, dataset, _ in means} == {"quiz"}
    assert means["net_b", "quiz", "exact_match"] == 0.5
    assert {system for system, *_ in means} == {"net_a", "net_b"}


def test_lists_of_records_stand_under_their_systems(found) -> None:
    def records(*scores: float) -> list[dict[str, Any]]:
        return [{"sample_id": f"s{n}", "faithfulness": s} for n, s in enumerate(scores)]

    content = {"made": "today", "results": {"bm25": records(0.5, 1.0), "dense": records(0.25, 0.0)}}
    means = means_of(found({"quiz_results.json": content}))
    assert means["bm25", "quiz", "faithfulness"] == 0.75
    assert means["dense", "quiz", "faithfulness"] == 0.125


def test_metrics_with_a_score_each_are_no_items(found) -> None:
    content = {name: {"name": name, "score": 0.5} for name in ("MAP", "Precision@1", "Recall@5")}
    figures = figures_of(found({"net_eval.json": content}))
    assert {metric for *_, metric in figures} == {"MAP", "Precision@1", "Recall@5"}


def test_figures_at_ranks_are_of_their_metric(found) -> None:
    content = {s: {"recall": {"1": 0.25, "10": 0.5}} for s in ("bm25", "rm3")}
    figures = figures_of(found({"evaluation_results.json": content}))
    assert figures["bm25", "project", "recall@10"] == 0.5
    assert figures["rm3", "project", "recall@1"] == 0.25


def test_a_mean_beside_its_deviation_is_a_metric_of_a_run(found) -> None:
    head = "experiment,f1_mean,f1_std,guarded_mean,guarded_std\n"
    result = found({"summary.csv": head + "a,0.5,0.1,0.75,0.2\nb,0.6,0.1,0.5,0.2\n"})
    assert {metric for *_, metric in figures_of(result)} == {"f1_mean", "guarded_mean"}


def test_answers_to_a_subject_in_each_file_are_of_one_system(found) -> None:
    def answers(subject: str, given: str) -> list[dict[str, Any]]:
        return [
            {"question": f"{subject} {n}?", "parsed_output": one, "answer": "A"}
            for n, one in enumerate(given)
        ]

    subjects = {"birds": "AB", "fish": "AA", "public_law": "BB"}
    files = {f"results/sft/mmlu/{s}_results.json": answers(s, g) for s, g in subjects.items()}
    for content in files.values():
        content.append(
            {"question": f"{content[0]['question']}!", "parsed_output": "B", "answer": "B"}
        )
    means = means_of(found(files))
    assert {system for system, *_ in means} == {"sft"}
    assert {dataset for _, dataset, _ in means} == {f"mmlu/{subject}" for subject in subjects}
    assert means["sft", "mmlu/birds", "exact_match"] == pytest.approx(2 / 3, abs=1e-6)


def test_results_of_humaneval_say_their_model(found) -> None:
    lines = [
        {"task_id": f"Python/{n}", "passed": n == 0, "completion": "x", "model": "org/net"}
        for n in range(2)
    ]
    means = means_of(found({"fix_net_2.jsonl": "\n".join(map(json.dumps, lines))}))
    assert means == {("org/net", "Python", "pass@1"): 0.5}


def test_brackets_of_a_dataset_stay_pairs(found) -> None:
    head = "Model,MASC (Clean) WER,MASC (Noisy) WER,SADA WER\n"
    figures = figures_of(found({"leaderboard.csv": head + "A,10,20,30\nB,11,21,31\n"}))
    assert {dataset for _, dataset, _ in figures} == {"MASC (Clean)", "MASC (Noisy)", "SADA"}


def test_a_table_called_after_parts_lists_parts(found) -> None:
    head = "name,targets,correct,wrong,unknown,auto_accuracy,unknown_rate\n"
    rows = "cars,20,10,0,10,0.5,0.5\nfood,8,6,0,2,0.75,0.25\nlaw,4,3,0,1,0.75,0.25\n"
    figures = figures_of(found({"net_a/domain_scores.csv": head + rows}))
    assert {key: v for key, v in figures.items() if key[2] == "auto_accuracy"} == {
        ("net_a", f"domain/{part}", "auto_accuracy"): value
        for part, value in (("cars", 0.5), ("food", 0.75), ("law", 0.75))
    }


def test_a_setting_that_is_true_or_false_is_a_part_of_the_system(found) -> None:
    head = "model,dataset,bn,conv_layers,hidden_dim,test_acc\n"
    rows = [
        f"gcn,{d},{b},{n},8,0.{b == 'true':d}{n}\n"
        for d in ("Cora", "PubMed")
        for b in ("true", "false")
        for n in (1, 2)
    ]
    figures = figures_of(found({"runs.csv": head + "".join(rows)}))
    assert len(figures) == len(rows)
    assert ("gcn (bn=true, conv_layers=1)", "Cora", "test_acc") in figures


def test_lists_of_records_with_ids_of_their_own_are_datasets(found) -> None:
    content = {
        kind: [{"id": f"{kind}_{n}", "valid": n == 0} for n in range(2)]
        for kind in ("plain", "many")
    }
    means = means_of(found({"calls_results.json": content}))
    assert {dataset for _, dataset, _ in means} == {"plain", "many"}
    assert {system for system, *_ in means} == {"calls_results"}


def test_days_that_were_solved_or_not_are_items(found) -> None:
    rows = [
        {"model": "org/net", "year": 2022, "day": day, "part1_correct": day < 6, "error": None}
        for day in range(1, 11)
    ]
    result = found({"org--net--2022.jsonl": "\n".join(map(json.dumps, rows))})
    ((system, _, metric),) = means_of(result)
    assert (system, metric) == ("org/net", "part1_correct")
    assert list(means_of(result).values()) == [0.5]


def test_a_message_names_no_dataset(found) -> None:
    head = "model,split,accuracy,error\n"
    rows = "A,dev,0.5,\nA,test,0.6,\nB,dev,0.7,late\nB,test,0.8,late\n"
    assert {d for _, d, _ in figures_of(found({"board.csv": head + rows}))} == {
        "project/dev",
        "project/test",
    }


def test_how_many_systems_there_were_names_none(found) -> None:
    page = "# Digest\n\n| benchmark | models | mean accuracy |\n|---|---|---|\n"
    result = found({"digest.md": page + "| ARC | 1362 | 0.5 |\n| GSM8K | 1228 | 0.3 |\n"})
    assert not result.bundles


@pytest.mark.parametrize("name", ["predicted_answer", "gold_answer"])
def test_answers_that_are_numbers_are_no_metrics(name) -> None:
    assert no_metric_by_name(name) == "an answer"


def test_outputs_of_two_kinds_of_each_system(found) -> None:
    def records(short: str, long: str) -> list[dict[str, Any]]:
        row = {"question": "Which bird?", "short_output": short, "detailed_output": long}
        return [{**row, "answer": "wren"}, {**row, "question": "Which fish?", "answer": "carp"}]

    content = {"react": records("wren", "It is a wren"), "plain": records("owl", "An owl")}
    means = means_of(found({"birds_results.json": content}))
    assert means["react (short)", "project", "exact_match"] == 0.5
    assert means["plain (detailed)", "project", "exact_match"] == 0.0


def test_kinds_of_errors_with_their_recall_are_no_metrics(found) -> None:
    table = "Kind,Total,Recall\nTable-Related Errors,110,0.5\nValue-Related Errors,219,0.75\n"
    result = found({"kinds.csv": table})
    assert all(metric == "Recall" for *_, metric in figures_of(result))


def test_what_the_items_of_files_share_is_their_dataset_also_amid_a_name(found) -> None:
    wanted = {"judge": (0, 1, 2), "plain": (0, 1), "planner": (0, 1, 2)}
    read = found(
        {
            f"raw/session_{system}_s{seed}_t8.jsonl": "\n".join(
                json.dumps({"task_id": f"s{seed}-q{i}", "correct": (seed + i) % 3 == 0})
                for i in range(6)
            )
            for system, seeds in wanted.items()
            for seed in seeds
        }
    )
    assert {key[:2] for key in means_of(read)} == {
        (f"session_{system}_t8", f"s{seed}") for system, seeds in wanted.items() for seed in seeds
    }


def test_what_can_be_reached_is_no_score(found) -> None:
    rows = [
        {"question_id": f"q{i}", "score": i % 4, "max_points": 3 + i % 3, "max_score": 3 + i % 3}
        for i in range(10)
    ]
    read = found({f"{name}.json": rows for name in ("gpt-4o", "qwen2-7b")})
    assert {metric for _, _, metric in means_of(read)} == {"score"}
    assert no_metric_by_name("max_score") is None  # with parts, it may be the best of several


def test_what_has_a_rate_is_a_count(found) -> None:
    rows = "".join(f"m{i},{60 + i},{3 - i},{(60 + i) / 80}\n" for i in range(3))
    read = found({"reliability.csv": f"model,success,timeout,success_rate\n{rows}"})
    assert {metric for _, _, metric in figures_of(read)} == {"success_rate"}


def test_what_passed_of_some_samples_is_a_count(found) -> None:
    read = found(
        {
            "baselines.json": {
                name: {"samples": 300, "passed": n, "score": 100 * n / 300}
                for name, n in (("gpt-4o", 121), ("qwen2-7b", 97))
            }
        }
    )
    assert {metric for _, _, metric in figures_of(read)} == {"score"}


def test_what_stands_under_arms_is_a_system(found) -> None:
    arms = {name: {"n": 150, "accuracy": 0.96, "cost_usd": 1.4} for name in ("single", "debate")}
    read = found({"mmlu_results.json": {"arms": arms}})
    named = {(system, dataset) for system, dataset, _ in figures_of(read)}
    assert named == {("single", "mmlu_results"), ("debate", "mmlu_results")}
