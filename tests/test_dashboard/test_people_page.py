"""The page of people: who changed the store, and the removal of a name."""

from dashboard import people
from store.engine import open_store
from store.history import list_events
from store.kept_settings import RETENTION
from store.known_people import list_people
from store.people import Person
from store.server_work import Work, write_work
from store.settings import change_setting
from tests.test_store.test_people import a_run, ingest


def test_people_are_listed_and_a_name_removed(open_page, text_of, empty_path, monkeypatch):
    assert "0 people" in text_of(open_page("people", empty_path))
    with open_store(empty_path) as store:
        ingest(store, a_run(), actor="cyn")
        app = open_page("people", empty_path)
        assert "1 person changed" in text_of(app)
        app.selectbox[0].set_value("cyn")
        app = next(one for one in app.button if one.label == "Remove the name").click().run()
        assert not app.exception
        assert all(one.name != "cyn" for one in list_people(store))
    monkeypatch.setenv("TIEBREAK_READ_ONLY", "1")
    assert not open_page("people", empty_path).selectbox


def test_admins_see_all_of_it_and_make_backups(open_page, text_of, empty_path, monkeypatch):
    assert "0 people" in text_of(open_page("admin", empty_path))
    with open_store(empty_path) as store:
        ingest(store, a_run(), actor="cyn")
        change_setting(store, RETENTION, "30", actor="cyn")
    app = open_page("admin", empty_path)
    assert "1 person" in text_of(app)
    assert "0 outputs are older" in text_of(app)
    app = next(one for one in app.button if one.label == "Make a backup now").click().run()
    assert not app.exception
    assert "1 backup" in text_of(app)
    (written,) = (empty_path.parent / "backups").iterdir()
    with open_store(written, read_only=True) as copy:
        assert list_people(copy)[0].name == "cyn"
    monkeypatch.setattr(people, "person_at_page", lambda: Person("eye", "contributor", "page"))
    app = open_page("admin", empty_path)
    assert "takes the role admin" in text_of(app)
    assert not [one for one in app.button if "backup" in one.label]


def test_admins_see_and_stop_the_work_of_other_servers(open_page, text_of, empty_path, monkeypatch):
    assert "No server of this store computes" in text_of(open_page("admin", empty_path))
    with open_store(empty_path) as store:
        write_work(store, "web2, process 7", [Work("b", "", "Ranking", 65, 2, 5, 10)])
        app = open_page("admin", empty_path)
        told = "Ranking: 65 s so far, step 5 of 10; 2 waiting; on web2, process 7"
        assert told in text_of(app)
        monkeypatch.setenv("TIEBREAK_READ_ONLY", "1")
        assert "Stop" not in [one.label for one in open_page("admin", empty_path).button]
        monkeypatch.delenv("TIEBREAK_READ_ONLY")
        app = next(one for one in app.button if one.label == "Stop").click().run()
        assert not app.exception
        assert "is being stopped" in text_of(app)
        assert write_work(store, "web2, process 7", [Work("b", "", "Ranking", 67, 2)]) == {"b"}


def test_the_log_is_found_and_written_whole(open_page, text_of, empty_path):
    with open_store(empty_path) as store:
        ingest(store, a_run(), actor="cyn")
        n_all = len(list_events(store))
    app = open_page("audit", empty_path, since="2020-01-01")
    assert f"{n_all} changes" in text_of(app)
    assert "no date" in text_of(open_page("audit", empty_path, since="soon"))
    assert "Show all" in [
        one.label for one in open_page("audit", empty_path, until="2020-01-01").button
    ]
