"""promptfoo: results of several versions and the exported table; errors, repeats, prompts."""

import json

from store.importers.bundle import Status

from .conftest import scores_of


def row(test, passed=True, provider="a:net", prompt="Ask {{q}}", reason=0, **more):
    return {
        "testIdx": test,
        "provider": {"id": provider, "label": ""},
        "prompt": {"raw": "Ask", "label": prompt},
        "vars": {"q": f"What of {test}?"},
        "response": {"output": "Well", "tokenUsage": {"total": 9}},
        "success": passed,
        "score": float(passed),
        "namedScores": {},
        "latencyMs": 5,
        "cost": 0.5,
        "failureReason": reason,
        "gradingResult": None if reason == 2 else {"pass": passed},
        "testCase": {"metadata": {"topic": "birds"}},
        **more,
    }


def output(*rows, version=3):
    summary = {"version": version, "timestamp": "2026-04-22T15:48:05Z", "prompts": [], "stats": {},
               "results": list(rows)}  # fmt: skip
    return {"evalId": "e", "results": summary, "config": {"description": "quiz"}}


def test_errors_are_missing_and_costs_are_lower_is_better(put, read):
    put(output(row(0, namedScores={"tone": 0.5}), row(1, False), row(2, False, reason=2)), "o.json")
    (bundle,) = read().bundles
    found = scores_of([bundle])
    assert found[("a:net", "quiz", "pass", 0)] == {"0": 1, "1": 0, "2": None}
    assert found[("a:net", "quiz", "tone", 0)] == {"0": 0.5, "1": None, "2": None}
    assert bundle.runs[0].statuses[0].tolist() == [Status.OK, Status.OK, Status.ERROR]
    better = {m.name: m.higher_is_better for m in bundle.metrics}
    assert (better["pass"], better["latency_ms"], better["cost"]) == (True, False, False)
    assert bundle.datasets[0].items[0].metadata == {"topic": "birds"}
    assert bundle.runs[0].provenance.evaluated_on.day == 22


def test_a_run_in_which_every_call_failed_goes_in(put, read):
    put(output(*(row(n, False, reason=2) for n in range(3))), "o.json")
    (bundle,) = read().bundles
    assert scores_of([bundle])[("a:net", "quiz", "pass", 0)] == {"0": None, "1": None, "2": None}
    assert bundle.runs[0].statuses[0].tolist() == [Status.ERROR] * 3


def test_prompts_tell_systems_apart_and_repeats_are_trials(put, read):
    rows = [row(0, prompt="short"), row(0, prompt="x" * 99), row(0, False, prompt="short")]
    put(output(*rows, version=4), "o.json")
    found = {k: v for k, v in scores_of(read().bundles).items() if k[2] == "pass"}
    assert found == {
        ("a:net (short)", "quiz", "pass", 0): {"0": 1},
        ("a:net (short)", "quiz", "pass", 1): {"0": 0},
        ("a:net (prompt 2)", "quiz", "pass", 0): {"0": 1},
    }


def test_the_oldest_version_names_no_test(put, read):
    old = [
        {"provider": {"id": "a"}, "prompt": {"raw": "p", "display": "p"}, "vars": {"q": "x"},
         "success": True, "score": 1, "latencyMs": 4, "response": {"output": "o"}},
        {"provider": {"id": "a"}, "prompt": {"raw": "p", "display": "p"}, "vars": {"q": "y"},
         "success": False, "score": 0, "error": "429"},
    ]  # fmt: skip
    put({"version": 1, "results": old, "stats": {}, "table": {}}, "quiz/o.json")
    found = scores_of(read("quiz").bundles)
    assert found[("a", "quiz", "pass", 0)] == {"x": 1, "y": None}


def test_versions_that_name_no_provider(put, read):
    def one(question, passed, prompt="p"):
        return {"prompt": {"raw": prompt, "display": prompt}, "vars": {"q": question},
                "success": passed, "response": {"output": "o"}}  # fmt: skip

    rows = [one("x", True), one("y", False), one("x", False, "other")]
    put({"version": 1, "results": rows, "stats": {}, "table": {}}, "quiz/o.json")
    config = {"providers": ["openai:net"], "description": "colours"}
    put({"results": {"version": 2, "results": rows[:2], "stats": {}}, "config": config}, "b/o.json")
    heads = [json.dumps({"raw": p, "display": p}).replace('"', '""') for p in ("p", "other")]
    put(f'"{heads[0]}","{heads[1]}",q\n[PASS] (1.00) o,[FAIL] (0.00) no,x\n', "old/o.csv")
    found = read()
    passed = {k[:2]: v for k, v in scores_of(found.bundles).items() if k[2] == "pass"}
    assert passed == {
        ("quiz (p)", "quiz"): {"x": 1, "y": 0},
        ("quiz (other)", "quiz"): {"x": 0, "y": None},
        ("openai:net", "colours"): {"x": 1, "y": 0},
        ("old (p)", "old"): {"x": 1},
        ("old (other)", "old"): {"x": 0},
    }
    guessed = {(g.subject, g.value) for bundle in found.bundles for g in bundle.guesses}
    assert {("system", "quiz"), ("system", "openai:net"), ("system", "old")} <= guessed


def test_a_table_beside_json_of_its_name_is_a_copy(put, read):
    put(output(row(0), row(1, False)), "quiz/o.json")
    table = 'q,[a:net] Ask {{q}}\n"x",[PASS] (1.00) o\n"y",[FAIL] (0.00) no\n'
    put(table, "quiz/o.csv")
    put(table.replace("FAIL", "PASS"), "quiz/other.csv")
    found = read()
    assert {bundle.files[0].path for bundle in found.bundles} == {"quiz/o.json", "quiz/other.csv"}
    assert [(one.path, one.is_fault) for one in found.left_out] == [("quiz/o.csv", False)]


