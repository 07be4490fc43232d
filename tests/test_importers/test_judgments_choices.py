"""Tables of preferences, long and as workers and items, exactly, and what is said of faults."""

import pytest

from store.errors import ImportFormatError


def choices(bundle):
    """Return (annotator, item, first, second, replicate) -> choice."""
    items = bundle.datasets[0].items
    return {
        (one.annotator, items[one.item].key, one.first, one.second, one.replicate): one.choice
        for one in bundle.preferences
    }


def test_long_table(read) -> None:
    bundle = read(
        "annotator,item,first,second,criterion,choice,strength,order_known,first_length,"
        "second_length,replicate,annotator_kind\n"
        "gpt,1,A,B,overall,second,0.9,true,10,20,0,model\n"
        "gpt,1,B,A,overall,tie,0.5,no,20,10,1,model\n",
        dataset="d",
    )
    assert bundle.format == "judgments"
    assert choices(bundle) == {
        ("gpt", "1", "A", "B", 0): "second",
        ("gpt", "1", "B", "A", 1): "tie",
    }
    first, second = bundle.preferences
    assert (first.strength, first.order_known, first.first_length, first.second_length) == (
        0.9, True, 10, 20,
    )  # fmt: skip
    assert not second.order_known
    assert bundle.annotators == {"gpt": "model"}
    (criterion,) = bundle.criteria
    assert (criterion.name, criterion.kind) == ("overall", "preference")


def test_a_column_of_verdicts_for_each_annotator(read) -> None:
    bundle = read(
        "question_id,model_1,model_2,winner1,winner2\n7,one,two,model_1,tie\n8,one,two,model_2,\n",
        dataset="d",
    )
    assert choices(bundle) == {
        ("annotator 1", "7", "one", "two", 0): "first",
        ("annotator 2", "7", "one", "two", 0): "tie",
        ("annotator 1", "8", "one", "two", 0): "second",
    }


@pytest.mark.parametrize("names", ["model_a,model_b,turn,winner,judge",
                                   "system_a,system_b,turn,winner,annotator"])  # fmt: skip
def test_the_turns_of_a_question_are_items(read, names) -> None:
    lines = f"question_id,{names}\n7,one,two,1,tie,j\n"
    both = read(lines + "7,one,two,2,model_a,j\n", dataset="d")
    assert choices(both) == {
        ("j", "7 turn 1", "one", "two", 0): "tie",
        ("j", "7 turn 2", "one", "two", 0): "first",
    }
    one = read(lines + "8,one,two,3,model_a,j\n", dataset="d")  # how many turns it had
    assert {item.key for item in one.datasets[0].items} == {"7", "8"}


@pytest.mark.parametrize(
    ("word", "choice"),
    [
        ("first", "first"), ("2", "second"), ("2.0", "second"), ("A", "first"), ("b", "second"),
        ("Left", "first"), ("right", "second"), ("Tie", "tie"), ("tie (bothbad)", "tie"),
        ("both", "tie"), ("no preference", "tie"), ("one", "first"), ("two", "second"),
        ("model_a", "first"), ("model_b", "second"),
    ],
)  # fmt: skip
def test_words_of_choices(read, word, choice) -> None:
    text = f"question_id,model_a,model_b,winner,judge\n7,one,two,{word},j\n"
    assert choices(read(text, dataset="d")) == {("j", "7", "one", "two", 0): choice}


def test_a_word_that_is_a_name_of_the_other_side(read) -> None:
    text = "annotator,item,system_a,system_b,choice\na,1,B,A,A\n"
    with pytest.raises(ImportFormatError, match="'A' is the name of a system and may also mean"):
        read(text, dataset="d")
    by_name = read(text, dataset="d", choices={"A": "A"})
    by_side = read(text, dataset="d", choices={"A": "first"})
    assert [one.choice for b in (by_name, by_side) for one in b.preferences] == ["second", "first"]
    agreed = text.replace("B,A,A", "A,B,A")
    assert read(agreed, dataset="d").preferences[0].choice == "first"


def test_strength_alone_decides(read) -> None:
    text = (
        "model,item,win,len_model,len_base\n"
        "A,1,0.7,5,6\nA,2,.5,5,6\nA,3,0.2,5,6\nA,4,,5,6\nbase,1,0.5,6,6\n"
    )
    bundle = read(
        text,
        dataset="d",
        columns={
            "second": "model",
            "strength": "win",
            "first_length": "len_base",
            "second_length": "len_model",
        },
        choices={"first": "base", "annotator": "gpt", "kind": "model"},
    )
    assert bundle.format == "judgments"
    assert [(one.choice, one.strength) for one in bundle.preferences] == [
        ("second", 0.7), ("tie", 0.5), ("first", 0.2),
    ]  # fmt: skip
    assert {(one.first, one.first_length, one.second_length) for one in bundle.preferences} == {
        ("base", 6, 5)
    }
    assert bundle.annotators == {"gpt": "model"}
    told = " ".join(bundle.understood)
    assert "1 line holds no choice" in told
    assert "1 line compares a system with itself" in told
    assert "order in which the outputs were shown is not known" in told


def test_order_as_shown(read) -> None:
    text = "annotator,item,first,second,choice\na,1,A,B,first\n"
    assert not read(text, dataset="d").preferences[0].order_known
    shown = read(text, dataset="d", choices={"order": "shown"})
    assert shown.preferences[0].order_known


