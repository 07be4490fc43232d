"""`tiebreak replicability` and `tiebreak rank` on files that hold one item twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.setting import names
from dashboard.cli import app

Run = Callable[..., Any]
DATASETS = ("mail", "news", "talk", "web", "blogs", "books")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that runs a command on a store with three systems and six datasets."""
    folder = tmp_path_factory.mktemp("across")

    def call(*words: str | Path, code: int = 0) -> Any:
        store = str(folder / "s.db")
        outcome = CliRunner().invoke(app, ["--store", store, *map(str, words)])
        assert outcome.exit_code == code, outcome.output
        return outcome

    rng = np.random.default_rng(0)
    rows = ["system,dataset,item,metric,score"]
    for dataset in DATASETS:
        for item in range(50):
            for system, share in (("best", 0.9), ("same", 0.88), ("worst", 0.4)):
                exact = int(rng.random() < share)
                rows.append(f"{system},{dataset},{dataset}-q{item},exact,{exact}")
                rows.append(f"{system},{dataset},{dataset}-q{item},soft,{exact + rng.random():.3f}")
    path = folder / "results.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    call("ingest", path, "--higher-is-better")
    return call


def answered(run: Run, *words: str) -> dict[str, Any]:
    """Return the result of a command, and check that it is the same twice."""
    first, second = (json.loads(run(*words, "--json").stdout) for _ in range(2))
    assert first == second
    return first["result"]


def test_pair_holds_intervals_and_a_new_dataset(run: Run) -> None:
    result = answered(run, "replicability", "best", "worst", "--metric", "exact")
    assert [d["dataset"] for d in result["datasets"]] == sorted(DATASETS)
    assert all(d["ci_low"] < d["difference"] < d["ci_high"] for d in result["datasets"])
    assert result["a_over_b"]["k_fisher"] == result["a_over_b"]["k_joint"] == 6
    assert result["recommended"] == {
        "estimator": "bonferroni",
        "known": "unknown",
        "asked_for": False,
        "n_datasets": 6,
        "k": 6,
        "k_a_over_b": 6,
        "k_b_over_a": 0,
        "because": result["recommended"]["because"],
        "doubt": "",
    }
    assert result["new_datasets"] is None
    declared = answered(
        run, "replicability", "best", "worst", "--metric", "exact", "--independent"
    )["new_datasets"]
    assert declared["over_datasets"]["wins"] == 6
    assert declared["random_effects"]["mean"] == pytest.approx(0.5, abs=0.1)
    assert result["joint"]["a_over_b"]["k"] == 6


def test_pair_reads_as_sentences(run: Run) -> None:
    text = " ".join(run("replicability", "best", "worst", "--metric", "exact").stdout.split())
    assert text.startswith("best is better than worst on at least 6 of 6 datasets")
    assert "(exact; Bonferroni, as nothing shows" in text
    assert "Bonferroni (recommended)" in text
    assert "valid only if they share no items" in text
    assert "Holm, Hochberg, Hommel, BH" in text
    words = ("replicability", "best", "worst", "--metric", "exact", "--independent")
    text = " ".join(run(*words).stdout.split())
    assert "best scores better on 6 and worst on 0 of 6 datasets" in text
    assert "on a new one" in text


def test_all_metrics_by_family(run: Run) -> None:
    words = ("replicability", "best", "worst", "--metric", "all", "--family", "per-metric")
    result = answered(run, *words)
    assert {f["name"] for f in result["families"]} == {"exact", "soft"}
    assert len(result["datasets"]) == 12
    assert result["recommended"]["estimator"] == "bonferroni"
    assert result["joint"]["n_shared_units"] == 300
    assert "within each family" in run(*words).stdout
    both = answered(run, "replicability", "best", "worst", "--metric", "soft,exact")
    assert [m["name"] for m in both["metrics"]] == ["soft", "exact"]


