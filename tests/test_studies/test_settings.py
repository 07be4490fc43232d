"""Settings that are declared once: their values in an address, in a command, and refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from analysis.choices import Clusters, Level, SystemNames
from analysis.question import Question
from analysis.questions import QUESTIONS
from analysis.setting import Field, Setting, build, fields_of, names, parameters, values_of
from analysis.studies.comparison import Compare
from analysis.studies.pair_analysis import PairSettings
from store.errors import StoreError

FIELDS = [(name, each) for name, question in QUESTIONS.items() for each in fields_of(question)]


@dataclass(frozen=True)
class Inner:
    alpha: Level = 0.05
    clusters: Clusters = None


@dataclass(frozen=True)
class Outer:
    who: Annotated[str, Setting("Who.")]
    kind: Annotated[Literal["a", "b"], Setting("Kind.", words={"a": "the first"})] = "a"
    inner: Inner = Inner()
    some: SystemNames = None


def field(name: str) -> Field:
    return next(each for each in fields_of(Outer) if each.name == name)


def some_values(each: Field) -> list[Any]:
    if each.choices:
        return list(each.choices)
    some = {"whole": [1, 20_000], "number": [0.01, 0.1 + 0.2], "text": ["x, y", "é"]}
    return [*each.setting.offered, *some.get(each.kind, ["x"])]


def test_every_value_comes_back_from_the_address() -> None:
    for question, each in FIELDS:
        for value in some_values(each):
            read = each.read(each.write(value))
            same = read == (pytest.approx(value, rel=1e-11) if value == 0.1 + 0.2 else value)
            assert same, (question, each.name, value)
            if each.choices:  # as addresses of earlier releases have it
                assert each.read(each.in_words(value)) == value, (question, each.name, value)


def test_a_value_that_is_none_is_refused_by_name() -> None:
    for _, each in FIELDS:
        if each.kind not in ("text", "names"):
            with pytest.raises(StoreError, match=f"`{each.name}` must"):
                each.read("no-such-thing")


def test_defaults_are_among_the_choices() -> None:
    for _, each in FIELDS:
        if each.choices:
            assert each.default in each.choices or each.required


def test_settings_inside_stand_in_their_place_and_are_built() -> None:
    assert [each.name for each in fields_of(Outer)] == ["who", "kind", "alpha", "clusters", "some"]
    built = build(Outer, {"who": "x", "alpha": 0.1, "clusters": True})
    assert built == Outer("x", inner=Inner(0.1, True))
    assert values_of(built)["alpha"] == 0.1
    assert parameters(built) == {"who": "x", "alpha": "0.1", "clusters": "yes"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("alpha", "1.5", "must lie between 0 and 1, got 1.5"),
        ("alpha", "nan", "must be a finite number"),
        ("alpha", "x", "must be a number, got 'x'"),
        ("kind", "aa", "must be one of a, b, got 'aa'. Did you mean 'a'"),
        ("clusters", "maybe", "must be one of auto, no, yes"),
    ],
)
def test_a_bad_value_says_what_there_is(name: str, text: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        field(name).read(text)


def test_a_value_out_of_range_is_refused_when_a_question_is_built() -> None:
    with pytest.raises(StoreError, match="`n_resamples` must"):
        build(Compare, {"a": "x", "b": "y", "n_resamples": 0})
    with pytest.raises(StoreError, match="`margin` must be above 0"):
        build(PairSettings, {"margin": -1.0})


def test_questions_can_be_keys() -> None:
    assert hash(Compare("a", "b")) == hash(Compare("a", "b"))
    assert all(issubclass(question, Question) for question in QUESTIONS.values())


def test_names_in_commas_keep_commas_in_quotes() -> None:
    assert names('a, "b, c"') == ["a", "b, c"]
    assert names(None) is None
