"""Tables of item scores in every form."""

import hashlib
from datetime import UTC, datetime

import numpy as np
import pytest

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import COMPONENTS, ReadOptions, Status
from store.importers.detect import read_paths

LONG = "system,dataset,item,metric,score\n"


def scores(bundle):
    """Return (system, dataset, label, metric, trial) -> {item: score or components}."""
    found = {}
    for run in bundle.runs:
        dataset = bundle.datasets[run.dataset]
        for one in run.scores:
            metric = bundle.metrics[one.metric]
            values = {
                item.key: row[0] if len(row) == 1 else tuple(row)
                for item, row in zip(dataset.items, one.values.tolist(), strict=True)
                if not np.isnan(row).any()
            }
            found[run.system, dataset.name, run.label, metric.name, one.trial] = values
    return found


# Long tables


def test_long_table_with_two_of_everything(read) -> None:
    bundle = read(
        LONG + "A,d,1,acc,1\nA,d,2,acc,0\nB,d,2,acc,1\nA,d,1,f1,0.5\n" + "A,e,1,acc,0.25\n"
    )
    assert scores(bundle) == {
        ("A", "d", "", "acc", 0): {"1": 1.0, "2": 0.0},
        ("B", "d", "", "acc", 0): {"2": 1.0},
        ("A", "d", "", "f1", 0): {"1": 0.5},
        ("A", "e", "", "acc", 0): {"1": 0.25},
    }
    assert [dataset.name for dataset in bundle.datasets] == ["d", "e"]
    assert bundle.understood[0] == "Long table: one score in each line."
    assert bundle.metrics[0].higher_is_better is None
    assert bundle.format == "generic"


def test_row_order_only_changes_item_order(read) -> None:
    rows = [f"{s},d,{i},acc,{0.1 * i}\n" for s in "AB" for i in range(4)]
    forwards = read(LONG + "".join(rows))
    backwards = read(LONG + "".join(rows[::-1]), "other.csv")
    assert scores(forwards) == scores(backwards)
    assert [item.key for item in backwards.datasets[0].items] == ["3", "2", "1", "0"]


def test_missing_words_are_missing_not_zero(read) -> None:
    words = ["", "NA", "N/A", "None", "null", "nan", "NaN", "-"]
    bundle = read(
        LONG + "A,d,x,acc,1\n" + "".join(f"A,d,{i},acc,{w}\n" for i, w in enumerate(words))
    )
    values = bundle.runs[0].scores[0].values
    assert np.isnan(values[1:]).all()
    assert bundle.runs[0].statuses == {}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("A,d,1,acc,1\nA,d,2,acc,abc\n", r"line 3, field 'score': 'abc' is not a number"),
        ("A,d,1,acc,inf\n", r"line 2, field 'score': 'inf' is infinite"),
        ('A,d,1,acc,"0,5"\n', r"line 2, field 'score': '0,5' has a decimal comma; write 0.5"),
        ("A,d,,acc,1\n", r"line 2, field 'item': the item is not named"),
        (",d,1,acc,1\n", r"line 2, field 'system': the system is not named"),
        ("A,d,1,,1\n", r"line 2, field 'metric': the metric is not named"),
        (
            "A,d,1,acc,1\nA,d,2,acc,1\nA,d,1,acc,0\n",
            r"line 4, field 'score': .* are those of line 2. For repeats .* --column trial=NAME",
        ),
        (
            "A,d,1,acc,50%\nA,d,2,acc,0.5\n",
            r"line 3, field 'score': 0.5 has no % sign while other scores have one",
        ),
        ("A,d,1,acc,x\nA,d,2,acc,y\n", r"\(1 more such problem: line 3\.\).*--lenient"),
        ("", "no row can be used: the table has a header only"),
        ("A,d,1,acc,\n", "the table holds no score: every cell is empty"),
    ],
)
def test_faulty_rows_of_a_long_table(read, rows, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(LONG + rows)


def test_lenient_import_skips_and_lists_each_row(read) -> None:
    bundle = read(
        LONG + "A,d,1,acc,1\nA,d,2,acc,abc\nA,d,,acc,1\nA,d,3,acc\nA,d,1,acc,0\nA,d,4,acc,0\n",
        lenient=True,
    )
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"1": 1.0, "4": 0.0}}
    listed = {(row.path, row.line, row.field): row.reason for row in bundle.skipped}
    assert set(listed) == {
        ("scores.csv", 3, "score"),
        ("scores.csv", 4, "item"),
        ("scores.csv", 5, None),
        ("scores.csv", 6, "score"),
    }
    assert listed["scores.csv", 3, "score"].startswith("'abc' is not a number")
    assert "line 2" in listed["scores.csv", 6, "score"]


def test_percent_signs_set_the_unit(read) -> None:
    bundle = read(LONG + "A,d,1,acc,74.4%\nA,d,2,acc,80 %\n")
    assert bundle.metrics[0].unit == "percent"
    assert bundle.runs[0].scores[0].values.tolist() == [[74.4], [80.0]]


