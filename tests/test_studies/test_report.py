"""One report in every form: what is bold, what is escaped, what is rounded and what is not."""

from __future__ import annotations

import csv
import io
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analysis.answer_table import Rows
from analysis.by_row import by_row
from analysis.columns import Column
from analysis.markup import latex, latex_packages, markdown, markdown_paragraph, one_line
from analysis.report import LONGEST_FLOAT, Report, Strong, Table

ROWS = [
    ["A_1 & co", Strong(0.91234), (0.89, 0.93), 0.00001, 1200, -0.25, True],
    ["long " * 12, Strong(0.91), (0.9, 0.92), None, 7, 0.5, False],
    ["naïve α→β", math.nan, None, 0.25, None, 0.0, False],
]
COLUMNS = (
    "system",
    Column("accuracy", decimals=3),
    "95 % interval",
    Column("p", "pvalue"),
    "items",
    Column("difference", signed=True),
    "best",
)
TABLE = Table(COLUMNS, ROWS, caption="Accuracy on d_1", notes=("By 100 % of us.",), strong="tied")
REPORT = Report("Who leads?", ("A leads.", "3. B follows."), (TABLE,), "a|b:1", ("Mind the gap.",))

any_text = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from(list("\\{}$&%#_~^<>|\"'`*[]+-−–\n1.)")))
)


def rendered(source: str) -> str:
    """Return what a reader of Markdown sees of one paragraph."""
    tokens = MarkdownIt("commonmark").parse(source)
    assert [token.type for token in tokens] in (
        [],
        ["paragraph_open", "inline", "paragraph_close"],
    ), source
    children = [child for token in tokens for child in token.children or ()]
    assert all(child.type in ("text", "text_special") for child in children), source
    return "".join(child.content for child in children)


@given(any_text)
def test_markdown_shows_any_text_as_it_is(text: str) -> None:
    assert rendered(markdown_paragraph(text)).strip() == one_line(text).strip()
    assert rendered("x " + markdown(text)).strip() == f"x {one_line(text)}".strip()


SPECIAL = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textasciigrave{}": "`",
}


@given(st.text(st.sampled_from(list("ab1 \\{}$&%#_~^<>|`é漢-"))))
def test_latex_prints_any_text_as_it_is(text: str) -> None:
    # Read back one command or character at a time; a bare special character would not match.
    pieces = re.findall(r"\\text[a-z]+\{\}|\\[{}$&%#_]|\{\}|[^\\{}$&%#_~^<>|`]", latex(text))
    assert "".join(pieces) == latex(text)
    printed = [SPECIAL.get(piece, piece.removeprefix("\\")) for piece in pieces if piece != "{}"]
    assert "".join(printed) == one_line(text)
    assert "--" not in latex(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("−0.5 ± 2", r"$-$0.5 $\pm$ 2"),
        ("Char→Tag, λ ≤ Ω", r"Char$\rightarrow$Tag, $\lambda$ $\leq$ $\Omega$"),
        ("1–3 — “x” …", r"1--3 --- ``x'' \ldots{}"),
        ("a\nb\tc", "a b c"),
        ("5\N{NARROW NO-BREAK SPACE}%", r"5\,\%"),
        ("--metric", "-{}-metric"),
    ],
)
def test_latex_knows_signs(text: str, written: str) -> None:
    assert latex(text) == written


def test_latex_names_what_it_needs() -> None:
    assert latex_packages(r"\toprule 漢字") == [
        r"% \usepackage{booktabs}",
        "% Holds 字 漢: use XeLaTeX or LuaLaTeX with a font that has them.",
    ]
    assert latex_packages("plain é") == []


def test_latex_table_is_booktabs_with_all_tied_systems_bold() -> None:
    written = REPORT.as_latex()
    assert written.startswith("% \\usepackage{booktabs}\n% \\usepackage{array}\n")
    assert written.count(r"\textbf{0.91") == 2
    assert r"\begin{tabular}{>{\raggedright\arraybackslash}p{0.4\linewidth}rrrrrr}" in written
    assert r"  A\_1 \& co & \textbf{0.912} & 0.890 to 0.930 &" in written
    assert r"\textless{} 0.0001 & 1,200 & $-$0.25 & yes \\" in written
    assert r"na\"" not in written
    assert r"naïve $\alpha$$\rightarrow$$\beta$ & -- & -- & 0.250 & -- & 0 & no \\" in written
    assert r"\caption{Accuracy on d\_1}" in written
    assert r"{\footnotesize Bold: tied. By 100 \% of us.\par}" in written
    for environment in ("table", "tabular"):
        assert written.count(rf"\begin{{{environment}}}") == 1
        assert written.count(rf"\end{{{environment}}}") == 1


def test_latex_row_beginning_with_a_bracket_or_star_is_no_argument() -> None:
    written = Table(("a",), [["[x]"], ["*y"]]).as_latex()
    assert "  {}[x] \\\\\n  {}*y \\\\" in written


def test_latex_long_table_runs_over_pages() -> None:
    written = Table(("a", "b"), [[f"s{i}", i] for i in range(LONGEST_FLOAT + 1)]).as_latex()
    assert r"\begin{longtable}{lr}" in written
    assert r"\begin{table}" not in written
    assert written.count(r"\\") == LONGEST_FLOAT + 3  # the head stands twice
    assert (
        r"% \usepackage{longtable}" in Report("", tables=(Table(("a",), [["x"]] * 41),)).as_latex()
    )


