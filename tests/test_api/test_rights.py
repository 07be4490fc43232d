"""Each write tried by each role and token, and forged requests; docs/reliability.md tells it."""

import pytest

from benchmarks.rights import forged as forging
from benchmarks.rights import page, trying
from benchmarks.rights.house import WHO
from benchmarks.rights.writes import ROWS

REFUSED = (400, 401, 403, 405, 409)
FOR_ADMINS = {
    *("undo another's import", "forget another's view", "purge", "change a setting"),
    *("remove a person's name", "remove old texts", "make a backup"),
    *("make another's token", "revoke another's token"),
    *("edit another's note", "remove another's note"),
}


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    return trying.try_all(tmp_path_factory.mktemp("rights"))


@pytest.fixture(scope="module")
def forged(tmp_path_factory):
    return forging.try_forged(tmp_path_factory.mktemp("forged"))


def test_every_write_function_is_tried():
    tried = {f"{one.__module__}.{one.__name__}" for row in ROWS for one in row.of}
    assert trying.write_functions() == tried


def test_who_has_no_right_to_write_writes_nothing(tried):
    none = {"stranger", "viewer", "no token", "to read", "another dataset", "expired", "revoked"}
    for who in (*none, "its owner left", "its owner looks"):
        let_in = {row.what for row in ROWS if tried[row.what, who] == "yes"}
        # What a token has brought it takes back itself, whatever else it is for.
        assert let_in <= ({"undo an own import"} if who == "another dataset" else set()), who


def test_the_others_do_what_is_theirs(tried):
    for row in ROWS:
        done_by = {who for who in WHO if tried[row.what, who] == "yes"}
        if row.what in FOR_ADMINS:
            assert done_by == {"admin"}, row.what
        elif row.what == "make an own token":  # no token makes one
            assert done_by == {"contributor", "admin"}
        else:
            assert done_by >= {"contributor", "admin", "to write", "of an admin"}, row.what
    its = {row.what for row in ROWS if tried[row.what, "its dataset"] == "yes"}
    assert its == {"import results", "undo an own import"}


def test_no_forged_request_gets_through(forged):
    let_in = {place: status for place, status in forged.items() if status not in REFUSED}
    assert let_in == {}
    assert len(forged) == len(forging.FORGED) * (len(forging.forged_places()) + 1) - len(
        forging.OWN
    )


def test_the_page_tells_what_came_of_it(tried, forged):
    written = page.PAGE.read_text(encoding="utf-8")
    assert page.told(tried, forged) in written, "run `make rights`"
