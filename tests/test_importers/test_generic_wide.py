"""Tables of item scores with columns for systems and metrics."""

import pytest

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.item_headers import headed_items
from store.importers.kinds import Status

from .generic_scores import LONG, scores


def test_wide_by_metric(read) -> None:
    bundle = read("system,item,acc,f1\nA,1,1,0.5\nA,2,0,\nB,1,0,0.25\n", dataset="d")
    assert scores(bundle) == {
        ("A", "d", "", "acc", 0): {"1": 1, "2": 0},
        ("A", "d", "", "f1", 0): {"1": 0.5},
        ("B", "d", "", "acc", 0): {"1": 0},
        ("B", "d", "", "f1", 0): {"1": 0.25},
    }
    assert "Wide table: one column for each metric (acc, f1)." in bundle.understood


def test_wide_by_metric_of_one_given_system(read) -> None:
    bundle = read("item,acc\n1,1\n", system="A", dataset="d")
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"1": 1}}


def test_wide_by_metric_reads_only_the_metric_asked_for(read) -> None:
    bundle = read("system,item,acc,tokens\nA,1,1,50\n", dataset="d", metric="acc")
    assert [metric.name for metric in bundle.metrics] == ["acc"]
    assert any("Numeric columns left out: tokens" in told for told in bundle.understood)


def test_ids_settings_and_flags_are_no_metrics(read) -> None:
    header = "system,item,seg_no,row,lr,is_short,timestamp,eval/loss,acc\n"
    bundle = read(header + "A,q1,1,7,0.1,True,5,0.5,1\nA,q2,2,8,0.1,False,6,0.25,0\n", dataset="d")
    assert {m.name for m in bundle.metrics} == {"seg_no", "eval/loss", "acc"}
    (told,) = (text for text in bundle.understood if text.startswith("Not taken for scores"))
    assert "lr (a setting)" in told
    assert "is_short (a flag)" in told
    flag = read("system,item,is_short,acc\nA,q1,1,1\nA,q2,0,0\n", dataset="d")
    assert [m.name for m in flag.metrics] == ["acc"]
    alone = read("system,item,is_short\nA,q1,1\nA,q2,0\n", dataset="d")
    assert [m.name for m in alone.metrics] == ["is_short"]
    one = read(header + "A,q1,1,7,0.1,True,5,0.5,1\n", dataset="d", metric="row")
    assert scores(one) == {("A", "d", "", "row", 0): {"q1": 7}}
    with pytest.raises(ImportFormatError, match=r"no numeric column seems to hold scores: lr \("):
        read("system,item,lr\nA,q1,0.1\n", dataset="d")


def test_a_run_named_by_its_seed_and_date_keeps_both(read) -> None:
    table = "system,item,seed,date,acc\nA,q1,7,2024-01-02,1\n"
    (one,) = read(table, dataset="d", columns={"run": "seed {seed}"}).runs
    assert (one.label, one.provenance.seed) == ("seed 7", 7)
    assert str(one.provenance.evaluated_on.date()) == "2024-01-02"


def test_a_column_that_stands_in_a_name_plays_no_other_role_but_the_date(read) -> None:
    with pytest.raises(ImportFormatError, match="what the items are called"):
        read("system,id,acc\nA,q1,1\n", columns={"dataset": "part {id}"}, format="generic")


def test_ids_are_no_systems(read) -> None:
    bundle = read("item,Unnamed: 0,A,B\nq1,0,1,0\n", dataset="d", metric="acc")
    assert {run.system for run in bundle.runs} == {"A", "B"}


def test_a_direction_for_each_metric(read) -> None:
    table = "system,item,zork,zonk,acc\nA,q1,1,2,1\n"
    bundle = read(table, dataset="d", directions={"zork": False, "acc": False}, metric=None)
    assert {m.name: m.higher_is_better for m in bundle.metrics} == {
        "zork": False,
        "zonk": None,
        "acc": False,
    }


@pytest.mark.parametrize(
    "header",
    ["system,item,score,acc", "system,item,value,Acc", "system,item,score,acc,metric"],
)
def test_a_column_called_as_the_metric_goes_before_every_other_one(read, header) -> None:
    row = ",0.9,1,other" if header.endswith("metric") else ",0.9,1"
    bundle = read(f"{header}\nA,1{row}\n", dataset="d", metric="acc")
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"1": 1}}