def test_truth_words_are_one_and_zero(read) -> None:
    bundle = read(LONG + "A,d,1,acc,True\nA,d,2,acc,false\nA,d,3,acc,yes\nA,d,4,acc,No\n")
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("declared", ["unit: proportion", "lower: 0, upper: 1"])
def test_percentage_in_a_proportion_metric_is_refused(read, declared) -> None:
    with pytest.raises(
        ImportFormatError,
        match=r"line 2, field 'score': 74.4 is outside 0..1; is it a percentage\? Set unit",
    ):
        read(LONG + "A,d,1,acc,74.4\n", yaml=f"metrics: {{acc: {{{declared}}}}}")


def test_percent_signs_in_a_proportion_metric_are_refused(read) -> None:
    with pytest.raises(ImportFormatError, match="% signs but the unit is declared as 'proportion'"):
        read(LONG + "A,d,1,acc,74.4%\n", yaml="metrics: {acc: {unit: proportion}}")


def test_blanks_around_names_are_removed_and_told(read) -> None:
    bundle = read(LONG + "A ,d, 1,acc,1\nA,d,2,acc,1\n")
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"1": 1.0, "2": 1.0}}
    assert "Blanks around the names in 'system' were removed." in bundle.understood


def test_metric_name_with_a_signature_is_taken_apart(read) -> None:
    bundle = read(LONG + "A,d,1,BLEU [tok:13a],1\n")
    assert (bundle.metrics[0].name, bundle.metrics[0].signature) == ("BLEU", "tok:13a")


# Parts of corpus metrics


def test_long_table_of_parts(read) -> None:
    bundle = read(
        "system,dataset,item,metric,numerator,denominator\nA,d,1,las,3,4\nA,d,2,las,5,5\n"
    )
    assert bundle.metrics[0].aggregation == "ratio"
    assert scores(bundle) == {("A", "d", "", "las", 0): {"1": (3, 4), "2": (5, 5)}}


def test_scores_and_parts_stand_side_by_side(read) -> None:
    bundle = read(
        "system,dataset,item,metric,score,numerator,denominator,tp,fp,fn\n"
        "A,d,1,acc,1,,,,,\nA,d,1,las,,3,4,,,\nA,d,1,ner,,,,2,1,0\n"
    )
    assert {m.name: m.aggregation for m in bundle.metrics} == {
        "acc": "mean",
        "las": "ratio",
        "ner": "f1",
    }
    assert scores(bundle)["A", "d", "", "ner", 0] == {"1": (2, 1, 0)}
    assert scores(bundle)["A", "d", "", "acc", 0] == {"1": 1}


def test_prediction_and_gold_beside_scores_are_not_parts(read) -> None:
    bundle = read(
        "system,dataset,item,metric,score,prediction,gold\nA,d,1,acc,1,3,3\nA,d,2,acc,0,2,\n"
    )
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"1": 1.0, "2": 0.0}}