def test_markdown_table() -> None:
    lines = TABLE.as_markdown().splitlines()
    assert lines[0] == "**Accuracy on d\\_1**"
    assert lines[3] == "|---|---:|---:|---:|---:|---:|---:|"
    assert lines[4].startswith(
        "| A\\_1 &amp; co | **0.912** | 0.890 to 0.930 | \\< 0.0001 | 1,200 |"
    )
    html = MarkdownIt("commonmark").enable("table").render(TABLE.as_markdown())
    assert html.count("<tr>") == 4
    assert html.count("<strong>") == 3  # two cells and the caption
    assert "Bold: tied." in html


def test_text_keeps_columns_in_line() -> None:
    table = Table(("system", "n"), [["日本", 10], [Strong("b"), 2_000]], strong="x")
    assert table.as_text().splitlines() == [
        "system      n",
        "------  -----",
        "日本       10",
        "b *     2,000",
        "*: x.",
    ]
    wrapped = TABLE.as_text().splitlines()
    assert max(map(len, wrapped)) < 130
    assert " ".join(line.split("  ")[0] for line in wrapped if line.startswith("long")).split() == (
        ["long"] * 12
    )


def test_text_has_everything() -> None:
    text = REPORT.as_text()
    for part in (
        "Who leads?\n==========",
        "A leads.",
        "0.912 *",
        "*: tied.",
        "Note: Mind the gap.",
    ):
        assert part in text
    assert text.endswith("a|b:1\n")


def test_csv_holds_values_and_both_ends_of_intervals() -> None:
    rows = list(csv.reader(io.StringIO(REPORT.as_csv())))
    assert rows[0] == [
        *("system", "accuracy", "95 % interval low", "95 % interval high"),
        *("p", "items", "difference", "best"),
    ]
    assert rows[1][1:6] == ["0.91234", "0.89", "0.93", "1e-05", "1200"]
    assert rows[3][1:4] == ["", "", ""]


def test_json_holds_unrounded_values() -> None:
    found = json.loads(REPORT.as_json(), parse_constant=lambda name: pytest.fail(name))
    assert found["sentences"] == ["A leads.", "3. B follows."]
    (table,) = found["tables"]
    assert table["rows"][0][:4] == ["A_1 & co", 0.91234, [0.89, 0.93], 0.00001]
    assert table["rows"][2][1] is None
    assert table["strong"][0] == [False, True, False, False, False, False, False]


@pytest.mark.parametrize(
    ("value", "column", "written"),
    [
        (0.123456, Column("x"), "0.1235"),
        (-1234.5, Column("x"), "−1234"),
        (0.0, Column("x", signed=True), "0"),
        (3, Column("x", signed=True), "+3"),
        (-3, Column("x"), "−3"),
        (1e-9, Column("x"), "1.000e−09"),
        (np.float64(0.5), Column("x", decimals=1), "0.5"),
        (np.int64(5), Column("x"), "5"),
        ((-0.5, 0.25), Column("x", decimals=2, signed=True), "−0.50 to +0.25"),
        ((math.nan, math.nan), Column("x", decimals=2), "–"),
        (math.inf, Column("x"), "inf"),
        (0.04, Column("x", "pvalue"), "0.0400"),
    ],
)
def test_values_are_written_for_people(value: object, column: Column, written: str) -> None:
    assert Table((column,), [[value]]).as_markdown().splitlines()[-1] == f"| {written} |"  # type: ignore[list-item]


def test_empty_report_and_table() -> None:
    assert Report("").as_text() == "\n"
    assert json.loads(Report("").as_json())["tables"] == []
    nothing = Table(("a", "b"), [])
    assert nothing.as_text() == "a  b\n-  -"
    assert nothing.as_csv() == "a,b\n"
    assert r"\midrule" in nothing.as_latex()


def test_rows_must_fit_the_columns() -> None:
    with pytest.raises(ValueError, match="one cell per column, 2; row 1 has 1"):
        Table(("a", "b"), [[1, 2], [1]])


def test_html_is_escaped() -> None:
    table = Table(("system", "score"), [["<A> & B", Strong(0.5)]])
    written = Report("T < 1", ["a < b"], [table], "sig").as_html()
    assert "&lt;A&gt; &amp; B" in written
    assert "<b>0.5</b>" in written
    assert "a &lt; b" in written


def test_rows_kept_as_columns_are_rows() -> None:
    rows = Rows({"name": ["a", "b"], "size": np.array([1.5, np.nan]), "n": np.array([3, 4])})
    assert next(iter(rows)) == rows[0] == {"name": "a", "size": 1.5, "n": 3}
    assert {type(value) for value in rows[1].values()} == {str, float, int}
    assert (len(rows), rows[1:][0]["name"], rows.values("n")) == (2, "b", [3, 4])
    assert len(Rows({})) == 0


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "csv", "json"])
def test_rows_that_are_made_when_looked_at_are_made_once(form):
    made = []

    def row(at):
        made.append(at)
        return [f"system {at}", 0.5, Strong(0.25) if at == 7 else None]

    table = Table(["system", "score", "best"], by_row(3_000, row), strong="best")
    checked, report = len(made), Report("many", tables=[table])
    told = getattr(report, f"as_{form}")()
    assert len(made) == checked + 3_000
    whole = Table(table.columns, list(table.rows), strong="best")
    assert told == getattr(Report("many", tables=[whole]), f"as_{form}")()