def test_a_metric_may_be_called_as_a_role(read) -> None:
    bundle = read("system,item,score,seed\nA,1,0.9,7\n", dataset="d", metric="seed")
    assert scores(bundle) == {("A", "d", "", "seed", 0): {"1": 7}}
    assert [run.provenance.seed for run in bundle.runs] == [None]


def test_a_stated_column_goes_before_the_one_called_as_the_metric(read) -> None:
    options = {"dataset": "d", "metric": "acc", "columns": {"score": "mine"}}
    bundle = read("system,item,mine,acc\nA,1,0.9,1\n", **options)
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"1": 0.9}}


def test_a_column_called_as_the_metric_is_no_system(read) -> None:
    with pytest.raises(ImportFormatError, match="the system: give --system"):
        read("item,acc,latency\n1,1,50\n", dataset="d", metric="acc")


def test_a_column_called_as_the_metric_must_hold_numbers(read) -> None:
    with pytest.raises(ImportFormatError, match=r"field 'acc'.*holds no numbers \(as 'good'\)"):
        read("system,item,score,acc\nA,1,0.9,good\n", dataset="d", metric="acc")


def test_single_metric_column_takes_the_given_name(read) -> None:
    bundle = read("system,item,resolved_pct\nA,1,1\n", dataset="d", metric="resolved")
    assert scores(bundle) == {("A", "d", "", "resolved", 0): {"1": 1}}


def test_wide_by_system(read) -> None:
    bundle = read("item,A,B,lemma\n1,1,0,go\n2,,1,come\n", dataset="d", metric="acc")
    assert scores(bundle) == {
        ("A", "d", "", "acc", 0): {"1": 1},
        ("B", "d", "", "acc", 0): {"1": 0, "2": 1},
    }
    assert bundle.datasets[0].items[0].metadata == {"lemma": "go"}


@pytest.mark.parametrize(
    ("header", "options"),
    [
        ("item,A,B", {"metric": "acc"}),
        ("item,A_acc,B_acc", {"layout": "{system}_{metric}"}),
        ("item,A,B,", {"metric": "acc"}),
    ],
)
def test_a_system_without_any_score_stays(read, header, options) -> None:
    more = "," * (header.count(",") - 2)
    bundle = read(f"{header}\n1,,0{more}\n2,,1{more}\n", dataset="d", **options)
    assert scores(bundle) == {
        ("A", "d", "", "acc", 0): {},
        ("B", "d", "", "acc", 0): {"1": 0, "2": 1},
    }
    assert any("'A' has no score for 'acc'" in told for told in bundle.warnings)


@pytest.mark.parametrize("options", [{"metric": "acc"}, {}])
def test_columns_say_of_each_system_that_it_failed(read, options) -> None:
    text = "item,A,A_crashed,B,B_timed_out,lemma\n1,0,1,1,0,go\n2,1,0,,1,come\n3,1,0,0,0,see\n"
    bundle = read(text, dataset="d", **options)
    metric = options.get("metric", "score")
    assert scores(bundle) == {
        ("A", "d", "", metric, 0): {"1": 0, "2": 1, "3": 1},
        ("B", "d", "", metric, 0): {"1": 1, "3": 0},
    }
    found = {run.system: run.statuses[0].tolist() for run in bundle.runs}
    assert found == {
        "A": [Status.ERROR, Status.OK, Status.OK],
        "B": [Status.OK, Status.TIMED_OUT, Status.OK],
    }
    assert bundle.datasets[0].items[2].metadata == {"lemma": "see"}


def test_an_outcome_of_a_row_is_of_none_of_its_systems(read) -> None:
    bundle = read("item,A,B,judge_failed\n1,1,0,1\n2,1,1,0\n", dataset="d", metric="acc")
    assert any("count for none of the systems" in told for told in bundle.understood)
    assert not any(run.statuses for run in bundle.runs)


def test_an_empty_column_beside_words_is_left_out_and_said(read) -> None:
    bundle = read("item,notes,B,lemma\n1,,0,go\n2,,1,come\n", dataset="d", metric="acc")
    assert [run.system for run in bundle.runs] == ["B"]
    assert "Ignored, because they are empty: notes." in bundle.understood


def test_a_system_may_be_called_reference(read) -> None:
    bundle = read("item,reference,A\n1,1,0\n", dataset="d", metric="acc")
    assert {run.system for run in bundle.runs} == {"reference", "A"}