@pytest.mark.parametrize(("yaml", "expected"), [("", "spearman"), ("pearson", "pearson")])
def test_wide_prediction_and_gold(read, yaml, expected) -> None:
    bundle = read(
        "system,item,sts.prediction,sts.gold\nA,1,3.5,4\n",
        dataset="d",
        yaml=f"metrics: {{sts: {{aggregation: {yaml}}}}}" if yaml else "",
    )
    assert bundle.metrics[0].aggregation == expected
    assert scores(bundle) == {("A", "d", "", "sts", 0): {"1": (3.5, 4.0)}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "system,item,las.numerator\nA,1,3\n",
            r"field 'las.numerator': .* needs 'las.denominator' beside it",
        ),
        (
            "system,item,las.numerator,las.denominator\nA,1,3,4\nA,2,3,\n",
            r"line 3, field 'las.denominator': is empty although the other parts",
        ),
    ],
)
def test_faulty_parts(read, content, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(content, dataset="d")


@pytest.mark.parametrize("aggregation", ["bleu", "chrf"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_counts_of_corpus_metrics_are_read_in_their_order(read, aggregation, form) -> None:
    parts = COMPONENTS[aggregation]
    counts = {item: tuple(range(start, start + len(parts))) for item, start in (("1", 0), ("2", 5))}
    if form == "long":
        header = f"system,dataset,item,metric,{','.join(parts)}\n"
        rows = [f"A,d,{item},m,{','.join(map(str, values))}\n" for item, values in counts.items()]
    else:  # in another order than ours
        header = "system,dataset,item," + ",".join(f"m.{part}" for part in parts[::-1]) + "\n"
        rows = [f"A,d,{i},{','.join(map(str, values[::-1]))}\n" for i, values in counts.items()]
    bundle = read(header + "".join(rows))
    assert [(m.name, m.aggregation) for m in bundle.metrics] == [("m", aggregation)]
    assert scores(bundle) == {("A", "d", "", "m", 0): counts}


def test_counts_of_a_corpus_metric_belong_together(read) -> None:
    header = ",".join(f"bleu.{part}" for part in COMPONENTS["bleu"][:-1])
    with pytest.raises(ImportFormatError, match=r"metric 'bleu' and needs 'bleu.total_4' beside"):
        read(f"system,dataset,item,{header}\nA,d,1,{','.join('123456789')}\n")


def test_a_median_is_declared_and_keeps_its_bounds(read) -> None:
    yaml = "metrics: {latency: {aggregation: median, lower: 0}}"
    bundle = read(LONG + "A,d,1,latency,0.5\nA,d,2,latency,9\n", yaml=yaml)
    assert bundle.metrics[0].aggregation == "median"
    assert scores(bundle) == {("A", "d", "", "latency", 0): {"1": 0.5, "2": 9.0}}
    with pytest.raises(ImportFormatError, match=r"line 2, field 'score': -1 is outside 0\.\.…"):
        read(LONG + "A,d,1,latency,-1\n", yaml=yaml)
    listed = read("0.5\n9\n", "a.txt", yaml=yaml, system="A", dataset="d", metric="latency")
    assert listed.metrics[0].aggregation == "median"


def test_declared_aggregation_needs_its_parts(read) -> None:
    with pytest.raises(ImportFormatError, match=r"'ratio', which needs the columns las.numerator"):
        read(LONG + "A,d,1,las,1\n", yaml="metrics: {las: {aggregation: ratio}}")


# Wide tables


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
    ok, absent, error, rule = map(int, Status)
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


def test_system_without_any_score_is_told(read) -> None:
    bundle = read(LONG + "A,d,1,acc,1\nB,d,1,acc,NA\n")
    assert [run.system for run in bundle.runs] == ["A"]
    assert bundle.warnings == ["'B' has no score for 'acc' on 'd': nothing is stored for it."]


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


# Lists of scores


def test_score_list_is_aligned_by_line(read) -> None:
    bundle = read("0.5\n\nNA\n1\n\n", "a.txt", system="A", dataset="d", metric="bleu")
    assert [item.key for item in bundle.datasets[0].items] == ["1", "2", "3", "4"]
    assert scores(bundle) == {("A", "d", "", "bleu", 0): {"1": 0.5, "4": 1}}
    assert bundle.warnings == ["2 of the lines hold no score."]


def test_score_list_with_a_header(read) -> None:
    bundle = read("score\n0.5\n1\n", "a.txt", system="A", dataset="d", metric="bleu")
    assert scores(bundle) == {("A", "d", "", "bleu", 0): {"1": 0.5, "2": 1}}


@pytest.mark.parametrize(
    ("content", "yaml", "message"),
    [
        ("1\n2\nx\n", "", r"a.txt, line 3: 'x' is not a number"),
        ("50%\n20\n", "", r"line 2: has no % sign while other lines have one"),
        ("0.5\n74.4\n", "metrics: {m: {unit: proportion}}", r"line 2: 74.4 is outside 0..1"),
    ],
)
def test_faulty_score_lists(read, content, yaml, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(content, "a.txt", yaml=yaml, system="A", dataset="d", metric="m")


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", "1\n2\n" * 5), ("a.txt", "0.5\n"), ("a.gold", "0.5\n" * 9), ("a.txt", "3\n1\n" * 5)],
    ids=["labels", "few", "gold", "whole"],
)
def test_numbers_that_may_be_anything_are_no_scores(read, name, text) -> None:
    with pytest.raises(UnknownFormatError, match="may be anything"):
        read(text, name, format="generic")


def test_lenient_score_list_keeps_the_alignment(read) -> None:
    bundle = read("1\nx\n2\n", "a.txt", system="A", dataset="d", metric="m", lenient=True)
    assert scores(bundle) == {("A", "d", "", "m", 0): {"1": 1, "3": 2}}
    assert [(row.line, row.field) for row in bundle.skipped] == [(2, None)]


def test_stated_columns_without_a_use_are_told(read) -> None:
    bundle = read("item,A,B\n1,1,0\n", dataset="d", metric="m", columns={"pvalue": "A"})
    assert any("Stated but of no use in this form: pvalue" in told for told in bundle.understood)


def test_versions_of_a_dataset_are_kept_apart(read) -> None:
    bundle = read(
        "system,dataset,dataset_version,item,metric,score\nA,d,1,x,m,1\nA,d,2,x,m,0\nA,d,,y,m,0\n"
    )
    found = [(d.name, d.version, [i.key for i in d.items]) for d in bundle.datasets]
    assert found == [("d", "1", ["x"]), ("d", "2", ["x"]), ("d", "", ["y"])]


def test_repeats_with_run_and_trial_named_are_refused(read) -> None:
    table = "system,dataset,item,metric,score,run,trial\nA,d,x,m,1,r,1\nA,d,x,m,0,r,1\n"
    with pytest.raises(ImportFormatError, match=r"line 3, .* are those of line 2\. Mend"):
        read(table)
