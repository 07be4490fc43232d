"""Numbers and names as papers print them."""

import math

import pytest

from store.importers.cells import CellError
from store.importers.printed import parse_printed, plain_name, plain_names


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("90.73", 90.73),
        ("(0.0979)", 0.0979),
        ("(0.0979*)", 0.0979),
        ("10^-4", 1e-4),
        ("( $10^{-4}$ )", 1e-4),
        ("10⁻⁴", 1e-4),
        ("2·10^-4", 2e-4),
        ("( $2 \\cdot 10^{-4}$ )", 2e-4),
        ("2 × 10^-4", 2e-4),
        ("2e^-5", 2e-5),
        ("$2e^{-5}$", 2e-5),
        ("1.12e-08", 1.12e-8),
        ("1.9e − 06", 1.9e-6),
        ("p = .03", 0.03),
        (".001", 0.001),
        ("−0.5", -0.5),
        ("**90.7**", 90.7),
        ("__90.7__", 90.7),
        ("*90.7*", 90.7),
        ("<b>16</b>", 16.0),
        (r"\textbf{90.1}", 90.1),
        ("90.7*", 90.7),
        ("**90.7***", 90.7),
        ("90.7†", 90.7),
        ("90.7+", 90.7),
        ("$90.7^{*,+}$", 90.7),
        ("11,873", 11873.0),
        ("1,234.5", 1234.5),
        (0.25, 0.25),
        (3, 3.0),
    ],
)
def test_numbers_are_read_exactly(cell, value) -> None:
    assert parse_printed(cell).value == value


def test_what_stands_around_a_number_is_kept() -> None:
    bound = parse_printed("< .001**")
    assert (bound.value, bound.is_upper_bound, bound.marks) == (0.001, True, "**")
    assert parse_printed("p ≤ .05").is_upper_bound
    assert parse_printed("74.4%").is_percent
    assert parse_printed("11,873").is_grouped
    assert not parse_printed("90.7").is_upper_bound


@pytest.mark.parametrize(
    "cell",
    ["90.7 ± 0.2", "90.7±0.2", "90.7 +/- 0.2", r"$90.7\pm0.2$", r"$90.7_{\pm 0.2}$", "90.7 (±0.2)",
     "**90.7** ± 0.2", "90.7% ± 0.2%"],
)  # fmt: skip
def test_a_spread_behind_a_number_is_no_part_of_it(cell) -> None:
    number = parse_printed(cell)
    assert (number.value, number.has_spread) == (90.7, True)


@pytest.mark.parametrize("cell", ["", "-", "–", "N/A", None, "( - )"])
def test_nothing_is_missing(cell) -> None:
    assert math.isnan(parse_printed(cell).value)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("n.s.", r"'n.s.' is not a number"),
        ("> .05", r"'> .05' states only that the value is larger"),
        ("0,75", r"'0,75' has a decimal comma; write 0.75"),
        ("90.7 ±", r"'90.7 ±' is not a number"),
        ("<", r"'<' states no number"),
        ("12 (3)", r"is not a number"),
        ("1e999", r"is infinite|too large"),
        ([1], r"holds a list or an object"),
    ],
)
def test_what_cannot_be_read_is_said(cell, message) -> None:
    with pytest.raises(CellError, match=message):
        parse_printed(cell)


@pytest.mark.parametrize(
    ("printed", "plain"),
    [
        ("Tamil*", "Tamil"),
        ("Model †", "Model"),
        ("**Mate**", "Mate"),
        ("K→D*,+", "K→D"),
        (r"$K \rightarrow D^{*,+}$", "K → D"),
        ("WS353 <sup>*,+</sup>", "WS353"),
        ("<i>Verb</i>-143", "Verb-143"),
        ("A^+", "A"),
        ("chrF+", "chrF+"),
        ("C++", "C++"),
        ("Char→Tag", "Char→Tag"),
        ("*", "*"),
    ],
)
def test_names_lose_marks_but_not_a_plus_of_their_own(printed, plain) -> None:
    assert plain_name(printed) == plain


def test_names_that_would_become_equal_stay_apart() -> None:
    assert plain_names(["BLEU", "BLEU*", "TER*"]) == {
        "BLEU": "BLEU",
        "BLEU*": "BLEU*",
        "TER*": "TER",
    }