def test_mostly_numeric_column_with_a_bad_cell_is_an_error(read) -> None:
    with pytest.raises(ImportFormatError, match=r"line 3, field 'B': 'oops' is not a number"):
        read("item,A,B\n1,1,0\n2,1,oops\n3,1,1\n", dataset="d", metric="acc")


def test_items_by_their_place_in_the_file(read) -> None:
    bundle = read("A,B\n1,0\n0,1\n", dataset="d", metric="acc", columns={"item": "@line"})
    assert [item.key for item in bundle.datasets[0].items] == ["1", "2"]


def test_the_dataset_after_the_name_of_the_file(read) -> None:
    options = {"layout": "{system}_{metric}", "columns": {"dataset": "@file"}}
    bundle = read("item,A_acc,B_acc\nx,1,0\n", "in/tur.csv", **options)
    assert [dataset.name for dataset in bundle.datasets] == ["tur"]
    assert "The dataset is 'tur', the name of the file." in bundle.understood


def test_names_joined_from_the_file_and_its_columns(read) -> None:
    columns = {"system": "@file", "dataset": "{task}/{@file}", "item": "{@line} of {@file}"}
    bundle = read("task,acc\nqa,1\n", "net.csv", columns=columns, metric="acc")
    assert (bundle.runs[0].system, bundle.datasets[0].name) == ("net", "qa/net")
    assert bundle.datasets[0].items[0].key == "1 of net"


def test_a_folder_with_a_file_for_each_dataset(write, tmp_path) -> None:
    for name in ("deu", "tur"):
        write("item,A_acc,B_acc\nx,1,0\n", f"{name}.csv")
    options = ReadOptions(layout="{system}_{metric}", columns={"dataset": "@file"})
    found = read_paths([tmp_path], options=options)
    assert [bundle.datasets[0].name for bundle in found.bundles] == ["deu", "tur"]


def test_percent_signs_in_some_systems_only_are_refused(read) -> None:
    with pytest.raises(ImportFormatError, match="has % signs in some columns but not in others"):
        read("item,A,B\n1,1,50%\n", dataset="d", metric="acc")


def test_layout_names_system_and_metric(read) -> None:
    bundle = read(
        "item_id,my_sys_exact,my_sys_edit,b_exact,b_edit\nx,1,0,0,2\n",
        dataset="d",
        layout="{system}_{metric}",
    )
    assert scores(bundle)["my_sys", "d", "", "edit", 0] == {"x": 0}
    assert scores(bundle)["b", "d", "", "exact", 0] == {"x": 0}
    assert len(scores(bundle)) == 4


def test_layout_splits_at_declared_metrics_and_joins_parts(read) -> None:
    bundle = read(
        "item,a_edit_dist,a_las.numerator,a_las.denominator\nx,1,3,4\n",
        dataset="d",
        yaml='layout: "{system}_{metric}"\nmetrics: {edit_dist: {}, las: {}}',
    )
    assert scores(bundle) == {
        ("a", "d", "", "edit_dist", 0): {"x": 1},
        ("a", "d", "", "las", 0): {"x": (3, 4)},
    }


def test_layout_with_one_metric_asked_for(read) -> None:
    table = "item,a_exact,a_edit\nx,1,0\n"
    bundle = read(table, dataset="d", layout="{system}_{metric}", metric="edit")
    assert [metric.name for metric in bundle.metrics] == ["edit"]
    with pytest.raises(ImportFormatError, match="names the metrics exact, edit, but not 'bleu'"):
        read(table, dataset="d", layout="{system}_{metric}", metric="bleu")


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("{system}", "Missing: the metric: give --metric NAME"),
        ("{metric}", r"must hold \{system\} once"),
        ("{system}_{epoch}", "nothing else in braces"),
        ("{system}/{metric}", "no numeric column fits the layout"),
    ],
)
def test_faulty_layouts(read, layout, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read("item,a_x,b_x\n1,1,1\n", dataset="d", layout=layout)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            "item,A,B\n1,1,0\n",
            {},
            r"\(A, B\) may be systems or metrics. If they are systems, give --metric NAME",
        ),
        (
            "item,A,B\n1,1,0\n",
            {"metric": "acc", "system": "S", "dataset": "d"},
            r"no column is called 'acc' and there are several numeric columns \(A, B\)",
        ),
        (LONG + "A,d,1,acc,1\nB,d,1,acc,1\n", {"system": "C"}, r"cannot rename the 2 names"),
        (
            "item,acc\n1,1\n",
            {"columns": {"itm": "item"}},
            "unknown column role 'itm'. Did you mean",
        ),
        (
            "item,acc\n1,1\n",
            {"columns": {"item": "question"}},
            r"there is no column 'question' for the item. Columns of the file: item, acc",
        ),
    ],
)
def test_what_is_missing_is_listed_with_the_flag(read, content, options, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(content, **options)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,link\nx,y\n", "Missing: what the items are called: give --column item=NAME"),
        ("item,text\n1,y\n", "Missing: a column of scores: give --column score=NAME"),
    ],
)
def test_a_table_without_scores_is_of_unknown_format(read, content, message) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        read(content)


