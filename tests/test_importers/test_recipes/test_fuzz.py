"""Files that are almost of a format: read, left out, or refused, and nothing else."""

import json
from copy import deepcopy
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.recipes.importer import RecipeImporter
from store.importers.recipes.recipe import shipped
from store.ingest.checks import require_well_built

EVAL = {"task": "t", "model": "m", "created": "2026-01-01T00:00:00", "dataset": {"samples": 1},
        "config": {"epochs": 1}}  # fmt: skip
METRICS = [{"name": "s", "scorer": "s", "metrics": {"accuracy": {"value": 1}}}]
SAMPLE = {"id": 1, "epoch": 1, "input": "x", "scores": {"s": {"value": "C"}}}
ROW = {"testIdx": 0, "provider": {"id": "p"}, "prompt": {"label": "l"}, "vars": {"q": "x"},
       "response": {"output": "o", "tokenUsage": {"total": 1}}, "success": True, "score": 1,
       "namedScores": {"a": 1}}  # fmt: skip
RESULT = {"evaluation_name": "n", "metric_config": {"lower_is_better": False, "min_score": 0},
          "score_details": {"score": 0.5}}  # fmt: skip
EXAMPLES = {
    "inspect": {"status": "success", "eval": EVAL, "results": {"scores": METRICS},
                "samples": [SAMPLE]},
    "promptfoo": {"results": {"results": [ROW], "stats": {}}, "config": {"description": "d"}},
    "every_eval_ever": {"schema_version": "1", "evaluation_id": "e", "model_info": {"id": "m"},
                        "evaluation_results": [RESULT]},
    "evalplus": {"eval": {"H/0": [{"base_status": "pass", "plus_status": "fail"}]}},
    "lighteval": {"config_general": {"model_name": "m"}, "results": {"a|t|0": {"acc": 1}},
                  "config_tasks": {}, "summary_tasks": {"a|t|0": {"hashes": {}}}},
    "livecodebench": {"performances": [{"question_id": "q", "model": "m", "pass@1": 1.0}]},
    "deepeval": {"testRunData": {"testCases": [{"input": "x", "metricsData": [
        {"name": "Bias", "score": 0.5}]}]}},
    "bfcl": {"accuracy": 1, "correct_count": 2, "total_count": 2},
    "tau_bench": [{"task_id": 0, "trial": 0, "reward": 1, "traj": [],
                   "info": {"task": {"actions": [{"name": "order"}]}}}],
    "tau2_bench": {"info": {"agent_info": {"llm": "m"},
                            "environment_info": {"domain_name": "retail"}},
                   "simulations": [{"task_id": 0, "trial": 0, "reward_info": {"reward": 1}}]},
    "lm_eval_prompts": {"results": [{"task_name": "t", "prompt_name": "p", "acc": 1}],
                        "config": {"num_fewshot": 0, "model_args": "pretrained=m"}},
    "bigcodebench": {"model": "m", "calibrated": True, "subset": "hard", "pass@1": 1},
}  # fmt: skip
ODD = st.sampled_from(
    [
        None,
        "",
        "x",
        -1,
        1e300,
        int("9" * 400),
        "²" * 9,
        float("nan"),
        True,
        [],
        [1],
        [[]],
        {},
        {"a": 1},
    ]
)


def places(tree, here=()):
    """Return the path to every value of a tree."""
    found = [here] if here else []
    below = {dict: dict.items, list: enumerate}.get(type(tree), lambda one: ())
    for key, value in below(tree):
        found += places(value, (*here, key))
    return found


@pytest.mark.parametrize("name", EXAMPLES)
@given(data=st.data())
def test_a_value_of_another_kind_is_read_or_refused(name, data, tmp_path_factory):
    tree = json.loads(json.dumps(EXAMPLES[name]))
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(places(tree)))
        reduce(lambda below, key: below[key], way, tree)[last] = deepcopy(data.draw(ODD))
    path = tmp_path_factory.getbasetemp() / f"{name}.json"
    path.write_text(json.dumps(tree))
    importer = RecipeImporter(next(one for one in shipped() if one.name == name))
    importer.sniff(path, ReadOptions())
    try:
        bundle = importer.read([path], ReadOptions(with_text=True), {path: path.name})
    except ImportFormatError:
        return
    require_well_built(bundle)
