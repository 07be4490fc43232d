"""A store's defaults: what page, command and HTTP show, and which link keeps what was seen."""

import json

import pytest
from typer.testing import CliRunner

from dashboard import data
from dashboard.cli import app as commands
from store.engine import open_store
from store.importers.logged import LoggedRun
from store.ingest import ingest
from store.settings import change_setting, store_settings


@pytest.fixture
def two_systems(tmp_path):
    """Return a store with two systems, where a false claim is bounded by 0.01."""
    path = tmp_path / "store.db"
    with open_store(path, create=True) as store:
        for system, right in (("one", 30), ("two", 20)):
            scores = {"accuracy": {f"q{i}": float(i < right) for i in range(40)}}
            ingest(store, LoggedRun(system, "news", "", "", 0, scores).bundle(None), actor="ann")
        change_setting(store, "alpha", "0.01", actor="ann")
    return path


def asked(path, *words):
    said = CliRunner().invoke(commands, ["--store", str(path), *words, "--json"])
    assert said.exit_code == 0, said.output
    return json.loads(said.stdout)


def box(app, key):
    return next(one for one in app.selectbox if key in str(one.key))


def test_command_and_page_begin_with_what_the_store_says(two_systems, open_page):
    assert "alpha:0.01 " in asked(two_systems, "pairs", "news")["signature"]
    assert "alpha:0.05 " in asked(two_systems, "pairs", "news", "--alpha", "0.05")["signature"]
    assert "correction:holm" in asked(two_systems, "pairs", "news")["signature"]
    assert box(open_page("pairs", two_systems), "alpha").value == "0.01"


def test_an_address_that_says_it_keeps_what_was_seen(two_systems, open_page, full_link):
    app = open_page("pairs", two_systems, alpha="0.05")
    assert box(app, "alpha").value == "0.05"
    assert "alpha=0.01" in full_link(open_page("pairs", two_systems))


def test_a_correction_that_a_question_lacks_leaves_its_own(two_systems):
    assert asked(two_systems, "settings", "set", "correction", "max-t")["result"]
    assert "correction:max-t" in asked(two_systems, "pairs", "news")["signature"]
    assert asked(two_systems, "leaderboard", "news")["result"]
    for wrong in (("alpha", "2"), ("correction", "hom"), ("alfa", "1")):
        refused = CliRunner().invoke(
            commands, ["--store", str(two_systems), "settings", "set", *wrong]
        )
        assert refused.exit_code == 2, wrong


def test_the_page_saves_and_takes_back(two_systems, open_page):
    app = open_page("settings", two_systems)
    app.selectbox[0].set_value("0.001")
    app.selectbox[2].set_value("admin")
    app = next(one for one in app.button if one.label == "Save").click().run()
    assert not app.exception
    with open_store(two_systems) as store:
        assert store_settings(store) == {"alpha": "0.001", "who may write imports": "admin"}
    rows = asked(two_systems, "settings", "reset", "alpha")["result"]["rows"]
    assert rows[0] == {"name": "alpha", "value": "0.05", "is_set": False}


def test_who_is_no_admin_sees_settings_and_changes_none(
    two_systems, open_page, text_of, monkeypatch
):
    monkeypatch.setenv("TIEBREAK_READ_ONLY", "1")
    app = open_page("settings", two_systems)
    assert "takes the role admin" in text_of(app)
    assert all(one.disabled for one in [*app.selectbox, *app.button])


def test_a_page_without_a_store_has_the_usual_defaults(tmp_path, monkeypatch):
    monkeypatch.setenv("TIEBREAK_STORE", str(tmp_path / "none.db"))
    assert data.defaults_of(object) == {}
