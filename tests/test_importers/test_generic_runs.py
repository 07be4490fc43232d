"""Tables of item scores: runs, trials, dates, items, and what flags and YAML say."""

import hashlib
from datetime import UTC, datetime

import numpy as np
import pytest

from store.errors import ImportFormatError
from store.importers.bundle import Status
from store.importers.detect import read_paths

from .generic_scores import LONG, scores

# Runs, trials, dates, statuses


def test_runs_and_trials(read) -> None:
    bundle = read(
        "system,item,run,epoch,acc\nA,1,r1,10,1\nA,1,r1,2,0\nA,1,r2,10,0.5\n", dataset="d"
    )
    assert scores(bundle) == {
        ("A", "d", "r1", "acc", 0): {"1": 0},
        ("A", "d", "r1", "acc", 1): {"1": 1},
        ("A", "d", "r2", "acc", 1): {"1": 0.5},
    }
    assert "Trials are counted from 0: 2 is 0, 10 is 1." in bundle.understood


def test_seeds_make_runs(read) -> None:
    bundle = read("system,item,seed,acc\nA,1,0,1\nA,1,7,0\n", dataset="d")
    found = [(run.label, run.provenance.seed) for run in bundle.runs]
    assert found == [("seed=0", 0), ("seed=7", 7)]


