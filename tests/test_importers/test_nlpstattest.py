"""Two columns of scores: as an import, and read for a quick comparison."""

from __future__ import annotations

import gzip
import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import ImportFormatError, UnknownFormatError
from store.importers import nlpstattest
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.nlpstattest import read_score_columns, read_two_columns

NAN = math.nan
NAMED = {"dataset": "wmt17", "metric": "bleu"}
PLAIN = "0.26 0.60\n0.41 0.88\n0.40 0.39\n"


def columns(text, **options):
    return read_score_columns(io.StringIO(text), **options)


def test_import_makes_two_systems_of_two_columns(read) -> None:
    bundle = read("0.5 1\n\n.25\t 2e-1 \r\n-3  NA\n", "zh-en.txt", **NAMED)
    assert bundle.format == "nlpstattest"
    assert [run.system for run in bundle.runs] == ["zh-en column 1", "zh-en column 2"]
    assert [item.key for item in bundle.datasets[0].items] == ["line 1", "line 3", "line 4"]
    first, second = (run.scores[0].values for run in bundle.runs)
    np.testing.assert_array_equal(first, [[0.5], [0.25], [-3.0]])
    np.testing.assert_array_equal(second, [[1.0], [0.2], [NAN]])
    assert bundle.datasets[0].name == "wmt17"
    assert bundle.metrics[0].name == "bleu"
    assert bundle.warnings == ["1 of the cells hold no score."]
    assert bundle.understood == [
        "Two columns of 3 scores: 'zh-en column 1' and 'zh-en column 2'; items are known by their "
        "line in the file."
    ]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.b.txt", "a.b"), ("scores", "scores"), ("data-h0.gz", "data-h0"), ("X.TXT.gz", "X")],
)
def test_import_calls_the_systems_by_the_file(read, name, stem) -> None:
    data = PLAIN.encode()
    bundle = read(gzip.compress(data) if name.endswith(".gz") else data, name, **NAMED)
    assert [run.system for run in bundle.runs] == [f"{stem} column 1", f"{stem} column 2"]


def test_import_takes_names_flags_and_yaml(read) -> None:
    yaml = """
dataset: {name: wmt17, version: zh-en}
metric: latency
metrics: {latency: {higher_is_better: false, aggregation: median}}
aliases: {"mine": ["m"]}
run: {seed: 7}
"""
    bundle = read(PLAIN, "s.txt", yaml=yaml, system=" m , theirs", run_label="r1")
    assert [(run.system, run.label) for run in bundle.runs] == [("mine", "r1"), ("theirs", "r1")]
    assert bundle.runs[0].provenance.seed == 7
    assert bundle.datasets[0].version == "zh-en"
    [metric] = bundle.metrics
    assert (metric.higher_is_better, metric.aggregation) == (False, "median")
    assert len(bundle.files) == 2


@pytest.mark.parametrize("system", ["A", "A,", "A,B,C", "A,A"])
def test_import_needs_two_names(read, system) -> None:
    with pytest.raises(ImportFormatError, match=r"s.txt, field 'system': two columns need two dif"):
        read(PLAIN, "s.txt", system=system, **NAMED)


@pytest.mark.parametrize(
    ("options", "missing"),
    [({"metric": "bleu"}, {"dataset"}), ({"dataset": "d"}, {"metric"})],
)
def test_what_the_file_does_not_say_is_guessed(read, options, missing) -> None:
    assert {guess.subject for guess in read(PLAIN, "wmt17.txt", **options).guesses} == missing
    with pytest.raises(UnknownFormatError, match=r"s.txt: two columns .* Missing: metric"):
        read("0 1\n1 0\n", "s.txt", dataset="d")


