"""The calibrations' own machinery, and the pages that they wrote."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the benchmarks are no part of the installed product

from analysis.statistics.all_pairs.pairwise import pairwise  # noqa: E402
from analysis.statistics.intervals.bootstrap import BOOTSTRAP_INTERVALS  # noqa: E402
from analysis.statistics.multiplicity import METHODS, adjust  # noqa: E402
from analysis.statistics.paired.tests import TESTS  # noqa: E402
from benchmarks.calibration import __main__ as calibration_command  # noqa: E402
from benchmarks.calibration import words  # noqa: E402
from benchmarks.calibration.claims import __main__ as claims_command  # noqa: E402
from benchmarks.calibration.claims.report import REPORT as REPORT_OF_CLAIMS  # noqa: E402
from benchmarks.calibration.corrections import CORRECTIONS  # noqa: E402
from benchmarks.calibration.populations import POPULATIONS  # noqa: E402
from benchmarks.calibration.procedures import FAMILIES, JOBS, ROWS  # noqa: E402
from benchmarks.calibration.replicability import __main__ as replicability_command  # noqa: E402
from benchmarks.calibration.replicability.report import (  # noqa: E402
    REPORT as REPORT_OF_REPLICABILITY,
)
from benchmarks.calibration.report import REPORT  # noqa: E402
from benchmarks.calibration.run import (  # noqa: E402
    TOO_FEW,
    TOO_MANY,
    Cell,
    Figure,
    cells_of,
    repetitions_of,
    run,
    simulate,
)

DOCS = ROOT / "docs"


def quick(cell, repetitions=150):
    (columns,) = [
        figures for figures in run([cell], repetitions=repetitions, processes=1, log=False).values()
    ]
    return columns[cell.column][cell.n]


@pytest.mark.parametrize(
    "cell",
    [
        Cell("t", "normal", 20, False),
        Cell("t", "clustered", 200, True),
        Cell("signflip", "skewed-scores", 20, False),
        Cell("signflip", "ratings", 50, False),
        Cell("wilcoxon", "heavy", 50, False),
        Cell("sign", "skewed-median", 50, False),
        Cell("mcnemar", "binary", 50, False),
        Cell("tost", "normal", 50, False),
        Cell("ci difference t", "normal", 20, False),
        Cell("ci difference tango", "binary", 200, False),
        Cell("ci score wilson", "binary", 50, False),
    ],
    ids=lambda cell: cell.label,
)
def test_what_should_keep_its_rate_keeps_it(cell):
    figure = quick(cell)
    assert not figure.too_many
    assert figure.undefined == 0


@pytest.mark.parametrize(
    "cell",
    [
        Cell("t", "clustered", 50, False),
        Cell("mcnemar", "clustered-binary", 200, False),
        Cell("bootstrap", "clustered", 20, True),
        Cell("wilcoxon", "skewed", 200, False),
        Cell("ci difference t", "clustered", 50, False),
    ],
    ids=lambda cell: cell.label,
)
def test_what_cannot_keep_its_rate_is_found_out(cell):
    assert quick(cell, 150).mark() == TOO_MANY


@pytest.mark.parametrize("null", ["all", "half"])
def test_corrections_keep_their_error(null):
    cell = Cell(f"{null} signflip none", "board-normal", 50, False)
    figures = run([cell], repetitions=60, processes=1, log=False)
    for correction in CORRECTIONS:
        figure = figures[f"{null} signflip {correction}"][cell.column][cell.n]
        assert figure.too_many == (correction == "none")


def test_other_corrections_of_pairwise_are_those_of_adjust():
    scores = np.random.default_rng(0).normal(size=(6, 30)) + np.arange(6)[:, np.newaxis] / 3
    upper = np.triu_indices(6, 1)
    plain = pairwise(scores, test="t", correction="none", interval="none").pvalue[upper]
    for correction in METHODS:
        adjusted = pairwise(scores, test="t", correction=correction, interval="none")
        expected = adjust(plain, correction).pvalues_adjusted
        np.testing.assert_array_equal(adjusted.pvalue_adjusted[upper], expected)


def test_a_cell_does_not_depend_on_its_parts_or_on_other_cells():
    cells = [Cell("signflip", "normal", 20, False), Cell("ci hodges-lehmann", "skewed", 20, False)]
    together = run(cells, repetitions=6, processes=1, log=False)
    alone = run(cells[1:], repetitions=6, processes=1, log=False)
    assert len(alone) == 5
    for row, columns in alone.items():
        assert repr(together[row]) == repr(columns)
    parts = simulate(cells[0], 0, 2, 0) + simulate(cells[0], 2, 6, 0)
    assert together["signflip"]["normal"][20].errors == tuple(parts[0, 0, :2])


@pytest.mark.parametrize(
    "name", [p.name for p in POPULATIONS.values() if p.kind in ("graded", "binary")]
)
def test_truth_is_that_of_the_population(name):
    n, effect = 40_000, 0.5
    population = POPULATIONS[name]
    truth = population.truth(effect)
    sample = population.draw(np.random.default_rng(1), n, effect)
    d = sample.a - sample.b
    sums = d[: n // 2] + d[n // 2 :]
    both = (d[: n // 2] != 0) & (d[n // 2 :] != 0)
    # A share's standard error is at most 0.5 / sqrt(n), and 1.9 times that in groups of 10.
    slack = 5 * 1.9 * 0.5 / math.sqrt(n / 2)
    assert np.mean(d) == pytest.approx(truth.difference, abs=2 * slack * np.std(d))
    assert np.mean(sample.a) == pytest.approx(truth.score, abs=2 * slack * np.std(sample.a))
    assert np.mean(d > 0) + np.mean(d == 0) / 2 == pytest.approx(truth.superiority, abs=slack)
    assert np.mean(d < truth.median) <= 0.5 + slack
    assert np.mean(d <= truth.median) >= 0.5 - slack
    assert np.mean(sums / 2 < truth.centre - 1e-9) <= 0.5 + slack
    assert np.mean(sums / 2 <= truth.centre + 1e-9) >= 0.5 - slack
    biserial = np.mean(np.sign(sums[both]))
    assert biserial == pytest.approx(truth.biserial, abs=2 * slack / math.sqrt(np.mean(both)))
    if name != "heavy":  # whose standard deviation hardly settles
        assert np.mean(d) / np.std(d) == pytest.approx(truth.dz, abs=0.05)


@pytest.mark.parametrize(
    "name", [p.name for p in POPULATIONS.values() if p.grouped and p.kind != "correlation"]
)
def test_items_of_a_group_have_the_correlation_stated(name):
    sample = POPULATIONS[name].draw(np.random.default_rng(2), 20_000, 0.0)
    by_group = (sample.a - sample.b).reshape(-1, 10)
    correlation = np.corrcoef(by_group.T)[np.triu_indices(10, 1)].mean()
    assert correlation == pytest.approx(0.3, abs=0.05)


def test_marks_stand_outside_the_central_binomial_range():
    low, high = (int(stats.binom.ppf(q, 2_000, 0.05)) for q in (0.0005, 0.9995))
    for errors, mark in ((low - 1, TOO_FEW), (low, ""), (high, ""), (high + 1, TOO_MANY)):
        assert Figure(2_000, (errors, math.nan), 0).mark() == mark
    assert Figure(2_000, (100.0, math.nan), 0).mark(1) == ""
    assert Figure(2_000, (100.0, 60.0), 0).too_many
    # Shares of false differences have a spread of their own.
    assert Figure(100, (20.0, 0.0), 0, (20.0, 0.0)).mark() == TOO_MANY
    assert Figure(100, (6.0, 0.0), 0, (6.0, 0.0)).mark() == ""


def test_every_test_interval_and_correction_is_calibrated():
    tests = {job.name.split()[0] for job in JOBS.values()}
    assert set(TESTS) - {"auto"} <= tests
    assert {f"ci difference {m}" for m in ("t", "newcombe", "tango", *BOOTSTRAP_INTERVALS)} <= set(
        ROWS
    )
    assert {f"ci median {m}" for m in BOOTSTRAP_INTERVALS} <= set(ROWS)
    for null in ("all", "half"):
        assert {f"{null} t {correction}" for correction in CORRECTIONS} <= set(ROWS)
    assert set(FAMILIES.values()) == set(words.FAMILIES)


def test_slow_cells_have_fewer_repetitions():
    assert repetitions_of(Cell("t", "normal", 20, False)) == 2_000
    assert repetitions_of(Cell("t", "normal", 1_000, False)) == 1_000
    assert repetitions_of(Cell("ci median studentized", "normal", 20, False)) == 200


@pytest.fixture(scope="module")
def published():
    return REPORT.read(DOCS)


@pytest.mark.parametrize(
    "report",
    [REPORT, REPORT_OF_REPLICABILITY, REPORT_OF_CLAIMS],
    ids=lambda report: report.name,
)
def test_page_and_picture_show_the_counts(report):
    for name, text in report.texts(*report.read(DOCS)).items():
        assert text == (DOCS / name).read_text(encoding="utf-8")


def test_published_figures_are_complete(published):
    figures, about = published
    assert about.repetitions == 2_000
    for cell in cells_of():
        for row in JOBS[cell.job].rows:
            figure = figures[row.name][cell.column][cell.n]
            assert figure.repetitions == repetitions_of(cell), cell.label


def test_a_published_cell_can_be_computed_again(published):
    cell = Cell("mcnemar-midp", "binary", 20, False)
    again = quick(cell, published[1].repetitions)
    assert again.errors == published[0]["mcnemar-midp"]["binary"][20].errors


def rows_and_columns(figures):
    return [(row, *columns) for row, columns in figures.items()]


def dependences(results):
    return [scenario.dependence for scenario in results]


@pytest.mark.parametrize(
    ("command", "report", "size", "first", "second", "named", "names", "shown"),
    [
        (
            calibration_command,
            REPORT,
            ["--repetitions", "20"],
            "mcnemar | binary | n=20",
            "sign | ratings | n=20",
            rows_and_columns,
            [("mcnemar", "binary"), ("sign", "ratings")],
            "McNemar, exact",
        ),
        (
            replicability_command,
            REPORT_OF_REPLICABILITY,
            ["--repetitions", "20"],
            "shared-10 | sign-10 | N=10 | none",
            "copies | t-50 | N=10",
            dependences,
            ["shared-10", "copies"],
            "10 % of items shared",
        ),
        (
            claims_command,
            REPORT_OF_CLAIMS,
            ["--share", ".01"],
            "shared-70 | n=500 | 17 looks | none",
            "own | n=500 | 17 looks | 3 points",
            dependences,
            ["shared-70", "own"],
            "shared, 70 %",
        ),
    ],
    ids=["tests and intervals", "replicability", "claims"],
)
def test_command_computes_some_cases_and_writes_them_into_what_is_there(
    command, report, size, first, second, named, names, shown, tmp_path, capsys
):
    size = [*size, "--processes", "1"]
    for only in (first, second):
        assert command.main(["--only", only, *size, "--out", str(tmp_path)]) == 0
    counts, _ = report.read(tmp_path)
    assert named(counts) == names
    page = tmp_path / f"{report.name}.md"
    before = page.read_text(encoding="utf-8")
    page.unlink()
    assert command.main(["--rewrite", "--out", str(tmp_path)]) == 0
    assert page.read_text(encoding="utf-8") == before
    assert command.main(["--only", first, *size]) == 0
    assert shown in capsys.readouterr().out
    assert command.main(["--only", "no such thing"]) == 2
    assert "no such thing" in capsys.readouterr().err
