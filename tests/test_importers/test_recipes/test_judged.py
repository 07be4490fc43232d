"""What models judged: MT-bench, battles, DeepEval, Ragas; and logs of OpenAI's evals and METR."""

import json

import pytest

from .conftest import figures_of, scores_of


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_grades_by_turn_judge_and_reference(put, read):
    row = {"question_id": 81, "model_id": "net", "judge_id": "j", "score_turn1": 8.0,
           "score_turn2": -1.0}  # fmt: skip
    put(lines(row), "single_grade/net.jsonl")
    put(lines({**row, "score_turn1": 5}), "single_grade_ref/net.jsonl")
    old = {"question_id": 81, "model": "net", "judge": ["k", "single-v1"], "score": 3, "turn": 2}
    put(lines(old), "k_single.jsonl")
    bundles = read().bundles
    found = {b.metrics[0].signature: next(iter(scores_of([b]).values())) for b in bundles}
    assert found == {
        "judge:j": {"81 turn 1": 8, "81 turn 2": None},
        "judge:j, with reference": {"81 turn 1": 5, "81 turn 2": None},
        "judge:k": {"81 turn 2": 3},
    }
    assert {b.metrics[0].source for b in bundles} == {"model"}
    assert {i.group for b in bundles for i in b.datasets[0].items} == {"81"}


def test_battles_name_the_winner_and_contradictions_are_ties(put, read):
    pair = {"model_a": "a", "model_b": "b", "judge_id": "j"}
    rows = [
        {"question_id": n, **pair, "winner": w}
        for n, w in enumerate(["b", "inconsistent", "error"])
    ]
    put(lines(*rows), "pairs.jsonl")
    (bundle,) = read().bundles
    assert [p.choice for p in bundle.preferences] == ["second", "tie"]
    assert bundle.annotators == {"j": "model"}
    assert [g.value for g in bundle.guesses] == ["MT-bench pairs"]


def test_battles_of_an_arena_are_judged_by_people(put, read):
    row = {"question_id": "x", "model_a": "a", "model_b": "b", "winner": "tie (bothbad)",
           "judge": "user_1", "language": "English"}  # fmt: skip
    put([row, {**row, "question_id": "y", "winner": "model_a"}], "battles.json")
    (bundle,) = read().bundles
    assert [p.choice for p in bundle.preferences] == ["tie", "first"]
    assert "model" not in bundle.annotators.values()


def test_deepeval_tables_and_runs(put, read):
    text = "category,input,output,success,Bias_score,Bias_reason,Tone[GEval]_score,Tone_reason\n"
    put(text + "x,What?,Well,True,0.25,so,,\n", "agent/a.csv")
    case = {"input": "What?", "actualOutput": "Well", "metricsData": [
        {"name": "Tone [GEval]", "score": 0.5, "error": None},
        {"name": "Bias", "score": 0, "error": "429"}]}  # fmt: skip
    put({"testRunData": {"testCases": [case]}}, "agent/run.json")
    put({"test_cases_lookup_map": {}}, "agent/cache.json")
    table, run = read().bundles
    found = scores_of([table])
    assert found[("agent", "agent", "Bias", 0)] == {"What?": 0.25}
    assert found[("agent", "agent", "Tone[GEval]", 0)] == {"What?": None}
    better = {m.name: m.higher_is_better for m in table.metrics}
    assert (better["Bias"], better["Tone[GEval]"]) == (False, True)
    assert scores_of([run]) == {
        ("agent", "agent", "Tone", 0): {"What?": 0.5},
        ("agent", "agent", "Bias", 0): {"What?": None},
    }


def test_ragas_keeps_what_is_missing(put, read):
    head = "user_input,retrieved_contexts,response,reference,faithfulness,context_recall\n"
    put(head + f"{'Où ?' * 30},[],ici,là,,0.5\n{'Où ?' * 31},[],ici,là,,\n", "bot/data/results.csv")
    found = scores_of(read().bundles)
    assert list(found[("bot", "bot", "context_recall", 0)].values()) == [0.5, None]
    assert list(found[("bot", "bot", "faithfulness", 0)].values()) == [None, None]