def test_workers_and_items(read) -> None:
    bundle = read(
        "blue,blue,red\nblue,red,\nred,same,red\n",
        format="judgments",
        dataset="d",
        choices={"red": "B", "blue": "A", "same": "tie"},
    )
    found = choices(bundle)
    assert len(found) == 8
    assert found["annotator 1", "1", "B", "A", 0] == "second"
    assert found["annotator 3", "1", "B", "A", 0] == "first"
    assert found["annotator 2", "3", "B", "A", 0] == "tie"
    assert not any(one.order_known for one in bundle.preferences)
    assert bundle.ratings == []


def test_workers_and_items_with_sides(read) -> None:
    bundle = read(
        "item,ann,bob\nx,first,tie\ny,second,first\n",
        format="judgments",
        dataset="d",
        choices={"first": "A", "second": "B"},
    )
    assert choices(bundle) == {
        ("ann", "x", "A", "B", 0): "first",
        ("bob", "x", "A", "B", 0): "tie",
        ("ann", "y", "A", "B", 0): "second",
        ("bob", "y", "A", "B", 0): "first",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"red": "B", "blue": "A", "green": "A"}, "no option 'green', and no cell holds this word"),
        ({"red": "B"}, "a choice is between two systems, but the options name 1: B"),
        ({"red": "B", "blue": "A"}, "'root' is no choice between 'B' and 'A'"),
        ({"red": "B", "blue": "A", "root": "C"}, "the options name 3: B, A, C"),
    ],
)
def test_faults_of_workers_and_items(read, options, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read("blue,red\nred,root\nroot,blue\n", format="judgments", dataset="d", choices=options)


HEAD = "annotator,item,first,second,choice,strength,order_known,first_length\n"


@pytest.mark.parametrize(
    ("row", "field", "message"),
    [
        ("a,1,A,B,C,,,", "choice", "'C' is no choice between 'A' and 'B'"),
        ("a,1,A,,first,,,", "second", "one of the two systems is not named"),
        ("a,1,A,B,first,1.5,,", "strength", "the strength 1.5 is no probability"),
        ("a,1,A,B,,1.9,,", "strength", "the strength 1.9 is no probability"),
        ("a,1,A,B,,sure,,", "strength", "'sure' is not a number"),
        ("a,1,A,B,first,,maybe,", "order_known", "'maybe' does not say whether the order is"),
        ("a,1,A,B,first,,,long", "first_length", "the length 'long' is no number of characters"),
        (f"a,1,A,B,first,,,{'9' * 20}", "first_length", "is no number of characters"),
        ("a,1,A,B,first,,,\na,1,B,A,first,,,", "choice", "'a' has compared these two in line 2"),
    ],
)
def test_faults_of_pairs(read, row, field, message) -> None:
    with pytest.raises(ImportFormatError, match=message) as raised:
        read(f"{HEAD}{row}\n", dataset="d")
    assert raised.value.line in (2, 3)
    assert raised.value.field == field


def test_what_is_missing_is_asked_for(read) -> None:
    with pytest.raises(ImportFormatError, match="does not say who judged"):
        read("item,first,second,choice\n1,A,B,first\n", dataset="d")
    with pytest.raises(ImportFormatError, match="does not say which one was chosen"):
        read("annotator,item,first,second\na,1,A,B\n", dataset="d")


def test_repeats_can_be_counted(read) -> None:
    text = "annotator,item,first,second,choice\na,1,A,B,first\na,1,B,A,first\n"
    bundle = read(text, dataset="d", choices={"repeats": "count"})
    assert choices(bundle) == {("a", "1", "A", "B", 0): "first", ("a", "1", "B", "A", 1): "first"}


def test_aliases_hold_for_both_sides(read) -> None:
    bundle = read(
        "annotator,item,first,second,choice\na,1,Sys-A,B,Sys-A\n",
        yaml="aliases: {A: [Sys-A]}\n",
        dataset="d",
    )
    assert choices(bundle) == {("a", "1", "A", "B", 0): "first"}


def test_judges_called_like_language_models_are_models(read) -> None:
    bundle = read(
        "judge,item,first,second,choice\ngpt-4,1,A,B,A\nclaude,1,A,B,B\n", dataset="d",
        choices={"A": "A", "B": "B"},
    )  # fmt: skip
    assert bundle.annotators == {"gpt-4": "model", "claude": "model"}
    assert [c.name for c in bundle.criteria] == ["preference by gpt-4", "preference by claude"]
    assert any(guess.value == "model" for guess in bundle.guesses)


def test_people_stay_one_panel(read) -> None:
    text = "judge,item,first,second,choice\nClaude,1,X,Y,first\nAnna,1,X,Y,second\n"
    bundle = read(text, dataset="d")
    assert not bundle.annotators
    assert len(bundle.criteria) == 1


def test_a_baseline_beside_the_system_is_the_other_side(read) -> None:
    bundle = read(
        "item_id,system,baseline,judge,winner\n"
        "1,A,B,gpt,system\n1,C,B,gpt,B\n2,A,B,gpt,win\n2,C,B,gpt,lose\n3,A,B,gpt,tie\n",
        dataset="d",
    )
    assert bundle.format == "judgments"
    assert choices(bundle) == {
        ("gpt", "1", "A", "B", 0): "first",
        ("gpt", "1", "C", "B", 0): "second",
        ("gpt", "2", "A", "B", 0): "first",
        ("gpt", "2", "C", "B", 0): "second",
        ("gpt", "3", "A", "B", 0): "tie",
    }
