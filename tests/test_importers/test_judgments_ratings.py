"""Tables of ratings and labels in every form, exactly, and what is said of faults."""

import json
import math
from datetime import UTC, datetime

import pytest

from store.errors import ImportFormatError
from store.importers.detect import read_paths
from store.importers.judgments.sheet import is_matrix_of_labels


def ratings(bundle):
    """Return (criterion, annotator, item, system, replicate) -> value, labels by their name."""
    found = {}
    for one in bundle.ratings:
        criterion = bundle.criteria[one.criterion]
        item = bundle.datasets[criterion.dataset].items[one.item].key
        value = criterion.labels[int(one.value)] if criterion.labels else one.value
        found[criterion.name, one.annotator, item, one.system, one.replicate] = value
    return found


def criterion(bundle):
    (only,) = bundle.criteria
    return only


LONG = """annotator,item,system,criterion,rating
ann,q1,A,fluency,4
bob,q1,A,fluency,5
ann,q1,B,fluency,
ann,q2,A,adequacy,2.5
"""


def test_long_table(read) -> None:
    bundle = read(LONG, dataset="d")
    assert bundle.format == "judgments"
    assert ratings(bundle) == {
        ("fluency", "ann", "q1", "A", 0): 4,
        ("fluency", "bob", "q1", "A", 0): 5,
        ("adequacy", "ann", "q2", "A", 0): 2.5,
    }
    assert [(c.name, c.kind, c.level, c.higher_is_better) for c in bundle.criteria] == [
        ("fluency", "rating", "interval", True),
        ("adequacy", "rating", "interval", True),
    ]
    assert bundle.annotators == {}, "nothing says what they are"
    assert [item.key for item in bundle.datasets[0].items] == ["q1", "q2"]


@pytest.mark.parametrize("name", ["worker", "WorkerId", "rater_id", "Annotator Name"])
def test_sure_names_of_annotators(read, name) -> None:
    bundle = read(f"{name},id,value\nw,1,3\n", dataset="d", choices={"criterion": "fluency"})
    assert ratings(bundle) == {("fluency", "w", "1", None, 0): 3}


def test_a_table_without_sure_signs_stays_one_of_scores(read) -> None:
    bundle = read("judge,item,system,score\nj,1,A,3\nj,1,B,2\n", dataset="d", metric="m")
    assert bundle.format == "generic"
    stated = read("judge,item,system,score\nj,1,A,3\n", dataset="d", columns={"annotator": "judge"})
    assert stated.format == "judgments"


def test_everything_that_a_line_may_say(read) -> None:
    bundle = read(
        "dataset,annotator,annotator_kind,item,group,system,criterion,scale_level,rating,replicate,"
        "judged_at,input,topic\n"
        "d,ann,human,q1,doc,A,grade,ordinal,4,0,2026-01-02T03:04:05+00:00,Hi,news\n"
        "d,ann,human,q1,doc,A,grade,ordinal,3,1,1767323045,Hi,news\n"
        "d,gpt,model,q1,doc,A,grade,ordinal,2,0,,Hi,news\n",
        with_text=True,
    )
    assert ratings(bundle) == {
        ("grade", "ann", "q1", "A", 0): 4,
        ("grade", "ann", "q1", "A", 1): 3,
        ("grade", "gpt", "q1", "A", 0): 2,
    }
    assert bundle.annotators == {"ann": "human", "gpt": "model"}
    assert criterion(bundle).level == "ordinal"
    moments = [one.judged_at for one in bundle.ratings]
    assert moments == [
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        None,
    ]
    (item,) = bundle.datasets[0].items
    assert (item.group, item.input_text, item.metadata) == ("doc", "Hi", {"topic": "news"})


def test_repeats_with_names_are_counted_in_order(read) -> None:
    bundle = read(
        "annotator,item,rating,replicate\na,1,3,late\na,1,2,early\n",
        dataset="d",
        choices={"criterion": "c"},
    )
    assert ratings(bundle) == {("c", "a", "1", None, 1): 3, ("c", "a", "1", None, 0): 2}
    assert any("early is 0, late is 1" in told for told in bundle.understood)


