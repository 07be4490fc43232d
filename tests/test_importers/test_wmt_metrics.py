"""System-level scores of WMT's metrics task, in files of our own making."""

import gzip

import numpy as np
import pytest

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.wmt.names import is_person, pair_in
from store.importers.wmt.names import test_set_in as found_test_set

HUMAN = "LP HUMAN SYSTEM\nde-en 0.3 A.1\nde-en 0.1 B.2\nde-en -0.2 C.3\nen-de 0.5 A.4\n"
SYSTEMS = ("A.1", "B.2", "C.3")


def lines(metric, *scores, pair="de-en", test_set="newstest2019", mark="\t", more=()):
    rows = zip(SYSTEMS, scores, strict=False)
    return "".join(
        mark.join([metric, pair, test_set, system, str(score), *more]) + "\n"
        for system, score in rows
    )


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes files and reads the folder as one bundle."""

    def make(files, yaml="", **options):
        for name, content in files.items():
            write(content, name, yaml)
        found = read_paths([tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True)
        (bundle,) = found.bundles
        assert bundle.format == "wmt_metrics"
        return bundle

    return make


def figures(bundle):
    return {
        (one.system, bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name): one.value
        for one in bundle.reported_scores
    }


def directions(bundle):
    return {one.name: (one.higher_is_better, one.signature) for one in bundle.metrics}


def test_each_language_pair_is_a_dataset(folder):
    bundle = folder(
        {
            "DA-syslevel.csv": HUMAN,
            "metrics/base/BLEU.sys.score": lines("BLEU", 0.3, 0.2, 0.1),
            "metrics/more/X.sys.score": lines("X", 3, 2, mark=" ", more=("non-ensemble", "url")),
        }
    )
    assert figures(bundle) == {
        ("A.1", "newstest2019 de-en", "DA z"): 0.3,
        ("B.2", "newstest2019 de-en", "DA z"): 0.1,
        ("C.3", "newstest2019 de-en", "DA z"): -0.2,
        ("A.4", "newstest2019 en-de", "DA z"): 0.5,
        ("A.1", "newstest2019 de-en", "BLEU"): 0.3,
        ("B.2", "newstest2019 de-en", "BLEU"): 0.2,
        ("C.3", "newstest2019 de-en", "BLEU"): 0.1,
        ("A.1", "newstest2019 de-en", "X"): 3.0,
        ("B.2", "newstest2019 de-en", "X"): 2.0,
    }
    assert {one.name: one.source for one in bundle.metrics} == {
        "DA z": "human",
        "BLEU": "automatic",
        "X": "automatic",
    }
    assert {(one.language, one.task) for one in bundle.datasets} == {
        ("de-en", "machine translation"),
        ("en-de", "machine translation"),
    }
    assert {one.source for one in bundle.reported_scores} == {
        "DA-syslevel.csv",
        "BLEU.sys.score",
        "X.sys.score",
    }
    assert bundle.reported_scores[0].printed == "0.3"


def test_compressed_files_and_more_metrics_in_one(folder):
    text = lines("NIST", 5, 4) + lines("BLEU", 0.2, 0.1)
    bundle = folder({"mteval.sys.score.gz": gzip.compress(text.encode())})
    assert [one.name for one in bundle.metrics] == ["NIST", "BLEU"]
    assert len(bundle.reported_scores) == 4


def test_errors_that_go_down_with_bleu_are_errors(folder):
    bundle = folder(
        {"b": lines("BLEU", 0.3, 0.2, 0.1), "t": lines("TER", 0.5, 0.6, 0.7)},
    )
    assert directions(bundle) == {"BLEU": (True, ""), "TER": (False, "")}
    assert "Counts of errors, lower is better: TER." in bundle.understood


def test_errors_that_go_up_with_bleu_were_turned_round(folder):
    bundle = folder(
        {
            "b": lines("BLEU", 0.3, 0.2, 0.1),
            "t": lines("TER", 0.5, 0.4, 0.3),
            "w": lines("WER", 0.7, 0.8, 0.9),
        },
    )
    assert directions(bundle)["TER"] == (True, "1 - error")
    assert directions(bundle)["WER"] == (False, "")
    assert any("(1 − error) and higher is better: TER." in told for told in bundle.understood)


def test_negated_errors_are_known_by_their_sign(folder):
    bundle = folder({"e": lines("EED", -0.5, -0.4), "c": lines("CharacTER", -1.1, 0.0)})
    assert directions(bundle) == {"EED": (True, "negated"), "CharacTER": (True, "negated")}


@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"d": lines("DA z", 0.3, 0.2, 0.1)},
        {"b": lines("BLEU", 0.3, 0.2)},
        {"b": lines("BLEU", 0.3, 0.2, 0.1), "c": lines("chrF", 0.1, 0.2, 0.3)},
    ],
    ids=["alone", "no automatic metric", "two systems", "contradicting"],
)
def test_an_error_that_nothing_shows_the_way_of_is_warned_about(folder, beside):
    bundle = folder({"t": lines("TER", 0.5, 0.4, 0.3), **beside})
    assert directions(bundle)["TER"] == (False, "")
    (warning,) = bundle.warnings
    assert warning.startswith("TER: errors by name, taken as such")


def test_yaml_and_flag_go_before_what_is_found(folder):
    files = {"b": lines("BLEU", 0.3, 0.2, 0.1), "t": lines("TER", 0.5, 0.4, 0.3)}
    yaml = "metrics: {TER: {higher_is_better: false}}"
    assert directions(folder(files, yaml=yaml))["TER"] == (False, "")


def test_the_flag_turns_the_only_metric(folder):
    bundle = folder({"t": lines("TER", 0.5, 0.4, 0.3)}, higher_is_better=True)
    assert directions(bundle)["TER"] == (True, "")


def test_human_scores_alone_need_a_test_set(folder):
    with pytest.raises(ImportFormatError, match="do not say of which test set") as caught:
        folder({"DA.csv": HUMAN})
    assert caught.value.field == "testset"
    bundle = folder({"DA.csv": HUMAN}, choices={"testset": "newstest2018"})
    assert [one.name for one in bundle.datasets] == ["newstest2018 de-en", "newstest2018 en-de"]


def test_human_scores_beside_two_test_sets(folder):
    files = {
        "DA.csv": HUMAN,
        "a.sys.score": lines("BLEU", 1, test_set="t18"),
        "b.sys.score": lines("BLEU", 1, test_set="t19"),
    }
    with pytest.raises(ImportFormatError, match="The scores beside it are of t18, t19"):
        folder(files)


def test_a_name_for_one_language_pair_only(folder):
    assert folder({"x": lines("X", 1)}, dataset="mine").datasets[0].name == "mine"
    both = lines("X", 1) + lines("X", 1, pair="en-de")
    with pytest.raises(ImportFormatError, match="'mine' cannot stand for 2 language pairs"):
        folder({"x": both}, dataset="mine")


def test_lines_that_cannot_be_used(folder):
    text = lines("X", 1, 2) + "X\tde-en\tt\tD\tmany\nX\tde_en\tt\tD\t1\nX de-en\n"
    skipped = folder({"x": text + lines("X", 9)}, lenient=True).skipped
    assert [(row.line, row.field) for row in skipped] == [
        (3, "SCORE"),
        (4, "LP"),
        (5, None),
        (6, "X"),
    ]
    assert "a second score of 'A.1' on newstest2019 de-en; see x, line 1" in skipped[3].reason
    with pytest.raises(ImportFormatError, match="'many' is no number"):
        folder({"x": text})


def test_a_line_of_more_columns_than_the_header_is_named(folder):
    text = HUMAN + "de-en 0.1 X.9 and much more\n"
    (skipped,) = folder({"DA.csv": text}, lenient=True, choices={"testset": "t"}).skipped
    assert (skipped.line, skipped.reason) == (6, "not a line of LP HUMAN SYSTEM.")


@pytest.mark.parametrize("first", ["inf", "0.5"])
def test_an_infinite_score_is_called_so(read, first):
    lines = f"chrF\tde-en\tnewstest2019\tA.1\t{first}\nchrF\tde-en\tnewstest2019\tB.2\t-inf\n"
    with pytest.raises(ImportFormatError, match=r"inf' is infinite: whatever was measured has no"):
        read(lines, "chrF.sys.score")


def test_missing_scores_are_told(folder):
    bundle = folder({"x": lines("X", 1, "nan")})
    assert len(bundle.reported_scores) == 1
    assert "1 scores are missing (nan)." in bundle.understood
    with pytest.raises(ImportFormatError, match="there is no score"):
        folder({"x": lines("X", "nan")})


def of_segments(bundle):
    found = {}
    for run in bundle.runs:
        for one in run.scores:
            metric = bundle.metrics[one.metric]
            place = (run.system, bundle.datasets[run.dataset].name, metric.name, metric.signature)
            found[place] = one.values[:, 0].tolist()
    return found


def keys(bundle):
    return [[item.key for item in dataset.items] for dataset in bundle.datasets]


def test_segments_of_2019_are_lines_of_the_test_set(folder):
    row = "X\tde-en\tnewstest2019\tA.1\t{}\t{}\tnon-ensemble\tno\n"
    bundle = folder({"x.seg.score": row.format(2, 0.5) + row.format(1, 0.25)})
    assert keys(bundle) == [["1", "2"]]
    assert of_segments(bundle) == {("A.1", "newstest2019 de-en", "X", ""): [0.25, 0.5]}


def test_sets_of_references_are_signatures(folder):
    start = "X\tde-en\tnewstest2020\t"
    bundle = folder(
        {
            "x.sys.score": f"{start}newstest2020\tA.1\t3\n{start}newstestB2020\tA.1\t4\n",
            "x.seg.score": f"{start}newstest2020\tA.1\tdoc.7\t1\t3\n"
            f"{start}newstest2020\tA.1\tdoc.7\t2\tnan\n"
            f"{start}newstestB2020\tA.1\tdoc.7\t1\t4\n",
            "x.doc.score": f"{start}newstest2020\tA.1\tdoc.7\t3\n",
        }
    )
    assert [(one.name, one.signature) for one in bundle.metrics] == [
        ("X", ""),
        ("X", "newstestB2020"),
    ]
    assert [one.value for one in bundle.reported_scores] == [3, 4]
    assert keys(bundle) == [["doc.7::1", "doc.7::2"]]
    assert bundle.datasets[0].items[0].group == "doc.7"
    found = of_segments(bundle)
    assert found["A.1", "newstest2020 de-en", "X", "newstestB2020"][0] == 4
    assert np.isnan(found["A.1", "newstest2020 de-en", "X", ""]).tolist() == [False, True]
    assert [one.reason for one in bundle.left_out] == [
        "scores of documents, which follow from those of segments."
    ]


def test_references_that_differ_in_marks_are_one_and_others_are_two(folder):
    row = "X\ten-de\tnewstest2021\tnews\t{}\tA.1\t{}\n"
    seg = "X\ten-de\tnewstest2021\tnews\tdoc\t{}\tA.1\t1\t{}\n"
    bundle = folder(
        {
            "x.seg.score": seg.format("refA", 1) + seg.format("src", 2),
            "x.sys.score": row.format("ref-A", 1) + row.format("ref-B", 3),
        }
    )
    assert sorted(one.signature for one in bundle.metrics) == ["ref-B", "refA", "src"]


def test_documents_alone_are_no_results(read):
    with pytest.raises(NoResultsError, match="scores of documents"):
        read("X\tde-en\tn2020\tn2020\tA.1\tdoc\t3\n", "x.doc.score")


def test_segments_that_cannot_be_used(folder):
    row = "X\tde-en\tn2020\tn2020\tA.1\tdoc\t{}\t{}\n"
    text = row.format(1, 3) + row.format("x", 3) + row.format(2, "no") + "X\tde-en\n"
    skipped = folder({"x.seg.score": text}, lenient=True).skipped
    assert [one.line for one in skipped] == [2, 3, 4]
    with pytest.raises(ImportFormatError, match="two scores of 'X' on one segment"):
        folder({"x.seg.score": row.format(1, 3) + row.format(1, 4)})


def test_two_folders_are_two_groups(write, tmp_path):
    write(lines("X", 1), "a/x.sys.score")
    write(lines("X", 1, test_set="t"), "b/x.sys.score")
    assert len(read_paths([tmp_path]).bundles) == 2


@pytest.mark.parametrize("name", ["ref", "ref-A", "refB", "ref.2", "HUMAN", "HUMAN.0", "Human-B"])
def test_people(name):
    assert is_person(name)


@pytest.mark.parametrize("name", ["Online-A", "reference", "refine", "humanoid", "A"])
def test_no_people(name):
    assert not is_person(name)


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("ad-seg-scores-de-en.csv", "de-en"),
        ("ad-sys-ranking-de-en-z-names.csv", "de-en"),
        ("x.en-zh_CN.txt", "en-zh_CN"),
        ("ad-seg-scores.csv", None),
    ],
)
def test_pairs_in_names(name, pair):
    assert pair_in(name) == pair


def test_test_sets_in_paths(tmp_path):
    assert found_test_set(tmp_path / "newstest2021-toen" / "ad-seg.csv") == "newstest2021"
    assert found_test_set(tmp_path / "wmt22" / "x") == "wmt22"
