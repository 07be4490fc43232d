"""Which names of items identify them."""

import pytest

from store.item_names import is_telling, only_count


@pytest.mark.parametrize(
    "key",
    [
        *("17", "0", "-3", "1.2", "#5", "000000000017", "20261121"),
        *("item_17", "Item 17", "ITEM17", "test-17", "row 3", "line 7", "q1", "i000", "x"),
        *("test/item/3", "TestItem3", "doc_id: 4", "questions-12", "train_000012", "1873_A", ""),
    ],
)
def test_a_name_that_only_counts_is_not_telling(key):
    assert not is_telling(key)


@pytest.mark.parametrize(
    "key",
    [
        *("django__django-11099", "HumanEval/17", "en_partut-ud-1", "story.save", "abc301_a"),
        *("apple", "水", "Straße 3", "wer?", "items of note 3"),
        *("5726472bdd62a8", "7f3c9a51-0000-4000-8000-000000000000", "264183816548130816"),
    ],
)
def test_a_name_with_a_word_or_a_fingerprint_is_telling(key):
    assert is_telling(key)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["0", "1", "2"], True),
        (["q07", "q08", "q09", "q10"], True),
        (["1"], True),
        ([], False),
        (["1", "2", "4"], False),
        (["2", "1"], False),
        (["a1", "b2"], False),
        (["a", "b"], False),
        (["1", "2", "x"], False),
        (["9999999999", "10000000000"], False),
    ],
)
def test_only_count(keys, expected):
    assert only_count(keys) is expected
