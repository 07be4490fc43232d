"""Test reports in JUnit's XML, in files of our own making."""

import numpy as np
import pytest

from store.errors import ImportFormatError, NoResultsError

CASES = """
<testcase classname="a.T" name="one" time="0.5"/>
<testcase classname="a.T" name="two" time="1"><failure message="no"/></testcase>
<testcase classname="a.T" name="three" time="2"><error/></testcase>
<testcase classname="b.T" name="four" time="3"><skipped/></testcase>
"""
STAMP = "2026-05-04T10:00:00+02:00"
SUITE = f'<testsuite name="{{name}}" tests="{{n}}" timestamp="{STAMP}">{{cases}}</testsuite>'


def report(*suites):
    return f"<?xml version='1.0'?><testsuites>{''.join(suites)}</testsuites>"


def test_outcomes_keep_their_status(read):
    bundle = read(report(SUITE.format(name="pytest", n=4, cases=CASES)), "agent/results/junit.xml")
    (run,) = bundle.runs
    passed, time = (one.values[:, 0] for one in run.scores)
    np.testing.assert_array_equal(passed, [1, 0, np.nan, np.nan])
    np.testing.assert_array_equal(time, [0.5, 1, np.nan, np.nan])
    assert run.statuses[0].tolist() == [0, 0, 2, 1]
    assert [item.key for item in bundle.datasets[0].items][:2] == ["a.T::one", "a.T::two"]
    assert bundle.datasets[0].items[3].group == "b.T"
    assert (run.system, bundle.datasets[0].name) == ("agent", "tests of agent")
    assert [guess.subject for guess in bundle.guesses] == ["system", "dataset"]
    assert run.provenance.evaluated_on.hour == 10
    assert not bundle.warnings


def test_a_test_in_two_suites_and_one_that_ran_twice(read):
    case = '<testcase name="x"/>'
    again = f'{case}<testcase name="x"><failure/></testcase>'
    suites = [SUITE.format(name=n, n=9, cases=case) for n in "AB"]
    bundle = read(report(*suites), "gpt.xml", dataset="d")
    assert [item.key for item in bundle.datasets[0].items] == ["A/x", "B/x"]
    assert bundle.runs[0].system == "gpt"
    assert "18 tests, the report shows 2" in bundle.warnings[0]
    twice = read(SUITE.format(name="A", n=2, cases=again), "gpt.xml", dataset="d")
    assert [(one.trial, one.values[0, 0]) for one in twice.runs[0].scores] == [(0, 1), (1, 0)]


@pytest.mark.parametrize("content", ["<coverage/>", report()])
def test_without_test_cases(read, content):
    with pytest.raises(NoResultsError):
        read(content, "coverage.xml", format="junit")


@pytest.mark.parametrize(
    "content",
    [
        report(SUITE.format(name="A", n=1, cases="<testcase/>")),
        report(SUITE.format(name="A", n=1, cases='<testcase name="x" time="soon"/>')),
        "<testsuite>",
        '<!DOCTYPE x [<!ENTITY a "aa">]><testsuite><testcase name="',
    ],
)
def test_damaged_reports_name_the_line(read, content):
    with pytest.raises(ImportFormatError, match="line 1"):
        read(content, "report.xml", format="junit")


def test_one_name_for_a_thousand_tests_is_refused(read):
    many = SUITE.format(name="A", n=1_001, cases='<testcase name="x"/>' * 1_001)
    with pytest.raises(ImportFormatError, match=r"1,001 test cases are called 'x'"):
        read(many, "gpt.xml", dataset="d")


def test_promptfoo_has_a_system_for_each_provider_and_prompt(read):
    def suite(name, verdict):
        case = f'<testcase classname="{name}" name="test 1" time="1">{verdict}</testcase>'
        return SUITE.format(name=name, n=1, cases=case)

    text = report(suite("[a:net] prompt 1", ""), suite("[a:net] prompt 2", "<failure/>"))
    bundle = read(text.replace("<testsuites>", '<testsuites name="promptfoo">'), "quiz/o.junit.xml")
    assert [item.key for item in bundle.datasets[0].items] == ["test 1"]
    found = {run.system: run.scores[0].values[0, 0] for run in bundle.runs}
    assert found == {"a:net (prompt 1)": 1, "a:net (prompt 2)": 0}
    assert [guess.subject for guess in bundle.guesses] == ["dataset"]
