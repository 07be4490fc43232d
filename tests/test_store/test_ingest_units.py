"""Figures in percent beside item scores in proportions, and details that come later."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations

import pytest

from store.claims import list_claims
from store.dated_scores import list_dated_scores
from store.errors import ConflictError, ImportFormatError
from store.importers.bundle import BundleMetric, Provenance
from store.importers.claims import read_claims
from store.importers.detect import read_paths
from store.ingest import ingest, ingest_all
from store.ingest.claims import import_claims
from store.reported import list_reported_scores
from store.runs import get_run, list_runs

PROPORTION = BundleMetric("accuracy", higher_is_better=True, unit="proportion")
PERCENT = BundleMetric("accuracy", higher_is_better=True, unit="percent")
BARE = BundleMetric("accuracy", higher_is_better=True)
CLAIMS = "date,system,dataset,metric,value,source\n2024-05-01,A,qa,accuracy,{value},paper\n"


def claims_of(tmp_path, value: str, yaml: str = ""):
    path = tmp_path / "claims.csv"
    path.write_text(CLAIMS.format(value=value))
    if yaml:
        (tmp_path / "claims.tiebreak.yaml").write_text(yaml)
    return read_claims(path)


@pytest.mark.parametrize(
    ("metric", "printed", "yaml", "kept"),
    [
        (PROPORTION, "64.93", "metrics: {accuracy: {unit: percent}}", 0.6493),
        (PROPORTION, "64.93%", "", 0.6493),
        (PROPORTION, "0.6493", "", 0.6493),
        (PROPORTION, "0.9", "metrics: {accuracy: {unit: percent}}", 0.009),
        (PERCENT, "0.57", "metrics: {accuracy: {unit: proportion}}", 57.0),
        (PERCENT, "57", "", 57.0),
        (BARE, "64.93", "metrics: {accuracy: {unit: percent}}", 0.6493),
        (BARE, "0.6493", "", 0.6493),
    ],
)
def test_claims_are_kept_in_the_unit_of_the_store(
    store, bundle, tmp_path, metric, printed, yaml, kept
) -> None:
    high = 100.0 if metric is PERCENT else 1.0
    ingest(store, bundle({"A": [high, 0.0]}, metric=metric), actor="t")
    file = claims_of(tmp_path, printed, yaml)
    report = import_claims(store, file, actor="t")
    (claim,) = list_claims(store)
    assert (claim.value, claim.printed) == (kept, printed)
    is_told = any("are kept as" in sentence for sentence in report.understood)
    assert is_told == (claim.value != float(printed.rstrip("%")))
    again = import_claims(store, file, actor="t")
    assert (again.claims_added, again.claims_unchanged) == (0, 1)


def test_claims_of_an_unknown_scale_are_refused(store, bundle, tmp_path) -> None:
    ingest(store, bundle({"A": [1.0, 0.0]}, metric=BARE), actor="t")
    with pytest.raises(ConflictError, match=r"up to 64\.93, the item scores in the store up to 1:"):
        import_claims(store, claims_of(tmp_path, "64.93"), actor="t")
    assert not list_claims(store)


def test_claims_beyond_a_declared_proportion_say_what_to_declare(store, bundle, tmp_path) -> None:
    ingest(store, bundle({"A": [1.0, 0.0]}, metric=PROPORTION), actor="t")
    with pytest.raises(ImportFormatError, match=r"is it a percentage\? Set unit: percent"):
        import_claims(store, claims_of(tmp_path, "64.93"), actor="t")


@pytest.mark.parametrize("first", [PROPORTION, BARE])
def test_reported_figures_are_kept_in_the_unit_of_the_store(store, bundle, tmp_path, first) -> None:
    ingest(store, bundle({"A": [1.0, 0.0]}, metric=first), actor="t")
    path = tmp_path / "board.csv"
    path.write_text(
        "system,dataset,metric,value,stderr\nA,qa,accuracy,70.6,2.5\nB,qa,accuracy,3,\n"
    )
    (bare,) = read_paths([path]).bundles
    error, message = (
        (ConflictError, "look like two scales")
        if first is BARE
        else (ImportFormatError, r"70\.6 is outside 0..1; is it a percentage\?")
    )
    with pytest.raises(error, match=message):
        ingest(store, bare, actor="t")
    assert not list_reported_scores(store)
    (tmp_path / "board.tiebreak.yaml").write_text("metrics: {accuracy: {unit: percent}}")
    (board,) = read_paths([path]).bundles
    report = ingest(store, board, actor="t")
    assert any("are kept as proportion" in sentence for sentence in report.understood)
    kept = {r.system: (r.value, r.stderr, r.printed) for r in list_reported_scores(store)}
    assert kept == {"A": (0.706, 0.025, "70.6"), "B": (0.03, None, "3")}
    assert ingest(store, board, actor="t").n("reported figure", "unchanged") == 2


def test_an_estimate_of_a_share_may_go_a_little_beyond_one(store, bundle) -> None:
    ingest(store, bundle({"A": [1.2, 0.5]}, metric=BARE), actor="t")
    assert ingest(store, bundle({"B": [0.8, 0.0]}, metric=BARE), actor="t").n("run", "added") == 1
    with pytest.raises(ConflictError, match="look like two scales"):
        ingest(store, bundle({"C": [74.0, 0.0]}, metric=BARE), actor="t")


@pytest.mark.parametrize("order", list(permutations(("A", "B", "C"))), ids="".join)
@pytest.mark.parametrize(("most", "goes_in"), [(1.9, True), (3.0, False), (100.0, False)])
def test_one_scale_or_two_goes_by_all_runs_in_any_order(store, bundle, order, most, goes_in):
    scores = {"A": [1.0, 1.0], "B": [1.5, 0.5], "C": [most, 0.0]}
    read = bundle({name: scores[name] for name in order}, metric=BARE)
    if goes_in:
        assert ingest(store, read, actor="t").n("run", "added") == 3
        return
    told = f"'accuracy' goes up to 1 for 'A' and up to {most:g} for 'C': these look like two"
    with pytest.raises(ConflictError, match=told):
        ingest(store, read, actor="t")


@pytest.mark.parametrize("order", list(permutations(("A", "B", "C", "D"))), ids="".join)
@pytest.mark.parametrize(
    ("stored", "left_out"), [({}, "D"), ({"E": [80.0, 0.0]}, "ABC")], ids=["new", "in percent"]
)
def test_files_of_the_rarer_scale_are_left_out_whichever_comes_first(
    store, bundle, order, stored, left_out
):
    highest = {"A": 0.5, "B": 1.0, "C": 1.5, "D": 74.0}
    if stored:
        ingest(store, bundle(stored, metric=BARE), actor="t")
    files = [bundle({name: [highest[name], 0.0]}, metric=BARE) for name in order]
    reports = ingest_all(store, files, actor="t", optional=range(4))
    refused = {name for name, report in zip(order, reports, strict=True) if report.refused}
    assert refused == set(left_out)


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_of_two_scales_that_are_as_frequent_neither_goes_in(store, bundle, order):
    highest = {"A": 1.0, "B": 74.0}
    files = [bundle({name: [highest[name], 0.0]}, metric=BARE) for name in order]
    reports = ingest_all(store, files, actor="t", optional=range(2))
    assert all("look like two scales" in report.refused for report in reports)
    assert not list_runs(store)


def test_figures_below_estimates_a_little_beyond_one_are_on_their_scale(
    store, bundle, tmp_path
) -> None:
    ingest(store, bundle({"A": [1.0000001, 0.5]}, metric=BARE), actor="t")
    path = tmp_path / "board.csv"
    path.write_text("system,dataset,metric,value\nA,qa,accuracy,0.75\n")
    (board,) = read_paths([path]).bundles
    assert ingest(store, board, actor="t").n("reported figure", "added") == 1
    path.write_text("system,dataset,metric,value\nB,qa,accuracy,75\n")
    (board,) = read_paths([path]).bundles
    with pytest.raises(ConflictError, match="look like two scales"):
        ingest(store, board, actor="t")


def test_item_scores_are_never_converted(store, bundle) -> None:
    ingest(store, bundle({"A": [1.0, 0.0]}, metric=PROPORTION), actor="t")
    with pytest.raises(ConflictError, match="in unit 'proportion', this import has 'percent'"):
        ingest(store, bundle({"B": [100.0, 0.0]}, metric=PERCENT), actor="t")


def test_a_date_that_comes_later_is_filled_in(store, bundle, run) -> None:
    ingest(store, bundle({"A": [1.0, 0.0]}), actor="t")
    day, other = datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)
    dated = Provenance(evaluated_on=day, harness="h", config={"shots": 5})
    report = ingest(store, bundle([run("A", [1.0, 0.0], provenance=dated)]), actor="t")
    assert (report.n("run", "unchanged"), report.n("detail", "filled in"), report.warnings) == (
        1,
        3,
        [],
    )
    (known,) = list_runs(store)
    kept = get_run(store, known.uid)
    assert (kept.evaluated_on, kept.harness, kept.config) == (day, "h", {"shots": 5})
    revision = store.revision()
    again = ingest(store, bundle([run("A", [1.0, 0.0], provenance=dated)]), actor="t")
    assert (again.n("detail", "filled in"), store.revision()) == (0, revision)
    later = Provenance(evaluated_on=other)
    report = ingest(store, bundle([run("A", [1.0, 0.0], provenance=later)]), actor="t")
    assert get_run(store, known.uid).evaluated_on == day
    assert "of 2024-05-01 in the store and of 2024-06-01 in this file" in report.warnings[0]


def test_a_date_of_a_figure_that_comes_later_is_filled_in(store, tmp_path) -> None:
    path = tmp_path / "board.csv"
    for header, cells in (("", ""), (",date,n_items", ",2024-05-01,500")):
        path.write_text(f"system,dataset,metric,value{header}\nA,qa,accuracy,0.7{cells}\n")
        (board,) = read_paths([path]).bundles
        report = ingest(store, board, actor="t")
    assert report.n("reported figure", "unchanged") == 1
    (score,) = list_dated_scores(store, "qa", "accuracy")
    assert (score.dated_on, score.n_items) == (datetime(2024, 5, 1, tzinfo=UTC), 500)


def board_of(tmp_path, figures, name="board.csv", yaml=""):
    """Return a board as it is read: system -> figure of accuracy on qa."""
    (tmp_path / name).write_text(
        "system,dataset,metric,value,source\n"
        + "".join(f"{system},qa,accuracy,{value},{name}\n" for system, value in figures.items())
    )
    mapping = tmp_path / name.replace(".csv", ".tiebreak.yaml")
    mapping.write_text(yaml) if yaml else mapping.unlink(missing_ok=True)
    (bundle,) = read_paths([tmp_path / name]).bundles
    return bundle


def kept_of(store):
    return {(r.system, r.source): (r.value, r.printed) for r in list_reported_scores(store)}


@pytest.mark.parametrize(
    ("first", "second", "kept", "unit"),
    [("0.74", "74.4", 0.744, "proportion"), ("74.4", "0.75", 75.0, "percent")],
)
def test_a_later_board_is_kept_on_the_scale_of_the_earlier(
    store, tmp_path, first, second, kept, unit
) -> None:
    ingest(store, board_of(tmp_path, {"A": first, "B": first}, "one.csv"), actor="t")
    later = board_of(tmp_path, {"C": second}, "two.csv")
    report = ingest(store, later, actor="t")
    assert kept_of(store)["C", "two.csv"] == (kept, second)
    (told,) = report.warnings
    assert f"go up to {second} here and up to {first} in others" in told
    assert f"kept as {unit}" in told
    assert ingest(store, later, actor="t").n("reported figure", "unchanged") == 1


def test_boards_of_one_import_are_on_one_scale(store, tmp_path) -> None:
    boards = [
        board_of(tmp_path, {"A": "0.74"}, "one.csv"),
        board_of(tmp_path, {"A": "74.4"}, "two.csv"),
        board_of(tmp_path, {"A": "0.9"}, "three.csv"),
    ]
    reports = ingest_all(store, boards, actor="t")
    assert [len(one.warnings) for one in reports] == [0, 1, 0]
    assert [value for value, _ in kept_of(store).values()] == [0.74, 0.744, 0.9]


def test_a_declared_unit_beside_figures_of_none_is_converted(store, tmp_path) -> None:
    ingest(store, board_of(tmp_path, {"A": "0.74"}, "one.csv"), actor="t")
    yaml = "metrics: {accuracy: {unit: percent}}"
    report = ingest(store, board_of(tmp_path, {"A": "0.9"}, "two.csv", yaml), actor="t")
    assert kept_of(store)["A", "two.csv"] == (0.009, "0.9")
    assert any("kept as proportion" in one for one in report.understood)


def test_figures_a_little_beyond_one_are_left_as_they_are(store, tmp_path) -> None:
    ingest(store, board_of(tmp_path, {"A": "0.9"}, "one.csv"), actor="t")
    report = ingest(store, board_of(tmp_path, {"A": "1.2"}, "two.csv"), actor="t")
    assert (report.warnings, kept_of(store)["A", "two.csv"][0]) == ([], 1.2)


def test_item_scores_after_figures_in_percent_are_told(store, bundle, tmp_path) -> None:
    board = board_of(tmp_path, {"A": "74.4"})
    ingest(store, board, actor="t")
    report = ingest(store, bundle({"A": [1.0, 0.0]}, metric=BARE), actor="t")
    assert "up to 1 here, and up to 74.4 in figures" in report.warnings[0]
    declared = board_of(tmp_path, {"A": "74.4"}, yaml="metrics: {accuracy: {unit: percent}}")
    ingest(store, declared, actor="t", replace=True)
    assert kept_of(store) == {("A", "board.csv"): (0.744, "74.4")}
