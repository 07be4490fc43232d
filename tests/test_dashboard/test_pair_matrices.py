"""Matrices of counts and of shares: what is sent, what is refused, what the browser writes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dashboard import components
from dashboard.components import Mark, Picked, canvas, counts, shares
from dashboard.components.counts import Kind

FOLDER = Path(components.__file__).parent
TYPES = {"f4": "<f4", "u4": "<u4", "u2": "<u2", "u1": "|u1"}


def unpacked(block: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a block of full or symmetric planes as the browser does."""
    length = int.from_bytes(block[:4], "little")
    header = json.loads(block[4 : 4 + length])
    n = len(header["rows"])
    read = {}
    for name, plane in header["planes"].items():
        full = np.zeros((n, n))
        if "value" in plane:
            full[:] = plane["value"]
        else:
            raw = np.frombuffer(block, TYPES[plane["type"]], plane["size"], plane["offset"])
            if plane["form"] == "full":
                full[:] = raw.reshape(n, n)
            else:
                above = np.triu_indices(n, 1)
                full[above] = full.T[above] = raw
        read[name] = full
    return header, read


def some_counts(n: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shared = np.triu(rng.integers(0, 60, (n, n)), 1)
    shared = shared + shared.T
    return {"k": rng.integers(0, shared + 1), "n_shared": shared}


@given(n=st.integers(1, 12), seed=st.integers(0, 99))
def test_the_browser_reads_the_counts_that_python_had(n: int, seed: int) -> None:
    values = some_counts(n, seed)
    names = np.where(values["k"] % 2, "Fisher", "Bonferroni")
    difference = np.random.default_rng(seed).normal(size=(n, n))
    header, planes = counts._table([f"s{i}" for i in range(n)], **values, estimator=names,
                                   difference=difference)  # fmt: skip
    header, read = unpacked(canvas.pack(header | {"title": "t"}, planes))
    off = ~np.eye(n, dtype=bool)
    for name in ("k", "n_shared"):
        assert (read[name][off] == values[name][off]).all()
    np.testing.assert_allclose(read["difference"][off], difference[off], rtol=1e-6)
    told = np.array(header["estimators"])[read["estimator"].astype(int)]
    assert (told[off] == names[off]).all()
    assert header["limit"] >= 1


def test_of_many_systems_only_the_counts_are_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    laid: dict[str, Any] = {}
    monkeypatch.setattr(
        counts, "show_matrix", lambda header, planes, key: laid.update(header, planes=planes)
    )
    monkeypatch.setattr(counts.tiles, "served", lambda planes, key: {"planes": list(planes)})
    values = some_counts(400, 0)
    counts.count_heatmap([f"s{i}" for i in range(400)], **values, key="k")
    assert laid["tiles"]["planes"] == ["estimator", "difference"]
    assert {name: plane[0].dtype for name, plane in laid["planes"].items()} == {
        "k": np.uint8,
        "n_shared": np.uint8,
    }


def test_who_is_better_somewhere() -> None:
    k = np.array([[0, 3, 0, 0], [0, 0, 2, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    n_shared = np.full((4, 4), 5)
    n_shared[3, :3] = n_shared[:3, 3] = 0
    kinds = counts.kinds_of(k, n_shared)
    assert kinds[0, 1] == Kind.ROW
    assert kinds[1, 0] == Kind.COLUMN
    assert kinds[1, 2] == kinds[2, 1] == Kind.BOTH
    assert kinds[0, 2] == Kind.NONE
    assert kinds[0, 3] == Kind.NOTHING


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": np.zeros((2, 3), dtype=int)}, r"`k` has shape \(2, 3\); 3 systems need \(3, 3\)"),
        ({"n_shared": np.zeros(3, dtype=int)}, r"`n_shared` has shape \(3,\)"),
        ({"difference": np.zeros((1, 3))}, r"`difference` has shape \(1, 3\)"),
        ({"k": np.full((3, 3), 99)}, "`k` must lie between 0 and `n_shared`"),
        ({"k": np.full((3, 3), -1)}, "`k` must lie between 0 and `n_shared`"),
    ],
)
def test_counts_that_cannot_be_are_named(change: dict[str, Any], message: str) -> None:
    given_ = some_counts(3, 0) | {"n_shared": np.full((3, 3), 60)} | change
    with pytest.raises(ValueError, match=message):
        components.count_heatmap(["a", "b", "c"], key="k", **given_)


def test_marks_of_shares_go_by_the_interval() -> None:
    share = np.array([[np.nan, 0.8, 0.6], [0.2, np.nan, 0.5], [0.4, np.nan, np.nan]])
    low = np.array([[np.nan, 0.6, 0.4], [0.1, np.nan, np.nan], [0.2, np.nan, np.nan]])
    high = np.array([[np.nan, 0.9, 0.8], [0.4, np.nan, np.nan], [0.6, np.nan, np.nan]])
    n_shared = np.array([[0, 5, 5], [5, 0, 5], [5, 0, 0]])
    marks = shares.marks_of(share, low, high, n_shared.astype(float))
    assert marks[0, 1] == Mark.BETTER
    assert marks[1, 0] == Mark.WORSE
    assert marks[0, 2] == marks[2, 0] == marks[1, 2] == Mark.UNDECIDED
    assert marks[2, 1] == Mark.NOT_COMPARABLE


@pytest.mark.parametrize("n", [3, 40])
def test_shares_are_sent_in_steps_of_the_upper_triangle(tmp_path: Path, n: int) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the script with")
    rng = np.random.default_rng(n)
    share = np.round(np.triu(rng.uniform(size=(n, n)), 1), 3)
    share = np.triu(share, 1) + np.tril(1 - share.T, -1)
    low, high = share - 0.1 * share, share + 0.1 * (1 - share)
    low, high = np.triu(low, 1) + np.tril(1 - high.T, -1), np.triu(high, 1) + np.tril(1 - low.T, -1)
    low[0, 1], high[1, 0] = 0.5 + 1e-9, 0.5 - 1e-9
    share[0, 2] = share[2, 0] = low[0, 2] = low[2, 0] = high[0, 2] = high[2, 0] = np.nan
    header, planes = shares._table([str(i) for i in range(n)], share, low, high, np.full((n, n), 8))
    assert {form for _, form, _ in planes.values()} == {"complement", "symmetric"}
    block = canvas.pack(header | {"title": "t"}, planes)
    names = ("paint.js", "paint_shares.js")
    source = "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)
    script = tmp_path / "check.js"
    script.write_text(
        f"{source}const table = unpack(Uint8Array.from({list(block)}));"
        f"const told = (name) => Array.from({{length: {n * n}}}, (_, k) =>"
        f" shareOf(table.get[name](Math.floor(k / {n}), k % {n})));"
        'console.log(JSON.stringify(["share", "low", "high"].map(told)));',
        encoding="utf-8",
    )
    printed = subprocess.run([node, str(script)], capture_output=True, text=True, check=True).stdout
    off = ~np.eye(n, dtype=bool)
    sent = {"share": share, "low": low, "high": high}
    for (name, values), read in zip(sent.items(), json.loads(printed), strict=True):
        found = np.array(read, dtype=np.float64).reshape(n, n)
        np.testing.assert_allclose(found[off], values[off], atol=1.6e-5, err_msg=name)
        np.testing.assert_array_equal(np.sign(found[off] - 0.5), np.sign(values[off] - 0.5))


def test_shares_of_another_shape_are_named() -> None:
    square = np.full((2, 2), 0.5)
    with pytest.raises(ValueError, match=r"`low` has shape \(1, 2\); 2 systems need \(2, 2\)"):
        components.share_heatmap(["a", "b"], square, square[:1], square, square, key="k")


class Result:
    """What Streamlit returns from a mounted component."""

    def __init__(self) -> None:
        self.pair = {"row": 1, "column": 0}


def test_a_picked_pair_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "_mount", lambda **_: Result())
    half = np.full((2, 2), 0.5)
    assert components.share_heatmap(["a", "b"], half, half, half, half, key="k") == Picked(1, 0)
    assert components.count_heatmap(["a", "b"], half * 0, half * 4, key="k") == Picked(1, 0)


@pytest.mark.parametrize("n_systems", [1, 2, 40])
def test_both_pictures_mount(n_systems: int) -> None:
    def page(n: int) -> None:
        import numpy as np

        from dashboard.components import count_heatmap, share_heatmap

        names = [f"s{i}" for i in range(n)]
        ones, none = np.ones((n, n), dtype=int), np.full((n, n), np.nan)
        count_heatmap(names, ones, 9 * ones, key="k", estimator="Fisher", n_datasets=12)
        share_heatmap(names, none, none, none, 0 * ones, key="s", leads_to="across_datasets")

    app = AppTest.from_function(page, args=(n_systems,)).run()
    assert not app.exception
    header, _ = unpacked(app.get("bidi_component")[0].proto.bytes)
    assert (header["mode"], header["n_datasets"]) == ("counts", 12)
    header, read = unpacked(app.get("bidi_component")[1].proto.bytes)
    assert (header["mode"], header["leads_to"]) == ("shares", "across_datasets")
    assert n_systems == 1 or header["codes"] == [Mark.NOT_COMPARABLE]
    assert (read["n_shared"] == 0).all()


def test_the_browser_says_how_many_of_how_many(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the script with")
    script = tmp_path / "check.js"
    table = (
        "{rows:['A','B','C'],columns:['A','B','C'],limit:5,quantity:'accuracy',decimals:3,"
        "estimators:['Fisher'],n_datasets:9,kinds:[],get:{k:(i,j)=>i<j?5:0,"
        "n_shared:(i,j)=>i===2||j===2?0:8,estimator:()=>0,difference:()=>0.0241}}"
    )
    theme = (
        "{ground:[255,255,255],better:[0,0,255],worse:[255,128,0],unclear:[99,99,99],dark:false}"
    )
    script.write_text(
        "".join((FOLDER / f"{name}.js").read_text("utf-8") for name in ("paint", "paint_counts"))
        + f"const p = PAINTERS.counts({table}, {theme.replace('dark', 'text:[0,0,0],dark')});"
        + "console.log(JSON.stringify([p.tip(0,1).lines, p.tip(1,0).lines, p.tip(0,2).lines]))",
        encoding="utf-8",
    )
    printed = subprocess.run([node, str(script)], capture_output=True, text=True, check=True).stdout
    ahead, behind, nothing = json.loads(printed)
    assert ahead == [
        "▲ A better than B on at least 5 of 8 datasets (Fisher).",
        "▼ B better on at least 0.",
        "Mean difference in accuracy: +0.024",
        "1 of 9 datasets not shared.",
    ]
    assert behind[0] == "▲ B better than A on at least 0 of 8 datasets (Fisher)."
    assert nothing == ["// No dataset on which both can be tested."]
