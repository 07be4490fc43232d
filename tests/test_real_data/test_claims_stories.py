"""Boards that exist, told by the audit of claims, against what scipy says of the same files.

The files lie beside the checkout and are never copied; without them these tests are skipped.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, chi2, ttest_1samp

from analysis.studies.claims.study import ClaimsStudy, study_claims
from store.engine import Store, open_store
from store.importers.bundle import ReadOptions
from store.importers.claims import read_claims
from store.importers.detect import read_paths
from store.ingest import ingest_all
from store.ingest.claims import import_claims

pytestmark = pytest.mark.shared

OPUS, SONNET_4 = "Claude 4 Opus (20250514)", "Claude 4 Sonnet (20250514)"
SONNET_45, GEMINI_3 = "Claude 4.5 Sonnet (20250929)", "Gemini 3 Pro Preview (2025-11-18)"
SONNET_37 = "Claude 3.7 Sonnet (20250219)"


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    """Return an empty store and a folder to import from."""
    store = open_store(tmp_path / "board.db", create=True)
    yield Board(store, tmp_path / "files")
    store.close()


class Board:
    """A store, filled from files with descriptions beside them."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self._folder = store, folder
        folder.mkdir()

    def put(self, content: Path | list[list[str]], yaml: str, *, claims: bool = False) -> Any:
        """Import a file, or rows, as described."""
        name = f"file{len(list(self._folder.glob('*.yaml')))}"
        suffix = content.suffix if isinstance(content, Path) else ".csv"
        path = self._folder / f"{name}{suffix}"
        path.with_name(f"{name}.tiebreak.yaml").write_text(yaml, encoding="utf-8")
        if isinstance(content, Path):
            path.symlink_to(content)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(content)
        if claims:
            return import_claims(self.store, read_claims(path), actor="test")
        bundles = read_paths([path], options=ReadOptions()).bundles
        return ingest_all(self.store, bundles, actor="test")