def test_wide_by_criterion(read) -> None:
    text = "worker_id,item,system,fluency,adequacy,note\nw1,q1,A,4,5,x\nw1,q1,B,2,,y\n"
    bundle = read(text, dataset="d", choices={"scale": "1..5"})
    assert ratings(bundle) == {
        ("fluency", "w1", "q1", "A", 0): 4,
        ("fluency", "w1", "q1", "B", 0): 2,
        ("adequacy", "w1", "q1", "A", 0): 5,
    }
    assert {(c.lower, c.upper) for c in bundle.criteria} == {(1, 5)}
    chosen = read(text, dataset="d", choices={"criteria": "adequacy"})
    assert [c.name for c in chosen.criteria] == ["adequacy"]
    renamed = read(text, dataset="d", columns={"rating": "fluency"}, metric="flow")
    assert ratings(renamed) == {("flow", "w1", "q1", "A", 0): 4, ("flow", "w1", "q1", "B", 0): 2}


def test_yaml_states_direction_and_bounds(read) -> None:
    bundle = read(
        "who,seg,fluency,slips\nann,1,4,0\n",
        "x.csv",
        yaml="format: judgments\ndataset: d\ncolumns: {annotator: who, item: seg}\n"
        "metrics:\n  fluency: {higher_is_better: true, lower: 1, upper: 5}\n"
        "  slips: {higher_is_better: false, lower: 0}\n",
    )
    assert [(c.name, c.higher_is_better, c.lower, c.upper) for c in bundle.criteria] == [
        ("fluency", True, 1, 5),
        ("slips", False, 0, None),
    ]


def test_lists_of_values(read) -> None:
    rows = [
        {
            "item": "q1",
            "system": system,
            "ratings": {"expert": {"fluency": experts}, "crowd": {"fluency": crowd}},
        }
        for system, experts, crowd in (("A", [4, 5], [3, None, 4]), ("B", [2, 1], [None, 2, 3]))
    ]
    expected = {
        ("expert fluency", "expert 1", "q1", "A", 0): 4,
        ("expert fluency", "expert 2", "q1", "A", 0): 5,
        ("crowd fluency", "crowd 1", "q1", "A", 0): 3,
        ("crowd fluency", "crowd 3", "q1", "A", 0): 4,
        ("expert fluency", "expert 1", "q1", "B", 0): 2,
        ("expert fluency", "expert 2", "q1", "B", 0): 1,
        ("crowd fluency", "crowd 2", "q1", "B", 0): 2,
        ("crowd fluency", "crowd 3", "q1", "B", 0): 3,
    }
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    assert ratings(read(lines, "r.jsonl", dataset="d")) == expected
    assert ratings(read(json.dumps(rows), "r.json", dataset="d")) == expected


def test_a_plain_list_beside_scores_is_not_taken_from_the_scores(read) -> None:
    row = {"item": "q1", "system": "A", "acc": 1, "ids": [3, 4]}
    assert read(json.dumps(row) + "\n", "r.jsonl", dataset="d").format == "generic"
    bundle = read(json.dumps(row) + "\n", "r.jsonl", format="judgments", dataset="d")
    assert set(ratings(bundle)) == {
        ("ids", "annotator 1", "q1", "A", 0),
        ("ids", "annotator 2", "q1", "A", 0),
    }


def test_workers_and_items_with_header(read) -> None:
    bundle = read(
        "item,ann,bob,cid\ns1,NOUN,NOUN,VERB\ns2,,VERB,VERB\n", format="judgments", dataset="d"
    )
    assert ratings(bundle) == {
        ("label", "ann", "s1", None, 0): "NOUN",
        ("label", "bob", "s1", None, 0): "NOUN",
        ("label", "cid", "s1", None, 0): "VERB",
        ("label", "bob", "s2", None, 0): "VERB",
        ("label", "cid", "s2", None, 0): "VERB",
    }
    assert (criterion(bundle).level, criterion(bundle).labels) == ("nominal", ("NOUN", "VERB"))


def test_workers_and_items_without_header(read) -> None:
    text = "1,,0\n\n0,0,\n,,1\n\n"
    bundle = read(text, format="judgments", dataset="d", choices={"level": "nominal"})
    assert [item.key for item in bundle.datasets[0].items] == ["1", "2", "3", "4"]
    assert ratings(bundle) == {
        ("label", "annotator 1", "1", None, 0): "1",
        ("label", "annotator 3", "1", None, 0): "0",
        ("label", "annotator 1", "3", None, 0): "0",
        ("label", "annotator 2", "3", None, 0): "0",
        ("label", "annotator 3", "4", None, 0): "1",
    }
    named = read(
        text,
        format="judgments",
        dataset="d",
        choices={"level": "interval", "annotators": "x,y,z", "criterion": "grade"},
    )
    assert {one.annotator for one in named.ratings} == {"x", "y", "z"}
    assert criterion(named).name == "grade"