def test_dates_belong_to_runs(read) -> None:
    bundle = read(
        "system,item,date,acc\nA,1,2025-01-02,1\nB,1,2025-01-03T10:00:00+00:00,1\n", dataset="d"
    )
    first, second = (run.provenance for run in bundle.runs)
    assert (first.evaluated_on, first.tz_assumed) == (datetime(2025, 1, 2, tzinfo=UTC), True)
    assert (second.evaluated_on, second.tz_assumed) == (datetime(2025, 1, 3, 10, tzinfo=UTC), False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "system,item,date,acc\nA,1,2025-01-02,1\nA,2,2025-01-03,1\n",
            r"line 3, field 'date': the date changes within one run: .* in line 2",
        ),
        (
            "system,item,date,acc\nA,1,yesterday,1\n",
            r"line 2, field 'date': 'yesterday' is no date",
        ),
        (
            "system,item,seed,acc\nA,1,x,1\n",
            r"line 2, field 'seed': the seed 'x' is no whole number",
        ),
        (
            "system,item,run,seed,acc\nA,1,r,1,1\nA,2,r,2,1\n",
            r"line 3, field 'seed': the seed changes within one run",
        ),
    ],
)
def test_faulty_run_properties(read, content, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(content, dataset="d")


def test_a_date_flag_goes_before_the_column(read) -> None:
    date = datetime(2020, 1, 1)
    bundle = read("system,item,date,acc\nA,1,2025-01-02,1\n", dataset="d", date=date)
    provenance = bundle.runs[0].provenance
    assert (provenance.evaluated_on, provenance.tz_assumed) == (date.replace(tzinfo=UTC), True)


def test_a_detected_role_can_be_switched_off(read) -> None:
    bundle = read(
        "system,item,date,acc\nA,1,2025-01-02,1\nA,2,2025-01-03,1\n",
        dataset="d",
        columns={"date": ""},
    )
    assert bundle.runs[0].provenance.evaluated_on is None
    assert bundle.datasets[0].items[0].metadata == {"date": "2025-01-02"}


def test_run_label_is_given(read) -> None:
    assert read(LONG + "A,d,1,acc,1\n", run_label="pilot").runs[0].label == "pilot"


def test_statuses(read) -> None:
    bundle = read(
        "system,item,status,acc\nA,1,ok,1\nA,2,error,\nA,3,skipped,\nA,4,ok,\nA,5,rule,0\n"
        "A,6,,1\nA,7,,\nB,1,ok,1\n",
        dataset="d",
    )
    ok, absent, error, rule = list(map(int, Status))[:4]
    expected = [ok, error, absent, ok, rule, ok, absent]
    assert bundle.runs[0].statuses[0].tolist() == expected
    assert bundle.runs[1].statuses[0].tolist() == [ok] + [absent] * 6


def test_faulty_statuses(read) -> None:
    with pytest.raises(ImportFormatError, match=r"line 2, field 'status': 'failed' is no known"):
        read("system,item,status,acc\nA,1,failed,1\n", dataset="d")
    with pytest.raises(
        ImportFormatError, match=r"line 3, field 'status': .* line 2 states another"
    ):
        read("system,dataset,item,metric,status,score\nA,d,1,a,ok,1\nA,d,1,b,error,\n")


def test_system_without_any_score_is_told_and_stays(read) -> None:
    bundle = read(LONG + "A,d,1,acc,1\nB,d,1,acc,NA\nB,d,1,f1,NA\n")
    assert [run.system for run in bundle.runs] == ["A", "B"]
    assert np.isnan(bundle.runs[1].scores[0].values).all()
    assert [metric.name for metric in bundle.metrics] == ["acc"], "nobody has an f1"
    assert bundle.warnings == [
        "'B' has no score for 'acc' on 'd'.",
        "'B' has no score for 'f1' on 'd': nothing is stored for it.",
    ]


@pytest.mark.parametrize(
    ("column", "outcome"),
    [("judge_failed", "JUDGE_FAILED"), ("timed_out", "TIMED_OUT"), ("Crashed", "ERROR"),
     ("unscored", "UNSCORED")],
)  # fmt: skip
def test_a_column_called_as_an_outcome_is_one(read, column, outcome) -> None:
    rows = "A,1,0,true\nA,2,1,false\nA,3,1,\n"
    bundle = read(f"system,item,acc,{column}\n{rows}", dataset="d")
    (run,) = bundle.runs
    assert run.statuses[0].tolist() == [Status[outcome], Status.OK, Status.OK]
    assert run.scores[0].values[:, 0].tolist() == [0, 1, 1], "as the source states them"
    assert any(f"outcome of an attempt: {column}" in told for told in bundle.understood)


def test_a_column_of_counts_is_no_outcome(read) -> None:
    bundle = read("system,item,acc,unscored\nA,1,0,3\nA,2,1,0\n", dataset="d")
    assert bundle.runs[0].statuses == {}


# Items


def test_groups_texts_and_metadata(read) -> None:
    table = (
        "system,item,doc,question,answer,level,reply,acc\n"
        "A,1,p1,Why?,because,easy,x,1\nB,1,p1,Why?,because,easy,y,0\nA,2,p2,How?,so,,z,1\n"
    )
    columns = {"group": "doc", "reference": "answer", "output": "reply"}
    bundle = read(table, dataset="d", columns=columns)
    first = bundle.datasets[0].items[0]
    assert (first.group, first.metadata) == ("p1", {"level": "easy"})
    assert first.content_hash == hashlib.sha256(b"Why?").hexdigest()
    assert (first.input_text, first.reference_text, bundle.runs[0].outputs) == (None, None, {})
    with_text = read(table, "u.csv", dataset="d", columns=columns, with_text=True)
    first = with_text.datasets[0].items[0]
    assert (first.input_text, first.reference_text) == ("Why?", "because")
    assert with_text.runs[0].outputs == {0: ["x", "z"]}
    assert with_text.runs[1].outputs == {0: ["y", None]}


def test_leftover_columns_are_told(read) -> None:
    bundle = read("system,item,level,note,void,acc\nA,1,easy,x,,1\nB,1,easy,y,,0\n", dataset="d")
    assert "Kept as properties of the items: level." in bundle.understood
    assert "Ignored, because they change within an item: note." in bundle.understood
    assert "Ignored, because they are empty: void." in bundle.understood


@pytest.mark.parametrize("role", ["group", "input", "reference"])
def test_a_property_that_changes_for_an_item_is_refused(read, role) -> None:
    with pytest.raises(
        ImportFormatError, match=rf"line 3, field '{role}': the {role} of one item changes.*line 2"
    ):
        read(f"system,item,{role},acc\nA,1,x,1\nB,1,y,0\n", dataset="d")


def test_template_joins_columns(read) -> None:
    bundle = read(
        "system,doc_id,seg,acc\nA,d1,1,1\nA,d1,2,0\n",
        dataset="d",
        columns={"item": "{doc_id}#{seg}"},
        metric="acc",
    )
    assert [item.key for item in bundle.datasets[0].items] == ["d1#1", "d1#2"]


# What flags and YAML say


def test_yaml_names_constants_aliases_and_properties(read) -> None:
    bundle = read(
        "item,A,CHAR→TAG\n1,1,0\n",
        yaml=(
            "metric: acc\ndataset: {name: d, version: 1.0, language: de, domain: no}\n"
            'aliases: {"Char→Tag": ["CHAR→TAG"]}\n'
            "metrics: {acc: {higher_is_better: true, unit: proportion, signature: x}}\n"
            "run: {label: r, seed: 3, evaluated_on: 2024-05-06, command: make, git_dirty: true,\n"
            "  harness: h, packages: {numpy: 2.0}, config: {shots: 5, when: 2024-01-01}}\n"
            "overlaps: [{datasets: [d, e, f], kind: contains, note: n}]\n"
        ),
    )
    dataset, metric, run = bundle.datasets[0], bundle.metrics[0], bundle.runs[1]
    assert (dataset.version, dataset.language, dataset.domain) == ("1.0", "de", "no")
    assert (metric.higher_is_better, metric.unit, metric.signature) == (True, "proportion", "x")
    assert (run.system, run.label, run.provenance.seed) == ("Char→Tag", "r", 3)
    assert run.provenance.evaluated_on == datetime(2024, 5, 6, tzinfo=UTC)
    assert run.provenance.packages == {"numpy": "2.0"}
    assert run.provenance.config == {"shots": 5, "when": "2024-01-01"}
    assert run.provenance.git_dirty is True
    assert bundle.aliases == {"Char→Tag": ("CHAR→TAG",)}
    assert [(o.dataset_a, o.dataset_b, o.kind) for o in bundle.overlaps] == [
        ("d", "e", "contains"),
        ("d", "f", "contains"),
        ("e", "f", "contains"),
    ]
    assert [file.path for file in bundle.files] == ["scores.csv", "tiebreak.yaml"]


def test_flags_go_before_yaml(read) -> None:
    yaml = "system: Y\ndataset: {name: y, version: 1}\nmetric: m\nrun: {label: y}\n"
    bundle = read(
        "item,x\n1,1\n",
        yaml=yaml,
        system="F",
        dataset="f",
        dataset_version="2",
        metric="n",
        run_label="f",
    )
    assert set(scores(bundle)) == {("F", "f", "f", "n", 0)}
    assert bundle.datasets[0].version == "2"


def test_properties_of_the_yaml_dataset_do_not_go_to_another(read) -> None:
    bundle = read("item,x\n1,1\n", yaml="dataset: {name: y, version: 1}", system="A", dataset="f")
    assert bundle.datasets[0].version == ""


def test_direction_flag_with_one_metric_and_with_several(read) -> None:
    one = read(LONG + "A,d,1,acc,1\n", higher_is_better=False)
    assert one.metrics[0].higher_is_better is False
    several = read(
        LONG + "A,d,1,acc,1\nA,d,1,ter,1\nA,d,1,zork,1\nA,d,1,blip,1\n",
        "several.csv",
        yaml="metrics: {blip: {higher_is_better: false}}",
        higher_is_better=True,
    )
    assert {m.name: m.higher_is_better for m in several.metrics} == {
        "acc": None,
        "ter": None,
        "zork": True,
        "blip": False,
    }


def test_flag_renames_the_only_system(read) -> None:
    bundle = read(LONG + "A,d,1,acc,1\n", system="B")
    assert bundle.runs[0].system == "B"
    assert "The system is called 'B' instead of 'A'." in bundle.understood


def test_a_trial_without_any_score_is_missing_and_not_left_out(write, tmp_path) -> None:
    text = "system,dataset,item,trial,metric,score\nA,d,q1,0,acc,1\nA,d,q1,1,acc,\n"
    (bundle,) = read_paths([write(text, "scores.csv")], root=tmp_path).bundles
    (run,) = bundle.runs
    assert [(one.trial, np.isnan(one.values).all()) for one in run.scores] == [
        (0, False),
        (1, True),
    ]