def test_an_evaluation_without_its_results_is_no_table(put, read):
    metrics = {"score": 1, "testPassCount": 1}
    prompts = [{"raw": "p", "provider": "a", "metrics": metrics}]
    config = {"providers": ["a"], "prompts": ["p"]}
    put({"id": "eval-1", "results": [], "prompts": prompts, "config": config}, "o.json")
    found = read()
    assert (found.bundles, found.faults) == ([], [])
    assert "not written" in found.left_out[0].reason


def test_the_exported_table(put, read):
    head = '"q","__expected","[a:net] Ask\n{{q}}","[b:net] Ask\n{{q}}"'
    body = '"x","y","[PASS] (1.00)\n\nWell","[FAIL] (0.25) no\n---\nWell"\n"z","","[ERROR] 429",""'
    put(f"{head}\n{body}\n", "quiz/results/results.csv")
    put("providers: []\n", "quiz/promptfooconfig.yaml")
    put("model,prompt,count,n_correct\na,p,1,1\n", "quiz/results/sums.csv")
    found = read()
    scores = scores_of(found.bundles)
    assert scores[("a:net", "quiz", "pass", 0)] == {"0": 1, "1": None}
    assert scores[("b:net", "quiz", "pass", 0)] == {"0": 0, "1": None}
    assert scores[("b:net", "quiz", "score", 0)] == {"0": 0.25, "1": None}
    assert [g.value for g in found.bundles[0].guesses] == ["quiz"]
    assert "configuration" in found.left_out[0].reason


def test_the_table_of_today_states_verdict_and_scores_in_columns(put, read):
    after = "Status,Score,Named Scores,Metric: tone,Grader Reason,Comment"
    head = f"q,[a:net] Ask,{after},[b:net] Ask,{after}"
    put(f'{head}\nx,Well,PASS,1.00,{{}},0.50,so,,Hm,FAIL,0.25,{{}},0.1,so,\n'
        f'y,"",ERROR,0.00,,,429,,Hm,PASS,1.00,,,,\n', "quiz/results.csv")  # fmt: skip
    found = scores_of(read().bundles)
    assert found[("a:net", "quiz", "pass", 0)] == {"0": 1, "1": None}
    assert found[("a:net", "quiz", "tone", 0)] == {"0": 0.5, "1": None}
    assert found[("b:net", "quiz", "score", 0)] == {"0": 0.25, "1": 1}


def test_repeats_of_tests_are_trials(put, read):
    def case(test, question, passed):
        about = {"vars": {"q": question}, "assert": [{"type": "equals"}]}
        return row(test, passed, vars={"q": question}, testCase=about)

    rows = [case(0, "x", True), case(1, "x", False), case(2, "y", True), case(3, "y", True)]
    put(output(*rows), "o.json")
    found = {k[3]: v for k, v in scores_of(read().bundles).items() if k[2] == "pass"}
    assert found == {0: {"0": 1, "1": 1}, 1: {"0": 0, "1": 1}}


def test_repeats_in_the_table_are_trials(put, read):
    lines = "x,[PASS] (1.00) o\nx,[FAIL] (0.00) no\ny,[PASS] (1.00) o\ny,[PASS] (1.00) o\n"
    put(f"q,[a:net] Ask\n{lines}", "quiz/o.csv")
    found = {k[3]: v for k, v in scores_of(read().bundles).items() if k[2] == "pass"}
    assert found == {0: {"0": 1, "1": 1}, 1: {"0": 0, "1": 1}}


def test_one_test_that_comes_twice_is_no_repeat(put, read):
    rows = [row(n, vars={"q": q}, testCase={"vars": {"q": q}}) for n, q in enumerate("xxy")]
    put(output(*rows), "o.json")
    found = {k: v for k, v in scores_of(read().bundles).items() if k[2] == "pass"}
    assert found == {("a:net", "quiz", "pass", 0): {"0": 1, "1": 1, "2": 1}}


def test_json_lines_and_yaml_go_in_as_json_does(put, read):
    rows = [row(0) | {"promptIdx": 0}, row(1, False) | {"promptIdx": 0}]
    put("".join(json.dumps(one) + "\n" for one in rows), "lines/o.jsonl")
    listed = "\n".join(f"    - {json.dumps(one)}" for one in rows)
    put(
        f"evalId: e\nresults:\n  stats: {{}}\n  prompts: [{{}}]\n  results:\n{listed}\n", "y/o.yaml"
    )
    found = {k[:3]: v for k, v in scores_of(read().bundles).items() if k[2] == "pass"}
    right = {"0": 1, "1": 0}
    assert found == {("a:net", "lines", "pass"): right, ("a:net", "y", "pass"): right}


def test_cells_with_named_scores(put, read):
    head = json.dumps({"raw": "p", "display": "p", "provider": "a:net"}, separators=(",", ":"))
    quoted = head.replace('"', '""')
    put(f'q,"{quoted}"\nx,"[FAIL] (0.25, tone: 0.50, F1: 0.00)\n\nno"\n', "quiz/o.csv")
    found = scores_of(read().bundles)
    names = {key[2]: value["0"] for key, value in found.items()}
    assert names == {"pass": 0, "score": 0.25, "tone": 0.5, "F1": 0}
    assert {key[0] for key in found} == {"a:net"}
