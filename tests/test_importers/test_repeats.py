"""Tables in which an item of a system has several rows: what is guessed, and what is advised."""

import numpy as np
import pytest

from store.errors import ImportFormatError


def scores(bundle):
    return {
        (run.system, one.trial): one.values[:, 0].tolist()
        for run in bundle.runs
        for one in run.scores
    }


def keys(bundle):
    return [item.key for item in bundle.datasets[0].items]


def guesses(bundle):
    return {one.subject: one.value for one in bundle.guesses}


def test_a_column_that_counts_attempts_is_the_trial(read) -> None:
    rows = "A,1,q1,0\nA,2,q1,1\nA,1,q2,1\n"
    bundle = read("model,attempt,id,acc\n" + rows, dataset="d")
    assert scores(bundle)["A", 0] == [0, 1]
    assert np.isnan(scores(bundle)["A", 1]).tolist() == [False, True]
    assert guesses(bundle)["trial"] == "attempt"


def test_names_that_begin_anew_in_each_category_are_other_items(read) -> None:
    rows = "A,law,1,0\nA,law,2,1\nA,art,1,1\n"
    bundle = read("model,category,id,acc\n" + rows, dataset="d")
    assert keys(bundle) == ["law/1", "law/2", "art/1"]
    assert guesses(bundle)["item"] == "{category}/{id}"
    assert bundle.datasets[0].items[0].metadata == {"category": "law"}


def test_items_that_all_stand_equally_often_are_repeated_in_their_order(read) -> None:
    bundle = read("model,id,acc\nA,1,0\nA,2,1\nA,1,1\nA,2,1\n", dataset="d")
    assert scores(bundle) == {("A", 0): [0, 1], ("A", 1): [1, 1]}
    assert guesses(bundle)["trial"] == "the order of the rows"


def test_a_question_that_stands_twice_is_two_items(read) -> None:
    bundle = read("model,question,acc\nA,why,0\nA,how,1\nA,why,1\nB,why,1\nB,how,1\nB,why,0\n",
                  dataset="d")  # fmt: skip
    assert keys(bundle) == ["why", "how", "why (2)"]
    assert scores(bundle) == {("A", 0): [0, 1, 1], ("B", 0): [1, 1, 0]}


def test_an_id_with_other_questions_is_refused(read) -> None:
    table = "model,id,question,acc\nA,1,why,0\nA,2,how,1\nA,1,who,1\nA,2,what,1\n"
    with pytest.raises(ImportFormatError, match="the input of one item changes"):
        read(table, dataset="d")


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        (
            "model,n_words,id,acc\nA,0.5,1,0\nA,0.5,2,1\nA,1,1,1\n",
            r"They differ in 'n_words': --column trial=n_words where it counts repeats",
        ),
        (
            "model,id,acc\nA,1,0\nA,2,1\nA,1,1\n",
            r"number them in a column of their own: .* --column item=@line\.",
        ),
        (
            "model,id,acc\nA,1,0\nA,2,1\nA,1,1\nB,1,1\n",
            r"number them in a column of their own: --column trial=NAME\. Mend",
        ),
    ],
)
def test_the_advice_fits_what_the_table_has(read, table, advice) -> None:
    with pytest.raises(ImportFormatError, match=advice):
        read(table, dataset="d")


def test_columns_of_models_and_modes_make_systems(read) -> None:
    text = "id,embedding_model,mode,found,correct\n" + "".join(
        f"q{item},{model},{mode},x{item}{model}{mode},{int(model == 'e5')}\n"
        for item in (1, 2)
        for model in ("e5", "bge")
        for mode in ("direct", "translated")
    )
    bundle = read(text, "rag/eval.csv")
    assert scores(bundle) == {
        ("e5 (mode=direct)", 0): [1, 1],
        ("e5 (mode=translated)", 0): [1, 1],
        ("bge (mode=direct)", 0): [0, 0],
        ("bge (mode=translated)", 0): [0, 0],
    }
    assert guesses(bundle)["system"] == "{embedding_model} (mode={mode})"
    assert not any("YAML" in told for told in bundle.understood)


def test_settings_beside_trials_are_parts_of_systems(read) -> None:
    rows = "A,0.1,1,q1,1\nA,0.1,2,q1,0\nA,0.7,1,q1,1\nA,0.7,2,q1,1\n"
    bundle = read("model,temperature,trial,item,accuracy\n" + rows, "rag/eval.csv")
    assert scores(bundle) == {
        ("A (temperature=0.1)", 0): [1],
        ("A (temperature=0.1)", 1): [0],
        ("A (temperature=0.7)", 0): [1],
        ("A (temperature=0.7)", 1): [1],
    }