def test_a_log_of_openai_evals(put, read):
    spec = {"completion_fns": ["net"], "eval_name": "quiz.dev.v0", "base_eval": "quiz",
            "run_id": "r", "created_at": "2026-01-02 03:04:05"}  # fmt: skip
    events = [{"sample_id": "s.0", "type": "sampling", "data": {"sampled": ["A"]}},
              {"sample_id": "s.0", "type": "match", "data": {"correct": True, "picked": "A"}},
              {"sample_id": "s.1", "type": "match", "data": {"correct": False}}]  # fmt: skip
    put(lines({"spec": spec}, *events, {"final_report": {"accuracy": 0.5}}), "r.jsonl")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {("net", "quiz", "accuracy", 0): {"s.0": 1, "s.1": 0}}
    assert figures_of([bundle]) == {("net", "quiz", "accuracy"): [0.5]}


def test_runs_of_agents_on_tasks(put, read):
    row = {"task_id": "t/1", "task_family": "t", "run_id": 1, "alias": "agent",
           "score_binarized": 1, "score_cont": 0.5, "task_source": "HCAST",
           "human_minutes": 4}  # fmt: skip
    put(lines(row, {**row, "run_id": 2, "score_binarized": 0}), "runs.jsonl")
    (bundle,) = read().bundles
    found = scores_of([bundle])
    assert found[("agent", "HCAST", "success", 1)] == {"t/1": 0}
    assert bundle.datasets[0].items[0].group == "t"


@pytest.mark.parametrize("stated", ["simple_1", 2])
def test_bfcl_lists_what_failed_and_the_rest_passed(put, read, stated):
    put(lines({"accuracy": 0.75, "correct_count": 3, "total_count": 4}, {"id": stated}),
        "net/live/BFCL_v3_simple_score.json")  # fmt: skip
    (bundle,) = read().bundles
    assert figures_of([bundle]) == {("net", "BFCL simple", "accuracy"): [0.75]}
    assert (bundle.reported_scores[0].n_items, bundle.datasets[0].version) == (4, "v3")
    assert scores_of([bundle]) == {
        ("net", "BFCL simple", "accuracy", 0): {
            "simple_0": 1, "simple_1": 0, "simple_2": 1, "simple_3": 1
        }
    }  # fmt: skip


def test_bfcl_counts_what_it_cannot_number(put, read):
    header = {"accuracy": 0.5, "correct_count": 1, "total_count": 2}
    put(lines(header, {"id": "live_simple_0-0-0"}), "net/live_simple_score.json")
    put(json.dumps({**header, "accuracy": 1.0, "correct_count": 2}), "net/rest_score.json")
    put(lines({"id": "rest_0", "result": "f()"}), "net/rest_result.json")
    found = read()
    assert (len(found.bundles), found.faults) == (2, [])
    assert scores_of(found.bundles) == {
        ("net", "BFCL rest", "accuracy", 0): {"rest_0": 1, "rest_1": 1}
    }
    assert ("net", "BFCL live_simple", "accuracy") in figures_of(found.bundles)


def test_board_of_bfcl(put, read):
    put(
        "Rank,Overall Acc,Model,Model Link,AST Summary,Latency Mean (s)\n1,90.5%,N,x,N/A,1.5\n",
        "d.csv",
    )
    assert figures_of(read().bundles) == {
        ("N", "BFCL Overall", "accuracy"): [pytest.approx(0.905)],
        ("N", "BFCL Overall", "Latency Mean (s)"): [1.5],
    }


def test_board_of_bfcl_calls_models_as_the_folders_beside_it(put, read):
    header = {"accuracy": 0.605, "correct_count": 121, "total_count": 200}
    for folder in ("gpt-4o-FC", "gpt-4o", "org_net-8b", "org_Meta-net-9b"):
        put(lines(header), f"score/{folder}/BFCL_v4_multiple_score.json")
    rows = "".join(
        f"{n},60.50%,{model},x,N/A\n"
        for n, model in enumerate(
            ["GPT-4o (FC)", "GPT-4o (Prompt)", "org/net-8b (FC) (vLLM)", "net-9b (Prompt)"]
        )
    )
    head = "Rank,Overall Acc,Model,Model Link,AST Summary\n"
    put(head + rows, "score/data_overall.csv")
    put(head + "5,60.50%,Other,x,N/A\n", "data_overall.csv")
    names = {name for name, dataset, _ in figures_of(read("score").bundles)}
    assert names == {"gpt-4o-FC", "gpt-4o", "org_net-8b", "org_Meta-net-9b"}
    names = {name for name, dataset, _ in figures_of(read("data_overall.csv").bundles)}
    assert names == {"Other"}  # a folder around those of models is none