def rows_of(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def matrix(
    rows: list[dict[str, str]], system: str, item: str, score: Callable[[str], float], column: str
) -> dict[str, np.ndarray]:
    """Return system -> mean score of each item, items in order of their names; NaN = missing."""
    cells: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        cells.setdefault((row[system], row[item]), []).append(score(row[column]))
    items = sorted({name for _, name in cells})
    systems = dict.fromkeys(name for name, _ in cells)
    return {
        s: np.array([np.mean(cells.get((s, i), [np.nan])) for i in items], float) for s in systems
    }


def mcnemar(a: np.ndarray, b: np.ndarray) -> float:
    wins, losses = int((a > b).sum()), int((a < b).sum())
    return float(chi2.sf((wins - losses) ** 2 / (wins + losses), 1))


def claim_of(study: ClaimsStudy, system: str) -> Any:
    (row,) = (row for row in study.rows if row.system == system)
    return row


def swebench(board: Board, folder: Path) -> ClaimsStudy:
    board.put(
        folder / "derived/per_instance_bash_only.csv",
        "dataset: swe\nmetric: resolved\nmetrics: {resolved: {unit: proportion}}\n",
    )
    entries = [*csv.reader((folder / "derived/leaderboard_entries.csv").open(encoding="utf-8"))]
    report = board.put(
        [row for row in entries if row[0] in ("leaderboard", "bash-only")],
        "dataset: swe\nmetric: resolved\ncolumns: {score: resolved_pct, source: folder}\n"
        "metrics: {resolved: {unit: percent}}\n",
        claims=True,
    )
    assert (report.claims_added, len(report.systems_added)) == (23, 6)
    return study_claims(board.store, "swe")


def test_swebench_has_three_records_that_nobody_can_tell_from_chance(board, shared_folder) -> None:
    folder = shared_folder / "data/swebench_bash_only"
    study = swebench(board, folder)
    scores = matrix(
        rows_of(folder / "derived/per_instance_bash_only.csv"),
        *("system", "instance_id", float, "resolved"),
    )
    for later, before in ((OPUS, SONNET_4), (SONNET_45, OPUS), (GEMINI_3, SONNET_45)):
        row = claim_of(study, later)
        assert (row.previous, row.basis, row.n_items) == (before, "items", 500)
        assert row.gain == pytest.approx(scores[later].mean() - scores[before].mean())
        assert row.pvalue == pytest.approx(mcnemar(scores[later], scores[before]), rel=1e-9)
        assert row.pvalue_sequential > 0.05
        assert row.verdict == "underpowered"
        assert 0.04 < row.mde < 0.055
    assert claim_of(study, GEMINI_3).holds_alone, "p = 0.041, and the fourth claim"
    assert not claim_of(study, SONNET_45).holds_alone
    found = claim_of(study, SONNET_4)
    assert (found.verdict, found.basis) == ("supported", "bounds")
    assert (study.n_looks, study.n_tested, study.n_held) == (23, 4, 1)
    assert study.frontier[-1].system == GEMINI_3, "against Claude 4 Sonnet the small gains add up"
    assert mcnemar(scores[GEMINI_3], scores[SONNET_4]) < 1e-4


def test_swebench_claim_that_its_own_items_contradict(board, shared_folder) -> None:
    study = swebench(board, shared_folder / "data/swebench_bash_only")
    row = claim_of(study, SONNET_37)
    assert (row.claimed, row.printed, row.verdict) == (0.528, "52.8", "contradicted")
    assert row.score == pytest.approx(51 / 500)
    contradicted = [row.system for row in study.rows if row.verdict == "contradicted"]
    assert contradicted == [SONNET_37], "one issue left out (64.93, 21.04) is no contradiction"
    assert claim_of(study, SONNET_4).claimed == 0.6493


def test_terminal_bench_ends_in_a_tie(board, shared_folder) -> None:
    """Nulls count as failed, as on the board; five runs of a system are one look."""
    rows = rows_of(shared_folder / "data/terminal_bench/derived/trials.csv")
    header = ["system", "date", "run", "task", "variant_of", "resolved", "status"]
    table = [
        [r["system"], r["date"], r["run"], r["task_id"], r["task_id"].partition(".")[0]]
        + ([r["resolved"], "ok"] if r["resolved"] else ["0", "scored by rule"])
        for r in rows
    ]
    board.put(
        [header, *table],
        "dataset: tb\nmetric: resolved\nmetrics: {resolved: {unit: proportion}}\n"
        "columns: {item: task, trial: run, run: '', group: variant_of}\n",
    )
    study = study_claims(board.store, "tb")
    scores = matrix(rows, "system", "task_id", lambda cell: float(cell or 0), "resolved")
    assert {x.system: x.score for x in study.looks} == pytest.approx(
        {system: values.mean() for system, values in scores.items()}
    )
    goose, openhands = (f"{name} + Claude 4 Sonnet" for name in ("Goose", "OpenHands"))
    assert scores[goose].mean() == pytest.approx(scores[openhands].mean())
    assert [step.system for step in study.raw] == [openhands]
    assert (study.n_looks, study.n_records, study.n_tested) == (4, 1, 0)


def test_livecodebench_of_one_day_is_no_history(board, shared_folder) -> None:
    board.put(
        shared_folder / "data/livecodebench_generation/derived/per_problem.csv",
        "dataset: lcb\nmetric: pass@1\ncolumns: {score: pass_at_1_pct}\n"
        "metrics: {pass@1: {unit: percent}}\nrun: {evaluated_on: 2025-04-22}\n",
    )
    study = study_claims(board.store, "lcb")
    (row,) = study.rows
    assert (row.system, row.verdict, study.n_looks) == ("O4-Mini (High)", "unverifiable", 16)
    assert row.score == pytest.approx(83.22, abs=0.005)
    assert any("of one day" in warning for warning in study.warnings)


def test_alpaca_eval_was_won_by_a_model_that_answers_nothing(board, shared_folder) -> None:
    """A gain that is no chance can still be none: NullModel writes one text for all questions."""
    folder = shared_folder / "data/alpaca_eval_2"
    rows, models = rows_of(folder / "preferences.csv"), rows_of(folder / "models.csv")
    dates = {m["model"]: m["first_commit_date"] for m in models}
    table = [[r["model"], r["item"], r["win_prob"], dates[r["model"]]] for r in rows]
    board.put(
        [["model", "item", "win_prob", "date"], *table],
        "dataset: alpaca\nmetric: win_prob\n"
        "metrics: {win_prob: {higher_is_better: true, unit: proportion}}\n",
    )
    report = board.put(
        folder / "models.csv",
        "dataset: alpaca\nmetric: win_prob\nsource: board\n"
        "columns: {date: first_commit_date, score: win_rate_leaderboard}\n"
        "metrics: {win_prob: {unit: percent}}\n",
        claims=True,
    )
    assert report.claims_added == 47
    study = study_claims(board.store, "alpaca")
    records = ["minotaur-13b", "claude-2", "gpt4_1106_preview", "NullModel"]
    assert [step.system for step in study.raw] == records
    assert [step.system for step in study.frontier] == records
    scores = matrix(rows, "model", "item", lambda c: float(c) if c else np.nan, "win_prob")
    for before, later in pairwise(records):
        row, gains = claim_of(study, later), scores[later] - scores[before]
        gains = gains[~np.isnan(gains)]
        assert (row.verdict, row.n_items) == ("supported", len(gains))
        assert row.gain == pytest.approx(gains.mean())
        assert row.pvalue == pytest.approx(ttest_1samp(gains, 0).pvalue, rel=1e-6)
    assert claim_of(study, "claude-2").n_items == 804, "the judge failed on an item of minotaur"
    assert study.verdicts["contradicted"] == 0, "all 47 published rates follow from the items"


def squad(board: Board, folder: Path, which: str) -> list[dict[str, str]]:
    """Import the 144 dated models; return them in order of time."""
    size = {"test": 8862, "dev": 11873}[which]
    board.put(
        folder / "models.tsv",
        f"format: reported\ndataset: {{name: squad {which}, n_items: {size}}}\nmetric: EM\n"
        f"columns: {{system: 'model {{index}}', score: {which}_em}}\n"
        "metrics: {EM: {higher_is_better: true, unit: percent}}\nsource: Card et al. 2020\n",
    )
    return sorted(rows_of(folder / "models.tsv", "\t"), key=lambda m: m["date"])


def dev_pvalues(folder: Path) -> dict[tuple[int, int], tuple[int, float]]:
    """Return (earlier, later) -> gain in items on dev, p of McNemar's exact test; of records."""
    found = {}
    wanted = _steps(folder)
    for row in rows_of(folder / "pairs_dev.tsv", "\t"):
        pair = int(row["i"]), int(row["j"])
        if pair in wanted:
            gain, discordant = int(row["dev_delta"]), int(row["dev_disagree"])
            found[pair] = gain, float(binomtest((discordant + gain) // 2, discordant).pvalue)
    return found


def _steps(folder: Path) -> set[tuple[int, int]]:
    """Return the pairs among the models that were a record, on test or dev, by any order."""
    models = sorted(rows_of(folder / "models.tsv", "\t"), key=lambda m: m["date"])
    kept = set()
    for column in ("test_em", "dev_em"):
        best = -1.0
        for model in models:
            if float(model[column]) > best:
                best = float(model[column])
                kept.add(int(model["index"]))
    return {(i, j) for i in kept for j in kept if i < j}


def best_of_days(models: list[dict[str, str]], column: str) -> list[str]:
    """Return the models that were better than all of the days before and the best of their day."""
    records: list[str] = []
    best = -1.0
    for day in dict.fromkeys(m["date"][:10] for m in models):
        top = max((m for m in models if m["date"][:10] == day), key=lambda m: float(m[column]))
        if float(top[column]) > best:
            best = float(top[column])
            records.append(f"model {top['index']}")
    return records


def test_squad_test_by_figures_alone(board, shared_folder) -> None:
    """144 models; of the test set only the accuracies are known, so p-values have bounds."""
    models = squad(board, shared_folder / "data/card2020/SQuAD2", "test")
    study = study_claims(board.store, "squad test")
    records = best_of_days(models, "test_em")
    assert [step.system for step in study.raw] == records
    assert (study.n_looks, study.n_records, study.n_tested) == (144, 21, 20)
    assert {row.basis for row in study.rows[1:]} == {"bounds"}
    assert study.n_held == sum(row.verdict == "supported" for row in study.rows)
    for row in study.rows[1:]:
        low, high = row.pvalue_bounds
        assert low <= row.pvalue <= high
        assert (row.verdict == "supported") == (high <= row.level)


def test_squad_dev_by_reported_pvalues(board, shared_folder) -> None:
    folder = shared_folder / "data/card2020/SQuAD2"
    models = squad(board, folder, "dev")
    pvalues = dev_pvalues(folder)
    table = [[f"model {j}", f"model {i}", f"{p:.17g}"] for (i, j), (_, p) in pvalues.items()]
    board.put(
        [["system_a", "system_b", "pvalue"], *table],
        "dataset: squad dev\nmetric: EM\nsource: pairs_dev.tsv\n"
        "comparisons: {test: McNemar, sidedness: two-sided}\n",
    )
    study = study_claims(board.store, "squad dev")
    records = best_of_days(models, "dev_em")
    assert [step.system for step in study.raw] == records
    tested = {row.system: row for row in study.rows if row.previous is not None}
    assert len(tested) == 20
    for before, later in pairwise(records):
        row = tested[later]
        assert (row.previous, row.basis, row.n_items) == (before, "reported", 11_873)
        assert row.pvalue == pytest.approx(pvalues[int(before[6:]), int(later[6:])][1], rel=1e-9)
    assert sum(row.pvalue <= 0.05 for row in tested.values()) == 14
    assert study.n_held == sum(row.verdict == "supported" for row in study.rows) == 9


def test_squad_chain_of_card_et_al(shared_folder) -> None:
    """Of their 24 steps on test 18 are significant on dev, and one is significantly worse there."""
    folder = shared_folder / "data/card2020/SQuAD2"
    pvalues = dev_pvalues(folder)
    marked = [int(m["index"]) for m in rows_of(folder / "models.tsv", "\t") if m["sota"] == "1"]
    steps = [pvalues[pair] for pair in pairwise(marked)]
    assert (len(marked), len(steps)) == (25, 24)
    assert sum(gain > 0 and p <= 0.05 for gain, p in steps) == 18
    assert [gain for gain, p in steps if gain < 0 and p <= 0.05] == [-216]
