"""Judgments as Appraise exports them, in files of our own making."""

import csv
import io

import pytest

from store.errors import ImportFormatError
from store.importers.detect import read_paths


def lines(*rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def row(who, system, item, score, doc, *, kind="TGT", whole=False, errors=None, at=0):
    marked = [] if errors is None else [errors]
    return [who, system, item, kind, "ces", "deu", score, doc, whole, *marked, at, at + 1.5]


def ratings(bundle):
    return sorted(
        (
            bundle.datasets[(c := bundle.criteria[one.criterion]).dataset].name,
            c.name,
            one.annotator,
            bundle.datasets[c.dataset].items[one.item].key,
            one.system,
            one.value,
            one.replicate,
        )
        for one in bundle.ratings
    )


FIRST = [
    row("ann1", "A", 0, 70, "news.1#0-11", at=10),
    row("ann1", "A", 1, 0, "news.1#0-11", at=20),
    row("ann1", "A", 11, 40, "news.1#0-11", whole=True, at=30),
    row("ann1", "A", 0, 60, "news.1#0-11", at=90),
    row("ann1", "A", 2, 5, "news.1#0-11", kind="BAD", at=40),
]
SECOND = [row("ann2", "ref", 0, 100, "news.1#0-11", at=50)]


def test_judgments_of_segments_and_of_documents(write, tmp_path) -> None:
    write(lines(*FIRST), "talk/ScoresA.scores.csv")
    write(lines(*SECOND), "talk/ScoresB.scores.csv")
    write(lines(*FIRST, *SECOND), "talk/all/all.csv")
    (bundle,) = read_paths([tmp_path / "talk"], root=tmp_path).bundles
    assert bundle.format == "appraise"
    assert ratings(bundle) == [
        ("talk ces-deu", "score", "ann1", "news.1#0-11:0", "A", 60, 1),
        ("talk ces-deu", "score", "ann1", "news.1#0-11:0", "A", 70, 0),
        ("talk ces-deu", "score", "ann1", "news.1#0-11:1", "A", 0, 0),
        ("talk ces-deu", "score", "ann2", "news.1#0-11:0", "ref", 100, 0),
        ("talk ces-deu, documents", "score", "ann1", "news.1#0-11", "A", 40, 0),
    ]
    assert bundle.datasets[0].items[0].group == "news.1#0-11"
    told = " ".join(bundle.understood)
    assert "1 BAD" in told
    assert "6 lines that stand twice" in told
    assert [one.subject for one in bundle.guesses] == ["dataset"]


def test_items_of_a_task_are_counted_in_their_documents(write, tmp_path) -> None:
    slip = '[{"start_i": 1, "end_i": 4, "severity": "major", "error_type": ["Style", "Awkward"]}]'
    omitted = '[{"start_i": "missing", "end_i": "missing", "severity": "minor"}]'
    write(
        lines(
            row("ann1", "wmt23.A", 41, 80, "doc-7#A", errors=slip),
            row("ann1", "wmt23.A", 42, 90, "doc-7#A", errors="[]"),
            row("ann1", "wmt23.B", 77, 50, "doc-7#B", errors=omitted),
        ),
        "c/first.scores.csv",
    )
    write(lines(row("ann3", "wmt23.A", 5, 0, "doc-7#A", errors="[]")), "c/other.scores.csv")
    (bundle,) = read_paths([tmp_path / "c"], root=tmp_path).bundles
    assert ratings(bundle) == [
        ("wmt23 ces-deu", "errors (first)", "ann1", "doc-7:0", "A", 5, 0),
        ("wmt23 ces-deu", "errors (first)", "ann1", "doc-7:0", "B", 1, 0),
        ("wmt23 ces-deu", "errors (first)", "ann1", "doc-7:1", "A", 0, 0),
        ("wmt23 ces-deu", "errors (other)", "ann3", "doc-7:0", "A", 0, 0),
        ("wmt23 ces-deu", "score (first)", "ann1", "doc-7:0", "A", 80, 0),
        ("wmt23 ces-deu", "score (first)", "ann1", "doc-7:0", "B", 50, 0),
        ("wmt23 ces-deu", "score (first)", "ann1", "doc-7:1", "A", 90, 0),
    ]
    spans = {span for one in bundle.ratings for span in one.spans}
    assert {(s.severity, s.category, s.start, s.end) for s in spans} == {
        ("major", "Style/Awkward", 1, 4),
        ("minor", "Accuracy/Omission", None, None),
    }
    assert any("nobody was asked for one" in told for told in bundle.understood)
    assert [(one.subject, one.value) for one in bundle.guesses] == [
        ("items", "the place in the document")
    ]


def test_what_is_no_judgment_is_named(write) -> None:
    path = write(lines(FIRST[0], ["ann1", "A", "x"]))
    with pytest.raises(ImportFormatError, match="line 2"):
        read_paths([path])
    path = write(lines(row("ann1", "A", 0, 1, "d", errors='[{"severity": "odd"}]')))
    with pytest.raises(ImportFormatError, match="known severity"):
        read_paths([path])
