"""Two systems on one dataset: verdict, direction, clusters, seeds, words, and bad requests."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from analysis.studies.comparison import study_comparison
from analysis.studies.pair_analysis import PairSettings, analyse_pair, caution_about
from dashboard.cli import app
from store.engine import Store
from store.errors import NotFoundError, StoreError

AddRun = Callable[..., None]
RNG = np.random.Generator(np.random.PCG64(5))
HARD = RNG.normal(0.5, 0.2, 200)
GOOD = (HARD + RNG.normal(0.08, 0.1, 200)).round(4).tolist()
POOR = (HARD + RNG.normal(0.0, 0.1, 200)).round(4).tolist()


def test_a_clear_difference_is_better_one_way_and_worse_the_other(
    store: Store, add_run: AddRun
) -> None:
    add_run("good", "d", GOOD, metric="quality")
    add_run("poor", "d", POOR, metric="quality")
    there = study_comparison(store, "good", "poor")
    back = study_comparison(store, "poor", "good")
    assert (there.verdict, back.verdict) == ("better", "worse")
    assert there.analysis.difference == pytest.approx(np.mean(GOOD) - np.mean(POOR))
    assert there.analysis.difference == -back.analysis.difference
    assert there.analysis.test.pvalue == back.analysis.test.pvalue
    assert there.analysis.ci[0] < there.analysis.difference < there.analysis.ci[1]
    assert there.analysis.ci == tuple(-end for end in reversed(back.analysis.ci))
    assert "good is better than poor on d with 200 items" in there.sentence


def test_lower_is_better_turns_the_verdict_but_not_the_difference(
    store: Store, add_run: AddRun
) -> None:
    add_run("good", "d", GOOD, metric="loss", higher_is_better=False)
    add_run("poor", "d", POOR, metric="loss", higher_is_better=False)
    study = study_comparison(store, "good", "poor")
    assert study.verdict == "worse"
    assert study.analysis.difference > 0
    assert study.analysis.ci[0] > 0
    assert study.analysis.effect_sizes is not None
    assert study.analysis.effect_sizes.cohens_dz < 0
    assert "lower is better" in study.sentence


def test_one_sided_speaks_for_the_better_system_whichever_way_the_metric_runs(
    store: Store, add_run: AddRun
) -> None:
    add_run("good", "d", [1 - x for x in GOOD], metric="loss", higher_is_better=False)
    add_run("poor", "d", [1 - x for x in POOR], metric="loss", higher_is_better=False)
    greater = PairSettings(alternative="greater")
    assert study_comparison(store, "good", "poor", settings=greater).verdict == "better"
    against = study_comparison(store, "poor", "good", settings=greater)
    assert against.verdict == "undecided"
    assert against.analysis.test.pvalue > 0.99


def test_identical_systems_are_never_different(store: Store, add_run: AddRun) -> None:
    add_run("one", "d", GOOD, metric="quality")
    add_run("two", "d", GOOD, metric="quality")
    study = study_comparison(store, "one", "two")
    assert study.verdict == "undecided"
    assert study.analysis.test.pvalue == 1.0
    assert study.analysis.difference == 0.0
    with_margin = study_comparison(store, "one", "two", settings=PairSettings(margin=0.05))
    assert with_margin.verdict == "equivalent"
    assert "equivalent on d within ±0.05" in with_margin.sentence


def test_a_tie_says_what_could_have_been_found(store: Store, add_run: AddRun) -> None:
    add_run("one", "d", GOOD[:40], metric="quality")
    add_run("two", "d", (np.array(GOOD[:40]) + RNG.normal(0, 0.1, 40)).tolist(), metric="quality")
    study = study_comparison(store, "one", "two")
    assert study.verdict == "undecided"
    assert "Cannot tell one and two apart on d with 40 items" in study.sentence
    assert "would have been found with 80 % probability" in study.sentence
    assert study.analysis.mde > abs(study.analysis.difference)


def test_a_margin_that_the_data_cannot_meet_leaves_it_undecided(
    store: Store, add_run: AddRun
) -> None:
    add_run("one", "d", GOOD[:20], metric="quality")
    add_run("two", "d", (np.array(GOOD[:20]) + RNG.normal(0, 0.2, 20)).tolist(), metric="quality")
    study = study_comparison(store, "one", "two", settings=PairSettings(margin=0.001))
    assert study.verdict == "undecided"


def test_missing_scores_leave_items_out_and_are_said(store: Store, add_run: AddRun) -> None:
    add_run("good", "d", [math.nan, *GOOD[1:]], metric="quality")
    add_run("poor", "d", [*POOR[:-1], math.nan], metric="quality")
    study = study_comparison(store, "good", "poor")
    assert (study.analysis.n_items, study.analysis.n_missing) == (198, 2)
    assert any("2 items of 200 have a score from only one" in text for text in study.warnings)


def test_binary_scores_go_to_the_score_test(store: Store, add_run: AddRun) -> None:
    add_run("a", "d", [1, 1, 1, 1, 1, 1, 1, 0, 0, 1])
    add_run("b", "d", [0, 0, 0, 0, 0, 0, 1, 0, 0, 1])
    study = study_comparison(store, "a", "b")
    assert study.analysis.test.test == "score"
    assert study.analysis.test.pvalue == pytest.approx(stats.chi2.sf(6, 1))
    exact = study_comparison(store, "a", "b", settings=PairSettings(test="mcnemar"))
    assert exact.analysis.test.pvalue == 2 * 0.5**6
    plain = study.to_dict()
    assert plain["test"] == "score"
    assert plain["effect_sizes"]["win"] == 6


def test_equivalence_is_shown_where_no_difference_could_be(store: Store, add_run: AddRun) -> None:
    wins = np.arange(400) < 3
    add_run("a", "d", wins.astype(float).tolist())
    add_run("b", "d", np.zeros(400).tolist())
    study = study_comparison(store, "a", "b", settings=PairSettings(test="mcnemar", margin=0.05))
    assert study.verdict == "equivalent"
    (told,) = [text for text in study.warnings if "differing items" in text]
    assert "no p-value below 0.25" in told
    assert "no difference could be shown" in told
    assert "nothing" not in told


def test_too_few_items_for_the_level_are_told_at_that_level(store: Store, add_run: AddRun) -> None:
    wins = np.arange(40) < 6
    add_run("a", "d", wins.astype(float).tolist())
    add_run("b", "d", np.zeros(40).tolist())
    told = {
        alpha: study_comparison(
            store, "a", "b", settings=PairSettings(test="mcnemar", alpha=alpha)
        ).warnings
        for alpha in (0.05, 0.01)
    }
    assert not any("differing items" in text for text in told[0.05])
    assert any("no p-value below 0.031" in text for text in told[0.01])  # 2 × 0.5⁶


def test_one_shared_item_is_an_answer(store: Store, add_run: AddRun) -> None:
    add_run("a", "d", [0.5, math.nan])
    add_run("b", "d", [0.4, 0.2])
    study = study_comparison(store, "a", "b")
    assert study.verdict == "undecided"
    assert study.analysis.test.pvalue == 1.0
    assert math.isnan(study.analysis.mde)
    json.dumps(study.to_dict(), allow_nan=False)
    with_t = study_comparison(store, "a", "b", settings=PairSettings(test="t"))
    assert "Nothing can be tested between a and b on d: There is 1 item" in with_t.sentence


def test_no_shared_item_is_an_answer(store: Store, add_run: AddRun) -> None:
    add_run("a", "d", [0.5, math.nan])
    add_run("b", "d", [math.nan, 0.2])
    study = study_comparison(store, "a", "b")
    assert study.verdict == "undecided"
    assert "There are 0 items with a score from both" in study.sentence
    json.dumps(study.to_dict(), allow_nan=False)


def test_the_default_dataset_is_the_fullest_and_the_others_are_said(
    store: Store, add_run: AddRun
) -> None:
    for name, n in (("small", 10), ("large", 50)):
        add_run("a", name, GOOD[:n], metric="quality")
        add_run("b", name, POOR[:n], metric="quality")
    study = study_comparison(store, "a", "b")
    assert study.dataset.name == "large"
    assert any("They also share small" in text for text in study.warnings)


def test_nothing_in_common_is_said(store: Store, add_run: AddRun) -> None:
    add_run("a", "d1", [0.1, 0.2])
    add_run("b", "d2", [0.1, 0.2])
    with pytest.raises(NotFoundError, match="'a' and 'b' have no item scores in common"):
        study_comparison(store, "a", "b")
    with pytest.raises(StoreError, match="are the same system"):
        study_comparison(store, "a", "a")


def test_settings_that_do_not_fit_are_refused_with_the_remedy(
    store: Store, add_run: AddRun
) -> None:
    add_run("a", "d", [0.1, 0.2, 0.4])
    add_run("b", "d", [0.1, 0.3, 0.2])
    with pytest.raises(StoreError, match=r"0, 1 and NaN .*mcnemar.*permutation"):
        study_comparison(store, "a", "b", settings=PairSettings(test="mcnemar"))


def test_the_json_has_what_the_contract_names(store: Store, add_run: AddRun) -> None:
    add_run("good", "d", GOOD, metric="quality")
    add_run("poor", "d", POOR, metric="quality")
    settings = PairSettings(margin=0.05)
    plain = study_comparison(store, "good", "poor", settings=settings).to_dict()
    json.dumps(plain, allow_nan=False)
    for name in ("difference", "ci", "pvalue", "statistic", "test", "why_this_test", "n_items"):
        assert plain[name] is not None
    assert plain["test"] == "permutation"
    for name in ("cohens_dz", "hedges_g", "wilcoxon_r", "hodges_lehmann", "win", "tie", "loss"):
        assert plain["effect_sizes"][name] is not None
    diagnostics = plain["diagnostics"]
    for name in ("skewness", "normality_pvalue", "recommended_statistic", "recommended_tests"):
        assert diagnostics[name] is not None
    assert plain["verdict"] == "better"
    assert plain["sentence"].startswith("good is better")
    assert plain["mde"] > 0


def test_several_runs_show_item_and_seed_variance(store: Store, add_run: AddRun) -> None:
    for seed in range(3):
        noise = np.random.Generator(np.random.PCG64(seed)).normal(0, 0.05, 200)
        add_run("a", "d", (np.array(GOOD) + noise).tolist(), metric="quality", label=f"seed {seed}")
        add_run("b", "d", (np.array(POOR) - noise).tolist(), metric="quality", label=f"seed {seed}")
    study = study_comparison(store, "a", "b")
    assert study.variance is not None
    assert study.analysis.n_items == 200  # repeats are not items
    assert study.variance.sentence in study.warnings
    assert any("that in the seeds" in text for text in study.warnings)


def test_the_report_states_what_the_paper_asks_for(store: Store, add_run: AddRun) -> None:
    add_run("good", "d", GOOD, metric="quality")
    add_run("poor", "d", POOR, metric="quality")
    report = study_comparison(store, "good", "poor").report()
    for form in (report.as_text(), report.as_markdown(), report.as_latex(), report.as_json()):
        for words in ("sign-flip permutation test", "sample size", "Hodges", "80", "0.05"):
            assert words in form


def test_the_answer_does_not_change_between_calls(store: Store, add_run: AddRun) -> None:
    add_run("good", "d", GOOD, metric="quality")
    add_run("poor", "d", POOR, metric="quality")
    settings = replace(PairSettings(), test="bootstrap", n_resamples=500, seed=3)
    first = study_comparison(store, "good", "poor", settings=settings).to_dict()
    assert study_comparison(store, "good", "poor", settings=settings).to_dict() == first


def test_p_of_groups_is_adjusted_for_their_number_by_holm(tmp_path: Path) -> None:
    def run(*words: str) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(tmp_path / "s.db"), *words])
        assert outcome.exit_code == 0, outcome.output
        return outcome

    results = tmp_path / "results.csv"
    rows = [f"{system},d,{group}{k},{group},{score}" for system, group, k, score in _by_document()]
    results.write_text("\n".join(["system,dataset,item,group,accuracy", *rows]), encoding="utf-8")
    run("ingest", str(results))
    found = json.loads(run("compare", "A", "B", "--json").stdout)["result"]["groups"]
    ordered = sorted(found, key=lambda row: row["pvalue"])
    raw = [row["pvalue"] for row in ordered]
    assert raw == [2 * 0.5**8, 2 * 0.5**6, 1.0]  # of 8 : 0, 6 : 0 and 3 : 3 items
    holm = np.minimum(1, np.maximum.accumulate(np.array(raw) * [3, 2, 1]))
    assert [row["pvalue_adjusted"] for row in ordered] == holm.tolist()
    shown = run("compare", "A", "B", "--by-group").stdout
    assert "0.0234" in shown  # 3 × 2 × 0.5⁸
    assert "0.0625" in shown  # 2 × 2 × 0.5⁶


def _by_document() -> Iterator[tuple[str, str, int, int]]:
    for group, wins, losses in (("x", 8, 0), ("y", 6, 0), ("z", 3, 3)):
        for k in range(wins + losses):
            yield "A", group, k, int(k < wins)
            yield "B", group, k, int(k >= wins)


@pytest.mark.parametrize(("wins", "losses", "n"), [(12, 4, 60), (5, 0, 30), (2, 1, 100)])
def test_smallest_difference_of_shares_is_what_the_score_test_finds(wins, losses, n):
    counts = [wins, losses, n // 3, n - n // 3 - wins - losses]
    a, b = (np.repeat(one, counts)[:, None] for one in ([1.0, 0, 1, 0], [0.0, 1, 1, 0]))
    found = analyse_pair(a, b, PairSettings())
    differ = max((wins + losses) / n, found.mde)
    rng = np.random.default_rng(0)
    share = [(differ + found.mde) / 2, (differ - found.mde) / 2]
    drawn = rng.multinomial(n, [*share, 1 - differ], size=20_000)
    z = (drawn[:, 0] - drawn[:, 1]) / np.sqrt(np.maximum(drawn[:, 0] + drawn[:, 1], 1))
    assert np.mean(z > 1.96) == pytest.approx(0.8, abs=0.02)
    against = analyse_pair(a, b, PairSettings(delta=0.01))
    assert math.isnan(against.mde)
    exact = analyse_pair(a, b, PairSettings(test="mcnemar"))
    assert math.isnan(exact.mde) or exact.mde > found.mde


@pytest.mark.parametrize(
    ("test", "apart"), [("sign", True), ("mcnemar", False), ("score", False), ("auto", False)]
)
def test_an_interval_of_another_procedure_is_told_where_it_disagrees(test, apart):
    a, b = (np.repeat(one, [5, 15, 10])[:, None] for one in ([1.0, 1, 0], [0.0, 1, 0]))
    settings = PairSettings(test=test)
    told = caution_about(analyse_pair(a, b, settings), settings)
    assert ("only the interval rules out a difference of 0" in told) is apart
