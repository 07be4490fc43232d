"""The canvas matrix: what is sent, what comes back, and what is refused."""

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

from analysis import numbers
from dashboard import components
from dashboard.components import Picked, PickedItems, canvas, heatmap, tiles
from dashboard.components.grid import MOST_ROWS, band_means, bands

FOLDER = Path(components.__file__).parent
TYPES = {"f8": "<f8", "f4": "<f4", "u4": "<u4", "u2": "<u2", "u1": "|u1"}
PLANES = ("difference", "ci_low", "ci_high", "pvalue", "pvalue_adjusted", "n_items", "marks")


def matrices(n: int, seed: int = 0, *, one_sided: bool = False) -> dict[str, np.ndarray]:
    """Results of all pairs: antisymmetric differences, symmetric or one-sided p-values."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    difference = scores[:, None] - scores
    half = rng.uniform(0.1, 0.5, (n, n))
    half = (half + half.T) / 2
    p = rng.uniform(size=(n, n))
    n_items = rng.integers(1, 500, (n, n))
    if not one_sided:
        p, n_items = np.triu(p) + np.triu(p, 1).T, np.triu(n_items) + np.triu(n_items, 1).T
    marks = np.where(p < 0.5, np.where(difference > 0, 2, 3), 1).astype(np.uint8)
    return {
        "difference": difference,
        "ci_low": difference - half,
        "ci_high": difference + half,
        "pvalue": p,
        "pvalue_adjusted": np.minimum(1, 2 * p),
        "n_items": n_items,
        "marks": marks,
    }


def packed(systems: list[str], values: dict[str, np.ndarray]) -> bytes:
    header, sent = heatmap._table(systems, 3, *(values[name] for name in PLANES))
    return canvas.pack(header | {"title": "t"}, heatmap._planes(sent))


def unpacked(block: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a block as the browser does."""
    length = int.from_bytes(block[:4], "little")
    header = json.loads(block[4 : 4 + length])
    rows, columns = len(header["rows"]), len(header.get("columns", header["rows"]))
    above = np.triu_indices(rows, 1)
    raw = {
        name: np.frombuffer(block, TYPES[plane["type"]], plane["size"], plane["offset"])
        for name, plane in header["planes"].items()
        if "type" in plane
    }
    read: dict[str, np.ndarray] = {}
    for name, plane in header["planes"].items():
        full = np.zeros((rows, columns))
        if "value" in plane:
            full[:] = plane["value"]
        elif plane["form"] == "full":
            full[:] = raw[name].reshape(rows, columns)
        else:
            full[above] = raw[name]
            other = -raw[plane["mirror"]] if plane["form"] == "antisymmetric" else raw[name]
            full.T[above] = other
        read[name] = full
    return header, read


@given(n=st.integers(1, 12), seed=st.integers(0, 99), one_sided=st.booleans(), holes=st.booleans())
def test_the_browser_reads_what_python_had(n: int, seed: int, one_sided: bool, holes: bool) -> None:
    values = matrices(n, seed, one_sided=one_sided)
    if holes and n > 2:
        for name in ("difference", "ci_low", "ci_high", "pvalue", "pvalue_adjusted"):
            values[name][0, 2] = values[name][2, 0] = np.nan
        values["marks"][0, 2] = values["marks"][2, 0] = 0
        values["n_items"][0, 2] = values["n_items"][2, 0] = 0
    _, read = unpacked(packed([f"s{i}" for i in range(n)], values))
    off = ~np.eye(n, dtype=bool)
    for name in PLANES:
        expected = values[name][off].astype(np.float64)
        if name.startswith("pvalue"):
            expected = np.where(np.isnan(expected), -1, expected)
        np.testing.assert_allclose(read[name][off], expected, rtol=1e-6, err_msg=name)


def test_numbers_beyond_single_precision_are_sent_as_they_are() -> None:
    values = matrices(4, 1, one_sided=False)
    for name in ("difference", "ci_low", "ci_high"):
        values[name] = values[name] * 1e60
    _, read = unpacked(packed(["a", "b", "c", "d"], values))
    off = ~np.eye(4, dtype=bool)
    for name in ("difference", "ci_low", "ci_high"):
        np.testing.assert_array_equal(read[name][off], values[name][off])


@pytest.mark.parametrize("one_sided", [False, True])
def test_150_systems_are_sent_in_less_than_400_kb(one_sided: bool) -> None:
    names = [f"a system with quite a long name, version {i}" for i in range(150)]
    scripts = sum(len((FOLDER / name).read_bytes()) for name in canvas._SCRIPTS)
    styles = len((FOLDER / "heatmap.css").read_bytes())
    block = packed(names, matrices(150, one_sided=one_sided))
    assert len(block) + scripts + styles < (470_000 if one_sided else 360_000)
    assert len(block) < 400_000