def test_numbers_may_be_labels_or_a_scale(read) -> None:
    with pytest.raises(ImportFormatError, match="nobody can tell whether they are labels"):
        read("".join(f"{n},{n}\n" for n in range(11)), format="judgments", dataset="d")
    few = read("1,0\n0,1\n", format="judgments", dataset="d")
    assert criterion(few).level == "nominal"
    assert [(guess.subject, guess.value) for guess in few.guesses] == [
        ("criterion label: level", "nominal")
    ]
    scale = read("1,0\n0,1\n", format="judgments", dataset="d", choices={"scale": "0..1"})
    assert (criterion(scale).level, criterion(scale).upper) == ("interval", 1)
    fractions = read("1,0.5\n0.5,1\n", format="judgments", dataset="d")
    assert criterion(fractions).level == "interval"
    column = read("annotator,item,label\na,1,3\nb,1,4\n", dataset="d")
    assert (criterion(column).level, criterion(column).labels) == ("nominal", ("3", "4"))


def test_a_line_may_be_an_output(read) -> None:
    text = "item,system,rater 1,rater 2,topic\nq1,A,3.5,4,x\nq1,B,2,1,x\n"
    choices = {"annotators": "rater 1,rater 2"}
    bundle = read(text, format="judgments", dataset="d", choices=choices)
    assert ratings(bundle) == {
        ("rating", "rater 1", "q1", "A", 0): 3.5,
        ("rating", "rater 2", "q1", "A", 0): 4,
        ("rating", "rater 1", "q1", "B", 0): 2,
        ("rating", "rater 2", "q1", "B", 0): 1,
    }
    assert bundle.datasets[0].items[0].metadata == {"topic": "x"}


def test_a_column_of_words_beside_numbers_is_no_annotator(read) -> None:
    text = "item,mood,rater 1,rater 2\nq1,glad,1,2\nq2,sad,2,NA\n"
    with pytest.raises(ImportFormatError, match="holds words, 'rater 1' holds numbers") as raised:
        read(text, format="judgments", dataset="d")
    assert raised.value.field == "mood"
    choices = {"annotators": "rater 1,rater 2"}
    bundle = read(text, format="judgments", dataset="d", choices=choices | {"scale": "1..3"})
    assert len(bundle.ratings) == 3
    percent = read("x,y\n50%,75%\n", format="judgments", dataset="d", choices={"scale": "0..100"})
    assert [one.value for one in percent.ratings] == [50, 75]


@pytest.mark.parametrize("name", ["summarizer_type", "role", "who"])
def test_what_a_line_is_about_is_no_annotator(read, name) -> None:
    lines = "".join(f"q{i},peer,{word}\n" for i, word in enumerate(["good", "bad"] * 4))
    bundle = read(f"item,{name},ann\n{lines}", format="judgments", dataset="d")
    assert {one.annotator for one in bundle.ratings} == {"ann"}
    assert bundle.datasets[0].items[0].metadata == {name: "peer"}
    alone = f"item,system,{name},acc\n" + "".join(f"q{i},A,peer,0.5\n" for i in range(8))
    with pytest.raises(ImportFormatError, match="no column is left that could be an annotator"):
        read(alone, format="judgments", dataset="d", choices={"metrics": "acc"})


def test_an_annotator_may_give_one_label_only(read) -> None:
    lines = "".join(f"q{i},{word},good\n" for i, word in enumerate(["good", "bad"] * 4))
    bundle = read(f"item,ann,bob\n{lines}", format="judgments", dataset="d")
    assert {one.annotator for one in bundle.ratings} == {"ann", "bob"}


def test_ids_and_times_are_no_criteria(read) -> None:
    text = "annotator,item,seg_no_id,timestamp_s,fluency\nann,q1,7,5,4\n"
    bundle = read(text.replace("timestamp_s", "started_at"), dataset="d")
    assert [one.name for one in bundle.criteria] == ["fluency"]


