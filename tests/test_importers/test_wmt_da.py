"""Tables of Direct Assessment, in files of our own making."""

import numpy as np
import pytest

from store.engine import open_store
from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.wmt.direct_assessment_tables import kind_of, plain_name
from store.ingest import ingest

SEGMENTS = """SYS SID RAW.SCR Z.SCR N 
A.1 10 90 0.5 2 
A.1 9 80 0.25 1 
B.2 9 60 -0.5 1 
HUMAN.0 10 100 1.5 3 
"""  # noqa: W291
SYSTEMS = """RAW.SCR Z.SCR N SYS N.ALL 
85 0.375 2 A.1 3 
60 -0.5 1 B.2 1 
100 1.5 1 HUMAN.0 3 
"""  # noqa: W291
NAMES = "85.0 0.4 2 3 A.1 A\n60.0 -0.5 1 1 B.2 Bert-System\n100.0 1.5 1 3 HUMAN.0 HUMAN\n"
FOLDER = "newstest2021-toen"
FILES = {
    "ad-seg-scores-de-en.csv": SEGMENTS,
    "ad-sys-scores-de-en.csv": SYSTEMS,
    "ad-sys-ranking-de-en-z-names.csv": NAMES,
}


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes tables and reads their folder as one bundle."""

    def make(files, where=FOLDER, **options):
        for name, content in files.items():
            write(content, f"{where}/{name}")
        (bundle,) = read_paths(
            [tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True
        ).bundles
        assert bundle.format == "wmt_da"
        return bundle

    return make


def only(*kinds):
    return {name: text for name, text in FILES.items() if any(kind in name for kind in kinds)}


def test_segments_are_items_of_a_dataset_of_their_own(folder):
    bundle = folder(FILES)
    whole, segments = bundle.datasets
    assert (whole.name, len(whole.items)) == ("newstest2021 de-en", 0)
    assert segments.name == "newstest2021 de-en, DA segments"
    assert [item.key for item in segments.items] == ["SID 9", "SID 10"]
    assert whole.language == segments.language == "de-en"
    scores = {run.system: [one.values[:, 0] for one in run.scores] for run in bundle.runs}
    np.testing.assert_array_equal(scores["A"], [[80, 90], [0.25, 0.5]])
    np.testing.assert_array_equal(scores["B"], [[60, np.nan], [-0.5, np.nan]])
    assert {run.dataset for run in bundle.runs} == {1}


def test_the_metrics_are_human(folder):
    raw, z = folder(FILES).metrics
    assert (raw.name, raw.source, raw.lower, raw.upper) == ("DA raw", "human", 0, 100)
    assert (z.name, z.source, z.lower, z.higher_is_better) == ("DA z", "human", None, True)


def test_means_of_systems_are_figures(folder):
    bundle = folder(FILES)
    stated = {(one.system, one.metric): one for one in bundle.reported_scores}
    assert {key: one.value for key, one in stated.items()} == {
        ("A", 0): 85.0,
        ("A", 1): 0.375,
        ("B", 0): 60.0,
        ("B", 1): -0.5,
        ("HUMAN", 0): 100.0,
        ("HUMAN", 1): 1.5,
    }
    first = stated["A", 1]
    assert (first.dataset, first.n_items, first.printed) == (0, 2, "0.375")
    assert first.source == "ad-sys-scores-de-en.csv"


def test_what_was_understood_is_said(folder):
    bundle = folder(FILES)
    told = " ".join(bundle.understood)
    assert "4 scores of 3 systems on 2 segments, from 7 judgments." in told
    assert "3 of 3 stated means equal the mean over the segments." in told
    assert "without the number of their submission: A.1 is A." in told
    assert "By the ranking, Bert-System is B." in told
    assert "HUMAN is a human translation by name" in told
    assert bundle.aliases == {"B": ["Bert-System"]}
    assert not bundle.warnings


def test_the_ranking_alone_states_the_means(folder):
    bundle = folder(only("names"))
    assert {(one.system, one.metric): one.value for one in bundle.reported_scores}["A", 1] == 0.4
    assert [dataset.name for dataset in bundle.datasets] == ["newstest2021 de-en"]


def test_segments_alone(folder):
    bundle = folder(only("seg"))
    assert [dataset.name for dataset in bundle.datasets] == ["newstest2021 de-en, DA segments"]
    assert {run.dataset for run in bundle.runs} == {0}
    assert bundle.reported_scores == []


def test_means_that_do_not_follow_are_told(folder):
    files = FILES | {"ad-sys-scores-de-en.csv": SYSTEMS.replace("85 ", "86 ")}
    (warning,) = folder(files).warnings
    assert warning == "Stated means that differ: A.1: 86 stated, 85 from its segments."


def test_the_dataset_is_named_after_test_set_and_pair(folder, write):
    assert folder(only("sys-scores"), where="en").datasets[0].name == "de-en"


def test_the_dataset_can_be_given(folder):
    names = [one.name for one in folder(FILES, dataset="mine").datasets]
    assert names == ["mine", "mine, DA segments"]


def test_a_file_without_a_pair_needs_a_name(folder):
    files = {"ad-seg-scores.csv": SEGMENTS}
    with pytest.raises(ImportFormatError, match="does not say the language pair"):
        folder(files)
    assert folder(files, dataset="d").datasets[0].name == "d, DA segments"


def test_two_submissions_keep_their_numbers(folder):
    text = SEGMENTS.replace("B.2", "A.2")
    assert {run.system for run in folder({"ad-seg-de-en.csv": text}).runs} == {
        "A.1",
        "A.2",
        "HUMAN",
    }


def test_segments_that_are_named_keep_their_names(folder):
    text = SEGMENTS.replace(" 10 ", " talk_10 ").replace(" 9 ", " talk_9 ")
    bundle = folder({"ad-seg-de-en.csv": text})
    assert [item.key for item in bundle.datasets[0].items] == ["talk_10", "talk_9"]


def test_rows_that_cannot_be_used(folder):
    text = SEGMENTS + "A.1 9 1 1 1\nA.1 11 x 1 1\nA.1 12 101 1 1\nA.1 13\nA.1 14 1 1 few\n"
    skipped = folder({"ad-seg-de-en.csv": text}, lenient=True).skipped
    assert sorted((row.line, row.field) for row in skipped if row.field) == [
        (6, "SID"),
        (7, "RAW.SCR"),
        (8, "RAW.SCR"),
        (10, "N"),
    ]
    assert [row.reason for row in skipped if not row.field] == [
        "the row has 2 cells, the header has 5."
    ]
    with pytest.raises(ImportFormatError):
        folder({"ad-seg-de-en.csv": text})


def test_a_second_mean(folder):
    text = SYSTEMS + "1 1 1 A.1 1\n"
    with pytest.raises(ImportFormatError, match=r"a second mean of 'A\.1'; see line 2"):
        folder({"ad-sys-de-en.csv": text})


def test_averages_that_are_published_twice_count_once(folder):
    again = """SYS SEGID RAW.SCR Z.SCR N SID