def test_attempts_of_tau_bench(put, read):
    def attempt(task, trial, reward, action):
        info = {
            "task": {"instruction": f"do {task}", "actions": [{"name": action}]},
            "user_cost": 0.5,
        }
        return {"task_id": task, "trial": trial, "reward": reward, "info": info, "traj": []}

    put([attempt(0, 0, 1.0, "cancel_reservation"), attempt(0, 1, 0.0, "cancel_reservation")],
        "out/react-net-0.0_range_0--1_user-other-llm_0612.json")  # fmt: skip
    put([attempt(0, 0, 1.0, "x")], "out/net-retail.json")
    assert scores_of(read().bundles) == {
        ("react-net", "tau-bench airline", "reward", 0): {"0": 1},
        ("react-net", "tau-bench airline", "reward", 1): {"0": 0},
        ("react-net", "tau-bench airline", "user_cost", 0): {"0": 0.5},
        ("react-net", "tau-bench airline", "user_cost", 1): {"0": 0.5},
        ("net", "tau-bench retail", "reward", 0): {"0": 1},
        ("net", "tau-bench retail", "user_cost", 0): {"0": 0.5},
    }


def test_attempts_of_tau_bench_that_are_counted_over_all_tasks(put, read):
    rows = [{"task_id": n, "trial": n, "reward": n % 2, "traj": []} for n in range(4)]
    put(rows, "net-retail.json")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {
        ("net", "tau-bench retail", "reward", 0): {"0": 0, "1": 1, "2": 0, "3": 1}
    }


def test_simulations_of_tau2_bench(put, read):
    info = {"agent_info": {"implementation": "llm_agent", "llm": "net"}, "user_info": {"llm": "u"},
            "environment_info": {"domain_name": "telecom"}}  # fmt: skip
    rows = [{"task_id": "a", "trial": 0, "reward_info": {"reward": 1.0}, "agent_cost": 0.25},
            {"task_id": "b", "trial": 0, "reward_info": None, "agent_cost": 0.5}]  # fmt: skip
    put(
        {"timestamp": "2025-06-01T01:02:03", "info": info, "tasks": [], "simulations": rows},
        "r.json",
    )
    found = scores_of(read().bundles)
    assert found[("net", "tau2-bench telecom", "reward", 0)] == {"a": 1, "b": None}


def test_results_by_prompt(put, read):
    known = {"task_name": "qqp", "dataset_name": "x", "prompt_original_task": True}
    rows = [
        {**known, "prompt_name": "p", "acc": 0.5, "acc_stderr": 0.1},
        {**known, "prompt_name": "q", "acc": 0.25},
    ]
    put({"results": rows, "config": {"model": "neox", "num_fewshot": 0}},
        "evals/files/net-b-results_lm-eval_global_step3000_2022-07-12.json")  # fmt: skip
    (bundle,) = read().bundles
    assert figures_of([bundle]) == {("net-b@step3000", "qqp", "acc"): [0.5, 0.25]}
    assert bundle.identities["net-b@step3000"]["revision"] == "step3000"
    assert [d.version for d in bundle.datasets] == ["p", "q"]
    assert bundle.reported_scores[0].stderr == 0.1