def test_numbers_in_a_folder_of_something_else_are_left_alone(write, tmp_path) -> None:
    write("system,dataset,item,metric,score\nA,d,1,acc,1\n", "scores.csv")
    write("0 1\n1 0\n", "edges.txt")
    found = read_paths([tmp_path], root=tmp_path)
    assert [bundle.format for bundle in found.bundles] == ["generic"]
    assert [file.path for file in found.left_out] == ["edges.txt"]
    assert "do not say what they measure" in found.left_out[0].reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3\n4 5\n6 7\n", r"s.txt, line 1: 3 columns \('1 2 3'\) where two are wanted. Mend"),
        ("1 2\n\n3\n4 5\n", r"s.txt, line 3: 1 column \('3'\) where two are wanted."),
        ("1 2\n3 x\n4 5\n", r"s.txt, line 2, field 'column 2': 'x' is not a number"),
        ("1 2\n3 inf\n4 5\n", r"s.txt, line 2, field 'column 2': 'inf' is infinite"),
        (
            "1 2\n3 4\n6\ny x\n7 8\n9 9\n",
            r"line 3: 1 column \('6'\).*\s+line 4, field 'column 1'.*\(1 more such problem: ",
        ),
        ("1% 2%\n3 4%\n5% 6%\n", r"line 2, field 'column 1': has no % sign while other"),
        ("1 NA\n2 -\n3 NA\n", r"s.txt, field 'column 2': holds no score"),
    ],
)
def test_import_names_the_line_that_cannot_be_used(read, text, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(text, "s.txt", **NAMED)


def test_lenient_import_leaves_such_lines_out(read) -> None:
    text = "1 2 3\n4 5\n6 x\n\n7 8\n9\n"
    bundle = read(text, "s.txt", format="nlpstattest", lenient=True, **NAMED)
    assert [item.key for item in bundle.datasets[0].items] == ["line 2", "line 5"]
    assert [run.scores[0].values.tolist() for run in bundle.runs] == [[[4], [7]], [[5], [8]]]
    assert [row.line for row in bundle.skipped] == [1, 3, 6]


def test_import_keeps_to_the_bounds_of_the_metric(read) -> None:
    yaml = "metrics: {bleu: {unit: proportion}}"
    with pytest.raises(ImportFormatError, match=r"line 2, field 'column 1': 41 is outside 0..1"):
        read("0.2 0.3\n41 0.2\n", "s.txt", yaml=yaml, **NAMED)
    bundle = read("0.2 0.3\n41 0.2\n", "s.txt", yaml=yaml, lenient=True, **NAMED)
    np.testing.assert_array_equal(bundle.runs[0].scores[0].values, [[0.2], [NAN]])
    assert [row.line for row in bundle.skipped] == [2]


def test_import_takes_percentages(read) -> None:
    bundle = read("81% 79.5%\n80% 78%\n", "s.txt", **NAMED)
    assert bundle.metrics[0].unit == "percent"
    assert bundle.runs[1].scores[0].values.tolist() == [[79.5], [78.0]]


def test_import_doubts_a_column_that_counts_the_lines(read) -> None:
    bundle = read("1 0.5\n2 0.25\n3 0.75\n", "s.txt", **NAMED)
    assert bundle.warnings[0].startswith("The first column counts the lines.")
    assert read(PLAIN, "s.txt", **NAMED).warnings == []


@pytest.mark.parametrize(
    ("name", "text", "is_ours"),
    [
        ("a", PLAIN, True),
        ("a.txt", "0.1\t0.2\n0.3\t0.4\n", True),
        ("a.txt", "1 2 3\n4 5\n6 7\n", True),  # a fault in the first line is still one of ours
        ("a.txt", "\n\n1 2\n\n3 4\n", True),
        ("a.txt", "0.1\n0.2\n", False),  # a list of scores
        ("a.csv", PLAIN, False),
        ("a.tsv", "0.1\t0.2\n", False),
        ("a.jsonl", "1 2\n", False),
        ("a.json", "1 2\n", False),
        ("a.txt", "item\tscore\n1\t0.5\n2\t0.7\n", False),
        ("a.txt", "A B\n1 2\n3 4\n", False),
        ("a.txt", "word 0.5\nother 0.25\n", False),
        ("a.txt", "1 2 3\n4 5 6\n", False),
        ("a.txt", "0,5 0,7\n", False),
        ("a.txt", "nothing here\n", False),
        ("a.txt", "", False),
        ("a.txt", " \n" * 5000 + "1 2\n", False),
        ("a.txt", b"\x00\x01", False),
        ("a.txt", b"\xff 1\n", False),
    ],
)
def test_sniff_takes_two_columns_of_numbers_and_nothing_else(write, name, text, is_ours) -> None:
    assert nlpstattest.sniff(write(text, name), ReadOptions()) is is_ours


def test_lists_and_tables_are_still_generic(read) -> None:
    assert read("0.1\n0.2\n", "a.txt", system="A", **NAMED).format == "generic"
    text = "item\tscore\n1\t0.5\n2\t0.7\n"
    assert read(text, "a.txt", system="A", **NAMED).format == "generic"


def test_every_line_is_read_bit_by_bit() -> None:
    @given(
        st.lists(
            st.tuples(*[st.floats(-1e100, 1e100)] * 2),
            min_size=1,
            max_size=20,
        )
    )
    def holds(pairs: list[tuple[float, float]]) -> None:
        found = columns("\n".join(f"{a!r}  {b!r}" for a, b in pairs))
        assert found.values.tobytes() == np.array(pairs).tobytes()

    holds()


def test_read_score_columns_takes_paths_and_streams_packed_or_not(write) -> None:
    packed = gzip.compress(PLAIN.encode())
    named = io.BytesIO(packed)
    named.name = "up.txt.gz"
    sources = [
        write(PLAIN, "a.txt"), str(write(packed, "b.gz")), io.StringIO(PLAIN),
        io.BytesIO(b"\xef\xbb\xbf" + PLAIN.encode()), named,
    ]  # fmt: skip
    for source in sources:
        found = read_score_columns(source)
        assert found.values.tolist() == [[0.26, 0.6], [0.41, 0.88], [0.4, 0.39]]
        assert found.line_numbers.tolist() == [1, 2, 3]
        assert not found.is_percent
    assert found.shown == "up.txt.gz"
    assert read_score_columns(io.StringIO(PLAIN)).shown == "the text"


def test_read_score_columns_counts_empty_lines_but_does_not_keep_them() -> None:
    found = columns("\n 1\r\n\r\n2\r3\n\n")
    assert found.values.tolist() == [[1], [2], [3]]
    assert found.line_numbers.tolist() == [2, 4, 5]


@pytest.mark.parametrize(
    ("text", "shown", "expected"),
    [
        ("0.5, 0.7\n1, 2\n", None, [[0.5, 0.7], [1, 2]]),
        ("0.5,0.7\n1,2\n", None, [[0.5, 0.7], [1, 2]]),
        ("1e-3,5e-1\n.5e1,.25\n", None, [[0.001, 0.5], [5, 0.25]]),
        ("1,0\n0,1\n", "s.csv", [[1, 0], [0, 1]]),
        ("1;0\n0.5;1\n", None, [[1, 0], [0.5, 1]]),
        ("1,0\n0,\n", "s.csv", [[1, 0], [0, NAN]]),
    ],
)
def test_commas_and_semicolons_separate_where_that_is_plain(text, shown, expected) -> None:
    np.testing.assert_array_equal(columns(text, shown=shown).values, expected)


@pytest.mark.parametrize(
    ("text", "line"),
    [("0,5\n0,7\n", 1), ("0,5 0,7\n", 1), ("0,5;0,7\n", 1), ("1,234.5\n", 1), ("1 2\n1,0\n", 2)],
)
def test_a_comma_that_may_be_a_decimal_point_is_refused(text, line) -> None:
    with pytest.raises(
        ImportFormatError, match=rf"the text, line {line}: '.*' has a comma that may stand for a de"
    ):
        columns(text)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "A B\n1 2\n",
            {},
            r"line 1, field 'column 1': 'A' is not a number.*If this line is a head",
        ),
        ("1 2\nA B\n", {}, r"line 2, field 'column 1': 'A' is not a number[^I]*$"),
        ("1 2\n3 4\n5\n", {}, r"line 3: 1 column \('5'\) where two are wanted.$"),
        ("1\n2 3\n4\n", {}, r"line 2: 2 columns \('2 3'\) where one is wanted.$"),
        ("1 2 3\n", {}, r"line 1: 3 columns \('1 2 3'\) where one or two are wanted.$"),
        ("1 2\n3 4\n", {"n_columns": (1,)}, r"line 1: 2 columns .*\(1 more such problem: line 2"),
        ("1 " * 99, {}, r"line 1: 99 columns \('1 1 .*…'\)"),
        ("1.2.3 4\n", {"shown": "mine"}, r"mine, line 1, field 'column 1': '1.2.3' is not a numb"),
        ("NA\n-\n", {}, r"field 'column 1': holds no score"),
        (" \n\n", {}, "the file is empty"),
    ],
)
def test_read_score_columns_says_where_what_and_what_to_do(text, options, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        columns(text, **options)


def test_read_score_columns_of_damaged_files(write) -> None:
    with pytest.raises(ImportFormatError, match=r"none.txt: there is no such file"):
        read_score_columns("none.txt")
    with pytest.raises(ImportFormatError, match=r"Compressed file ended early"):
        read_score_columns(io.BytesIO(gzip.compress(PLAIN.encode(), mtime=0)[:-9]))
    with pytest.raises(ImportFormatError, match=r"this is a binary file"):
        read_score_columns(io.BytesIO(b"1 2\n\x00"))


def test_read_two_columns_of_one_file_and_of_two() -> None:
    a, b, _ = read_two_columns([io.StringIO("1 2\n\n3 NA\n")])
    np.testing.assert_array_equal(a, [1, 3])
    np.testing.assert_array_equal(b, [2, NAN])
    a, b, _ = read_two_columns([io.StringIO("1\n\n3\n\n5"), io.StringIO("2\n4\n\n\n6\n")])
    np.testing.assert_array_equal(a, [1, NAN, 3, 5])
    np.testing.assert_array_equal(b, [2, 4, NAN, 6])


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["net base\n1 2\n3 4"], ("net", "base")),
        (["my net\tbase\n1\t2\n3\t4"], ("my net", "base")),
        (["net,base\n1,0\n0,1"], ("net", "base")),
        (["net a\n1\n\n3", "base\n2\n\n4"], ("net a", "base")),
        (["score\n1\n3", "2\n4"], None),
        (["score\n1\n3", "score\n2\n4"], None),
    ],
)
def test_the_first_line_may_name_the_columns(texts, names) -> None:
    a, b, found = read_two_columns([io.StringIO(text) for text in texts])
    assert (a[0], found) == (1, names)
    assert b[0] in (0, 2)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "give one file of two columns or two files of one column, not 0 files"),
        (["1\n", "1\n", "1\n"], "not 3 files"),
        (["1\n2\n"], "the text: holds one column of scores. Give a second file"),
        (["1\n2\n", "1\n2\n3\n"], r"the scores end at line 3, those of the text at line 2"),
        (["1 2\n", "1 2\n"], r"line 1: 2 columns \('1 2'\) where one is wanted"),
        (["1%\n", "1\n"], "only one of this file and the text has % signs"),
    ],
)
def test_read_two_columns_says_what_does_not_fit(texts, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read_two_columns([io.StringIO(text) for text in texts])


@pytest.mark.shared
class TestSamples:
    """NLPStatTest's own samples."""

    @pytest.fixture
    def samples(self, shared_folder):
        return shared_folder / "data" / "nlpstattest_samples"

    @pytest.mark.parametrize(
        ("name", "n_lines", "first"),
        [
            ("10-lines.txt", 7, (0.12, 0.1)),
            ("data-file.txt", 2001, (0.262025, 0.596949)),
            ("data-file-3.txt", 6003, (0.262025, 0.596949)),
            ("data-h0-equal-beta", 100, (0.13790091401813723, 0.22843821086097038)),
            ("data-h1-greater-beta", 100, (0.9962440205643947, 0.4551443275679576)),
            ("data-h1-less-normal-speed.gz", 100_000, (0.6234809823441307, 0.7369017739857948)),
        ],
    )
    def test_sample_is_recognised_and_read(self, samples, name, n_lines, first) -> None:
        [bundle] = read_paths([samples / name], options=ReadOptions(**NAMED)).bundles
        assert bundle.format == "nlpstattest"
        assert [len(run.scores[0].values) for run in bundle.runs] == [n_lines, n_lines]
        assert tuple(run.scores[0].values[0, 0] for run in bundle.runs) == first
        a, b, _ = read_two_columns([samples / name])
        assert a.tolist() == bundle.runs[0].scores[0].values[:, 0].tolist()
        assert b.tolist() == bundle.runs[1].scores[0].values[:, 0].tolist()

    def test_the_bad_one_is_rejected_with_its_line(self, samples) -> None:
        place = r"BAD.txt, line 1: 3 columns \('0.262025 0.596949 0.44444'\) where two are wanted"
        with pytest.raises(ImportFormatError, match=place):
            read_paths([samples / "BAD.txt"], options=ReadOptions(**NAMED))
        with pytest.raises(ImportFormatError, match=place):
            read_two_columns([samples / "BAD.txt"])
