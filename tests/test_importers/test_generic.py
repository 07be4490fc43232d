"""Tables of item scores: one score in each line, parts of corpus metrics, lists of scores."""

import numpy as np
import pytest

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import COMPONENTS
from store.importers.detect import read_paths
from store.ingest.planned import settle

from .generic_scores import LONG, scores

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
    bundle = read(LONG + "A ,d, 1,acc,1\nA ,d,2,acc,1\n")
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"1": 1.0, "2": 1.0}}
    assert "Blanks around the names in 'system' were removed." in bundle.understood


def test_items_that_differ_in_blanks_are_two_and_this_is_told(read) -> None:
    bundle = read(LONG + "A,d,q0,acc,1\nA,d,q0 ,acc,0\nA,d, q1,acc,1\n")
    assert scores(bundle) == {("A", "d", "", "acc", 0): {"q0": 1.0, "q0 ": 0.0, "q1": 1.0}}
    assert any("'item'" in one and "stay apart" in one for one in bundle.understood)


@pytest.mark.parametrize(
    "rows", ["net,d,1,acc,1\nnet ,d,1,acc,0\n", "net ,d,1,acc,0\nnet,d,1,acc,1\n"]
)
def test_names_that_differ_in_blanks_are_a_question_whatever_comes_first(write, rows) -> None:
    readings = read_paths([write(LONG + rows)]).readings
    (asked,) = settle(None, readings, {})
    assert [question.subject for question in asked.asked] == [
        "systems net and 'net ': their number"
    ]
    assert not asked.goes_in
    (two,) = settle(None, readings, {asked.asked[0].subject: "two"})
    assert two.goes_in
    assert {run.system for run in two.bundle.runs} == {"net", "net "}


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


def test_scores_of_the_turns_of_a_dialogue(read) -> None:
    text = (
        "dialogue_id,turn_index,mode,metric,score\n"
        "d1,1,greet,Tone,5\nd1,2,ask,Tone,3\nd2,1,greet,Tone,4\nd1,1,greet,Fit,2\n"
    )
    bundle = read(text, "chat/geval_scores.csv")
    assert [item.key for item in bundle.datasets[0].items] == ["d1/1", "d1/2", "d2/1"]
    assert {metric.name for metric in bundle.metrics} == {"Tone", "Fit"}


EUROPEAN = (
    "question;faithfulness;n;answer_relevancy\nà quoi ?;0,71;1,234;1\nété;1,00;2,500;0,25\n"
    "MOYENNE GENERALE;0,86;;0,63\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_table_as_european_spreadsheets_write_it(read, encoding) -> None:
    text = EUROPEAN.replace(" ?", "\xa0?").encode(encoding)
    bundle = read(text, "bot/ragas.csv")
    (run,) = bundle.runs
    values = {bundle.metrics[s.metric].name: s.values.ravel().tolist() for s in run.scores}
    assert values == {"faithfulness": [0.71, 1.0], "answer_relevancy": [1.0, 0.25]}
    assert [item.key for item in bundle.datasets[0].items] == ["à quoi\xa0?", "été"]
    assert any("Decimal commas" in told for told in bundle.understood)
    assert any("MOYENNE GENERALE" in told for told in bundle.understood)


def test_commas_that_may_group_digits_stay_an_error(read) -> None:
    with pytest.raises(ImportFormatError, match="decimal comma"):
        read("item;cost\nq1;1,234\nq2;2,500\n", system="s", dataset="d", metric="cost")
