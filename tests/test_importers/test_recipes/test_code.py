"""Programs and their tests: EvalPlus, BigCodeBench, LiveCodeBench."""

import numpy as np
import pytest

from .conftest import figures_of, scores_of


def program(base="pass", plus="pass"):
    return {"task_id": "HumanEval/0", "solution": "…", "base_status": base, "plus_status": plus}


def signed(bundles):
    (bundle,) = bundles
    (run,) = bundle.runs
    return {
        (bundle.metrics[s.metric].signature, s.trial): s.values[:, 0].tolist() for s in run.scores
    }


def test_extra_tests_count_only_where_the_base_tests_pass(put, read):
    tasks = {"HumanEval/0": [program()], "HumanEval/1": [program("timeout", "pass")],
             "HumanEval/2": [program("pass", "fail")]}  # fmt: skip
    put({"date": "2026-01-02 03:04", "hash": "x", "eval": tasks}, "net-a/samples_eval_results.json")
    put('{"task_id": "HumanEval/0", "solution": "x"}\n', "net-a/samples.jsonl")
    found = read()
    assert signed(found.bundles) == {
        ("base tests", 0): [1, 0, 1],
        ("base and extra tests", 0): [1, 0, 0],
    }
    (run,) = found.bundles[0].runs
    assert (run.system, run.provenance.evaluated_on.day) == ("net-a", 2)
    assert found.bundles[0].datasets[0].name == "HumanEval"


@pytest.mark.parametrize(
    "programs",
    [
        [program(), program("fail", None)],
        {"nfiles": 2, "base": [["pass", []], ["fail", []]], "plus": [["pass", []]]},
    ],
)
def test_several_programs_of_a_task_are_trials_in_both_layouts(put, read, programs):
    put({"eval": {"HumanEval/0": programs}}, "net/a_eval_results.json")
    assert signed(read().bundles) == {
        ("base tests", 0): [1],
        ("base tests", 1): [0],
        ("base and extra tests", 0): [1],
    }


def test_livecodebench_in_percent_with_dates(put, read):
    rows = [{"question_id": q, "model": "net", "date": 1692662400000, "difficulty": "easy",
             "pass@1": p, "platform": "x"} for q, p in (("1_A", 90.0), ("1_B", 0.0))]  # fmt: skip
    put({"performances": rows, "models": []}, "performances.json")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {("net", "LiveCodeBench", "pass@1", 0): {"1_A": 90, "1_B": 0}}
    assert bundle.metrics[0].unit == "percent"
    assert bundle.datasets[0].items[0].metadata["difficulty"] == "easy"


def test_other_boards_of_livecodebench_are_datasets_of_their_own(put, read):
    row = {"question_id": 7, "model": "net", "date": 1692662400000}
    both = [{**row, "pass@1": 90.0}, {**row, "pass@1": -1}]
    put({"performances": both}, "performances_repair.json")
    thought = {**row, "sample_id": "s_0", "Pass@1": 10.0, "Pass@1-COT": 70.0}
    put({"performances": [thought]}, "performances_execution.json")
    found = {
        (b.datasets[0].name, b.metrics[s.metric].signature): s.values.ravel().tolist()
        for b in read().bundles
        for s in b.runs[0].scores
    }
    np.testing.assert_equal(
        found,
        {
            ("LiveCodeBench performances_repair", ""): [90.0, np.nan],
            ("LiveCodeBench performances_execution", ""): [10.0],
            ("LiveCodeBench performances_execution", "chain of thought"): [70.0],
        },
    )


def test_an_evaluation_of_livecodebench(put, read):
    rows = [{"question_id": "1_A", "question_content": "Sort.", "graded_list": [True, False],
             "code_list": ["a", "b"], "difficulty": "hard",
             "contest_date": "2026-01-01"}]  # fmt: skip
    put(rows, "net/Scenario.codegeneration_2_0.2_eval_all.json")
    put([{"question_id": "1_A", "code_list": ["a"]}], "net/Scenario.codegeneration_2_0.2.json")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {
        ("net", "LiveCodeBench", "pass@1", 0): {"1_A": 100},
        ("net", "LiveCodeBench", "pass@1", 1): {"1_A": 0},
    }
    assert bundle.datasets[0].items[0].metadata["difficulty"] == "hard"


