"""Compare two, All pairs, Items and Ad hoc: what a reader can ask, and links that ask too much."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


def test_a_pair_gets_a_verdict_a_test_and_its_items(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page(
        "compare", filled_path, a="Extra trees 100", b="LDA", dataset="digits", metric="accuracy"
    )
    assert not app.exception
    text = text_of(app)
    assert "Extra trees 100 is better than LDA on digits with 899 items" in text
    assert "Sign-flip permutation test, exact" in text
    assert "Item by item" in text
    card, badge = (block.value for block in app.code)
    assert "Extra trees 100 is better than LDA: +" in card
    assert "/api/v1/compare/card.svg?" in card
    assert "/api/v1/compare/badge.svg?" in badge
    figures = card.split("LDA: ")[1].split(";")[0]  # the numbers of the sentence
    gap, ends, items = figures.replace(" (", "|").replace("), ", "|").split("|")
    assert f"a difference of {gap} (95 % interval {ends})" in text
    assert f"with {items}" in text


def test_an_unknown_name_gets_no_answer_about_somebody_else(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("compare", filled_path, a="Extra trees", b="LDA", dataset="digits")
    assert not app.exception
    assert "Did you mean 'Extra trees 100'" in text_of(app)
    assert "p " not in text_of(app)
    app.button[0].click().run()
    assert "LDA" in text_of(app)
    assert "items" in text_of(app)


def test_an_identical_choice_of_system_falls_back_with_a_word(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("compare", filled_path, a="LDA", b="LDA")
    assert not app.exception
    assert "The link asks for 'LDA' as System B" in text_of(app).replace("\\", "")


@pytest.mark.parametrize(
    ("page", "parameter"),
    [
        ("compare", "test"),
        ("compare", "alpha"),
        ("compare", "dataset"),
        ("pairs", "correction"),
        ("pairs", "order"),
        ("items", "sort"),
        ("items", "item"),
        ("adhoc", "test"),
    ],
)
def test_a_link_that_asks_for_nonsense_is_told_so(
    open_page: OpenPage, text_of: TextOf, filled_path: Path, page: str, parameter: str
) -> None:
    app = open_page(page, filled_path, **{parameter: "no such thing"})
    assert not app.exception
    assert "no such thing" in text_of(app).replace("\\", "")


def test_mcnemar_on_graded_scores_is_explained_and_no_traceback(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    pair = {"a": "LDA", "b": "Extra trees 100", "metric": "gold_probability"}
    app = open_page("compare", filled_path, test="exact McNemar test", **pair)
    assert not app.exception
    assert "Use 'permutation' for graded scores" in text_of(app).replace("\\", "")


def test_all_pairs_in_every_order_and_correction(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    for correction in ("Holm", "Benjamini–Hochberg", "step-down max-T", "no correction"):
        for order in ("score", "name", "likeness"):
            app = open_page(
                "pairs", filled_path, dataset="digits", correction=correction, order=order
            )
            assert not app.exception
            assert "of 105 pairs of systems on digits" in text_of(app)
            assert len(app.get("bidi_component")) > 2  # two are of the address


def test_pasted_scores_are_read_and_a_bad_line_is_named(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("adhoc", filled_path)
    assert not app.exception
    assert "made-up scores" in text_of(app)
    app.text_area(key="pasted").set_value("0.9 0.1\n0.8 0.2\n0.7 x\n").run()
    assert not app.exception
    assert "line 3" in text_of(app)
    app.text_area(key="pasted").set_value("\n".join(f"{k} {k - 6}" for k in range(12))).run()
    assert not app.exception
    assert "A is better than B with 12 items" in text_of(app)
    named = "\n".join(["mine,base", *(f"{k},{k - 6}" for k in range(12))])
    app.text_area(key="pasted").set_value(named).run()
    assert "mine is better than base with 12 items" in text_of(app)


def test_a_dropped_file_is_called_by_its_name(open_page: OpenPage, text_of: TextOf) -> None:
    app = open_page("adhoc", None)
    app.file_uploader[0].upload("scores.txt", b"0.5 0.6\n0.7 x\n", "text/plain").run()
    assert "scores.txt, line 2" in text_of(app)
    assert "scratch" not in text_of(app)
    app.file_uploader[0].upload("scores.txt", b"net base\n.5 .4\n.7 .4\n.8 .4\n", "text/plain")
    app.run()
    assert "net" in text_of(app)


def test_a_family_of_before_leads_to_that_of_today(open_page: OpenPage, filled_path: Path) -> None:
    app = open_page("compare", filled_path, a="LDA", b="k-NN 5", dataset="iris", family="Holm")
    assert not app.exception
    told = [block.proto.json for block in app.get("bidi_component")]
    assert any("correction=holm" in (text or "") and "family=board" in text for text in told)


def test_compare_opens_on_the_two_best_of_a_board(
    open_page: OpenPage, full_link: Callable[[AppTest], str], filled_path: Path
) -> None:
    link = full_link(open_page("compare", filled_path, dataset="digits"))
    assert "a=Extra+trees+100&" in link
    assert "b=RBF+SVM+%28calibrated%29&" in link
    link = full_link(open_page("compare", filled_path, a="LDA", dataset="digits"))
    assert "a=LDA&" in link
    assert "b=RBF+SVM+%28calibrated%29&" in link
