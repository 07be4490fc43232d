"""What the names of files, folders and columns suggest, and what is not guessed from them."""

import json
from pathlib import Path

import pytest

from store.errors import ImportFormatError
from store.importers.detect import read_paths
from store.importers.file_names import beside_system, dataset_of_file, specific_name
from store.spelling import LONGEST_NAME


@pytest.fixture
def read_in(tmp_path):
    def make(text, *names):
        path = tmp_path.joinpath("gsm8k", *names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (bundle,) = read_paths(path).bundles
        return bundle, {guess.subject: guess.value for guess in bundle.guesses}

    return make


@pytest.mark.parametrize(
    ("name", "specific"),
    [
        ("gsm8k_results", "gsm8k"), ("scores", ""), ("per_problem", ""), ("table_2024_06_24", ""),
        ("results-squad-v2", "squad-v2"), ("acc", "acc"), ("test_acc_mmlu", "mmlu"),
        ("squad_v1.1", "squad_v1.1"), ("aime_2025", "aime_2025"), ("board_v2", ""), ("v1.1", ""),
        ("bench-2024-06", "bench"), ("scores_1.5", ""), ("gsm8k_17", "gsm8k"),
    ],
)  # fmt: skip
def test_words_that_say_nothing_are_left_off(name, specific) -> None:
    assert specific_name(name) == specific


def test_a_dataset_is_called_after_its_file_or_else_its_folder() -> None:
    assert dataset_of_file(Path("/a/gsm8k/results/mmlu.csv"))[0] == "mmlu"
    assert dataset_of_file(Path("/a/gsm8k/results/scores.csv"))[0] == "gsm8k"
    assert dataset_of_file(Path("/a/gsm8k/results/mmlu.csv"), use_stem=False)[0] == "gsm8k"
    assert dataset_of_file(Path("/a/gsm8k/metrics/moverscore.jsonl"))[0] == "gsm8k"
    assert dataset_of_file(Path("/a/gsm8k/metrics/bertscore.csv"))[0] == "gsm8k"
    assert dataset_of_file(Path("/data/results/scores.csv")) is None


def test_a_wide_table_of_one_system(read_in) -> None:
    bundle, guesses = read_in("item,acc,latency\n1,1,0.5\n2,0,0.7\n", "derived", "llama.csv")
    assert guesses == {"system": "llama", "dataset": "gsm8k"}
    assert [metric.name for metric in bundle.metrics] == ["acc", "latency"]


def test_systems_and_metrics_in_the_columns(read_in) -> None:
    bundle, guesses = read_in("item,a_exact,a_edit,b_c_exact,b_c_edit\n1,1,0,0,2\n", "s.csv")
    assert guesses["layout"] == "{system}_{metric}"
    assert sorted({run.system for run in bundle.runs}) == ["a", "b_c"]
    with pytest.raises(ImportFormatError, match="may be systems or metrics"):
        read_in("item,a_x,a_y,b_x,b_y\n1,1,0,0,2\n", "t.csv")


def test_a_list_of_scores(read_in) -> None:
    bundle, guesses = read_in("0.5\n0.25\n" * 4, "llama.txt")
    assert guesses == {"system": "llama", "metric": "score", "dataset": "gsm8k"}
    assert len(bundle.datasets[0].items) == 8


def test_columns_of_figures_are_metrics_or_datasets(read_in) -> None:
    metrics, _ = read_in("model,wer,cer,n_utterances\nA,1.2,0.2,50\n", "a.csv")
    assert [metric.name for metric in metrics.metrics] == ["wer", "cer"]
    datasets, guesses = read_in("model,cta,zebra,typos,maths\nA,50,40,30,20\n", "b.csv")
    assert [dataset.name for dataset in datasets.datasets] == ["cta", "zebra", "typos", "maths"]
    assert guesses["metric"] == "score"


def test_a_column_tells_rows_with_the_same_figure_apart(read_in) -> None:
    text = "model,subset,wer\nA,dev,1.2\nA,test,1.4\n"
    bundle, _ = read_in(text, "table.csv")
    assert [one.name for one in bundle.datasets] == ["gsm8k/dev", "gsm8k/test"]
    text = text.replace("subset", "task,subset").replace("A,", "A,qa,")
    bundle, guesses = read_in(text, "b.csv")
    assert [one.name for one in bundle.datasets] == ["qa/dev", "qa/test"]
    assert guesses == {"datasets": "{task}/{subset}"}


def test_one_damaged_file_of_a_group_is_left_out_alone(tmp_path) -> None:
    for stamp, samples in (("1", '{"doc_id": 0, "resps": [], "acc": 1}\n'), ("2", "{cut off")):
        name = f"samples_t{stamp}_2025-01-01T00-00-00.1.jsonl"
        (tmp_path / name).write_text(samples)
    results = '{"results": {"t1": {"acc": 1}}, "versions": {"t1": 0}, "config": {"model": "m"}}'
    (tmp_path / "results_2025-01-01T00-00-00.1.json").write_text(results)
    found = read_paths(tmp_path, root=tmp_path)
    assert [dataset.name for dataset in found.bundles[0].datasets] == ["t1"]
    assert [fault.path[:10] for fault in found.faults] == ["samples_t2"]


def test_scores_of_one_criterion_are_called_after_it(read_in) -> None:
    rows = [
        {"id": "a", "question": "Why?", "score": 0},
        {"id": "b", "question": "How?", "score": 3},
    ]
    text = json.dumps({"criterion": "citation_quality", "scale": "0-3", "per_question": rows})
    bundle, guesses = read_in(text, "net.json")
    assert [metric.name for metric in bundle.metrics] == ["citation_quality"]
    assert guesses["metric"] == "citation_quality"
    bundle, _ = read_in("id,criterion,score\na,fluency,1\nb,style,2\n", "two.csv")
    assert "fluency" not in [metric.name for metric in bundle.metrics]


@pytest.mark.parametrize(("length", "said"), [(LONGEST_NAME, ""), (LONGEST_NAME + 1, None)])
def test_a_text_in_the_place_of_a_name_names_no_file(length, said) -> None:
    assert beside_system("results_claude-haiku", "claude-haiku-4-5".ljust(length, "x")) == said