def test_unieval_has_people_and_a_metric_for_each_aspect(put, read):
    rows = [
        {
            "source": source,
            "context": "c",
            "system_id": system,
            "system_output": "o",
            "scores": {"overall": people},
            "predict_scores": {"overall": metric},
        }
        for source, system, people, metric in (
            ("s", "A", 4, 0.5), ("s", "B", 2, 1.5), ("t", "A", 3, 0.25), ("t", "B", 1, 0.0)
        )
    ]  # fmt: skip
    put(rows, "chat/result.json")
    (bundle,) = read().bundles
    assert (bundle.format, bundle.datasets[0].name) == ("unieval", "chat")
    assert [item.key for item in bundle.datasets[0].items] == ["1", "2"]
    assert [(one.signature, one.source) for one in bundle.metrics] == [
        ("mean of people", "human"),
        ("UniEval", "model"),
    ]
    values = {run.system: [one.values[:, 0].tolist() for one in run.scores] for run in bundle.runs}
    assert values == {"A": [[4, 3], [0.5, 0.25]], "B": [[2, 1], [1.5, 0]]}


def test_grades_of_wildbench_by_judge_and_its_board(put, read):
    grades = [
        {
            "session_id": f"s{n}",
            "model_test": "net",
            "parsed_result": {"score": score},
            "score": score,
            "model_output": "…",
        }
        for n, score in enumerate(["2", "N/A"])
    ]
    put(grades, "v2.0625/score.v2/eval=judge-a/net.json")
    put([{**grades[0], "score": "8"}, grades[1]], "v2.0625/score.v2/eval=judge-b/net.json")
    first, second = read("v2.0625").bundles
    assert scores_of([first]) == {("net", "WildBench", "rating", 0): {"s0": 2, "s1": None}}
    assert scores_of([second]) == {("net", "WildBench", "rating", 0): {"s0": 8, "s1": None}}
    assert [b.metrics[0].signature for b in (first, second)] == ["judge:judge-a", "judge:judge-b"]
    assert first.datasets[0].version == "v2.0625"
    row = {"model": "net", "score": 7.5, "task_macro_score": 4.5, "total": 1022,
           "task_categorized_scores": {"Coding": 5.0}}  # fmt: skip
    put({"net": row, "other": {**row, "model": "other"}}, "board/score.json")
    (board,) = read("board").bundles
    assert figures_of([board])["net", "WildBench", "score"] == [7.5]
    assert figures_of([board])["other", "WildBench Coding", "adjusted_score"] == [5.0]
    assert board.runs == []


@pytest.mark.parametrize("shape", ["plain", "snake", "conversation"])
def test_other_releases_of_deepeval(put, read, shape):
    case = {"name": "t0", "input": "What?", "actualOutput": "Well", "metricsData": [
        {"name": "Tone [GEval]", "score": 0.5}]}  # fmt: skip
    if shape == "plain":
        put({"testCases": [case], "hyperparameters": {"model": "net"}}, "net/run.json")
    elif shape == "snake":
        snake = {"name": "t0", "input": "What?", "success": True, "actual_output": "Well",
                 "metrics_data": [{"name": "Tone [GEval]", "score": 0.5}]}  # fmt: skip
        put({"test_results": [snake], "confident_link": None}, "net/run.json")
    else:
        talk = {"name": "What?", "turns": [], "metricsData": case["metricsData"]}
        run = {"testCases": [], "conversationalTestCases": [talk]}
        put({"testRunData": run}, "net/run.json")
    assert scores_of(read().bundles) == {("net", "net", "Tone", 0): {"What?": 0.5}}


@pytest.mark.parametrize("name", ["r.json", "r.jsonl"])
def test_records_of_ragas(put, read, name):
    row = {"user_input": "What?", "response": "Well", "faithfulness": 0.5, "answer_relevancy": None}
    put(lines(row, {**row, "user_input": "Why?"}) if name == "r.jsonl" else [row], f"bot/{name}")
    found = scores_of(read().bundles)
    assert found["bot", "bot", "faithfulness", 0]["What?"] == 0.5
    assert found["bot", "bot", "answer_relevancy", 0]["What?"] is None


