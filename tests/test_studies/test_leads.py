"""Which boards matter, and who leads on them, as the boards say it."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from analysis.store_defaults import set_setting
from analysis.studies import leads
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.leads import PIN, find_leads, list_boards
from analysis.studies.leads_report import leads_report
from store.engine import Store
from store.tags import add_tag
from tests.test_studies.judged import add_reported

AddRun = Callable[..., None]


@pytest.fixture
def boards(add_run: AddRun) -> None:
    """Store a board with a real lead, one with a tie, and one of a single system."""
    rng = np.random.default_rng(0)
    for name, share in (("good", 0.95), ("bad", 0.4)):
        add_run(name, "clear", list((rng.random(200) < share).astype(float)))
    for name in ("good", "bad", "other"):
        add_run(name, "close", list((rng.random(40) < 0.5).astype(float)))
    add_run("good", "alone", [1.0, 0.0])


@pytest.mark.usefixtures("boards")
def test_leads_are_those_of_the_boards(store: Store) -> None:
    listed = list_boards(store)
    assert [board.dataset for board in listed] == ["close", "clear"]
    found = find_leads(store, [board.dataset_uid for board in listed])
    assert [lead.lead for lead in found.values()] == ["tie of 3", "real"]
    clear = found[listed[1].dataset_uid]
    assert (clear.leader, clear.first, clear.second) == ("good", "good", "bad")
    assert clear.history == (pytest.approx(0.945, abs=0.03),)
    for uid, lead in found.items():
        assert lead.lead == study_leaderboard(store, uid).lead
        json.dumps(lead.to_dict(), allow_nan=False)


@pytest.mark.usefixtures("boards")
def test_the_report_says_by_which_correction_a_lead_is_real(store: Store) -> None:
    listed = list_boards(store)
    found = find_leads(store, [board.dataset_uid for board in listed])
    report = leads_report(store, listed, found)
    assert "(Holm, α = 0.05)" in report.sentences[0]
    (table,) = report.tables
    assert [(row[0], row[4]) for row in table.rows] == [
        ("close", "tie of 3 among 3 pairs · alone: cannot tell"),
        ("clear", "real"),
    ]
    set_setting(store, "correction", "bh", actor="tests")
    assert "correction:bh" in leads_report(store, listed, found).signature


@pytest.mark.usefixtures("boards")
def test_pinned_boards_stand_first(store: Store) -> None:
    add_tag(store, "dataset", "clear", PIN, actor="t")
    assert [board.dataset for board in list_boards(store)] == ["clear", "close"]


@pytest.mark.usefixtures("boards")
def test_boards_without_time_are_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leads, "MOST_WORK", 500)
    uids = [board.dataset_uid for board in list_boards(store)]
    assert list(find_leads(store, uids)) == uids[:1]


def test_a_board_whose_metric_has_figures_only_says_who_is_stated_first(
    store: Store, add_run: AddRun
) -> None:
    for name in ("good", "bad"):
        add_run(name, "close", [1.0, 0.0])
    add_reported(store, {"BLEU": [30.0, 40.0, 20.0]}, [1.0, 3.0, 2.0], dataset="close")
    (board,) = list_boards(store)
    (lead,) = find_leads(store, [board.dataset_uid]).values()
    shown = study_leaderboard(store, board.dataset_uid)
    assert {row.basis for row in shown.rows} == {"reported"}
    assert (lead.metric, lead.leader, lead.lead) == (shown.metric.label, "s1", leads.STATED)
