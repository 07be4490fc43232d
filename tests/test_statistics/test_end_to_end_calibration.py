"""Files in, `--json` out: false alarms of the defaults on unfriendly data, and their page."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the benchmarks are no part of the installed product

from analysis.statistics.validity_bounds import BOUNDS  # noqa: E402
from benchmarks.calibration.end_to_end import __main__ as command  # noqa: E402
from benchmarks.calibration.end_to_end.counting import Counts  # noqa: E402
from benchmarks.calibration.end_to_end.report import REPORT  # noqa: E402
from benchmarks.calibration.end_to_end.run import BY_LABEL, judge, run  # noqa: E402
from benchmarks.calibration.end_to_end.scenarios import SCENARIOS  # noqa: E402

DOCS = ROOT / "docs"


def test_errors_are_judged_by_binomial_bounds():
    scenario = BY_LABEL["pairs | symmetric"]
    assert not any(judge(scenario, Counts(1_000, 0, 70, 1_000, 70)))
    assert judge(scenario, Counts(1_000, 0, 80, 1_000, 50)) == (True, False)
    assert judge(scenario, Counts(1_000, 0, 50, 1_000, 80)) == (False, True)
    assert not any(judge(scenario, Counts(1_000, 1_000, 0, 0, 0)))


def test_every_default_is_asked():
    asked = {scenario.command for scenario in SCENARIOS}
    assert asked == {
        "compare", "pairs", "leaderboard", "replicability", "rank", "claims", "correlate",
        "agreement", "judges", "gate",
    }  # fmt: skip


@pytest.mark.parametrize("label", ["pairs | skewed", "pairs | few unequal groups"])
def test_part_of_the_calibration(label):
    scenario = BY_LABEL[label]
    counts = run([scenario], share=0.2, log=False)[label]
    assert counts.asked == 10 * round(0.2 * scenario.size)
    assert not any(judge(scenario, counts)), counts


@pytest.fixture(scope="module")
def published():
    return REPORT.read(DOCS)


def test_page_shows_the_counts(published):
    for name, text in REPORT.texts(*published).items():
        assert text == (DOCS / name).read_text(encoding="utf-8")


def test_published_counts_are_those_of_today_s_scenarios_and_bounds(published):
    results, about = published
    assert set(results) == set(BY_LABEL)
    assert about.share == 1
    assert about.bounds == {name: bound.value for name, bound in BOUNDS.items()}


def test_every_bound_is_supported_by_what_was_counted(published):
    results, _ = published
    for bound in BOUNDS.values():
        assert bound.source
        for label in bound.source:
            assert results[label].asked > 0
            assert not any(judge(BY_LABEL[label], results[label])), label


def test_command_writes_some_scenarios_into_what_is_there(tmp_path, capsys):
    arguments = ["--share", "0.01", "--processes", "1", "--out", str(tmp_path)]
    for only in ("gate | skewed", "judges | ratings"):
        assert command.main(["--only", only, *arguments]) == 0
    results, _ = REPORT.read(tmp_path)
    assert [*results] == ["gate | skewed", "judges | ratings"]
    assert not list(tmp_path.glob("*.svg"))
    assert command.main(["--only", "no such thing"]) == 2
    assert "no such thing" in capsys.readouterr().err
