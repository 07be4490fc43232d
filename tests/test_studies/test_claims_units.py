"""Claims on repeated runs and on items in groups, where lower is better, and without dates."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.statistics.validity_bounds import Reason
from analysis.studies.claims.audit import audit_claims
from analysis.studies.claims.gains import Gain, compare_looks
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import study_claims, study_histories
from analysis.studies.comparison import study_comparison
from analysis.studies.run_spread import ONE_RUN
from store.engine import Store
from store.errors import NotFoundError
from store.repeats import set_repeats
from tests.test_studies.claimed import AddDated, by_system, claim, right


def test_trials_are_one_look(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, [right(120), right(130)])
    study = study_claims(store, "qa")
    assert study.n_looks == 2
    assert study.rows[1].score == pytest.approx(0.625)
    assert study.rows[1].test == "permutation"  # means of two trials are not right or wrong
    assert math.isnan(study.rows[1].agreement)


def test_a_look_of_several_trials_counts_what_another_would_change(
    store: Store, add_dated: AddDated
) -> None:
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 1, 80)
    for day, (name, shift) in enumerate((("a", 0.0), ("b", 0.25))):
        seeds = [shift + effect for effect in (-0.2, 0.0, 0.2)]
        trials = [(hard + rng.normal(seed, 0.3, 80)).tolist() for seed in seeds]
        add_dated(name, day, trials)
    set_repeats(store, "qa", "seeds", actor="t")
    later = study_claims(store, "qa").rows[-1]
    alone = study_comparison(store, "b", "a").analysis
    assert alone.guard == Reason.RUNS
    assert later.pvalue == alone.test.pvalue


def test_groups_are_the_units(store: Store, add_dated: AddDated) -> None:
    groups = [f"g{k // 10}" for k in range(200)]
    add_dated("A", 0, right(100), groups=groups)
    add_dated("B", 1, right(160), groups=groups)
    study = study_claims(store, "qa")
    assert "20 groups" in study.warnings[0]
    assert study.rows[1].test == "permutation"
    pair = study_comparison(store, "B", "A", dataset="qa").analysis
    assert study.rows[1].pvalue == pytest.approx(pair.test.pvalue, rel=0.3)
    assert study.rows[1].pvalue == pytest.approx(2**-5, rel=0.2)  # six groups differ, all one way


@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
def test_groups_are_the_units_of_correlations(aggregation: str) -> None:
    rng = np.random.default_rng(1)
    gold = rng.normal(size=30)
    looks = [np.stack([gold + noise * rng.normal(size=30), gold], axis=1) for noise in (1.0, 2.0)]

    def compared(copies: int, groups: list[str] | None) -> Gain:
        metric = SimpleNamespace(aggregation=aggregation, sign=1, bounds=None)
        line = SimpleNamespace(metric=metric, groups=groups)
        later, earlier = (
            SimpleNamespace(scores=np.repeat(x, copies, axis=0), spread=ONE_RUN) for x in looks
        )
        return compare_looks(line, later, earlier, ClaimSettings())  # type: ignore[arg-type]

    once = compared(1, None)
    copied = compared(5, [f"g{k // 5}" for k in range(150)])
    assert once.test == copied.test == "jackknife"
    assert copied.pvalue == pytest.approx(once.pvalue, rel=1e-9)
    assert copied.ci == pytest.approx(once.ci, rel=1e-6)
    assert compared(5, None).pvalue < once.pvalue


def test_few_uneven_groups_do_not_make_claims_sure(store: Store, add_dated: AddDated) -> None:
    sizes = [90, 30, 20, 10, 10, 10, 8, 8, 6, 4, 2, 2]
    groups = [f"g{k}" for k, size in enumerate(sizes) for _ in range(size)]
    rng = np.random.default_rng(1)
    add_dated("A", 0, list((rng.random(200) < 0.5).astype(float)), groups=groups)
    add_dated("B", 1, list((rng.random(200) < 0.62).astype(float)), groups=groups)
    row = study_claims(store, "qa").rows[1]
    assert row.pvalue >= 2 / 2**12
    assert row.pvalue == pytest.approx(
        study_comparison(store, "B", "A", dataset="qa").analysis.test.pvalue
    )


def test_lower_is_better(store: Store, add_dated: AddDated) -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(30, 5, 200)
    add_dated("A", 0, list(base), metric="ter", higher_is_better=False)
    add_dated("B", 1, list(base - 2 + rng.normal(0, 1, 200)), metric="ter", higher_is_better=False)
    add_dated("C", 2, list(base + 9), metric="ter", higher_is_better=False)
    study = study_claims(store, "qa")
    (_, row) = study.rows
    assert row.verdict == "supported"
    assert row.gain == pytest.approx(2, abs=0.3)
    assert row.score < row.previous_score
    assert row.ci[0] < 2 < row.ci[1]
    assert study.ladder[-1].system == "B"
    assert study.ladder[-1].score == pytest.approx(row.score, abs=0.01)


def test_an_undated_score_has_no_place_until_a_claim_dates_it(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", None, right(160))
    study = study_claims(store, "qa")
    assert (study.n_undated, study.n_looks) == (1, 1)
    assert any("1 score has no date" in told for told in study.warnings)
    claim(store, "B", 0.8, 30, printed="0.80")
    dated = study_claims(store, "qa")
    row = by_system(dated.rows)["B"]
    assert (dated.n_undated, row.verdict, row.tier) == (0, "supported", "reproduced")
    assert f"{row.date:%Y-%m-%d}" == "2020-01-31"


def test_a_dataset_without_dates_has_no_history(store: Store, add_dated: AddDated) -> None:
    add_dated("A", None, right(100))
    with pytest.raises(NotFoundError, match=r"Nothing on 'qa' has a date.*--date"):
        study_claims(store, "qa")
    assert study_histories(store) == ()
    with pytest.raises(NotFoundError, match="There is no history of claims"):
        audit_claims(store, actor="tests")
