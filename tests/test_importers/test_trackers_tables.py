"""Tables that experiment trackers export, or keep beside a run."""

import pytest

from .stated_figures import figures


@pytest.fixture
def read(read_folder):
    return read_folder


def test_exports_are_of_the_folder_and_not_of_a_moment(read):
    head = "Step,Group: bert - f1,Group: bert - f1__MIN,Group: bert - f1__MAX\n"
    found = read(
        {
            "wandb_export_2024-03-05T10_12_13.123+01_00.csv": head + "1,0.25,0,1\n2,0.5,0,1\n",
            "wandb_export_2024-03-05T10_15_00.000+01_00.csv": (
                '"Name","test/rougeL","test/rougeL__MIN","test/rougeL__MAX"\n'
                '"bert","0.75","0","1"\n"gpt","0.125","0","1"\n'
            ),
        }
    )
    assert figures(found) == {
        ("bert", "lab", "f1"): 0.5,
        ("bert", "lab", "test/rougeL"): 0.75,
        ("gpt", "lab", "test/rougeL"): 0.125,
    }


def test_runs_with_made_up_names_are_of_their_models(read):
    found = read(
        {
            "runs.csv": "Name,State,Group,dataset.name,model.name,val/acc,_runtime\n"
            "dainty-sky-1,finished,a,sst2,bert,0.5,9\n"
            "royal-tree-2,crashed,a,sst2,gpt,,9\n"
            "mild-frog-3,finished,b,mrpc,gpt,0.75,9\n"
        }
    )
    assert figures(found) == {("bert", "sst2", "val/acc"): 0.5, ("gpt", "mrpc", "val/acc"): 0.75}


def test_a_table_of_a_wandb_run_is_of_its_model(read):
    rows = [[n, f"q{n}", n % 2 == 0] for n in range(12)]
    found = read(
        {
            "files/media/table/eval_1_ab.table.json": {
                "columns": ["id", "question", "correct"], "data": rows,
            },
            "files/config.yaml": "model_name:\n  value: bert\ndataset:\n  value: boolq\n",
            "files/wandb-summary.json": {"eval/accuracy": 0.5, "_step": 1, "_runtime": 2},
        }
    )  # fmt: skip
    (run,) = [run for bundle in found.bundles for run in bundle.runs]
    assert run.system == "bert"
    assert run.scores[0].values[:, 0].tolist() == [1, 0] * 6
    assert {bundle.datasets[0].name for bundle in found.bundles} == {"boolq"}
    assert figures(found) == {("bert", "boolq", "eval/accuracy"): 0.5}


def _mlflow(run, name, params, metrics):
    meta = f"status: 3\nlifecycle_stage: active\nrun_name: {name}\nend_time: 1700000000000\n"
    return (
        {f"mlruns/1/{run}/meta.yaml": meta}
        | {f"mlruns/1/{run}/params/{key}": value for key, value in params.items()}
        | {f"mlruns/1/{run}/metrics/{key}": f"1 {value} 0\n" for key, value in metrics.items()}
    )


def test_runs_that_measured_nothing_tell_no_settings_apart(read):
    files = {"mlruns/1/meta.yaml": "name: qa\n"}
    files |= _mlflow("a1", "parent", {"model": "bert"}, {})
    files |= _mlflow("b2", "child", {"model": "bert", "lr": "0.1"}, {"test_f1": 0.5})
    assert figures(read(files)) == {("bert", "qa", "test_f1"): 0.5}


def test_a_table_of_an_mlflow_run_is_of_its_model(read):
    rows = [[f"What is {n}?", "a", n % 2] for n in range(10)]
    files = {"mlruns/1/meta.yaml": "name: qa\n"}
    files |= _mlflow("a1", "one", {"model": "t5"}, {"exact_match": 0.5})
    columns = ["inputs", "outputs", "exact_match/v1/score"]
    table = {"columns": columns, "data": rows}
    found = read(files | {"mlruns/1/a1/artifacts/eval_results_table.json": table})
    (run,) = [run for bundle in found.bundles for run in bundle.runs]
    assert run.system == "t5"
    assert run.scores[0].values[:, 0].tolist() == [0, 1] * 5
    assert figures(found) == {("t5", "qa", "exact_match"): 0.5}


def test_metrics_that_repeat_their_name_are_no_datasets(read):
    found = read(
        {
            f"{system}/{task}.json": {"ndcg": {"NDCG@10": value}, "recall": {"Recall@10": 0.25}}
            for system, task, value in [
                ("bm25", "scifact", 0.5), ("bm25", "nfcorpus", 0.375),
                ("dpr", "scifact", 0.75), ("dpr", "nfcorpus", 0.125),
            ]
        }
    )  # fmt: skip
    told = {key: value for key, value in figures(found).items() if key[2] == "NDCG@10"}
    assert told == {
        ("bm25", "scifact", "NDCG@10"): 0.5,
        ("bm25", "nfcorpus", "NDCG@10"): 0.375,
        ("dpr", "scifact", "NDCG@10"): 0.75,
        ("dpr", "nfcorpus", "NDCG@10"): 0.125,
    }
    assert len(figures(found)) == 8


def test_times_of_a_log_are_no_systems(read):
    lines = "".join(f"{n}\t12:00:0{n}\t0.1\t0.5\t0.7{n}\n" for n in range(1, 5))
    log = "EPOCH\tTIMESTAMP\tLEARNING_RATE\tTRAIN_LOSS\tDEV_F1\n" + lines
    found = read({"bert/loss.tsv": log, "bert/clock.csv": "at,f1\n12:00:01,0.5\n12:00:02,0.75\n"})
    assert not found.bundles


def test_references_with_a_letter_leave_the_names_of_systems(read):
    lines = "".join(f"a river and {n} hills\n" for n in range(6))
    stem = "newstest2021.ende."
    found = read({f"{stem}ref.A": lines, f"{stem}hyp.online-A": lines, f"{stem}hyp.Alpha": lines})
    assert {run.system for bundle in found.bundles for run in bundle.runs} == {"online-A", "Alpha"}


def test_a_setting_that_names_the_model_names_the_systems(read):
    rows = "P-1,inactive,0.1,bert,0.5\nP-2,inactive,0.1,gpt,0.75\n"
    head = "sys/id,sys/state,parameters/lr,parameters/model,metrics/test/accuracy\n"
    found = figures(read({"runs.csv": head + rows}))
    assert {system for system, _, _ in found} == {"bert", "gpt"}


def test_runs_in_a_table_that_measured_nothing_are_no_runs(read):
    head = "run_id,experiment_id,status,metrics.test_f1,params.model,params.lr\n"
    rows = "a,1,FINISHED,,bert,\nb,1,FINISHED,0.5,bert,0.1\n"
    found = figures(read({"runs.csv": head + rows}))
    assert {system for system, _, _ in found} == {"bert"}