def test_figures_of_bigcodebench(put, read):
    put({"model": "net", "calibrated": True, "subset": "hard", "pass@1": 0.25}, "a_pass_at_k.json")
    assert figures_of(read().bundles) == {("net", "BigCodeBench hard", "pass@1"): [0.25]}


def test_names_of_files_tell_the_model_and_the_questions(put, read):
    def one(task, status):
        return {task: [{"solution": "…", "status": status}]}

    tail = "vllm-0-1-sanitized_calibrated_eval_results.json"
    put(
        {"eval": one("BigCodeBench/1", "pass")},
        f"r/org--net--main--bigcodebench-hard-complete--{tail}",
    )
    put({"eval": one("BigCodeBench/1", "fail")}, f"r/org--net--main--bigcodebench-instruct--{tail}")
    put({"eval": {"HumanEval/0": [program()]}}, "h/org--net_vllm_temp_0.0_eval_results.json")
    put({"eval": {"HumanEval/0": [program("fail")]}}, "h/org--net_vllm_temp_0.8.eval_results.json")
    found = read().bundles
    assert {(run.system, b.datasets[0].name, run.label) for b in found for run in b.runs} == {
        ("org/net", "BigCodeBench complete hard", "vllm-0-1"),
        ("org/net", "BigCodeBench instruct full", "vllm-0-1"),
        ("org/net", "HumanEval", "vllm temp 0.0"),
        ("org/net", "HumanEval", "vllm temp 0.8"),
    }


def test_boards_of_code(put, read):
    put({"net": {"link": "x", "pass@1": {"humaneval": 81.5, "mbpp+": None}}}, "board.json")
    put({"net": {"pass@1": {"instruct": 36.2, "complete": None}}}, "results-hard.json")
    put({"pass@1": 0.5, "model": "org--net--main", "split": "complete", "subset": "hard",
         "calibrated": True}, "p_pass_at_k.json")  # fmt: skip
    assert figures_of(read().bundles) == {
        ("net", "EvalPlus humaneval", "pass@1"): [81.5],
        ("net", "BigCodeBench instruct hard", "pass@1"): [36.2],
        ("org/net", "BigCodeBench complete hard", "pass@1"): [0.5],
    }


def test_evalperf_of_each_task(put, read):
    task = {"dps": 70.5, "dps_norm": 65.5, "pass@1": 100.0, "profiled": []}
    content = {"date": "2024-10-19 16:28", "summary": {"dps": 70.5}, "eval": {"HumanEval/9": task}}
    put(content, "org--net_vllm_temp_1.0_evalperf_results.brief.json")
    assert scores_of(read().bundles) == {
        ("org/net", "EvalPerf", name, 0): {"HumanEval/9": task[name]}
        for name in ("dps", "dps_norm", "pass@1")
    }


def test_evalperf_with_another_prompt_is_another_system(put, read):
    task = {"dps": 70.5, "dps_norm": 65.5, "pass@1": 100.0, "profiled": []}
    for ending, dps in (("", 70.5), ("-perf-instruct", 60.5)):
        content = {"summary": {"dps": 1}, "eval": {"HumanEval/9": {**task, "dps": dps}}}
        put(content, f"net-2024_openai_temp_1.0{ending}_evalperf_results.brief.json")
    found = scores_of(read().bundles)
    assert {system for system, *_ in found} == {"net-2024", "net-2024 (perf-instruct)"}
    assert found["net-2024", "EvalPerf", "dps", 0] == {"HumanEval/9": 70.5}
    assert found["net-2024 (perf-instruct)", "EvalPerf", "dps", 0] == {"HumanEval/9": 60.5}


def test_a_folder_of_evalplus_names_model_and_temperature(put, read):
    tasks = {"HumanEval/0": [program()]}
    put({"eval": tasks}, "humaneval/org--Net-7B_temp_0.0/eval_results.json")
    put({"eval": tasks}, "humaneval/org--Net-7B_vllm_temp_0.8-sanitized/eval_results.json")
    runs = [run for bundle in read().bundles for run in bundle.runs]
    assert {(run.system, run.label) for run in runs} == {
        ("org/Net-7B", "temp 0.0"),
        ("org/Net-7B", "vllm temp 0.8 sanitized"),
    }
