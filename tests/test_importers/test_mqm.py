"""MQM annotations, in sheets of our own making."""

import numpy as np
import pytest

from store.engine import open_store
from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions, RowProblems, Status
from store.importers.detect import read_paths
from store.importers.mqm.averages import Averages, check_averages, read_averages
from store.importers.mqm.rows import Marked
from store.ingest import ingest
from store.judgments import load_ratings

HEADER = (
    "system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity",
    "comment",
)  # fmt: skip
ROWS = [
    "A|news|1|1|r1|Ein Haus|A <v>mouse</v>!|Accuracy/Mistranslation|Major|",
    "A|news|1|1|r1|Ein Haus|A mouse<v>!</v>|Fluency/Punctuation|Minor|",
    "A|news|1|1|r2|Ein Haus|A mouse!|No-error|No-error|",
    "B|news|1|1|r1|Ein <v>Haus</v>|A|Accuracy/Omission|Major|left out",
    "ref|news|1|1|r1|Ein Haus|A house|no-error|no-error|",
    'A|talk|1|2|r1|Er sagte "ja|He said "yes|Fluency/Punctuation|Major|',
    'B|talk|1|2|r2|Er sagte "ja|<v>Yes</v>|Style/Awkward|Minor|',
    'B|talk|1|2|r2|Er sagte "ja|<v>Yes</v>|Non-translation!|Major|',
]


def sheet(rows=ROWS, header=HEADER):
    return "\n".join(["\t".join(header), *(row.replace("|", "\t") for row in rows)]) + "\n"


@pytest.fixture
def mqm(read):
    """Return a function that reads a sheet."""
    return lambda content=None, name="mqm_test.tsv", **options: read(
        sheet() if content is None else content, name, **options
    )


def values(bundle):
    """Return system, item and annotator of each rating -> its value."""
    items = bundle.datasets[0].items
    return {(r.system, items[r.item].key, r.annotator): r.value for r in bundle.ratings}


def test_a_rating_is_the_sum_of_its_errors(mqm):
    bundle = mqm()
    assert bundle.format == "mqm"
    assert values(bundle) == {
        ("A", "1", "r1"): 5.1,
        ("A", "1", "r2"): 0.0,
        ("B", "1", "r1"): 5.0,
        ("ref", "1", "r1"): 0.0,
        ("A", "2", "r1"): 5.0,
        ("B", "2", "r2"): 26.0,
    }
    (criterion,) = bundle.criteria
    assert (criterion.name, criterion.kind, criterion.higher_is_better) == (
        "MQM",
        "error-spans",
        False,
    )
    assert criterion.weights == {
        "Major": 5,
        "Minor": 1,
        "Neutral": 0,
        "Major Non-translation": 25,
        "Minor Fluency/Punctuation": 0.1,
    }
    assert bundle.annotators == {"r1": "human", "r2": "human"}


def test_the_dataset_is_named_after_the_file_and_holds_the_segments(mqm):
    (dataset,) = mqm().datasets
    assert dataset.name == "mqm_test"
    assert [(item.key, item.group) for item in dataset.items] == [("1", "news"), ("2", "talk")]
    assert all(item.content_hash and item.input_text is None for item in dataset.items)
    assert mqm(dataset="ted en-de").datasets[0].name == "ted en-de"


def test_spans_lie_in_the_text_without_its_marks(mqm):
    bundle = mqm()
    spans = {
        (rating.system, rating.item): rating.spans for rating in bundle.ratings if rating.spans
    }
    mouse, mark = spans["A", 0]
    assert (mouse.text, mouse.start, mouse.end, mouse.in_source) == ("mouse", 2, 7, False)
    assert (mark.severity, mark.category) == ("Minor", "Fluency/Punctuation")
    assert (mark.text, mark.start, mark.end) == ("!", 7, 8)
    (omitted,) = spans["B", 0]
    assert (omitted.text, omitted.in_source, omitted.note) == ("Haus", True, "left out")
    (unmarked,) = spans["A", 1]
    assert (unmarked.start, unmarked.end, unmarked.text) == (None, None, "")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("plain", ("plain", None, None, False)),
        ("<v>all</v>", ("all", 0, 3, False)),
        ("a <v>b</v> c", ("a b c", 2, 3, False)),
        ("a <v>b</v> c <v>d</v> e", ("a b c d e", 2, 7, False)),
        ("a <v>?", ("a ?", 2, 3, True)),
        ("<v></v>x", ("x", 0, 0, False)),
    ],
)
def test_marks(cell, expected):
    assert Marked.of(cell) == expected


def test_texts_are_kept_on_request_only(mqm):
    assert mqm().runs == ()
    bundle = mqm(with_text=True)
    assert [item.input_text for item in bundle.datasets[0].items] == ["Ein Haus", 'Er sagte "ja']
    outputs = {run.system: list(run.outputs[0]) for run in bundle.runs}
    assert outputs == {
        "A": ["A mouse!", 'He said "yes'],
        "B": ["A", "Yes"],
        "ref": ["A house", None],
    }
    (run,) = (run for run in bundle.runs if run.system == "ref")
    assert run.statuses[0].tolist() == [Status.OK, Status.NOT_ATTEMPTED]