def test_nested_scores_are_named_and_unused_nested_fields_are_not(read) -> None:
    line = '{"item": "1", "system": "A", "acc": 1, "extra": {"x": [1]}}\n'
    assert scores(read(line, "t.jsonl", dataset="d")) == {("A", "d", "", "acc", 0): {"1": 1}}
    with pytest.raises(ImportFormatError, match=r"line 1, field 'acc': holds a list or an object"):
        read('{"item": "1", "system": "A", "acc": [1]}\n', "u.jsonl", dataset="d")
    spread = read('{"item": "1", "system": "A", "metrics": {"acc": 1}}\n', "w.jsonl", dataset="d")
    assert scores(spread) == {("A", "d", "", "acc", 0): {"1": 1}}
    with pytest.raises(ImportFormatError, match=r"line 1, field 'item': holds a list or an object"):
        read('{"item": [1], "system": "A", "acc": 1}\n', "v.jsonl", dataset="d")


def test_columns_of_systems_with_what_was_judged_are_a_layout(read) -> None:
    text = "id,gpt-4_harmful,gpt-4_action,llama-2_harmful,llama-2_action\n1,0,5,1,2\n2,0,4,0,3\n"
    bundle = read(text, "answers/answers.csv")
    assert {run.system for run in bundle.runs} == {"gpt-4", "llama-2"}
    assert {(m.name, m.higher_is_better) for m in bundle.metrics} == {
        ("harmful", None),
        ("action", None),
    }


def test_outputs_in_lists_are_no_damaged_scores(write, tmp_path) -> None:
    write('{"id": "a", "result": [{"f": 1}]}\n{"id": "b", "result": []}\n', "outputs/net.jsonl")
    write('{"id": "a", "valid": true}\n{"id": "b", "valid": false}\n', "verdicts/net.jsonl")
    found = read_paths([tmp_path], root=tmp_path)
    assert [one.path for one in found.left_out] == ["outputs/net.jsonl"]
    assert not found.faults
    (bundle,) = found.bundles
    assert [(m.name, m.higher_is_better) for m in bundle.metrics] == [("valid", None)]
    assert bundle.runs[0].scores[0].values.ravel().tolist() == [1, 0]


@pytest.mark.parametrize(
    ("header", "systems", "metric"),
    [
        ("bert_accuracy,svm_accuracy", {"bert", "svm"}, "accuracy"),
        ("bleu_gpt4,bleu_llama", {"gpt4", "llama"}, "bleu"),
    ],
)
def test_one_metric_of_systems_is_split_from_their_names(read, header, systems, metric) -> None:
    bundle = read(f"id,{header}\n1,1,0\n2,0,0\n")
    assert {run.system for run in bundle.runs} == systems
    assert [one.name for one in bundle.metrics] == [metric]


def test_orders_and_splits_of_a_metric_are_no_systems(read) -> None:
    for header in ("bleu_1,bleu_2,bleu_4", "train_acc,test_acc"):
        n = header.count(",")
        bundle = read(f"id,{header}\n1,1{',0' * n}\n2,0{',0' * n}\n", "spam/a.csv")
        assert [one.name for one in bundle.metrics] == header.split(",")


def test_columns_called_after_items_are_items(read) -> None:
    header = ",".join(f"q{n:02}" for n in range(6))
    bundle = read(f"model,{header},mean\nA,1,0,1,0,1,1,0.67\nB,0,0,1,0,,1,0.4\n", "spam/t.csv")
    found = {(run.system, *run.scores[0].values[:, 0].tolist()[:3]) for run in bundle.runs}
    assert found == {("A", 1, 0, 1), ("B", 0, 0, 1)}
    assert [item.key for item in bundle.datasets[0].items] == header.split(",")
    assert any("Columns read as items: q00 to q05" in told for told in bundle.understood)
    assert headed_items(["model", "q1", "q2"]) == []