class Files:
    """Where tiles are laid, as Streamlit keeps files."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.media_file_mgr = self

    def add(self, data: bytes, mimetype: str, coordinates: str) -> str:
        del mimetype
        self.held[coordinates] = data
        return f"/media/{coordinates}"


def test_a_thousand_systems_are_a_byte_a_pair_and_their_numbers_lie_in_tiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files, sent = Files(), {}
    monkeypatch.setattr(tiles.runtime, "get_instance", lambda: files)
    monkeypatch.setattr(canvas, "_mount", lambda **said: sent.update(said) or Result(None))
    values = matrices(1000)
    names = [str(i) for i in range(1000)]
    components.significance_heatmap(
        names, **values, quantity="accuracy", decimals=3, alpha=0.05, key="k"
    )
    header = unpacked(sent["data"])[0]
    assert len(sent["data"]) < 550_000
    assert header["planes"].keys() == {"looks"}
    assert header["planes"]["looks"]["form"] == "mirrored"
    told = header["tiles"]
    kinds = len(told["planes"])
    tile = np.frombuffer(files.held["k.1"], f"<{told['type']}").reshape(-1, kinds, 1000)
    at = slice(told["rows"], 2 * told["rows"])
    off = ~np.eye(1000, dtype=bool)[at]
    for k, name in enumerate(told["planes"]):
        sent, had = tile[:, k][off], values[name][at][off]  # printed alike
        np.testing.assert_allclose(sent, had, rtol=1e-6, atol=5.1e-4, err_msg=name)
        assert np.isclose(sent, had, rtol=1e-6, atol=0).mean() > 0.999, name
    assert len(told["urls"]) == len(files.held) == -(-1000 // told["rows"])


def test_what_is_equal_everywhere_has_no_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles.runtime, "get_instance", Files)
    same = {"difference": np.zeros((3, 3)), "n_items": np.where(np.eye(3, dtype=bool), 0, 7)}
    told = tiles.served(same, key="k")
    assert told["urls"] == []
    assert told["same"] == {"difference": 0, "n_items": 7}
    told = tiles.served({"ci_high": np.full((3, 3), np.inf)}, key="k")
    assert told["planes"] == ["ci_high"]
    assert told["same"] == {}


@pytest.mark.parametrize("sign", [1, -1])
def test_the_browser_reads_marks_and_shades_out_of_a_byte(tmp_path: Path, sign: int) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the script with")
    values = matrices(30, 3)
    marks, difference = values["marks"], sign * values["difference"]
    marks[0, 1] = marks[1, 0] = 0
    marks[0, 2] = marks[2, 0] = 4
    marks[0, 3] = marks[3, 0] = 1
    difference[0, 3] = difference[3, 0] = 0.0
    np.fill_diagonal(marks, 0)
    limit = 1.5
    codes = tiles.looks(marks, difference, limit, sign)
    assert tiles.picture(codes)[1] == "mirrored"
    script = tmp_path / "check.js"
    source = "".join(
        (FOLDER / name).read_text(encoding="utf-8") for name in ("paint.js", "tiles.js")
    )
    script.write_text(
        f"{source}const codes = {codes.ravel().tolist()};"
        f"console.log(JSON.stringify([codes.map((c) => lookOf(c, {limit}, {sign})),"
        "codes.map(turned)]));",
        encoding="utf-8",
    )
    printed = subprocess.run([node, str(script)], capture_output=True, text=True, check=True).stdout
    read, turned = json.loads(printed)
    off = ~np.eye(30, dtype=bool)
    seen = np.array([mark for mark, _ in read]).reshape(30, 30)
    np.testing.assert_array_equal(seen[off], marks[off])
    shades = np.array([shade for _, shade in read]).reshape(30, 30)
    has_shade = off & (marks != 0) & (marks != 4)
    expected = np.sign(difference) * np.minimum(limit, np.abs(difference))
    assert np.abs(shades - expected)[has_shade].max() <= limit / tiles.LEVELS / 2 + 1e-12
    np.testing.assert_array_equal(np.array(turned).reshape(30, 30).T[off], codes[off])


def test_a_p_too_small_for_the_browser_stays_above_zero() -> None:
    values = matrices(2)
    values["pvalue"][:] = 1e-200
    _, read = unpacked(packed(["a", "b"], values))
    assert 0 < read["pvalue"][0, 1] < 1e-20


@pytest.mark.parametrize(
    ("differences", "limit", "clipped"),
    [
        ([], 1.0, False),
        ([0.0, 0.0], 1.0, False),
        ([np.nan, -0.3, 0.2], 0.3, False),
        ([0.1] * 99 + [5.0], 0.1, True),
    ],
)
def test_full_colour_is_not_left_to_one_outlier(
    differences: list[float], limit: float, clipped: bool
) -> None:
    assert heatmap.color_limit(np.array(differences)) == (pytest.approx(limit), clipped)


@pytest.mark.parametrize("name", PLANES)
def test_a_matrix_of_another_shape_is_named(name: str) -> None:
    values = matrices(3) | {name: np.zeros((2, 3))}
    with pytest.raises(ValueError, match=rf"`{name}` has shape \(2, 3\); 3 systems need \(3, 3\)"):
        packed(["a", "b", "c"], values)


def test_an_unknown_mark_is_named() -> None:
    values = matrices(2) | {"marks": np.full((2, 2), 9)}
    with pytest.raises(ValueError, match=r"`marks` has \[9\]"):
        packed(["a", "b"], values)


class Result:
    """What Streamlit returns from a mounted component."""

    def __init__(self, pair: Any) -> None:
        self.pair = pair


@pytest.mark.parametrize(
    ("sent", "picked"),
    [
        (None, None),
        ({"row": 2, "column": 0}, Picked(2, 0)),
        ({"row": 1, "column": 1}, None),
        ({"row": 7, "column": 0}, None),
        ({"row": "x"}, None),
        ("nonsense", None),
    ],
)
def test_only_a_pair_that_is_there_is_picked(
    monkeypatch: pytest.MonkeyPatch, sent: Any, picked: Picked | None
) -> None:
    monkeypatch.setattr(canvas, "_mount", lambda **_: Result(sent))
    answer = components.significance_heatmap(
        ["a", "b", "c"], **matrices(3), quantity="accuracy", decimals=3, alpha=0.05, key="k"
    )
    assert answer == picked


def test_a_band_of_items_is_picked_as_a_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "_mount", lambda **_: Result({"row": 1, "column": 1}))
    scores = np.zeros((MOST_ROWS * 3, 2))
    items = [str(i) for i in range(len(scores))]
    options = {"quantity": "accuracy", "decimals": 2, "key": "k"}
    assert components.item_grid(items, ["a", "b"], scores, **options) == PickedItems(3, 6, 1)
    assert components.item_grid(items[:2], ["a", "b"], scores[:2], **options) == PickedItems(
        1, 2, 1
    )


@given(st.integers(0, 3_000))
def test_bands_hold_every_item_once_and_are_of_nearly_one_size(n: int) -> None:
    bounds = bands(n)
    sizes = np.diff(bounds)
    assert bounds[0] == 0
    assert bounds[-1] == n
    assert len(sizes) == min(n, MOST_ROWS)
    assert n == 0 or sizes.max() - sizes.min() <= 1


def test_a_band_is_the_mean_of_its_scores_and_knows_what_is_missing() -> None:
    values = np.array([[1.0, np.nan], [0.0, np.nan], [1.0, 1.0]])
    means, counts = band_means(values, np.array([0, 2, 3]))
    np.testing.assert_array_equal(means, [[0.5, np.nan], [1.0, 1.0]])
    np.testing.assert_array_equal(counts, [[2, 0], [1, 1]])


@pytest.mark.parametrize(("n", "decimals"), [(3, 0), (500, 2)])
def test_means_of_bands_have_decimals_where_scores_need_none(
    monkeypatch: pytest.MonkeyPatch, n: int, decimals: int
) -> None:
    sent: dict[str, Any] = {}
    monkeypatch.setattr(canvas, "_mount", lambda **said: sent.update(said) or Result(None))
    scores = np.arange(2 * n).reshape(n, 2) % 2
    items = [str(i) for i in range(n)]
    components.item_grid(items, ["a", "b"], scores, quantity="accuracy", decimals=0, key="g")
    assert unpacked(sent["data"])[0]["decimals"] == decimals


def test_item_grid_names_a_wrong_shape() -> None:
    with pytest.raises(ValueError, match=r"`scores` has shape \(2, 2\)"):
        components.item_grid(
            ["i"], ["a", "b"], np.zeros((2, 2)), quantity="accuracy", decimals=2, key="k"
        )


@pytest.mark.parametrize("n_systems", [1, 2, 40])
def test_both_pictures_mount_twice_and_keep_their_data(n_systems: int) -> None:
    def page(n: int) -> None:
        import numpy as np

        from dashboard.components import item_grid, significance_heatmap

        names = [f"s{i}" for i in range(n)]
        zeros, ones = np.zeros((n, n)), np.ones((n, n), dtype=np.uint8)
        significance_heatmap(
            names, zeros, zeros, zeros, zeros, zeros, ones, ones,
            quantity="accuracy", decimals=3, alpha=0.05, key="pairs",
        )  # fmt: skip
        item_grid(
            ["i"], names, np.full((1, n), np.nan), quantity="accuracy", decimals=2, key="items"
        )

    for _ in range(2):  # a second app is a second runtime: the component follows
        app = AppTest.from_function(page, args=(n_systems,)).run()
        assert not app.exception
        header, _ = unpacked(app.get("bidi_component")[0].proto.bytes)
        assert header["rows"] == [f"s{i}" for i in range(n_systems)]
        assert header["rule"] == "adjusted p ≤ 0.05"
        header, read = unpacked(app.get("bidi_component")[1].proto.bytes)
        assert header["missing"] is True
        assert np.isnan(read["score"]).all()


@pytest.mark.parametrize("places", [0, 1, 3, numbers.MOST_PLACES])
def test_the_browser_writes_numbers_like_the_rest_of_the_page(tmp_path: Path, places: int) -> None:
    values = [0.0, -0.00001, 0.0241, -0.0241, 1234.5, -3.0, 0.5, 1.5, 2.5, -0.25, 0.35]
    values += [k / 400 for k in range(-30, 30)] + [k / 2000 for k in range(30)]
    values += [5e-9, 8.4e-13, -1e-9, 1e-40, 1e-320, 123456789.0, 9.9e14, 1e15, 1.2e16, -1.8132e98]
    pvalues = [1e-9, 0.00009, 0.0001, 0.0313, 0.05, 0.0999, 0.312, 0.999, 0.9995, 1.0, 1 - 2**-53]
    pvalues += [k / 32 for k in range(1, 32)] + [k / 10_000 + 5e-5 for k in range(1, 2000)]
    printed = _in_browser(tmp_path, f"{values}.map((v) => fixed(v, {places}, true))")
    assert printed == [numbers.fixed(value, places, signed=True) for value in values]
    assert _in_browser(tmp_path, f"{pvalues}.map(pvalue)") == [numbers.pvalue(p) for p in pvalues]


@pytest.mark.parametrize("places", [0, 3, 6])
def test_single_precision_is_sent_where_it_prints_the_same(tmp_path: Path, places: int) -> None:
    rng = np.random.default_rng(places)
    values = np.concatenate([size * rng.normal(size=500) / 10**places for size in (0.1, 1, 1e4)])
    ties = (rng.integers(-2_000, 2_000, 500) + 0.5) / 10**places  # in the middle, or just beside
    values = np.concatenate([values, ties, np.nextafter(ties, 1), np.nextafter(ties, -1)])
    values[:4] = 0.0, np.nan, np.inf, -np.inf
    sent = canvas.narrow(values, places)
    assert sent.dtype == np.float32
    np.testing.assert_array_equal(sent[:4], values[:4])
    known = sent[4:].astype(float).tolist()
    printed = _in_browser(tmp_path, f"{known}.map((v) => fixed(v, {places}, true))")
    assert printed == [numbers.fixed(value, places, signed=True) for value in values[4:].tolist()]
    assert (np.sign(sent) == np.sign(values))[4:].all()


def test_numbers_of_many_digits_are_sent_whole() -> None:
    for value, places in ((1e60, 3), (2.0**24 + 1, 0), (0.051806085, 8), (8.4e-13, 8)):
        assert canvas.narrow(np.array([value, np.nan, 0.0]), places).dtype == np.float64


def test_pvalues_in_single_precision_are_printed_alike(tmp_path: Path) -> None:
    edges = np.array([0.0001, 0.00015, 0.09995, 0.1, 0.999, 0.9995, 1 - 2**-53, 1.0, 1e-200])
    around = np.concatenate([edges, np.nextafter(edges, 0), np.minimum(1, np.nextafter(edges, 2))])
    drawn = np.arange(1, 10_001) / 10_000
    values = np.concatenate([around, drawn, drawn[:-1] + 5e-5, np.arange(1, 64) / 64])
    sent = canvas.narrow_pvalues(values)
    assert sent.dtype == np.float32
    printed = _in_browser(tmp_path, f"{sent.astype(float).tolist()}.map(pvalue)")
    assert printed == [numbers.pvalue(p) for p in values.tolist()]


def _in_browser(folder: Path, expression: str) -> Any:
    """Return what an expression about numbers is in a browser."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the script with")
    script = folder / "check.js"
    source = (FOLDER / "paint.js").read_text(encoding="utf-8")
    script.write_text(f"{source}console.log(JSON.stringify({expression}));", encoding="utf-8")
    printed = subprocess.run([node, str(script)], capture_output=True, text=True, check=True).stdout
    return json.loads(printed)


def test_names_reach_the_page_as_text_only() -> None:
    scripts = "".join((FOLDER / name).read_text(encoding="utf-8") for name in canvas._SCRIPTS)
    assert "innerHTML" not in scripts
    assert "outerHTML" not in scripts
    assert "insertAdjacentHTML" not in scripts