def test_what_was_understood_is_said(mqm):
    told = " ".join(mqm().understood)
    assert "6 ratings of 3 systems by 2 raters on 2 segments, with 6 errors." in told
    assert "ref is a human translation by name" in told
    assert "Minor Fluency/Punctuation 0.1" in told


def test_weights_can_be_chosen(mqm):
    bundle = mqm(choices={"weights": "Major:10, Minor Fluency/Punctuation = 0.5"})
    assert values(bundle)["A", "1", "r1"] == 10.5
    assert values(bundle)["B", "2", "r2"] == 26.0
    assert bundle.criteria[0].weights["Minor"] == 1


@pytest.mark.parametrize("text", ["Major", "Major:-1", "Major:nan", "Major:x", ":5"])
def test_weights_that_are_none(mqm, text):
    with pytest.raises(ImportFormatError, match="is no weight of an error") as caught:
        mqm(choices={"weights": text})
    assert caught.value.field == "weights"


def test_an_unknown_option_is_refused(mqm):
    with pytest.raises(ImportFormatError, match="has no option 'weight'"):
        mqm(choices={"weight": "Major:1"})


def test_an_error_without_a_weight_is_refused(mqm):
    rows = [*ROWS, 'A|talk|1|2|r2|Er sagte "ja|He said "yes|Style|Critical|']
    with pytest.raises(
        ImportFormatError, match="no weight fits the error 'Critical Style'"
    ) as caught:
        mqm(sheet(rows))
    assert (caught.value.line, caught.value.field) == (10, "severity")
    assert "--option 'weights=Critical:5'" in str(caught.value)
    assert values(mqm(sheet(rows), choices={"weights": "Critical:10"}))["A", "2", "r2"] == 10


def test_segments_without_a_number_of_their_own(mqm):
    rows = ["A|x|1|1|r|s|t|No-error|No-error|", "A|y|1|1|r|u|v|No-error|No-error|"]
    assert [item.key for item in mqm(sheet(rows)).datasets[0].items] == ["x:1", "y:1"]
    header = [name for name in HEADER if name != "doc_id"]
    rows = ["A|x|1|r|s|t|No-error|No-error|", "A|y|2|r|u|v|No-error|No-error|"]
    assert [item.key for item in mqm(sheet(rows, header)).datasets[0].items] == ["1", "2"]


def test_segments_are_in_the_order_of_their_numbers(mqm):
    rows = [f"A|x|{n}|{n}|r|s{n}|t|No-error|No-error|" for n in (10, 9, 1)]
    assert [item.key for item in mqm(sheet(rows)).datasets[0].items] == ["1", "9", "10"]


def test_other_spellings_of_the_columns(mqm):
    header = [
        "system",
        "doc",
        "docSegId",
        "globalSegId",
        "rater",
        "source",
        "target",
        "category",
        "severity",
        "metadata",
    ]
    rows = ['A|x|1|7|r|s|<v>t</v>|Style|minor|{"note": "odd", "timestamp": 1}']
    (rating,) = mqm(sheet(rows, header)).ratings
    assert (rating.value, rating.spans[0].note, rating.spans[0].severity) == (1.0, "odd", "Minor")


def test_rows_that_cannot_be_used(mqm):
    rows = [*ROWS, "A|talk|1|2", "|talk|1|2|r|s|t|Style|Minor|"]
    with pytest.raises(ImportFormatError, match="the row has 4 cells, the header has 10") as caught:
        mqm(sheet(rows))
    assert caught.value.line == 10
    skipped = mqm(sheet(rows), lenient=True).skipped
    assert [(row.line, row.field) for row in skipped] == [(10, None), (11, "system")]


def test_an_empty_last_cell_may_be_missing(mqm):
    assert len(mqm(sheet(["A|x|1|1|r|s|t|No-error|No-error"])).ratings) == 1


def test_odd_rows_are_told(mqm):
    rows = [
        "A|x|1|1|r|s|t <v>u|Style|Minor|",
        "A|x|1|1|r|s|t u|No-error|No-error|",
        "A|x|1|1|q|s|t other|No-error|No-error|",
    ]
    warnings = mqm(sheet(rows)).warnings
    assert [warning.partition(": ")[2] for warning in warnings] == [
        "a span opens with <v> and never closes; it is read up to the end.",
        "the text is not that of an earlier line; the earlier one is kept.",
        "'no error' where the same rater marked one; the marked one counts.",
    ]
    assert ["line 2:" in warnings[0], "line 4:" in warnings[1], "line 3:" in warnings[2]]


def test_a_sheet_without_rows(mqm):
    with pytest.raises(ImportFormatError, match="holds no annotation"):
        mqm(sheet([]))


