"""Runs of MLflow and Weights & Biases, in files of our own making."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from store.errors import ImportFormatError, NoResultsError
from store.importers.detect import read_paths


@pytest.fixture
def mlruns(write, tmp_path):
    """Return a function that writes runs, name to content, and reads the store."""

    def make(**runs):
        write("experiment_id: '7'\nname: demo\n", "mlruns/7/meta.yaml")
        for name, run in runs.items():
            status = run.get("status", 3)
            meta = f"run_name: {name}\nrun_id: {name}\nstatus: {status}\nend_time: 1757713667783\n"
            write(meta, f"mlruns/7/{name}/meta.yaml")
            (tmp_path / f"mlruns/7/{name}/metrics").mkdir(exist_ok=True)
            for part in ("metrics", "params"):
                for key, content in run.get(part, {}).items():
                    write(content, f"mlruns/7/{name}/{part}/{key}")
            write("prompt,answer\na,b\n", f"mlruns/7/{name}/artifacts/x.csv")
        return read_paths([tmp_path / "mlruns"], root=tmp_path, whole=True)

    return make


def stated(bundle):
    return [
        (s.system, bundle.metrics[s.metric].name, s.value, s.source) for s in bundle.reported_scores
    ]


def test_the_last_value_by_step_of_a_finished_run(mlruns):
    loss = "10 0.5 1\n30 0.1 0\n20 0.3 2\n"
    params = {"model": "net", "temperature": "0"}
    found = mlruns(
        a={"metrics": {"eval/loss": loss, "epoch": "1 3 0"}, "params": params},
        b={"metrics": {"eval/loss": "1 9 0"}, "status": 4},
    )
    (bundle,) = found.bundles
    assert stated(bundle) == [("net", "eval/loss", 0.3, "MLflow run a (a)")]
    assert bundle.datasets[0].name == "demo"
    assert bundle.reported_scores[0].reported_on.year == 2025
    assert any("1 runs did not finish" in told for told in bundle.understood)
    assert {file.path for file in found.left_out} == {f"mlruns/7/{n}/artifacts/x.csv" for n in "ab"}


def test_settings_tell_systems_apart_and_seeds_do_not(mlruns):
    def run(**params):
        return {"metrics": {"acc": "1 0.5 0"}, "params": {"model": "net", **params}}

    two = mlruns(a=run(temperature="0"), b=run(temperature="1"), c=run(temperature="1", seed="2"))
    systems = [score.system for score in two.bundles[0].reported_scores]
    assert systems == ["net (temperature=0)", "net (temperature=1)", "net (temperature=1)"]


def test_a_damaged_metric_names_its_line(mlruns):
    with pytest.raises(ImportFormatError, match=r"metrics/acc, line 2"):
        mlruns(a={"metrics": {"acc": "1 0.5 0\n1 x 0\n"}})


def test_a_database_of_mlflow(tmp_path):
    path = tmp_path / "mlflow.db"
    with closing(sqlite3.connect(path)) as base:
        base.executescript(
            """
            CREATE TABLE experiments (experiment_id, name);
            CREATE TABLE runs (run_uuid, name, experiment_id, status, start_time, end_time,
                lifecycle_stage);
            CREATE TABLE latest_metrics (run_uuid, key, value, is_nan);
            CREATE TABLE params (run_uuid, key, value);
            INSERT INTO experiments VALUES (1, 'demo');
            INSERT INTO runs VALUES ('u1', 'first', 1, 'FINISHED', 1, 1757713667783, 'active'),
                ('u2', 'second', 1, 'FINISHED', 2, 2, 'deleted');
            INSERT INTO latest_metrics VALUES ('u1', 'acc', 0.5, 0), ('u1', 'f1', 0, 1),
                ('u2', 'acc', 0.9, 0);
            INSERT INTO params VALUES ('u1', 'model_name', 'net'), ('u1', 'dataset', 'squad');
            """
        )
        base.commit()
    (bundle,) = read_paths([path]).bundles
    assert stated(bundle) == [("net", "acc", 0.5, "MLflow run first (u1)")]
    assert bundle.datasets[0].name == "squad"


TABLE = """"Name","State","Created","Runtime","lr","seed","n_params","val/loss","accuracy","odd"
"base","finished","2026-05-25T14:08:33.000Z","700","0.1","1","10","2.5","0.5","3"
"base","finished","2026-05-25T15:08:33.000Z","710","0.1","2","10","2.4","","3"
"wide","finished","2026-05-25T16:08:33.000Z","900","0.1","1","20","1.5","0.6","4"
"dead","crashed","2026-05-25T17:08:33.000Z","9","0.1","1","20","9","0.1","4"
"""


def test_a_table_of_runs(read):
    bundle = read(TABLE, "export.csv")
    names = [metric.name for metric in bundle.metrics]
    assert names == ["val/loss", "accuracy", "Runtime"]
    losses = [row for row in stated(bundle) if row[1] == "val/loss"]
    assert [row[::2] for row in losses] == [("base", 2.5), ("base", 2.4), ("wide", 1.5)]
    assert len({row[3] for row in losses}) == 3
    assert len(bundle.reported_scores) == 8
    assert bundle.datasets[0].name == "export"


def test_a_summary_takes_its_model_from_the_settings_beside_it(read, write):
    config = "wandb_version: 1\n_wandb: {value: {x: 1}}\nmodel: {desc: null, value: net}\n"
    write(config + "dataset:\n  value: squad\n", "run-1/files/config.yaml")
    content = json.dumps({"acc": 0.5, "_step": 2, "_runtime": 3})
    bundle = read(content, "run-1/files/wandb-summary.json")
    assert [row[:3] for row in stated(bundle)] == [("net", "acc", 0.5)]
    assert bundle.datasets[0].name == "squad"


def test_the_runs_of_a_project_are_compared_on_it(tmp_path):
    for name, loss in ("run-20240430_123946-aa", 0.5), ("run-20240430_164045-bb", 0.25):
        folder = tmp_path / "moderation" / "wandb" / name / "files"
        folder.mkdir(parents=True)
        summary = {"eval/loss": loss, "train/global_step": 9, "train/grad_norm": 2, "_step": 9}
        (folder / "wandb-summary.json").write_text(json.dumps(summary))
        config = f"wandb_version: 1\n_name_or_path: {{value: org/net}}\nlr: {{value: {loss}}}\n"
        (folder / "config.yaml").write_text(config)
    latest = tmp_path / "moderation" / "wandb" / "latest-run" / "files"
    shutil.copytree(folder, latest)
    [bundle] = read_paths(tmp_path / "moderation").bundles
    assert [row[:3] for row in stated(bundle)] == [
        ("org/net (lr=0.5)", "eval/loss", 0.5),
        ("org/net (lr=0.25)", "eval/loss", 0.25),
    ]
    assert [one.name for one in bundle.datasets] == ["moderation"]
    assert any("latest-run" in sentence for sentence in bundle.understood)


def test_a_summary(read):
    content = {
        "train/acc": 0.5,
        "loss": 0.25,
        "_step": 200,
        "_timestamp": 1666271819.8,
        "_runtime": 3,
        "size": 4,
        "gradients/w": {"_type": "histogram", "values": [1]},
    }
    bundle = read(json.dumps(content), "protein/files/wandb-summary.json")
    assert [row[:3] for row in stated(bundle)] == [
        ("protein", "train/acc", 0.5),
        ("protein", "loss", 0.25),
    ]
    with pytest.raises(NoResultsError):
        read(json.dumps({"_step": 1, "_runtime": 2}), "wandb-summary.json")


def test_a_store_is_also_found_by_its_address(mlruns, tmp_path, monkeypatch):
    mlruns(a={"metrics": {"acc": "1 0.5 0"}})
    for address in (f"mlflow://{tmp_path}/mlruns", "mlflow://mlruns"):
        monkeypatch.chdir(tmp_path)
        assert read_paths([address]).bundles[0].format == "mlflow"


def test_a_table_of_named_runs(read):
    table = (
        "run_name,seed,lr,final_val_loss,final_val_loss_std,size\na,1,3,0.5,9,7\na,2,3,0.25,9,8\n"
    )
    bundle = read(table, "ablation.csv")
    assert bundle.format == "runs"
    assert stated(bundle) == [
        ("a (size=7)", "final_val_loss", 0.5, "run a (seed 1)"),
        ("a (size=8)", "final_val_loss", 0.25, "run a (seed 2)"),
    ]


def test_an_export_of_mlflow(read):
    head = "run_id,status,end_time,metrics.acc,params.model,tags.mlflow.runName\n"
    lines = "u1,FINISHED,2025-01-02T00:00:00,0.5,net,first\nu2,FAILED,,0.1,net,second\n"
    (score,) = read(head + lines, "runs.csv").reported_scores
    assert (score.system, score.value) == ("net", 0.5)
    assert score.reported_on.date().isoformat() == "2025-01-02"


def test_repeats_of_one_system(read):
    table = "Run,MNLI dev acc.,ln_swap\nRun 0,0.8,0.5\nRun 1,0.9,\nMean,0.85,0.5\n,,\n"
    bundle = read(table, "berts/by_run.csv")
    found = [(bundle.datasets[s.dataset].name, s.value) for s in bundle.reported_scores]
    assert found == [("by_run/MNLI dev", 0.8), ("by_run/MNLI dev", 0.9), ("by_run/ln_swap", 0.5)]
    assert {s.system for s in bundle.reported_scores} == {"by_run"}
    assert [metric.name for metric in bundle.metrics] == ["accuracy"]
    assert any("1 lines sum up" in told for told in bundle.understood)


def test_repeats_without_a_known_metric_are_refused_in_words(read):
    with pytest.raises(NoResultsError, match="no run has a figure of a known metric"):
        read("x,seed,lr,final_val_loss\na,2,3,none yet\nb,2,3,0.5 or so\n", "t.csv")


def test_a_chart_of_wandb_ends_in_its_figures(write, tmp_path):
    head = '"Step","a - val/loss","a - val/loss__MIN","a - val/loss__MAX","b - c - val/loss"\n'
    write(head + "1,2.5,2.5,2.5,3\n2,1.5,1.5,1.5,\n", "chart.csv")
    (bundle,) = read_paths([tmp_path], root=tmp_path).bundles
    assert [one[:3] for one in stated(bundle)] == [("a", "val/loss", 1.5), ("b - c", "val/loss", 3)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("eval_results.json", {"epoch": 3.0, "eval_loss": 0.25, "eval_samples": 100}),
        ("means.csv", "metric,score\neval_loss,0.25\n"),
    ],
)
def test_the_metrics_of_one_run(write, tmp_path, name, content):
    write(content if isinstance(content, str) else json.dumps(content), f"net-a/{name}")
    write('{"learning_rate": 0.1, "epochs": 3}', "net-a/config.json")
    write("\x00\x01", "~$means.csv")
    found = read_paths([tmp_path], root=tmp_path)
    (bundle,) = found.bundles
    assert [one[:3] for one in stated(bundle)] == [("net-a", "eval_loss", 0.25)]
    assert {guess.subject for guess in bundle.guesses} == {"system", "dataset"}
    assert [one.path for one in found.left_out] == ["net-a/config.json"]
