"""Which part of a path names the system, the dataset or the seed, where no file says it."""

from pathlib import Path

import pytest

from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

FIVE = "".join(f"{i},{i % 2}\n" for i in range(5))
THREE = "0,1\n1,0\n2,1\n"


@pytest.fixture
def named(tmp_path):
    """Write files with columns id and accuracy, read their folder, and return what names them."""

    def make(files: dict[str, str], **options):
        for name, rows in files.items():
            path = tmp_path / "mine" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rows if rows[0].isalpha() else f"id,accuracy\n{rows}")
        found = read_paths(tmp_path / "mine", options=ReadOptions(**options))
        return found.bundles, {
            (run.system, bundle.datasets[run.dataset].name, run.label)
            for bundle in found.bundles
            for run in bundle.runs
        }

    return make


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["bert.csv", "gpt-4.csv"], {("bert", "mine"), ("gpt-4", "mine")}),
        (["model-1.csv", "model-2.csv"], {("model-1", "mine"), ("model-2", "mine")}),
        (
            ["bert/checkpoint-500/squad.csv", "bert/checkpoint-1000/squad.csv"],
            {("bert@checkpoint-500", "squad"), ("bert@checkpoint-1000", "squad")},
        ),
        (["bert/scores.csv", "gpt/scores.csv"], {("bert", "mine"), ("gpt", "mine")}),
        (["bert_results.csv", "gpt_results.csv"], {("bert", "mine"), ("gpt", "mine")}),
        (["gpt/squad.csv", "gpt/nq.csv"], {("gpt", "squad"), ("gpt", "nq")}),
        (["qa/gpt/eval.csv"], {("gpt", "qa")}),
        (["gsm8k.csv"], {("mine", "gsm8k")}),
        # Sizes of models are no datasets, although the names are a product.
        (
            ["llama-2-7b.csv", "llama-2-13b.csv", "llama-3-7b.csv", "llama-3-13b.csv"],
            {(f"llama-{a}-{b}", "mine") for a in (2, 3) for b in ("7b", "13b")},
        ),
    ],
)
def test_names_tell(named, files, expected) -> None:
    _, found = named(dict.fromkeys(files, FIVE))
    assert found == {(*one, "") for one in expected}


@pytest.mark.parametrize(
    "pattern", ["{s}/{d}.csv", "{d}/{s}.csv", "{s}_{d}.csv", "{d}__{s}.csv", "{s}/{d}/scores.csv"]
)
@pytest.mark.parametrize("names", [("squad", "nq"), ("one", "other")])
def test_a_dataset_is_what_shares_its_items(named, pattern, names) -> None:
    rows = dict(zip(names, (FIVE, THREE), strict=True))
    wanted = {(s, d, "") for s in ("alpha", "beta") for d in names}
    _, found = named({pattern.format(s=s, d=d): rows[d] for s, d, _ in wanted})
    assert found == wanted


def test_a_folder_that_repeats_or_numbers_its_file_says_nothing(named) -> None:
    _, names = named({"1/net-a_x/net-a.csv": FIVE, "2/net-b_x/net-b.csv": FIVE})
    assert {(system, dataset) for system, dataset, _ in names} == {
        ("net-a", "mine"),
        ("net-b", "mine"),
    }


def test_seeds_are_runs_and_parts_are_joined(named) -> None:
    bundles, found = named({f"bert/seed_{i}/scores.csv": FIVE for i in (1, 2)})
    assert found == {("bert", "mine", "seed=1"), ("bert", "mine", "seed=2")}
    assert [bundle.runs[0].provenance.seed for bundle in bundles] == [1, 2]


def test_parts_of_one_run_have_one_name(named) -> None:
    _, found = named({"bert_part1.csv": FIVE, "bert_part2.csv": "7,1\n8,0\n"})
    assert found == {("bert", "mine", "")}


def test_equal_items_everywhere_are_one_dataset(named) -> None:
    rows = "".join(f"q{i * 7},1\n" for i in range(4))
    _, found = named({f"{a}/{b}.csv": f"item,accuracy\n{rows}" for a in "xy" for b in "uv"})
    assert found == {(f"{a}/{b}", "mine", "") for a in "xy" for b in "uv"}


def test_two_levels_that_nothing_tells_apart_are_asked_about(named) -> None:
    files = {f"{a}/{b}.csv": FIVE for a in ("one", "two") for b in ("alpha", "beta")}
    bundles, found = named(files)
    (question,) = {one for bundle in bundles for one in bundle.questions}
    assert question.choices == ("datasets", "systems")
    assert "columns accuracy, id" in question.subject  # an answer holds for later files alike
    assert ("one", "alpha", "") in found
    _, found = named(files, answers={question.subject: "systems"})
    assert ("alpha", "one", "") in found


def test_a_list_is_of_the_metric_that_ends_its_name(named) -> None:
    scores = "0.5\n0.25\n" * 4
    (bundle, *_), found = named({f"{s}.squad.f1.txt": f"score\n{scores}" for s in ("bert", "gpt")})
    assert found == {("bert", "squad", ""), ("gpt", "squad", "")}
    assert bundle.metrics[0].name == "f1"


