"""Tables with outputs and references, in files of our own making."""

from pathlib import Path

import pytest

from store import vectors
from store.errors import AlignmentError, ImportFormatError, NoResultsError, UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.scorers.layout import folder_name

HEAD = "prompt,reference,prediction\n"
GOOD = HEAD + "2+2?,4,4\nCapital of France?,Paris,Paris.\n"


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes files and reads the folder."""

    def make(files, at="p", **options):
        for name, content in files.items():
            write(content, f"p/{name}")
        read = read_paths(
            [tmp_path / at], options=ReadOptions(**options), root=tmp_path, whole=True
        )
        return read.bundles

    return make


def figures(bundle):
    return {
        (bundle.datasets[run.dataset].name, run.system, bundle.metrics[one.metric].name): (
            vectors.aggregate(one.values, bundle.metrics[one.metric].aggregation)
        )
        for run in bundle.runs
        for one in run.scores
    }


def test_folders_are_systems_and_short_answers_are_matched(folder):
    (bundle,) = folder({"runs/a/predictions.csv": GOOD, "runs/b/predictions.csv": GOOD})
    assert figures(bundle) == {
        ("p", system, metric): value
        for system in "ab"
        for metric, value in (("exact_match", 0.5), ("normalised_match", 1), ("token_f1", 1))
    }
    subjects = {guess.subject for guess in bundle.guesses}
    assert subjects == {"columns", "systems", "dataset", "metrics"}


def test_another_gold_is_another_dataset(folder):
    other = GOOD.replace("Paris,", "Rome,")
    names = {"runs/a/p.csv": GOOD, "runs/b/p.csv": other, "runs/c/p.csv": HEAD + "1+1?,2,3\n"}
    (bundle,) = folder(names)
    assert [one.name for one in bundle.datasets] == [
        "p p, 2 items (a)",
        "p p, 2 items (b)",
        "p p, 1 items",
    ]
    assert "datasets" in {guess.subject for guess in bundle.guesses}


def test_a_part_of_the_items_in_another_order(folder):
    part = HEAD + "Capital of France?,Paris,Rome\n"
    (bundle,) = folder({"bert.csv": GOOD, "t5.csv": part})
    first, second = (run.scores[0].values[:, 0].tolist() for run in bundle.runs)
    assert (first, second[1]) == ([1, 0], 0)
    assert second[0] != second[0]
    assert [run.system for run in bundle.runs] == ["bert", "t5"]


def test_items_by_id_and_systems_by_column(folder):
    text = "model,id,gold,prediction\nA,x,pos,pos\nA,y,neg,pos\nB,y,neg,neg\nB,x,pos,pos\n"
    (bundle,) = folder({"all.csv": text}, score=["accuracy"])
    assert list(figures(bundle).values()) == [0.5, 1.0]
    assert [item.key for item in bundle.datasets[0].items] == ["x", "y"]
    with pytest.raises(ImportFormatError, match=r"line 6, field 'id': the item 'x' stands twice"):
        folder({"all.csv": text + "B,x,pos,neg\n"})


def test_labels_beside_a_source_are_no_translations(folder):
    rows = "".join(f"q{i},exam,A,{'AB'[i % 2]}\n" for i in range(12))
    (bundle,) = folder({"net/p.csv": f"question_id,src,answer,pred\n{rows}"})
    assert list(figures(bundle).values()) == [0.5]


def test_probabilities_are_no_labels(folder):
    rows = "".join(f"{i},{i % 2},0.{i}5\n" for i in range(8))
    with pytest.raises(ImportFormatError, match=r"field 'prediction': no output is one of the lab"):
        folder({"m.csv": f"id,label,prediction\n{rows}"})
    (bundle,) = folder({"m.csv": f"id,label,prediction\n{rows}"}, score=["spearman"])
    assert bundle.metrics[0].name == "spearman"


def test_transcripts_go_by_error_rates(folder):
    text = "audio_id\ttranscription\tsentence\n1\ta b\ta c\n2\t\tx\n"
    (bundle,) = folder({"whisper.tsv": text})
    assert figures(bundle)["p", "whisper", "WER"] == pytest.approx(2 / 3)
    assert "1 empty outputs count as empty answers" in bundle.warnings[0]


def test_several_right_answers_and_none_given(folder):
    lines = '{"id": "q", "prediction": "b", "references": ["a", "b"]}\n'
    lines += '{"id": "r", "prediction": null, "references": ["a"]}\n'
    (bundle,) = folder({"m.jsonl": lines})
    values = bundle.runs[0].scores[0].values[:, 0].tolist()
    assert (values[0], values[1] != values[1]) == (1, True)


def test_gold_of_another_table(folder, write):
    gold = write("id,answer\nx,1\ny,2\n", "elsewhere.csv")
    (bundle,) = folder({"m.csv": "id,prediction\nx,1\ny,3\n"}, gold=gold, score=["em"])
    assert figures(bundle) == {("p", "m", "exact_match"): 0.5}
    with pytest.raises(AlignmentError, match=r"line 2: the item 'z' is not in"):
        folder({"m.csv": "id,prediction\nz,1\n"}, gold=gold)


def test_an_artefact_of_mlflow_is_called_as_its_run(folder):
    files = {"e/meta.yaml": "experiment_id: '1'\nname: demo\n"}
    for run, model in (("r1", "llama"), ("r2", "llama"), ("r3", "gemma")):
        files |= {
            f"e/{run}/meta.yaml": f"run_name: {run}-zebra\n",
            f"e/{run}/params/model": model,
            f"e/{run}/artifacts/predictions.csv": GOOD,
        }
    found = [one for one in folder(files) if one.format == "predictions"]
    assert [one.runs[0].system for one in found] == [
        "llama (r1-zebra)",
        "llama (r2-zebra)",
        "gemma",
    ]
    assert {one.datasets[0].name for one in found} == {"demo"}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/ann/wmt/results/test/x.csv", "wmt"),
        ("/home/results/x.csv", "results"),
        ("/tmp/tiebreak-a1/0/predictions/x.csv", "predictions"),
    ],
)
def test_folders_above_the_results_say_nothing(path, name):
    assert folder_name(Path(path)) == name


def test_inputs_and_gold_alone_are_no_results(folder):
    with pytest.raises(UnknownFormatError, match="without outputs"):
        folder({"eval.csv": 'prompt,reference\n"a","{\\"b\\":1}"\n'}, at="p/eval.csv")


def test_a_table_that_is_scored_is_not_scored_again(folder):
    text = "id,prediction,reference,exact_match\nx,a,a,1\ny,b,c,0\n"
    (bundle,) = folder({"m.csv": text}, system="m", dataset="d")
    assert (bundle.format, bundle.metrics[0].name) == ("generic", "exact_match")
    (bundle,) = folder({"m.csv": text}, score=["token_f1"])
    assert (bundle.format, bundle.metrics[0].name) == ("predictions", "token_f1")


GLUE = {
    "gold/CoLA.tsv": "index\tlabel\n0\t1\n1\t0\n2\t1\n",
    "pred/bert/CoLA.tsv": "index\tprediction\n2\t1\n0\t0\n1\t0\n",
    "pred/gpt/CoLA.tsv": "index\tprediction\n0\t1\n1\t0\n2\t1\n",
}


def test_gold_in_a_folder_beside_the_outputs(folder):
    (bundle,) = folder(GLUE)
    assert bundle.datasets[0].name == "CoLA"
    scores = {run.system: run.scores[0].values[:, 0].tolist() for run in bundle.runs}
    by_key = [item.key for item in bundle.datasets[0].items]
    assert {name: dict(zip(by_key, one, strict=True)) for name, one in scores.items()} == {
        "bert": {"0": 0, "1": 1, "2": 1},
        "gpt": {"0": 1, "1": 1, "2": 1},
    }


def test_outputs_without_any_gold_ask_for_it(folder):
    with pytest.raises(ImportFormatError, match=r"Give --gold FILE, or put it"):
        folder({"bert/CoLA.tsv": GLUE["pred/bert/CoLA.tsv"]})


def test_gold_of_another_length_without_names_of_items(folder):
    files = {"m.csv": "prediction\n1\n0\n", "m_gold.csv": "label\n1\n0\n1\n"}
    with pytest.raises(ImportFormatError, match="2 outputs here, 3 right answers in"):
        folder(files)


def test_an_object_where_an_answer_is_wanted_is_named_with_its_line(folder):
    lines = ['{"prompt": "a", "reference": "4", "prediction": "4"}',
             '{"prompt": "b", "reference": "5", "prediction": {"text": "5"}}']  # fmt: skip
    with pytest.raises(ImportFormatError, match=r"line 2.*prediction.*a list or an object"):
        folder({"a.jsonl": "\n".join(lines) + "\n"})


def test_where_a_text_comes_from_makes_no_other_items(write, tmp_path) -> None:
    head = "id,text,label,pred,source\n"
    write(head + "1,a,x,x,local\n2,b,y,x,local\n", "spam/results/bert_val.csv")
    write(head + "1,a,x,x,rule\n2,b,y,y,local\n", "spam/results/gpt_val.csv")
    (bundle,) = read_paths([tmp_path], root=tmp_path).bundles
    assert [dataset.name for dataset in bundle.datasets] == ["spam"]
    assert {run.system for run in bundle.runs} == {"bert", "gpt"}


def test_columns_about_outputs_are_no_systems(read) -> None:
    rows = "1,a,0,0,1,False,0.4\n2,b,1,1,1,True,0.9\n"
    head = "id,text,label,base_pred,new_pred,prediction_changed,pred_prob\n"
    bundle = read(head + rows, "spam/preds.csv")
    assert {run.system for run in bundle.runs} == {"base", "new"}


def test_labels_without_a_metric_are_no_results(read) -> None:
    with pytest.raises(NoResultsError, match="labels and what goes with them"):
        read("id,label,prob_spam,event\nq1,1,0.5,3\nq2,0,0.25,4\n", "review.csv")


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ("gold,gpt-4o,llama-3", ["A,A,B", "B,B,C", "C,A,C"]),
        ("label,gpt-4o,llama-3", ["1,1,0", "0,0,1", "1,0,1"]),
        ("correct_answer,gpt-4o_answer,llama-3_answer", ["A,A,B", "B,B,C", "C,A,C"]),
    ],
)
def test_answers_in_columns_called_like_systems_are_scored(folder, columns, rows):
    content = "\n".join([f"id,{columns}", *(f"q{n},{row}" for n, row in enumerate(rows))])
    (bundle,) = folder({"a.csv": content})
    found = {system: round(value, 3) for (_, system, _), value in figures(bundle).items()}
    assert (bundle.format, found) == ("predictions", {"gpt-4o": 0.667, "llama-3": 0.333})


@pytest.mark.parametrize(
    "rows",
    [
        ["A,1,0", "B,1,1"],
        ["7,0.5,1", "8,1,0.25"],
        ["7,0,1", "8,1,0"],
        ["0.9,0.5,0.2", "0.8,1,0.25"],  # gold is a system, too
        ["1,0,1", "1,1,0"],
    ],
)
def test_scores_in_columns_called_like_systems_stay_scores(folder, rows):
    content = "\n".join(["id,gold,gpt-4o,llama-3", *(f"q{n},{row}" for n, row in enumerate(rows))])
    (bundle,) = folder({"a.csv": content})
    assert bundle.format == "generic"


def test_transcripts_of_systems_are_scored_by_file(folder):
    rows = "a.wav,the cat sat,the cat sat,a cat sat\nb.wav,a dog ran,a dog,a dog ran\n"
    (bundle,) = folder({"asr.csv": "file,reference,whisper-small,whisper-large\n" + rows})
    assert {run.system for run in bundle.runs} == {"whisper-small", "whisper-large"}
    assert [item.key for item in bundle.datasets[0].items] == ["a.wav", "b.wav"]


def of_run(dataset, system, rows, date=20260101):
    lines = [f"E:\\out\\{date}\\{name}.csv;{given};{right}" for name, given, right in rows]
    name = f"gpu_{dataset}__mt_{system}__{date}.10150{len(rows)}_raw.csv"
    return {name: "\n".join(["outfile;preds;target", *lines]) + "\n"}


def test_files_of_runs_are_items_and_their_names_a_dataset_and_a_system(folder):
    rows = [("v1", "yes", "yes"), ("v2", "no", "no"), ("v3", "yes", "no")]
    other = [("v3", "no", "no"), ("v1", "yes", "yes"), ("v2", "yes", "no")]
    files = {**of_run("fire", "base", rows), **of_run("fire", "base_tuned", other, 20260102)}
    part = [rows[:2], [other[2], other[1]]]
    files |= {
        **of_run("still", "base", part[0]),
        **of_run("still", "base_tuned", part[1], 20260103),
    }
    (bundle,) = folder(files, score=("accuracy",))
    assert {one.name: len(one.items) for one in bundle.datasets} == {"fire": 3, "still": 2}
    assert figures(bundle) == {
        ("fire", "base", "accuracy"): pytest.approx(2 / 3),
        ("fire", "base_tuned", "accuracy"): pytest.approx(2 / 3),
        ("still", "base", "accuracy"): 1,
        ("still", "base_tuned", "accuracy"): 0.5,
    }
    (tuned,) = (r for r in bundle.runs if r.system == "base_tuned" and r.dataset == 0)
    ids = [item.key for item in bundle.datasets[0].items]
    scores = dict(zip(ids, tuned.scores[0].values[:, 0], strict=True))
    assert scores == {"v1.csv": 1, "v2.csv": 0, "v3.csv": 1}


def test_files_of_the_same_items_in_another_order_are_systems(folder):
    rows = [("v1", "yes", "yes"), ("v2", "no", "no"), ("v3", "yes", "no")]
    lines = {
        "net-a": rows,
        "net-b": [rows[2], rows[0], rows[1]],
        "swin": [rows[1], rows[2], rows[0]],
    }
    files = {
        f"{name}.csv": "path,prediction,label\n"
        + "".join(f"/out/{name}/{key}.png,{given},{right}\n" for key, given, right in of_system)
        for name, of_system in lines.items()
    }
    (bundle,) = folder(files, score=("accuracy",))
    assert [len(one.items) for one in bundle.datasets] == [3]
    assert {run.system for run in bundle.runs} == set(lines)