def test_events_of_one_sample_are_one_item(put, read):
    spec = {"completion_fns": ["net"], "eval_name": "quiz.dev.v0", "run_id": "r"}
    events = [{"sample_id": "s.0", "type": "match", "data": {"correct": False}},
              {"sample_id": "s.0", "type": "metrics", "data": {"accuracy": 0.0, "f1_score": 0.25}},
              {"sample_id": "s.1", "type": "sampling", "data": {"sampled": "…"}}]  # fmt: skip
    report = {"f1_score": 0.25, "invalid_request_during_completion": 1, "counts/choice/A": 1}
    put(lines({"spec": spec}, {"final_report": report}, *events), "r.jsonl")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {
        ("net", "quiz.dev.v0", "accuracy", 0): {"s.0": 0, "s.1": None},
        ("net", "quiz.dev.v0", "f1_score", 0): {"s.0": 0.25, "s.1": None},
    }
    assert figures_of([bundle]) == {("net", "quiz.dev.v0", "f1_score"): [0.25]}


def test_what_an_eval_of_ones_own_records_goes_in_by_item(put, read):
    spec = {"completion_fns": ["net"], "eval_name": "quiz", "run_id": "r"}
    data = {"acc": 1.0, "wins": 2, "n_words": 7, "task": "t"}
    event = {"sample_id": "s.0", "type": "metrics", "data": data}
    put(lines({"spec": spec}, event, {"final_report": {"acc": 1.0, "wins": 2}}), "r.jsonl")
    (bundle,) = read().bundles
    found = {key[2]: values["s.0"] for key, values in scores_of([bundle]).items()}
    assert found == {"acc": 1, "wins": 2}


def test_snapshots_of_the_board_of_bfcl_by_date(put, read):
    text = "Rank,Overall Acc,Model,Model Link,AST Summary\n1,{}%,N,x,N/A\n"
    put(text.format("90.5"), "BFCL-2024-08/data_overall.csv")
    put(text.format("88.0"), "BFCL-2025-01/data_overall.csv")
    found = read()
    assert [b.datasets[0].version for b in found.bundles] == ["2024-08", "2025-01"]
    assert [b.reported_scores[0].value for b in found.bundles] == pytest.approx([0.905, 0.88])


@pytest.mark.parametrize("shape", ["one-hot", "word"])
def test_battles_as_a_table_without_a_judge(put, read, shape):
    if shape == "word":
        put("id,model_a,model_b,winner,language\n1,x,y,model_a,en\n2,y,z,model_b,fr\n3,x,z,tie,en\n",
            "train.csv")  # fmt: skip
    else:
        put("id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie\n"
            "1,x,y,p,1,0,0\n2,y,z,p,0,1,0\n3,x,z,p,0,0,1\n", "train.csv")  # fmt: skip
    (bundle,) = read().bundles
    assert [p.choice for p in bundle.preferences] == ["first", "second", "tie"]
    assert [(p.first, p.second) for p in bundle.preferences] == [("x", "y"), ("y", "z"), ("x", "z")]
    assert {p.annotator for p in bundle.preferences} == {"people"}
    assert bundle.runs == []


def test_battles_may_name_their_items_by_prompt(put, read):
    put("prompt_id,model_a,model_b,winner\np1,x,y,model_a\np2,x,y,tie\n", "battles.csv")
    (bundle,) = read().bundles
    assert [p.choice for p in bundle.preferences] == ["first", "tie"]


def test_what_deepeval_hides_is_found(put, read):
    case = {"name": "t", "input": "What?", "metricsData": [{"name": "Tone", "score": 0.5}]}
    put({"testRunData": {"testCases": [case]}}, "agent/.deepeval/.latest_test_run.json")
    put("secret", "agent/.deepeval/.temp_test_run.json")
    assert scores_of(read().bundles) == {("agent", "agent", "Tone", 0): {"What?": 0.5}}


def test_the_row_of_means_below_a_frame_is_no_item(put, read):
    rows = "why,x,0.5,1\nhow,y,0.8,0.25\nwhen,z,,0.5\n"
    put(f"question,answer,faithfulness,answer_relevancy\n{rows}MEAN,,0.65,0.583\n", "bot/ragas.csv")
    (bundle,) = read().bundles
    assert [item.key for item in bundle.datasets[0].items] == ["why", "how", "when"]
    put(f"question,answer,faithfulness,answer_relevancy\n{rows}Mean,,0.1,0.583\n", "bot/ragas.csv")
    (bundle,) = read().bundles
    assert len(bundle.datasets[0].items) == 4  # a question of that name