def test_one_line_for_each_annotator(read) -> None:
    expected = {
        ("label", "ann", "s1", None, 0): "x",
        ("label", "ann", "s2", None, 0): "y",
        ("label", "bob", "s2", None, 0): "x",
    }
    by_itself = read("annotator,s1,s2\nann,x,y\nbob,,x\n", format="judgments", dataset="d")
    assert ratings(by_itself) == expected
    with pytest.raises(ImportFormatError, match="'ann' has several lines"):
        read("annotator,s1\nann,x\nann,y\n", format="judgments", dataset="d")
    plain = read(
        "x,y\n,x\n", format="judgments", dataset="d", choices={"rows": "annotators", "header": "no"}
    )
    assert set(ratings(plain)) == {
        ("label", "annotator 1", "1", None, 0),
        ("label", "annotator 1", "2", None, 0),
        ("label", "annotator 2", "2", None, 0),
    }


def test_a_file_names_the_items(read, write) -> None:
    write("s-a\ns-b\n", "names.txt")
    choices = {"items": "names.txt"}
    bundle = read("x,y\ny,x\n", format="judgments", dataset="d", choices=choices)
    assert [item.key for item in bundle.datasets[0].items] == ["s-a", "s-b"]
    assert [file.path for file in bundle.files] == ["scores.csv", "names.txt"]
    token = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"
    write(f"# sent_id = t1\n{token}\n# sent_id = t2\n{token}\n", "gold.conllu")
    trees = read("x,y\ny,x\n", format="judgments", dataset="d", choices={"items": "gold.conllu"})
    assert [item.key for item in trees.datasets[0].items] == ["t1", "t2"]
    with pytest.raises(ImportFormatError, match=r"names 2 items, and 'scores.csv' has 3 lines"):
        read("x,y\ny,x\nx,x\n", format="judgments", dataset="d", choices=choices)
    write("s\ns\n", "names.txt")
    with pytest.raises(ImportFormatError, match="names 's' twice"):
        read("x,y\ny,x\n", format="judgments", dataset="d", choices=choices)


def test_header_or_not(read) -> None:
    with pytest.raises(ImportFormatError, match="is this line a header"):
        read("red,green\nred,blue\n", format="judgments", dataset="d")
    with_header = read(
        "red,green\nred,blue\n", format="judgments", dataset="d", choices={"header": "yes"}
    )
    assert {one.annotator for one in with_header.ratings} == {"red", "green"}
    without = read(
        "red,green\nred,blue\n", format="judgments", dataset="d", choices={"header": "no"}
    )
    assert len(without.ratings) == 4


def test_words_with_an_order(read) -> None:
    text = "annotator,item,rating\na,1,good\na,2,poor\nb,1,fair\nb,2,\n"
    bundle = read(text, dataset="d", choices={"level": "ordinal", "labels": "poor,fair,good"})
    assert (criterion(bundle).level, criterion(bundle).labels) == (
        "ordinal",
        ("poor", "fair", "good"),
    )
    assert [one.value for one in bundle.ratings] == [2, 0, 1]
    with pytest.raises(
        ImportFormatError, match="order of the labels fair, good, poor is not known"
    ):
        read(text, dataset="d", choices={"level": "ordinal"})
    with pytest.raises(ImportFormatError, match="'good' is none of the labels poor, fair"):
        read(text, dataset="d", choices={"labels": "poor,fair"})


def test_labels_that_look_like_no_value(read) -> None:
    bundle = read("annotator,item,label\na,1,none\na,2,PER\nb,1,yes\nb,2,NA\n", dataset="d")
    assert criterion(bundle).labels == ("PER", "none", "yes")
    assert len(bundle.ratings) == 3, "NA was not judged"


def test_items_named_after_their_input(read) -> None:
    text = "annotator,prompt,system,rating\na,Hello,A,1\na,Hello,B,2\na,Bye,A,3\n"
    bundle = read(text, dataset="d")
    keys = [item.key for item in bundle.datasets[0].items]
    assert len(set(keys)) == 2
    assert all(len(key) == 16 for key in keys)
    assert bundle.datasets[0].items[0].content_hash.startswith(keys[0])
    assert bundle.datasets[0].items[0].input_text is None


