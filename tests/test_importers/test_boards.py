"""Boards of Papers with Code and aider, in files of our own making."""

import json

import pytest

from store.errors import ImportFormatError


def row(name, date="2019-09-05", title="", **metrics):
    return {"model_name": name, "paper_date": date, "paper_title": title, "metrics": metrics}


def pwc(*rows, **more):
    board = {"dataset": "SQuAD", "sota": {"metrics": [], "rows": list(rows)}}
    return json.dumps([{"task": "QA", "datasets": [board], **more}])


def figures(bundle):
    return [
        (s.system, bundle.metrics[s.metric].name, s.value, s.source) for s in bundle.reported_scores
    ]


def test_rows_of_a_board(read):
    inner = {
        "task": "Reading",
        "datasets": [{"subdataset": "Part", "sota": {"rows": [row("n", F1=3)]}}],
    }
    content = pwc(
        row("net", title="A net", EM="90.5%", F1="91", Parameters="3m"),
        row("old", date=None, EM=None, F1="–"),
        subtasks=[inner],
    )
    bundle = read(content, "qa.json")
    assert bundle.format == "paperswithcode"
    assert figures(bundle) == [
        ("net", "EM", 90.5, "A net"),
        ("net", "F1", 91, "A net"),
        ("n", "F1", 3, "qa.json"),
    ]
    assert [(d.name, d.task) for d in bundle.datasets] == [("SQuAD", "QA"), ("Part", "Reading")]
    assert bundle.reported_scores[0].reported_on.date().isoformat() == "2019-09-05"
    assert "Parameters" in " ".join(bundle.understood)


def test_one_name_several_times_and_no_name(read):
    rows = [row("net", EM=1), row("net", "2020-01-01", EM=2), row("net", "2020-01-01", EM=3)]
    bundle = read(pwc(*rows, row("", EM=9), row("Anonymous", EM=9)), "qa.json")
    assert [(f[2], f[3]) for f in figures(bundle)] == [
        (1, "qa.json, 2019-09-05"),
        (2, "qa.json, 2020-01-01"),
        (3, "qa.json, 2020-01-01, entry 2"),
    ]
    assert any("2 figures of entries without a name" in told for told in bundle.understood)


def test_names_that_differ_in_capitals_are_two_entries(read):
    rows = [row("bert", EM=1), row("BERT", EM=2), row("BERT", "2020-01-01", EM=3)]
    bundle = read(pwc(*rows), "qa.json")
    assert [f[0] for f in figures(bundle)] == ["bert (2019-09-05)", "BERT", "BERT"]
    assert bundle.guesses[0].value == "bert (2019-09-05)"


def test_columns_that_follow_the_order_of_a_board_go_its_way(read):
    values = [(9 - n + (n % 2) / 8, 9 - n, n * 7 % 9) for n in range(9)]
    rows = [row(f"s{n}", INNER=a, OVER=b, ODD=c) for n, (a, b, c) in enumerate(values)]
    bundle = read(pwc(*rows), "qa.json")
    better = {metric.name: metric.higher_is_better for metric in bundle.metrics}
    assert better == {"INNER": True, "OVER": True, "ODD": None}


AIDER = """
- dirname: 2024-05-01--direct-opus
  test_cases: 133
  model: opus
  edit_format: diff
  pass_rate_1: 53.4
  pass_rate_2: 68.4
  date: 2024-05-01
  seconds_per_case: 32.4
  total_cost: 13.8395

- dirname: 2024-05-02--whole-opus
  test_cases: 132
  model: opus
  edit_format: whole
  pass_rate_1: 0.9
  date: 2024-05-02
  total_cost: 0.0000

- dirname: 2024-05-03--other
  test_cases: 225
  model: gpt
  edit_format: whole
  pass_rate_1: 20
  date: 2024-05-03
"""


def test_runs_of_aider(read):
    bundle = read(AIDER, "edit_leaderboard.yml")
    first = [s for s in bundle.reported_scores if bundle.metrics[s.metric].name == "pass_rate_1"]
    assert [(s.system, s.value, s.n_items) for s in first] == [
        ("opus (diff)", 53.4, 133),
        ("opus (whole)", 0.9, 132),
        ("gpt", 20, 225),
    ]
    versions = [bundle.datasets[s.dataset].version for s in first]
    assert versions == ["", "", "225 test cases"]
    assert {dataset.name for dataset in bundle.datasets} == {"aider edit"}
    assert first[0].source == "2024-05-01--direct-opus"
    better = {metric.name: metric.higher_is_better for metric in bundle.metrics}
    assert better["pass_rate_1"] is True
    assert better["seconds_per_case"] is better["total_cost"] is False
    costs = [s for s in bundle.reported_scores if bundle.metrics[s.metric].name == "total_cost"]
    assert [s.value for s in costs] == [13.8395]


def test_a_run_without_a_model_names_its_line(read):
    with pytest.raises(ImportFormatError, match="line 2"):
        read(AIDER.replace("  model: opus\n", "", 1), "edit.yml")