def test_lists_called_after_metrics_are_of_their_folders(named) -> None:
    scores = "score\n" + "0.5\n0.25\n" * 4
    files = {f"{s}/{m}.txt": scores for s in ("net-a", "net-b") for m in ("chrf", "bleu")}
    files |= {f"{s}/meteor.csv": "meteor\n" + "0.5\n" * 8 for s in ("net-a", "net-b")}
    bundles, found = named(files)
    assert found == {("net-a", "mine", ""), ("net-b", "mine", "")}
    metrics = {metric.name for bundle in bundles for metric in bundle.metrics}
    assert metrics == {"chrf", "bleu", "meteor"}


def test_columns_are_systems_of_the_metric_in_the_name_of_the_file(named) -> None:
    (bundle,), found = named({"squad_f1.csv": "id,mine,theirs\n1,0.5,1\n2,0.25,0\n"})
    assert found == {("mine", "squad", ""), ("theirs", "squad", "")}
    assert bundle.metrics[0].name == "f1"


def test_predictions_of_seeds_are_runs_of_one_system(named) -> None:
    rows = "id,prediction,label\n1,a,a\n2,b,a\n3,b,b\n"
    _, found = named(
        {f"{s}/seed{i}/predictions.csv": rows for s in ("bert", "gpt") for i in (1, 2)}
    )
    assert found == {(s, "mine", f"seed={i}") for s in ("bert", "gpt") for i in (1, 2)}


def test_a_file_beside_with_a_yaml_is_named_by_it(named, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/one.tiebreak.yaml").write_text("system: S\ndataset: D\n")
    _, found = named({"one.csv": FIVE, "bert.csv": FIVE})
    assert ("S", "D", "") in found


@pytest.mark.parametrize("index", ["", "index", "Unnamed: 0"])
def test_an_index_of_a_data_frame_names_the_items_of_one_system(tmp_path, index) -> None:
    path = tmp_path / "llama.csv"
    path.write_text(f"{index},accuracy\n" + "".join(f"{i},{i % 2}\n" for i in range(5)))
    (bundle,) = read_paths(path, options=ReadOptions(dataset="d")).bundles
    assert [item.key for item in bundle.datasets[0].items] == list("01234")
    path.write_text("id,model,question,score\n0,A,x,1\n1,B,x,0\n".replace("id", index, 1))
    (bundle,) = read_paths(path, options=ReadOptions(dataset="d")).bundles
    assert [item.key for item in bundle.datasets[0].items] == ["x"]  # the index numbers the rows


def test_outputs_of_several_systems_in_columns(tmp_path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,label,pred_bert,GPT_prediction\n1,1,1,0\n2,0,0,0\n3,1,0,0\n")
    (bundle,) = read_paths(path).bundles
    values = {run.system: run.scores[0].values[:, 0].tolist() for run in bundle.runs}
    assert values == {"bert": [1, 1, 0], "GPT": [0, 1, 0]}


@pytest.mark.parametrize(
    ("content", "system"),
    [
        ('[{"id": 1, "prediction": "a", "reference": "a"},'
         ' {"id": 2, "prediction": "b", "reference": "a"}]', "llama"),
        ('{"model": "M", "dataset": "D", "accuracy": 0.9, "results": ['
         '{"id": 1, "correct": true}, {"id": 2, "correct": false}]}', "M"),
        ('{"metadata": {"model": "M"}, "summary": {"accuracy": 0.9}, "samples": ['
         '{"sample_id": 1, "scores": {"em": 1}}, {"sample_id": 2, "scores": {"em": 0}}]}', "M"),
    ],
)  # fmt: skip
def test_json_of_records_is_read_as_a_table(tmp_path, content, system) -> None:
    path = tmp_path / "llama.json"
    path.write_text(content)
    (bundle,) = read_paths(path).bundles
    (run,) = bundle.runs
    scores = run.scores[0]
    assert (run.system, scores.values[:, 0].tolist()) == (system, [1, 0])


def test_names_of_tools_that_score_are_no_systems(tmp_path) -> None:
    for name, head in (
        ("DeepEval Metrics", "DE_Faithfulness"),
        ("Combined Results", "RAGAS_Recall"),
    ):
        place = tmp_path / f"lab/net_a/results/Net-A_2026-01-01/{name}.csv"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"question_id,faithfulness,{head}\n1,0.5,0.5\n2,0.25,0.5\n")
    found = read_paths([tmp_path / "lab"], root=tmp_path)
    assert {
        (run.system, bundle.datasets[run.dataset].name)
        for bundle in found.bundles
        for run in bundle.runs
    } == {("Net-A_2026-01-01", "lab")}


def test_items_in_another_order_are_the_same(named) -> None:
    rows = {"resnet": "a,1\nb,0\nc,1\n", "vit-b": "c,0\na,1\nb,0\n", "swin": "b,1\nc,1\na,0\n"}
    _, names = named({f"{name}.csv": f"id,correct\n{text}" for name, text in rows.items()})
    assert {system for system, *_ in names} == set(rows)
    assert len({dataset for _, dataset, *_ in names}) == 1