def test_scores_of_metrics_and_outputs_beside_ratings(read) -> None:
    text = (
        "annotator,item,system,rating,bleu,output\n"
        "ann,q1,A,4,30.5,to be\nbob,q1,A,5,30.5,to be\nann,q2,A,3,,or not\nann,q1,B,1,10,that\n"
    )
    choices = {"metrics": "bleu"}
    bundle = read(text, dataset="d", choices=choices, with_text=True)
    assert [metric.name for metric in bundle.metrics] == ["bleu"]
    scores = {run.system: run.scores[0].values.ravel().tolist() for run in bundle.runs}
    assert scores["A"][0] == 30.5
    assert math.isnan(scores["A"][1])
    assert scores["B"][0] == 10
    assert {run.system: run.outputs[0] for run in bundle.runs} == {
        "A": ["to be", "or not"],
        "B": ["that", None],
    }
    assert read(text, dataset="d").runs == []
    other = text.replace("bob,q1,A,5,30.5", "bob,q1,A,5,31")
    with pytest.raises(ImportFormatError, match="other than in line 2") as raised:
        read(other, dataset="d", choices=choices)
    assert (raised.value.line, raised.value.field) == (3, "bleu")
    with pytest.raises(ImportFormatError, match="scores of metrics belong to systems"):
        read("annotator,item,rating,bleu\na,1,2,3\n", dataset="d", choices=choices)


def test_metric_and_criterion_of_one_name_stay_apart(read) -> None:
    row = {"id": "1", "system": "A", "human": {"fluency": 4}, "auto": {"fluency": 0.5}}
    choices = {"annotator": "mean", "criteria": "human", "metrics": "auto"}
    bundle = read(json.dumps([row]), "x.json", format="judgments", dataset="d", choices=choices)
    assert ratings(bundle) == {("fluency", "mean", "1", "A", 0): 4}
    assert [metric.name for metric in bundle.metrics] == ["auto fluency"]


