"""Charts of metrics against humans and of annotators, and the matrix of metrics and datasets."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import charts, components
from dashboard.charts.correlations import _piles
from dashboard.components import Standing, canvas, correlation_heatmap
from dashboard.components.correlations import PickedCell, scale_ends

NAN = float("nan")
FOLDER = Path(components.__file__).parent
ODD_NAMES = ['quote " and \\ backslash', "it's `code` [x](y)", "日本語 😀", "x" * 80]


def forest(names: list[str], **more: Any) -> pd.DataFrame:
    n = len(names)
    return pd.DataFrame(
        {
            "metric": names,
            "value": np.linspace(0.9, -0.2, n) if n else [],
            "low": [NAN if k == 1 else -0.3 for k in range(n)],
            "high": [NAN if k == 1 else 0.95 for k in range(n)],
            "label": ["0.50"] * n,
            **more,
        }
    )


def cells(n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "label": [f"system {k}" for k in range(n)],
            "gold": [float(k) if k != 1 else NAN for k in range(n)],
            "value": [k * 0.5 for k in range(n)],
            "outlying": [k == 0 for k in range(n)],
        }
    )


def texts(chart: alt.LayerChart) -> str:
    """Return the key of a chart, having written all of it."""
    return "\n".join(chart.to_dict()["title"]["text"])


@pytest.mark.parametrize("names", [[], ["one"], ODD_NAMES, [f"m{k}" for k in range(80)]])
def test_the_forest_takes_any_metrics(names: list[str]) -> None:
    standings = ["reference", "better", "worse", "undecided"]
    frame = forest(
        names,
        group=["a"] * len(names),
        standing=[standings[k % 4] for k in range(len(names))],
    )
    chart = charts.correlation_forest(
        frame, quantity="r", reference="m", human=charts.Line(0.8, 0.7, 0.9), confidence=0.95
    )
    assert "Dashed: one annotator against the others" in texts(chart)


def test_the_forest_says_only_what_it_draws() -> None:
    bare = texts(charts.correlation_forest(forest(["a", "b"]), quantity="r"))
    for words in ("reference", "Dashed", "letter", "lacks datasets", "cannot tell"):
        assert words not in bare
    frame = forest(["a", "b"], complete=[True, False])
    assert "○ lacks datasets" in texts(charts.correlation_forest(frame, quantity="r"))
    frame = forest(["a", "b"], standing=["reference", "worse"])
    drawn = texts(charts.correlation_forest(frame, quantity="r", reference="a"))
    assert "◆ reference: a" in drawn
    assert "▼ worse" in drawn
    assert "▲ better" not in drawn


def test_what_is_over_less_is_hollow_whatever_its_standing() -> None:
    standings = ["reference", "worse", "undecided"]
    frame = forest(["a", "b", "c"], standing=standings, complete=[True, False, False])
    chart = charts.correlation_forest(frame, quantity="r", reference="a", hollow="on few cells")
    assert "Hollow: on few cells" in texts(chart)
    marks = [layer["mark"] for layer in chart.to_dict()["layer"] if "shape" in layer["mark"]]
    hollow = [mark["shape"] for mark in marks if "fill" in mark]
    assert sorted(hollow) == ["circle", "diamond", "triangle-down", "triangle-up"]
    assert len(marks) == 2 * len(hollow)
    full = forest(["a", "b"], standing=["reference", "worse"])
    assert "ollow" not in texts(charts.correlation_forest(full, quantity="r", reference="a"))


def test_the_forest_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match=r"`standing` has \['odd'\]"):
        charts.correlation_forest(forest(["a"], standing=["odd"]), quantity="r")
    with pytest.raises(ValueError, match=r"`frame` lacks \['label'\]"):
        charts.correlation_forest(forest(["a"]).drop(columns="label"), quantity="r")


@pytest.mark.parametrize("n", [0, 1, 5, 600])
@pytest.mark.parametrize("signs", [False, True])
def test_the_scatter_takes_any_number(n: int, signs: bool) -> None:
    drawn = texts(charts.correlation_scatter(cells(n), metric="m", gold="g", signs=signs))
    assert ("outlying" in drawn) or n == 0


def test_marks_on_one_place_become_one_and_the_unscored_are_left_out() -> None:
    frame = pd.DataFrame(
        {
            "label": ["a", "b", "c", "d"],
            "gold": [1.0, 1.0, 1.0, NAN],
            "value": [2.0, 2.0, 3.0, 1.0],
            "outlying": [False] * 4,
        }
    )
    piles = _piles(frame)
    assert list(piles["n"]) == [2, 1]
    assert list(piles["label"]) == ["a and 1 more", "c"]


def test_agreement_draws_humans_and_verdicts() -> None:
    frame = pd.DataFrame(
        {
            "name": ["annotators", "a", "b"],
            "value": [0.7, 0.6, NAN],
            "low": [0.6, 0.5, NAN],
            "high": [0.8, 0.7, NAN],
            "label": ["", "", ""],
            "mark": ["annotators", "less", "undecided"],
        }
    )
    drawn = texts(charts.agreement_dots(frame, quantity="agreement", confidence=0.95))
    assert "◆ dashed: annotators among themselves" in drawn
    assert "▼ less" in drawn
    assert "▲" not in drawn
    with pytest.raises(ValueError, match="`mark` has"):
        charts.agreement_dots(frame.assign(mark="odd"), quantity="agreement")
    untested = texts(charts.agreement_dots(frame.assign(mark="no comparison"), quantity="x"))
    assert "○ no comparison" in untested
    assert "◆" not in untested


@pytest.mark.parametrize("names", [[], ["one"], ODD_NAMES, [f"s{k}" for k in range(80)]])
def test_strengths_take_any_systems(names: list[str]) -> None:
    n = len(names)
    frame = pd.DataFrame(
        {
            "system": names,
            "strength": np.linspace(1, -1, n),
            "low": [NAN] * n,
            "high": [NAN] * n,
            "label": ["1 to 2"] * n,
        }
    )
    assert "Line" not in texts(charts.strength_dots(frame, confidence=0.95))
    drawn = texts(charts.strength_dots(frame.assign(low=-1.5, high=1.5), confidence=0.95))
    assert ("Line: 95 % interval" in drawn) == bool(names)


def test_a_judge_is_drawn_as_far_as_it_is_known() -> None:
    frame = pd.DataFrame(
        {
            "system": ["a", "b"],
            "corrected": [0.6, NAN],
            "corrected_low": [0.5, NAN],
            "corrected_high": [0.7, NAN],
            "human": [0.61, NAN],
            "human_low": [0.4, NAN],
            "human_high": [0.8, NAN],
            "judge": [0.9, 0.8],
            "label": ["0.60", "–"],
        }
    )
    drawn = texts(charts.judged_dots(frame, quantity="share", judge="gpt", confidence=0.95))
    assert drawn.splitlines() == [
        "● put right by people's judgments",
        "Line: 95 % interval of that",
        "Grey bar: 95 % interval of people alone",
        "○ gpt alone",
    ]
    columns = ["corrected", "human", "human_low", "human_high"]
    assert texts(
        charts.judged_dots(frame.assign(**dict.fromkeys(columns, NAN)), quantity="x", judge="gpt")
    ) == ("○ gpt alone")


@pytest.mark.parametrize("n", [1, 3, 120])
def test_annotators_without_a_model_have_no_competence(n: int) -> None:
    frame = pd.DataFrame(
        {
            "annotator": [f"a{k}" for k in range(n)],
            "competence": [NAN] * n,
            "with_others": [0.7] * n,
            "with_consensus": [0.8] * n,
            "label": ["9"] * n,
        }
    )
    assert "● competence" not in texts(charts.annotator_dots(frame))
    assert "● competence" in texts(charts.annotator_dots(frame.assign(competence=0.9)))


def matrices(shape: tuple[int, int]) -> dict[str, np.ndarray]:
    values = np.linspace(-0.5, 0.9, shape[0] * shape[1]).reshape(shape)
    standing = np.full(shape, Standing.ALIKE)
    return {"values": values, "low": values - 0.1, "high": values + 0.1, "standing": standing}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": np.zeros((2, 2))}, r"`values` has shape \(2, 2\); 2 metrics on 3 datasets"),
        ({"low": np.zeros(3)}, r"`low` has shape \(3,\)"),
        ({"standing": np.zeros((3, 2))}, r"`standing` has shape \(3, 2\)"),
        ({"standing": np.full((2, 3), 9)}, r"`standing` has \[9\]"),
    ],
)
def test_matrices_of_another_shape_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correlation_heatmap(
            ["a", "b"], ["x", "y", "z"], **matrices((2, 3)) | change,
            quantity="r", reference="a", key="k",
        )  # fmt: skip


def test_a_picked_cell_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Result:
        def __init__(self) -> None:
            self.pair = {"row": 1, "column": 0}

    monkeypatch.setattr(canvas, "_mount", lambda **_: Result())
    found = correlation_heatmap(
        ["a", "b"], ["x", "y", "z"], **matrices((2, 3)), quantity="r", reference="a", key="k"
    )
    assert found == PickedCell(1, 0)


def test_a_few_low_ones_do_not_darken_all_others() -> None:
    many = np.concatenate([np.linspace(0.8, 0.95, 40), [-0.9]])
    low, high = scale_ends(many)
    assert 0 < low < 0.8
    assert high == 0.95
    assert scale_ends(np.array([0.2, 0.9])) == (0.2, 0.9)
    assert scale_ends(np.array([])) == (0.0, 1.0)


def test_it_mounts_with_nothing_known() -> None:
    def page() -> None:
        import numpy as np

        from dashboard.components import correlation_heatmap

        none = np.full((2, 3), np.nan)
        correlation_heatmap(
            ["a", "b"], ["x", "y", "z"], none, none, none, np.zeros((2, 3)),
            quantity="r", reference="a", key="k", leads_to="metrics_humans?gold=g",
        )  # fmt: skip

    app = AppTest.from_function(page).run()
    assert not app.exception
    block = app.get("bidi_component")[0].proto.bytes
    header = json.loads(block[4 : 4 + int.from_bytes(block[:4], "little")])
    assert (header["mode"], header["missing"], header["carries"]) == (
        "correlations",
        True,
        ["metric", "dataset"],
    )


def test_the_same_things_in_rows_and_columns_leave_the_diagonal_empty() -> None:
    def header_of(diagonal: float, among: bool) -> dict[str, Any]:
        def app(diagonal: float, among: bool) -> None:
            import numpy as np

            from dashboard.components import correlation_heatmap

            values = np.array([[diagonal, 0.5], [0.5, diagonal]])
            correlation_heatmap(
                ["a", "b"], ["a", "b"], values, values, values, np.zeros((2, 2), dtype=int),
                quantity="r", reference="", key="k", among=among,
            )  # fmt: skip

        found = AppTest.from_function(app, args=(diagonal, among)).run()
        block = found.get("bidi_component")[0].proto.bytes
        header: dict[str, Any] = json.loads(block[4 : 4 + int.from_bytes(block[:4], "little")])
        return header

    assert header_of(NAN, among=True)["missing"] is False
    assert header_of(NAN, among=False)["missing"] is True
    assert header_of(1.0, among=True)["high"] == 0.5


def test_the_browser_says_how_a_metric_stands_to_the_reference(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the script with")
    table = (
        "{rows:['A','B'],columns:['x','y'],low:0,high:1,decimals:2,quantity:'r',reference:'A',"
        "level:'95 %',codes:[3],get:{value:(i,j)=>j?NaN:0.5,low:()=>0.1,high:()=>0.8,"
        "standing:(i,j)=>i?3:4}}"
    )
    theme = "{ground:[255,255,255],text:[0,0,0],better:[0,0,255],worse:[255,128,0],dark:false}"
    script = tmp_path / "check.js"
    script.write_text(
        "".join((FOLDER / f"{n}.js").read_text("utf-8") for n in ("paint", "paint_correlations"))
        + f"const p = PAINTERS.correlations({table}, {theme});"
        + f"const q = PAINTERS.correlations({{...{table}, among:true}}, {theme});"
        + "console.log(JSON.stringify([p.tip(0,0).lines, p.tip(1,0).lines, p.tip(1,1).lines,"
        "[[false,[40,34]],[false,[40,18]],[true,[8,8]]].map(a => p.legend(...a).items[0].text),"
        "[q.tip(0,0).head, q.tip(0,0).lines, q.tip(0,1).head.length]]))",
        encoding="utf-8",
    )
    printed = subprocess.run([node, str(script)], capture_output=True, text=True, check=True).stdout
    reference, worse, nothing, legends, tips = json.loads(printed)
    assert reference == ["r: 0.50", "95 % interval: 0.10 to 0.80", "◆ The reference."]
    assert worse[-1] == "▼ Follows the judgments less well than A."
    assert nothing == ["None: nothing in common, or all alike."]
    assert legends == ["▼ worse than A", *["line below: worse than A"] * 2]
    assert tips == [["A"], [], 2]