Human-A.0 paper::3 100.0 1.5 3 7
A.1 paper::3 90.0 0.5 2 7
B.2 paper::2 60.0 -0.5 1 6
A.1 paper::2 80.0 0.25 1 6
"""
    means = "SYS SEGID RAW.SCR Z.SCR N\nA.1 paper 85.0 0.375 3\nB.2 paper 60.0 -0.5 1\n"
    systems = "RAW.SCR Z.SCR N SYS N.ALL\n100.0 1.5 1 Human-A.0 3\n60.0 -0.5 1 B.2 1\n"
    bundle = folder(
        FILES
        | {
            "metrics-ad-seg-scores-de-en.csv": again,
            "metrics-ad-doc-scores-de-en.csv": means,
            "metrics-ad-sys-scores-de-en.csv": systems + "85.0 0.375 2 A.1 3\n",
        }
    )
    assert {run.system for run in bundle.runs} == {"A", "B", "HUMAN"}
    assert [len(one.items) for one in bundle.datasets] == [0, 2]
    assert {one.path.rpartition("/")[2]: one.reason.split(",")[0] for one in bundle.left_out} == {
        "metrics-ad-seg-scores-de-en.csv": "the same averages as in another table",
        "metrics-ad-doc-scores-de-en.csv": "means of documents",
        "metrics-ad-sys-scores-de-en.csv": "the same averages as in another table",
    }


def test_options_are_none(folder):
    with pytest.raises(ImportFormatError, match="'wmt_da' has no options"):
        folder(FILES, choices={"x": "1"})


def test_kinds():
    assert kind_of(SEGMENTS) == "segments"
    assert kind_of(SYSTEMS) == "systems"
    assert kind_of(NAMES) == "names"
    assert kind_of("1 2 3 4 5 6\n") is None
    assert kind_of("SYS SCORE\n") is None
    assert (plain_name("UF.15"), plain_name("UF"), plain_name("a.b")) == ("UF", "UF", "a.b")


def test_the_store_takes_it_and_knows_it_again(folder, tmp_path):
    bundle = folder(FILES)
    store = open_store(tmp_path / "t.db", create=True)
    report = ingest(store, bundle, actor="t")
    assert (report.n("run", "added"), report.n("reported figure", "added")) == (3, 6)
    assert not ingest(store, bundle, actor="t").changed
    store.close()
