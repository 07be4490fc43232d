"""Every Eval Ever: records, the lines of their items, and what belongs to them."""

import json

import pytest

from .conftest import figures_of, scores_of


def record(*results, **more):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "quiz/net/1750000000",
        "evaluation_timestamp": "1750000000",
        "model_info": {"id": "org/net", "additional_details": {"precision": "int4"}},
        "eval_library": {"name": "unknown", "version": "unknown"},
        "evaluation_results": list(results),
        **more,
    }


def result(name="quiz", score=0.5, lower=False, metric="accuracy", **config):
    config = {"metric_name": metric, "lower_is_better": lower, "min_score": 0, **config}
    uncertainty = {"standard_error": {"value": 0.1}, "num_samples": 20}
    details = {"score": score, "uncertainty": uncertainty}
    return {"evaluation_name": name, "metric_config": config, "score_details": details}


def line(key, **evaluation):
    row = {
        "schema_version": "0.3.0",
        "evaluation_id": "quiz/net/1750000000",
        "sample_id": key,
        "evaluation_name": "quiz",
        "model_id": "org/net",
        "evaluation": evaluation,
        "token_usage": {"total_tokens": 7},
    }
    return json.dumps(row) + "\n"


def test_a_record_with_direction_bounds_and_error(put, read):
    put(record(result(), result("speed", 3.0, True, "seconds", max_score="Infinity")), "r.json")
    (bundle,) = read().bundles
    name = "org/net (int4)"
    assert figures_of([bundle]) == {(name, "quiz", "accuracy"): [0.5],
                                    (name, "speed", "seconds"): [3.0]}  # fmt: skip
    assert [m.higher_is_better for m in bundle.metrics] == [True, False]
    assert [(m.lower, m.upper) for m in bundle.metrics] == [(0, None), (0, None)]
    one = bundle.reported_scores[0]
    assert (one.stderr, one.n_items, one.reported_on.year) == (0.1, 20, 2025)
    assert bundle.runs[0].provenance.harness is None


@pytest.mark.parametrize("version", ["0.2.0", "0.2.2"])
def test_an_older_record_that_names_no_metric(put, read, version):
    named = "quiz" if version == "0.2.2" else None
    put(record(result(metric=named), schema_version=version), "r.json")
    (key,) = figures_of(read().bundles)
    assert key[1:] == ("quiz", "score")


def test_items_take_the_name_of_the_metric_from_the_record_beside_them(put, read):
    put(record(result()), "r.json")
    put(line("a", score=1.0, is_correct=True) + line("b", score=None), "r_samples.jsonl")
    bundles = read().bundles
    items = scores_of([one for one in bundles if one.format == "every_eval_ever_items"])
    assert items[("org/net", "quiz", "accuracy", 0)] == {"a": 1, "b": None}
    assert items[("org/net", "quiz", "total_tokens", 0)] == {"a": 7, "b": 7}


def test_schemas_and_lists_of_records_hold_no_results(put, read):
    put({"$schema": "x", "properties": {"evaluation_id": {}}}, "eval.schema.json")
    put('{"object_path": "a", "record_type": "b", "eval_schema_version": "c"}\n', "aggregate.jsonl")
    found = read()
    assert found.bundles == []
    assert len(found.left_out) == 2