AVERAGES = """system mqm_avg_score seg_id
A\t-2.550000 1
B\t-5.000000 1
ref-A\t-0.000000 1
A\t-5.000000 2
B\t-26.000000 2
ref-A\tNone 2
"""


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that reads a sheet and the averages beside it."""

    def make(averages, **options):
        write(sheet(), "mqm_test.tsv")
        write(averages, "mqm_test.avg_seg_scores.tsv")
        (bundle,) = read_paths(
            [tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True
        ).bundles
        return bundle

    return make


def test_stated_averages_are_compared(folder):
    bundle = folder(AVERAGES)
    assert (len(bundle.ratings), bundle.metrics, len(bundle.files)) == (6, (), 2)
    assert "5 of 5 stated averages equal the mean over raters" in " ".join(bundle.understood)
    assert "'ref-A' of the averages is 'ref' of the annotations." in bundle.understood
    assert not bundle.warnings


def test_averages_that_do_not_follow_are_told(folder):
    text = AVERAGES.replace("-5.000000 2", "-4.000000 2").replace("B\t-5.000000 1\n", "")
    differ, unstated = folder(text).warnings
    assert "1 stated averages do not follow" in differ
    assert "'A' on segment 2: -4 stated, -5 computed" in differ
    assert (
        "No average is stated of 1 outputs that were judged; the first: 'B' on segment 1"
        in unstated
    )


def test_an_average_without_a_judgment_is_told(folder):
    (warning,) = folder(AVERAGES.replace("None 2", "-1 2")).warnings
    assert "'ref' on segment 2: -1 stated, nan computed" in warning


def test_names_that_differ_in_marks_only_are_one_system():
    recomputed = {("refA", "1"): -1.0, ("refB", "1"): -2.0, ("A", "1"): 0.0}
    stated = Averages({("ref-A", "1"): -1.0, ("ref-B", "1"): -2.0, ("A", "1"): 0.0}, 6)
    check = check_averages(stated, recomputed)
    assert check.warnings == ()
    assert check.understood[:2] == (
        "'ref-A' of the averages is 'refA' of the annotations.",
        "'ref-B' of the averages is 'refB' of the annotations.",
    )
    assert check.understood[2].startswith("3 of 3 stated averages equal")
    other = check_averages(
        Averages({("ref-B", "1"): -1.0, ("A", "1"): 0.0}, 6),
        {("refA", "1"): -1.0, ("A", "1"): 0.0, ("refC", "1"): 0.0},
    )
    assert not any("of the averages is" in told for told in other.understood), "two references"
    apart = check_averages(Averages({("ref-A", "1"): -1.0, ("ref.a", "1"): -1.0}, 6), recomputed)
    assert "2 stated averages do not follow" in apart.warnings[0], "nobody can tell which it is"


def test_an_infinite_average_is_called_so():
    problems = RowProblems(lenient=True)
    read_averages("system mqm_avg_score seg_id\nA inf 1\nA many 2\n", "a.tsv", problems)
    infinite, word = (row.reason for row in problems.raise_if_any())
    assert infinite.startswith("'inf' is infinite: whatever was measured has no value there")
    assert word == "'many' is no number."


def test_averages_alone_are_scores_of_a_human_metric(read):
    bundle = read(AVERAGES, "mqm_test.avg_seg_scores.tsv")
    assert (bundle.format, bundle.datasets[0].name) == ("mqm", "mqm_test")
    (metric,) = bundle.metrics
    assert (metric.name, metric.higher_is_better, metric.source) == ("mqm_avg_score", True, "human")
    scores = {run.system: run.scores[0].values[:, 0] for run in bundle.runs}
    np.testing.assert_array_equal(scores["A"], [-2.55, -5])
    np.testing.assert_array_equal(scores["ref-A"], [0, np.nan])
    assert not np.signbit(scores["ref-A"][0])


def test_damaged_averages(read):
    text = AVERAGES + "A\t-1 1\nA\tx 3\nA\t-1\n"
    skipped = read(text, "a.avg_seg_scores.tsv", lenient=True).skipped
    assert [row.line for row in skipped] == [8, 9, 10]
    with pytest.raises(ImportFormatError, match="a second average of 'A' on segment 1"):
        read(text, "a.avg_seg_scores.tsv")


def test_the_store_makes_the_same_of_the_errors(mqm, tmp_path):
    bundle = mqm(with_text=True)
    store = open_store(tmp_path / "t.db", create=True)
    report = ingest(store, bundle, actor="t")
    assert (report.n("judgment", "added"), report.n("run", "added")) == (6, 3)
    again = ingest(store, bundle, actor="t")
    assert (again.n("judgment", "unchanged"), again.changed) == (6, False)
    ratings = load_ratings(store, "mqm_test", "MQM")
    stored = sorted(zip(ratings.system.tolist(), ratings.item.tolist(), ratings.value, strict=True))
    names = [ratings.systems.index(rating.system) for rating in bundle.ratings]
    mine = [(n, r.item, r.value) for n, r in zip(names, bundle.ratings, strict=True)]
    assert stored == sorted(mine)
    store.close()
