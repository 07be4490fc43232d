"""Words of right and wrong are scores, of one system or in a column for each."""

import pytest

from .generic_scores import scores


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("correct", "incorrect"), ("PASS", "FAIL"), ("✓", "✗"), ("solved", "not solved")],
)
def test_words_of_right_and_wrong_are_one_and_zero(read, right, wrong) -> None:
    text = f"model,item,verdict\nA,q1,{right}\nA,q2,{wrong}\nA,q3,\n"
    bundle = read(text, dataset="d")
    assert scores(bundle) == {("A", "d", "", "verdict", 0): {"q1": 1, "q2": 0}}
    (metric,) = bundle.metrics
    assert metric.higher_is_better
    assert "Words of right and wrong taken for 1 and 0: verdict." in bundle.understood


def test_a_direction_that_is_stated_goes_before_the_words(read) -> None:
    text = "model,item,attack\nA,q1,success\nA,q2,failure\n"
    (metric,) = read(text, dataset="d", directions={"attack": False}).metrics
    assert not metric.higher_is_better


def test_words_in_a_column_for_each_system_are_its_scores(read) -> None:
    text = "id,label,bert-base,roberta\n1,pos,correct,wrong\n2,neg,wrong,wrong\n"
    assert scores(read(text, dataset="d")) == {
        ("bert-base", "d", "", "score", 0): {"1": 1, "2": 0},
        ("roberta", "d", "", "score", 0): {"1": 0, "2": 0},
    }


def test_other_words_are_no_scores(read) -> None:
    text = "model,item,kind,acc\nA,q1,correct,1\nA,q2,odd,0\n"
    assert [metric.name for metric in read(text, dataset="d").metrics] == ["acc"]