def test_marked_errors(read) -> None:
    errors = [
        {"severity": "Major", "category": "Accuracy", "start": 0, "end": 4, "text": "Haus"},
        {"severity": "Minor", "in_source": True, "note": "late"},
    ]
    rows = [
        {"annotator": "a", "item": "1", "system": "A", "errors": errors},
        {"annotator": "a", "item": "1", "system": "B", "errors": []},
        {"annotator": "a", "item": "2", "system": "B", "errors": None},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    bundle = read(text, "e.jsonl", dataset="d", choices={"weights": "Major:10"})
    found = criterion(bundle)
    assert (found.name, found.kind, found.higher_is_better) == ("errors", "error-spans", False)
    assert (found.weights["Major"], found.weights["Minor"]) == (10, 1)
    first, second = bundle.ratings
    assert [(s.severity, s.category, s.start, s.end, s.text) for s in first.spans] == [
        ("Major", "Accuracy", 0, 4, "Haus"),
        ("Minor", "", None, None, ""),
    ]
    assert (first.spans[1].in_source, first.spans[1].note) == (True, "late")
    assert (second.system, second.spans) == ("B", ())
    table = 'annotator,item,criterion,errors\na,1,mqm,"[{""severity"": ""Minor""}]"\n'
    assert read(table, dataset="d").ratings[0].spans[0].severity == "Minor"
    with pytest.raises(ImportFormatError, match="an error has no severity"):
        read(table.replace("severity", "sev"), dataset="d")
    counted = read("annotator,item,errors\na,1,3\n", dataset="d")
    assert (criterion(counted).kind, counted.ratings[0].value) == ("rating", 3)


def test_ratings_and_labels_in_one_table(read) -> None:
    bundle = read(
        "annotator,item,criterion,rating,label\na,1,fluency,3.5,\na,1,topic,,news\nb,1,topic,,art\n",
        dataset="d",
    )
    assert ratings(bundle) == {
        ("fluency", "a", "1", None, 0): 3.5,
        ("topic", "a", "1", None, 0): "news",
        ("topic", "b", "1", None, 0): "art",
    }


@pytest.mark.parametrize(
    ("text", "options", "line", "field", "message"),
    [
        ("annotator,item,rating\na,1,6\n", {"scale": "1..5"}, 2, "rating", "6 is outside"),
        ("annotator,item,rating\na,1,3\na,2,x\nb,1,2\n", {}, 3, "rating", "'x' is not a number"),
        ("annotator,item,rating\na,1,3\n,2,4\n", {}, 3, "annotator", "the annotator is not named"),
        ("annotator,item,rating\na,1,3\na,,4\n", {}, 3, "item", "the item is not named"),
        ("annotator,item,rating\na,1,3\na,1,4\n", {}, 3, "rating", "'a' has judged this in line 2"),
        (
            "annotator,item,system,rating\na,1,A,3\na,2,,4\n",
            {},
            3,
            "system",
            "the system is not named",
        ),
        ("annotator,item,rating\na,1,inf\n", {}, 2, "rating", "is infinite"),
        ("annotator,item,rating\na,1,3,4\n", {}, 2, None, "the row has 4 cells"),
        (
            "annotator,annotator_kind,item,rating\na,bot,1,3\n",
            {},
            2,
            "annotator_kind",
            "'bot' is none of human, model",
        ),
        (
            "annotator,annotator_kind,item,rating\na,human,1,3\na,model,2,3\n",
            {},
            3,
            "annotator_kind",
            "'a' is both human and model",
        ),
        ("annotator,item,rating,judged_at\na,1,3,May\n", {}, 2, "judged_at", "'May' is no date"),
        ("annotator,item,rating\na,1,3\n", {"scale": "5..1"}, None, "scale", "as 1..5"),
        ("annotator,item,rating\na,1,3\n", {"kind": "robot"}, None, "kind", "human or model"),
        ("annotator,item,rating\na,1,3\n", {"knid": "model"}, None, "knid", "no option 'knid'"),
        ("annotator,item,rating\na,1,3\n", {"criteria": "x"}, None, "criteria", "no column 'x'"),
        ("annotator,item,note\na,1,x\n", {}, None, None, "no column holds ratings"),
        ("annotator,item,rating\na,1,\n", {}, None, None, "every cell is empty"),
    ],
)  # fmt: skip
def test_faults_are_named(read, text, options, line, field, message) -> None:
    with pytest.raises(ImportFormatError, match=message) as raised:
        read(text, dataset="d", choices=options)
    assert (raised.value.line, raised.value.field) == (line, field)
    assert raised.value.path == "scores.csv"


def test_what_is_missing_is_asked_for(read) -> None:
    with pytest.raises(ImportFormatError, match="does not say who judged"):
        read("item,rating\n1,2\n", format="judgments", dataset="d")


def test_a_matrix_of_labels_and_its_right_labels(write, tmp_path) -> None:
    write("1,,0,4\n,1,1,\n0,0,,4\n", "snow/rte.csv")
    write("1\n1\n0\n", "snow/rte.key")
    (bundle,) = read_paths([tmp_path / "snow"], root=tmp_path).bundles
    assert (bundle.format, bundle.datasets[0].name) == ("judgments", "rte")
    assert [item.metadata["gold"] for item in bundle.datasets[0].items] == ["1", "1", "0"]
    assert (criterion(bundle).level, len(bundle.ratings)) == ("nominal", 8)
    write("1\n1\n", "snow/rte.key")
    with pytest.raises(ImportFormatError, match=r"rte\.key: 2 labels here, 3 items in"):
        read_paths([tmp_path / "snow"], root=tmp_path, whole=True)


def test_two_people_may_label_in_words_but_two_columns_of_numbers_may_be_scores(write) -> None:
    assert is_matrix_of_labels(write("red,blue\nblue,blue\nblue,red\nred,red\n", "words.csv"))
    assert not is_matrix_of_labels(write("1,0\n1,1\n0,0\n1,0\n", "two.csv"))


def test_lenient_import_skips_and_lists(read) -> None:
    bundle = read(
        "annotator,item,rating\na,1,3\na,2,7\na,1,2\n",
        dataset="d",
        choices={"scale": "1..5"},
        lenient=True,
    )
    assert len(bundle.ratings) == 1
    assert [(row.line, row.field) for row in bundle.skipped] == [(3, "rating"), (4, "rating")]


def test_repeats_can_be_counted(read) -> None:
    text = "annotator,item,rating\na,1,3\na,1,4\nb,1,5\na,1,2\n"
    bundle = read(text, dataset="d", choices={"repeats": "count"})
    assert ratings(bundle) == {
        ("rating", "a", "1", None, 0): 3,
        ("rating", "a", "1", None, 1): 4,
        ("rating", "b", "1", None, 0): 5,
        ("rating", "a", "1", None, 2): 2,
    }


def test_damaged_files(read) -> None:
    for text, message in (
        ('a,"b\n', "quotation marks do not pair up"),
        ("x,y\nx\ny,x\n", "the line has 1 cells, the first one has 2"),
    ):
        with pytest.raises(ImportFormatError, match=message):
            read(text, format="judgments", dataset="d")
    with pytest.raises(ImportFormatError, match="not a list of objects"):
        read('{"a": 1}', "x.json", format="judgments", dataset="d")
