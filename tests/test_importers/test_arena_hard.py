"""Judgments of Arena-Hard, in files of our own making."""

import json

import pytest

from store.errors import ImportFormatError
from store.importers.detect import read_paths


def judged(question, *scores, model="net", **more):
    games = [None if score == "" else {"score": score} for score in scores]
    return json.dumps(
        {"question_id": question, "model": model, "judge": "j", "games": games} | more
    )


@pytest.fixture
def read(write, tmp_path):
    def make(**files):
        for name, lines in files.items():
            write("\n".join(lines) + "\n", f"arena-hard-v0.1/model_judgment/j/{name}.jsonl")
        return read_paths([tmp_path / "arena-hard-v0.1"], root=tmp_path)

    return make


def choices(bundle):
    items = [item.key for item in bundle.datasets[0].items]
    return [(items[p.item], p.first, p.second, p.choice, p.replicate) for p in bundle.preferences]


def test_the_model_is_shown_second_first(read) -> None:
    (bundle,) = read(
        net=[judged("q1", "A>>B", "A>B"), judged("q2", "A=B", None), judged("q3", "")],
        other=[judged("q1", "B>A", "B>>A", model="other")],
    ).bundles
    assert choices(bundle) == [
        ("q1", "baseline", "net", "first", 0),
        ("q1", "net", "baseline", "first", 1),
        ("q2", "baseline", "net", "tie", 0),
        ("q1", "baseline", "other", "second", 0),
        ("q1", "other", "baseline", "second", 1),
    ]
    assert (bundle.format, bundle.annotators) == ("arena_hard", {"j": "model"})
    assert all(one.order_known for one in bundle.preferences)
    assert any("2 games without a verdict" in told for told in bundle.understood)
    assert {(g.subject, g.value) for g in bundle.guesses} == {
        ("dataset", "arena-hard-v0.1"),
        ("system", "baseline"),
    }


def test_newer_files_name_the_baseline_and_a_category(read) -> None:
    line = json.loads(judged("q1", "A>B", baseline="o3", category="creative_writing"))
    (bundle,) = read(net=[json.dumps({"uid": line.pop("question_id"), **line})]).bundles
    assert choices(bundle) == [("q1", "o3", "net", "first", 0)]
    assert bundle.datasets[0].items[0].metadata == {"category": "creative_writing"}
    assert [g.subject for g in bundle.guesses] == ["dataset"]


def test_what_is_no_judgment(read, write, tmp_path) -> None:
    found = read(net=[judged("q1", None, None)], cut=[judged("q1", "A>B"), judged("", "A>B")])
    assert [b.files[0].path.rpartition("/")[2] for b in found.bundles] == []
    assert any("its model and its games are wanted" in one.reason for one in found.left_out)
    path = write(judged("q1", "A>B") + "\n" + judged("q2", "A>B", model=7) + "\n", "bad.jsonl")
    with pytest.raises(ImportFormatError, match="games are wanted"):
        read_paths([path])
