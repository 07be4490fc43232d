"""OpenCompass: figures, items with several replicas, choices by perplexity."""

from .conftest import figures_of, scores_of

RUN = "outputs/default/20260324_053259"
MODEL = "opencompass.models.huggingface.HuggingFace_org_Net-v0.2-4-bit"


def test_figures_of_a_run_and_its_summary(put, read):
    put({"accuracy": 43.5, "type": "GEN"}, f"{RUN}/results/{MODEL}/quiz.json")
    put("dataset,version,metric,mode,x\nquiz,1,accuracy,gen,43\n",
        f"{RUN}/summary/summary_20260324_053259.csv")  # fmt: skip
    found = read()
    assert figures_of(found.bundles) == {("org_Net-v0.2-4-bit", "quiz", "accuracy"): [43.5]}
    assert found.bundles[0].metrics[0].unit == "percent"


def test_details_as_list_with_replicas_and_as_mapping(put, read):
    rows = [{"example_abbr": "quiz_0", "pred": ["a", "b"], "is_correct": [True, False]}]
    put({"score": 50, "details": rows}, f"{RUN}/results/a/quiz.json")
    keyed = {"0": {"correct": True}, "1": {"correct": None}, "type": "GEN"}
    put({"accuracy": 100, "details": keyed}, f"{RUN}/results/b/quiz.json")
    assert scores_of(read().bundles) == {
        ("a", "quiz", "accuracy", 0): {"quiz_0": 100},
        ("a", "quiz", "accuracy", 1): {"quiz_0": 0},
        ("b", "quiz", "accuracy", 0): {"0": 100, "1": None},
    }


def test_choices_by_perplexity_are_right_or_wrong_other_predictions_are_not_judged(put, read):
    choice = {"label: A": {"PPL": 1.2}, "prediction": "A"}
    put({"0": {**choice, "gold": "A"}, "1": {**choice, "gold": "B"}}, f"{RUN}/predictions/a/q.json")
    put({"0": {"prediction": "Well", "gold": "A"}}, f"{RUN}/predictions/a/free.json")
    found = read()
    assert scores_of(found.bundles) == {("a", "q", "accuracy", 0): {"0": 100, "1": 0}}


def test_summary_of_several_models(put, read):
    put(
        "dataset,version,metric,mode,total_count,net,other\n"
        "quiz,963fa8,accuracy,gen,8,26.32,50.00 (4/8)\n"
        "all,-,naive_average,gen,-,35.09,-\n"
        "text,1d7fe4,ppl,ppl,8,5.20,-\n",
        "20260101_120000/summary/summary_20260101_120000.csv",
    )
    put("quiz 963fa8 accuracy gen 26.32", "20260101_120000/summary/summary_20260101_120000.txt")
    found = read()
    (bundle,) = found.bundles
    assert figures_of([bundle]) == {
        ("net", "quiz", "accuracy"): [26.32],
        ("other", "quiz", "accuracy"): [50.0],
        ("net", "all", "naive_average"): [35.09],
        ("net", "text", "ppl"): [5.2],
    }
    assert {m.name: m.unit for m in bundle.metrics} == {
        "accuracy": "percent", "naive_average": "percent", "ppl": ""
    }  # fmt: skip
    assert [one.n_items for one in bundle.reported_scores] == [None, 8, None, None]
    assert found.faults == []


def test_a_star_of_a_path_stays_within_one_name(put, read):
    # '0/old_2023' is no name of a run such as 20260324_053259.
    put({"task": {"accuracy": 0.5, "f1": 0.4}}, "0/old_2023/results/net/net.json")
    found = read()
    assert [one.format for one in found.bundles] == ["nested_figures"]
    assert not found.left_out
