"""Published scores of WMT's systems, in files of our own making."""

import pytest

from store.errors import ImportFormatError

HEAD = "pair\tsystem\tid\tis_constrained\tmetric\tscore\n"
TABLE = (
    HEAD
    + "cs-uk\tA\t7\tTrue\tbleu-all\t30.5\ncs-uk\tA\t7\tTrue\tbleu-refA\t30.25\n"
    + "cs-uk\tA\t7\tTrue\tbleu-all\t30.5\nde-en\tB\t8\tFalse\tchrf-all\t55.0\n"
)
PRINTED = """Processing annotations in file /dev/fd/63

[ces-->ukr]
A: 1645
A-->1645
83.67 ('A', 1672, 0.25, 83.5, 3.9)
83.24 ('Human-refA', 1670, 0.125, 83.25, 3.9)
11   A  83.7
"""


def figures(bundle):
    return {
        (
            bundle.datasets[one.dataset].name,
            one.system,
            f"{bundle.metrics[one.metric].name} {bundle.metrics[one.metric].signature}",
        ): one.value
        for one in bundle.reported_scores
    }


def test_metrics_by_reference_and_a_row_that_is_there_twice(read):
    bundle = read(TABLE, "wmt23-systems/scores/automatic-scores.tsv")
    assert figures(bundle) == {
        ("wmt23 cs-uk", "A", "BLEU all"): 30.5,
        ("wmt23 cs-uk", "A", "BLEU refA"): 30.25,
        ("wmt23 de-en", "B", "chrF all"): 55.0,
    }
    assert (bundle.format, len(bundle.reported_scores)) == ("wmt_scores", 3)


def test_other_pairs_are_no_languages(read):
    bundle = read("item\tpair\tsystem\tmetric\tscore\n1\tp 1\tA\tacc\t1\n", dataset="d")
    assert bundle.format == "generic"


def test_two_values_for_one_metric(read):
    with pytest.raises(ImportFormatError, match=r"line 6, field 'score'.*twice for cs-uk"):
        read(TABLE + "cs-uk\tA\t7\tTrue\tbleu-all\t31\n", "wmt23/automatic-scores.tsv")


def test_human_averages_as_they_are_printed(read):
    bundle = read(PRINTED, "WMT23.results.txt")
    assert figures(bundle) == {
        ("wmt23 cs-uk", "A", "DA raw DA+SQM"): 83.5,
        ("wmt23 cs-uk", "A", "DA z DA+SQM"): 0.25,
        ("wmt23 cs-uk", "Human-refA", "DA raw DA+SQM"): 83.25,
        ("wmt23 cs-uk", "Human-refA", "DA z DA+SQM"): 0.125,
    }
    assert {metric.source for metric in bundle.metrics} == {"human"}


def test_a_figure_without_end_is_named(read):
    with pytest.raises(ImportFormatError, match="is not system, judgments, z and raw"):
        read(PRINTED.replace("0.25, 83.5", "1e999, 83.5"), "WMT23.results.txt")


def test_judgments_that_are_too_deep_are_refused_with_their_line(read):
    row = "('A', 1, " + "-" * 100_000 + "1, 2)"
    with pytest.raises(ImportFormatError, match="is not system, judgments, z and raw"):
        read(PRINTED.replace("('A', 1672, 0.25, 83.5, 3.9)", row), "human.txt")


def test_a_return_alone_ends_a_line(read):
    bundle = read(TABLE.replace("30.25\n", "30.25\r"), "automatic-scores.tsv")
    assert len(bundle.reported_scores) == 3
