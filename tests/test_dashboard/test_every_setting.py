"""Every setting of every question, in an address: the page answers as the command does."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from analysis.questions import QUESTIONS
from analysis.setting import Field, build, fields_of, parameters
from store.engine import Store, open_store
from store.errors import StoreError
from store.ingest import ingest
from tests.test_dashboard.test_humans_power import rated

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]

WHERE = {"dataset": "news", "metric": "near"}
PAIR = {"a": "system 7", "b": "system 5"}


class Shown(NamedTuple):
    """A question on its page."""

    page: str
    given: dict[str, Any]
    """Settings that say what is asked about."""
    hidden: tuple[str, ...] = ()
    """Settings that the page does not offer, or names otherwise."""
    address: dict[str, str] | None = None
    """How the address says `given`, where it has other names for it."""


SHOWN = {
    "leaderboard": Shown("leaderboard", WHERE),
    "pairs": Shown("pairs", WHERE),
    "compare": Shown("compare", WHERE | PAIR),
    "replicability": Shown(
        "across_datasets", PAIR | {"metric": "near"}, ("reported", "systems", "pairs")
    ),
    "rank": Shown("ranking", {"metric": "near"}, ("reported",)),
    "agreement": Shown(
        "annotators",
        {"dataset": "news", "gold": "fluency"},
        address={"dataset": "news", "criterion": "fluency"},
    ),
    "correlate": Shown(
        "metrics_humans", {"dataset": "news", "gold": "fluency"}, ("ties", "consensus", "weights")
    ),
}
OTHER = {"margin": 0.25, "delta": 0.05, "shuffle_seed": 3, "unit_size": 2, "seed": 5, "target": 1.5}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a store with two rated datasets."""
    path = tmp_path_factory.mktemp("settings") / "s.db"
    opened = open_store(path, create=True)
    for seed, name in enumerate(("news", "talks")):
        ingest(opened, rated(name, seed), actor="tests")
    yield opened
    opened.close()


def asked(question: str) -> Iterator[tuple[Field, Any]]:
    """Yield each setting with a value that is not its default."""
    shown = SHOWN[question]
    for each in fields_of(QUESTIONS[question]):
        if each.name in shown.given or each.name in shown.hidden:
            continue
        others = [v for v in (*each.choices, *each.setting.offered) if v != each.default]
        if others or each.name in OTHER:
            yield each, OTHER[each.name] if each.name in OTHER else others[-1]


def together(question: str, store: Store) -> list[dict[str, tuple[Field, Any]]]:
    """Return the settings in sets that one answer takes; what is refused stands alone."""
    sets: list[dict[str, tuple[Field, Any]]] = [{}]
    for each, value in asked(question):
        more = {**sets[0], each.name: (each, value)}
        given = {name: value for name, (_, value) in more.items()}
        try:
            build(QUESTIONS[question], SHOWN[question].given | given).answer(store)
        except StoreError:
            sets.append({each.name: (each, value)})
        else:
            sets[0] = more
    return sets


@pytest.mark.parametrize("question", SHOWN)
def test_page_and_command_answer_alike(
    open_page: OpenPage, text_of: TextOf, store: Store, question: str
) -> None:
    """The signature holds every setting, so that a page which drops one is found in a set too."""
    shown = SHOWN[question]
    sets = together(question, store)
    assert any(sets), question
    for chosen in sets:
        written = {name: each.write(value) for name, (each, value) in chosen.items()}
        address = (shown.address or shown.given) | written
        app = open_page(shown.page, Path(store.location.removeprefix("sqlite:///")), **address)
        assert not app.exception, written
        told = text_of(app)
        given = {name: value for name, (_, value) in chosen.items()}
        try:
            study = build(QUESTIONS[question], shown.given | given).answer(store)
            expected = [study.sentence, study.signature]
        except StoreError as error:
            expected = [str(error)]
        assert [text for text in expected if text not in told] == [], written


@pytest.mark.parametrize("question", SHOWN)
def test_a_link_that_says_everything_opens(
    open_page: OpenPage, text_of: TextOf, store: Store, question: str
) -> None:
    shown = SHOWN[question]
    whole = parameters(build(QUESTIONS[question], shown.given), whole=True)
    own = {*shown.hidden, *shown.given}
    address = {name: text for name, text in whole.items() if name not in own}
    address |= shown.address or shown.given
    app = open_page(shown.page, Path(store.location.removeprefix("sqlite:///")), **address)
    assert "The link asks for" not in text_of(app)
    assert build(QUESTIONS[question], shown.given).answer(store).sentence in text_of(app)


def test_what_a_page_leaves_out_is_little() -> None:
    for question, shown in SHOWN.items():
        known = {each.name for each, _ in asked(question)} | set(shown.given) | set(shown.hidden)
        rest = {f.name for f in fields_of(QUESTIONS[question]) if f.kind not in ("text", "names")}
        assert rest <= known, question


PLANS = {"power mcnemar": {"accuracy": 0.8, "gap": 0.02, "n": 500}, "power bleu": {"delta": 1.0}}


@pytest.mark.parametrize("question", [*SHOWN, *PLANS])
def test_an_answer_goes_from_one_process_to_another(store: Store, question: str) -> None:
    given = SHOWN[question].given if question in SHOWN else PLANS[question] | {"n": 2_000}
    study = build(QUESTIONS[question], given).answer(store)
    again = pickle.loads(pickle.dumps(study))
    assert repr(again.to_dict()) == repr(study.to_dict())