def test_without_names_all_pairs_are_counted(run: Run) -> None:
    result = answered(run, "replicability", "--metric", "exact")
    assert result["systems"][-1] == "worst"
    k = np.array(result["k"])
    best, worst = result["systems"].index("best"), result["systems"].index("worst")
    assert (k[best, worst], k[worst, best]) == (6, 0)
    assert np.array(result["n_shared"])[best, worst] == 6
    text = run("replicability", "--metric", "exact").stdout
    assert "on at least so many datasets" in text
    some = answered(run, "replicability", "--systems", "best,worst", "--datasets", "web,mail")
    assert (len(some["systems"]), some["datasets"]) == (2, ["mail", "web"])


@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
@pytest.mark.parametrize(
    "words", [("replicability", "best", "worst"), ("replicability",), ("rank",)]
)
def test_reports_in_every_form(run: Run, words: tuple[str, ...], style: str) -> None:
    text = run(*words, "--metric", "exact", "--format", style).stdout
    assert "worst" in text
    assert ("\\begin{" in text) == (style == "latex")


def test_rank_holds_ranks_tests_and_aggregates(run: Run) -> None:
    result = answered(run, "rank", "--metric", "exact", "--independent", "--n-resamples", "199")
    assert result["systems"][2] == "worst"
    assert result["mean_ranks"][2] == 3
    assert result["rank_test"]["n_datasets"] == 6
    assert result["nemenyi"]["pvalue"][0][2] < 0.05
    assert np.array(result["pairs"]["pvalue_adjusted"], dtype=float)[0][2] > 0.05
    assert result["aggregates"]["mean"]["value"][2] == pytest.approx(0.4, abs=0.1)
    low, high = (result["improvement"][end][0][2] for end in ("low", "high"))
    assert 0.5 < low <= high == 1
    assert result["target"] == 1  # the best possible: it is generally known of the metric
    aimed = answered(
        run, "rank", "--metric", "exact", "--independent", "--target", "1", "--n-resamples", "199"
    )
    gap = np.array(aimed["aggregates"]["optimality_gap"]["value"])
    assert gap == pytest.approx(1 - np.array(aimed["aggregates"]["mean"]["value"]))
    text = run("rank", "--metric", "exact", "--independent", "--n-resamples", "199").stdout
    assert "best and same share the best mean rank" in text
    assert "Friedman test, χ²" in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("replicability", "best"), "Name two systems, A and B, or none"),
        (("replicability", "--reported"), "`reported` is for two systems"),
        (("replicability", "--family", "per-metric"), "`family` is for two systems"),
        (("replicability", "--margin", "0.1"), "`margin` is for two systems"),
        (("replicability", "best", "worst", "--systems", "x"), "`systems` is for all pairs"),
        (("replicability", "--systems", ""), "`systems` names nothing"),
        (("replicability", "--systems", "a,\nb"), "on one line"),
        (("replicability", "best", "worst", "--margin", "-1"), "`margin` must be above"),
        (("replicability", "best", "worst", "--metric", "exact,nope"), "nope"),
        (("replicability", "--metric", "exact,soft"), "exact,soft"),
        (("replicability", "best", "best"), "are the same system"),
        (("replicability", "best", "worst", "--estimator", "x"), "'x' is not one of"),
        (("rank", "--datasets", "mail"), "`datasets` must name at least two datasets"),
        (("replicability", "--systems", "best"), "`systems` must name at least two systems"),
        (("rank", "--systems", "nobody"), "nobody"),
        (("rank", "--reported"), "that are reported"),
        (("rank", "--alpha", "0"), "`alpha` must lie between 0 and 1"),
        (("rank", "--json", "--format", "latex"), "exclude each other"),
    ],
)
def test_wrong_use_says_what_to_do(run: Run, words: tuple[str, ...], told: str) -> None:
    assert told in run(*words, code=2).output


def test_names_with_commas_are_quoted() -> None:
    assert names('a, b ,"c, d"') == ["a", "b", "c, d"]
    assert names("") == []
    assert names(None) is None
