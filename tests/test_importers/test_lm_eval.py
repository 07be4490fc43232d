"""Output of lm-evaluation-harness, in files of our own making."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

STAMP = "2025-03-04T05-06-07.123456"
START = datetime(2025, 3, 4, 5, 0, tzinfo=UTC).timestamp()


def results_04(**changes):
    content = {
        "results": {
            "sums": {
                "alias": "sums",
                "sample_len": 3,
                " ": " ",
                "exact_match,strict-match": 0.5,
                "exact_match_stderr,strict-match": 0.25,
                "exact_match,flexible-extract": 0.75,
                "exact_match_stderr,flexible-extract": "N/A",
                "bleu,none": 21.5,
                "bleu_stderr,none": "N/A",
            },
            "all": {"alias": "all", "exact_match,strict-match": 0.5},
        },
        "groups": {"all": {"alias": "all", "exact_match,strict-match": 0.5}},
        "group_subtasks": {"all": ["sums"], "sums": []},
        "configs": {
            "sums": {"num_fewshot": 5, "metric_list": [{"metric": "bleu", "aggregation": "bleu"}]}
        },
        "versions": {"sums": 3.0},
        "n-shot": {"sums": 5},
        "higher_is_better": {"sums": {"exact_match": True, "bleu": True}},
        "n-samples": {"sums": {"original": 100, "effective": 4}},
        "config": {
            "model": "hf",
            "model_args": "pretrained=org/net,api_key=abc,dtype=float",
            "limit": 4.0,
            "random_seed": 0,
            "numpy_seed": 12,
        },
        "git_hash": "abc123",
        "date": START,
        "lm_eval_version": "0.4.9",
        "transformers_version": "4.50",
        "task_hashes": {"sums": "fff"},
        "model_name": "org/net",
    }
    return json.dumps(content | changes)


def samples(scores=((0, 1), (1, 1), (1, 0), (0, 1)), **changes):
    lines = []
    for doc_id, (strict, flexible) in enumerate(scores):
        for name, score in (("strict-match", strict), ("flexible-extract", flexible)):
            line = {
                "doc_id": doc_id,
                "doc": {"q": f"{doc_id}+1"},
                "target": str(doc_id + 1),
                "arguments": {},
                "resps": [["a"]],
                "filtered_resps": [f"out {doc_id}"],
                "filter": name,
                "metrics": ["exact_match", "bleu"],
                "doc_hash": f"hash{doc_id}",
                "exact_match": float(score),
                "bleu": ["ref", "pred"],
            }
            lines.append(json.dumps(line | changes))
    return "\n".join(lines) + "\n"


@pytest.fixture
def evaluation(write, tmp_path):
    """Return a function that writes and reads a results file with its samples file."""

    def make(results=None, lines=None, folder="org__net", **options):
        if results is not None:
            write(results, f"{folder}/results_{STAMP}.json")
        if lines is not None:
            write(lines, f"{folder}/samples_sums_{STAMP}.jsonl")
        found = read_paths([tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True)
        assert found.left_out == []
        (bundle,) = found.bundles
        return bundle

    return make


def test_results_and_samples_become_one_run(evaluation) -> None:
    bundle = evaluation(results_04(), samples())
    (run,) = bundle.runs
    assert (bundle.format, run.system, run.label) == (
        "lm_eval",
        "org/net",
        "5-shot 2025-03-04T05:00:00Z",
    )
    assert [file.path for file in bundle.files] == [
        f"org__net/results_{STAMP}.json",
        f"org__net/samples_sums_{STAMP}.jsonl",
    ]
    dataset = bundle.datasets[0]
    assert (dataset.name, dataset.version, dataset.n_items_stated) == ("sums", "3.0", 100)
    assert [(item.key, item.content_hash) for item in dataset.items][:2] == [
        ("0", "hash0"),
        ("1", "hash1"),
    ]
    assert dataset.items[0].input_text is None


def test_filters_are_signatures_not_items(evaluation) -> None:
    bundle = evaluation(results_04(), samples())
    metrics = {(m.name, m.signature): m.higher_is_better for m in bundle.metrics}
    assert metrics == {
        ("exact_match", "filter:strict-match"): True,
        ("exact_match", "filter:flexible-extract"): True,
        ("bleu", ""): True,
    }
    vectors = {
        bundle.metrics[one.metric].signature: one.values[:, 0].tolist()
        for one in bundle.runs[0].scores
    }
    assert vectors == {
        "filter:strict-match": [0, 1, 1, 0],
        "filter:flexible-extract": [1, 1, 0, 1],
    }


def test_lines_without_a_filter_stand_once_for_each_in_order(evaluation) -> None:
    lines = [json.loads(line) for line in samples().splitlines()]
    by_filter = lines[1::2] + lines[::2]  # the harness until 0.4.5: one filter after the other
    for line in by_filter:
        del line["filter"]
    listed = [{"name": "flexible-extract"}, {"name": "strict-match"}]
    bundle = evaluation(
        results_04(configs={"sums": {"num_fewshot": 5, "filter_list": listed}}),
        "\n".join(map(json.dumps, by_filter)),
    )
    vectors = {
        bundle.metrics[one.metric].signature: one.values[:, 0].tolist()
        for one in bundle.runs[0].scores
    }
    assert vectors == {
        "filter:strict-match": [0, 1, 1, 0],
        "filter:flexible-extract": [1, 1, 0, 1],
    }


def test_list_valued_metrics_have_an_aggregate_only(evaluation) -> None:
    bundle = evaluation(results_04(), samples())
    assert any("bleu" in warning and "whole corpus" in warning for warning in bundle.warnings)
    stated = {
        (bundle.metrics[one.metric].name, bundle.metrics[one.metric].signature): one
        for one in bundle.reported_scores
    }
    assert stated["bleu", ""].value == 21.5
    assert stated["bleu", ""].stderr is None
    assert stated["exact_match", "filter:strict-match"].stderr == 0.25
    assert {one.run for one in bundle.reported_scores} == {0}
    assert {one.n_items for one in bundle.reported_scores} == {4}
    assert {one.source for one in bundle.reported_scores} == {f"results_{STAMP}.json"}


def test_groups_are_told_and_left_out(evaluation) -> None:
    bundle = evaluation(results_04())
    assert [dataset.name for dataset in bundle.datasets] == ["sums"]
    assert "Sums over several tasks are not read: all." in bundle.understood
    assert bundle.runs[0].scores == []
    assert len(bundle.reported_scores) == 3


def test_provenance_is_kept_without_secrets(evaluation) -> None:
    provenance = evaluation(results_04(), samples()).runs[0].provenance
    assert provenance.evaluated_on == datetime(2025, 3, 4, 5, 0, tzinfo=UTC)
    assert provenance.tz_assumed is False
    assert (provenance.seed, provenance.git_commit) == (0, "abc123")
    assert (provenance.harness, provenance.harness_version) == ("lm-evaluation-harness", "0.4.9")
    assert provenance.config["model_args"] == "pretrained=org/net,api_key=…,dtype=float"
    assert (provenance.config["n_shot"], provenance.config["numpy_seed"]) == (5, 12)


def test_texts_are_kept_when_asked_for(evaluation) -> None:
    bundle = evaluation(results_04(), samples(), with_text=True)
    item = bundle.datasets[0].items[1]
    assert (json.loads(item.input_text), item.reference_text) == ({"q": "1+1"}, "2")
    assert bundle.runs[0].outputs == {0: ["out 0", "out 1", "out 2", "out 3"]}


def test_a_part_of_the_items_is_told(evaluation) -> None:
    bundle = evaluation(results_04(), samples(((0, 1), (1, 1))))
    assert any("holds 2 of the 4 items that were evaluated" in w for w in bundle.warnings)


def test_a_limit_is_told(evaluation) -> None:
    bundle = evaluation(results_04(), samples())
    assert "'sums': 4 of 100 items were evaluated (limit)." in bundle.understood


def test_samples_alone_take_the_folder_for_the_system(evaluation) -> None:
    bundle = evaluation(None, samples())
    run = bundle.runs[0]
    assert (run.system, run.label, bundle.datasets[0].version) == ("org/net", STAMP, "")
    assert "after the folder's name" in bundle.understood[0]
    moment = datetime(2025, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)
    assert (run.provenance.evaluated_on, run.provenance.tz_assumed) == (moment, True)
    assert bundle.metrics[0].higher_is_better is None


def test_samples_alone_need_a_system(evaluation) -> None:
    with pytest.raises(ImportFormatError, match="does not say which system was evaluated"):
        evaluation(None, samples(), folder="plain")


def test_flags_override(evaluation) -> None:
    bundle = evaluation(
        results_04(),
        samples(),
        system="S",
        dataset="D",
        run_label="r",
        date=datetime(2020, 1, 1, tzinfo=UTC),
    )
    run = bundle.runs[0]
    assert (run.system, bundle.datasets[0].name, run.label) == ("S", "D", "r")
    assert run.provenance.evaluated_on == datetime(2020, 1, 1, tzinfo=UTC)
    assert run.provenance.harness_version == "0.4.9"


def test_sums_of_logs_are_no_scores(evaluation) -> None:
    results = {
        "results": {"sums": {"perplexity,none": 20.0, "acc,none": 0.5}},
        "n-samples": {"sums": {"original": 2, "effective": 2}},
    }
    lines = "".join(
        json.dumps({"doc_id": i, "resps": [], "perplexity": -3.0, "acc": i}) + "\n" for i in (0, 1)
    )
    bundle = evaluation(results_04(**results), lines)
    assert [bundle.metrics[one.metric].name for one in bundle.runs[0].scores] == ["acc"]
    assert "perplexity is computed over the whole corpus" in bundle.warnings[0]


def test_own_aggregation_that_is_the_mean_keeps_its_vector(evaluation) -> None:
    metric_list = [{"metric": "acc", "aggregation": "def agg(x): ..."}]
    results = {
        "results": {"sums": {"acc,none": 0.5}},
        "configs": {"sums": {"metric_list": metric_list}},
    }
    lines = "".join(json.dumps({"doc_id": i, "resps": [], "acc": i}) + "\n" for i in (0, 1))
    assert len(evaluation(results_04(**results), lines).runs[0].scores) == 1


def test_missing_scores_are_not_zero(evaluation) -> None:
    lines = "".join(
        json.dumps({"doc_id": i, "resps": [], "acc": score}) + "\n"
        for i, score in enumerate([1.0, None, float("nan"), "N/A", True])
    )
    (one,) = evaluation(None, lines).runs[0].scores
    np.testing.assert_array_equal(one.values[:, 0], [1, np.nan, np.nan, np.nan, 1])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            '{"doc_id": 0, "resps": [], "acc": 1}\n{"doc_id": 0, "resps": [], "acc": 0}\n',
            r"line 2, field 'doc_id': line 1 holds the same item and filter 'none'",
        ),
        (
            '{"doc_id": 0, "resps": [], "acc": 1}\n{"doc_id": null, "resps": [], "acc": 0}\n',
            r"line 2, field 'doc_id': the line names no item",
        ),
        (
            '{"doc_id": 0, "filter": "a", "resps": [], "doc_hash": "x", "acc": 1}\n'
            '{"doc_id": 0, "filter": "b", "resps": [], "doc_hash": "y", "acc": 1}\n',
            r"line 2, field 'doc_hash': another filter of the same item",
        ),
        ('{"doc_id": 0, "resps": [], "acc": 1}\n{"doc_id": 1, "re', r"line 2: .*cut off"),
    ],
)
def test_faulty_samples(evaluation, lines, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        evaluation(None, lines)


def test_a_results_file_cut_off_is_named(evaluation) -> None:
    with pytest.raises(ImportFormatError, match=r"results_.*json, line 1: not JSON: .*cut off"):
        evaluation(results_04()[:-40], None)


def test_layout_of_2023(read) -> None:
    content = {
        "results": {"anli": {"acc": 0.25, "acc_stderr": 0.01}, "lambada": {"ppl": 9.5}},
        "versions": {"anli": 0, "lambada": 0},
        "config": {
            "model": "hf-causal",
            "model_args": "pretrained=org/old,use_accelerate=True",
            "num_fewshot": 3,
            "limit": None,
        },
    }
    bundle = read(json.dumps(content), "old.json")
    assert [(run.system, run.label) for run in bundle.runs] == [("org/old", "3-shot")] * 2
    stated = [(one.value, one.stderr, one.run, one.source) for one in bundle.reported_scores]
    assert stated == [(0.25, 0.01, 0, "old.json"), (9.5, None, 1, "old.json")]
    assert [dataset.version for dataset in bundle.datasets] == ["0", "0"]


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("net-160m-5shot-global_step1500_eval_results_01-02-2023-03-04-05", "net-160m"),
        ("results", "{folder}"),
    ],
)
def test_a_model_that_only_the_file_names(read, tmp_path, name, system) -> None:
    content = {"results": {"anli": {"acc": 0.25}}, "versions": {"anli": 0},
               "config": {"model": "neox", "model_args": {"iteration": 1500}}}  # fmt: skip
    bundle = read(json.dumps(content), f"{name}.json")
    expected = f"{system.format(folder=tmp_path.name)}@step1500 (neox)"
    assert [run.system for run in bundle.runs] == [expected]
    assert [guess.value for guess in bundle.guesses] == [expected]


def test_stereotypes_of_2023_are_lower_is_better(read) -> None:
    content = {"results": {"crows": {"pct_stereotype": 0.6}}, "versions": {"crows": 0},
               "config": {"model": "hf-causal", "model_args": "pretrained=org/old"}}  # fmt: skip
    assert read(json.dumps(content), "old.json").metrics[0].higher_is_better is False


def test_no_number_for_an_aggregate_is_told(read) -> None:
    results = results_04(results={"sums": {"acc,none": 0.5, "f1,none": "N/A"}})
    bundle = read(results, "results.json")
    assert "Aggregates without a number: 'f1,none' of 'sums' is 'N/A'." in bundle.warnings


def test_several_tasks_cannot_take_one_dataset_name(read) -> None:
    results = results_04(results={"a": {"acc,none": 0.5}, "b": {"acc,none": 0.5}})
    with pytest.raises(ImportFormatError, match=r"'x' cannot rename 2 tasks \(a, b\)"):
        read(results, "results.json", dataset="x")


def test_picked_items_are_told(evaluation) -> None:
    config = {"model": "hf", "samples": {"sums": [3, 4]}}
    bundle = evaluation(results_04(config=config), samples())
    assert any("--samples" in warning for warning in bundle.warnings)


def test_other_json_is_not_taken(read) -> None:
    with pytest.raises(ImportFormatError, match="no importer recognises the content"):
        read('{"results": [], "config": {}}', "x.json")
    with pytest.raises(ImportFormatError, match="no results file of lm-evaluation-harness"):
        read('{"results": [], "config": {}}', "x.json", format="lm_eval")
