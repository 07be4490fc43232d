"""What goes to a server is what a command would read here: no link leads out of what was given."""

import os

import pytest

from store.importers.detect import read_paths
from store.importers.sources import FilesToSend

LONG = "system,dataset,item,metric,score\nA,d,1,acc,1\n"


@pytest.fixture
def sent(tmp_path):
    def find(*given):
        faults = []
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        files = FilesToSend(scratch, None, lambda _, error: faults.append(error))
        return dict(files.find_named(given)), faults

    return find


def test_what_is_refused_here_is_not_sent(write, tmp_path, sent) -> None:
    secret = write("root:x:0:0\n", "outside/passwd")
    folder = write(LONG, "in/res/s.csv").parent
    write("dataset: d\n", "in/res/s.tiebreak.yaml")
    write(LONG, "in/res/.hidden.csv")
    (folder / "notes.csv").symlink_to(secret)
    (folder / "tiebreak.yaml").symlink_to(secret)
    (folder / "same.csv").symlink_to(folder / "s.csv")
    (folder / "all").symlink_to(secret.parent)
    os.mkfifo(folder / "pipe.csv")
    found, faults = sent(folder)
    assert found.keys() <= {"res/s.csv", "res/same.csv", "res/s.tiebreak.yaml"}
    assert "res/s.tiebreak.yaml" in found
    assert len(found) == 2, "one file under one name"
    assert secret not in map(os.path.realpath, found.values())
    here = {fault.path for fault in read_paths([folder]).faults}
    told = {fault.path for fault in faults}
    assert here <= told
    assert told - here == {f"{folder}/tiebreak.yaml"}, "never read by itself here"


@pytest.mark.parametrize("name", ["s.tiebreak.yaml", "tiebreak.yaml"])
def test_a_description_goes_along_unless_it_is_a_link_to_elsewhere(
    write, tmp_path, sent, name
) -> None:
    path = write(LONG, "in/s.csv")
    described = write("dataset: d\n", f"in/{name}")
    found, faults = sent(path)
    assert sorted(os.path.basename(one) for one in found) == ["s.csv", name]
    assert len({os.path.dirname(one) for one in found}) == 1
    assert not faults
    described.unlink()
    described.symlink_to(write("secret: 1\n", "outside/x"))
    (tmp_path / "scratch").rmdir()
    found, faults = sent(path)
    assert not found
    assert "leads out" in faults[0].reason


def test_patterns_archives_and_names_that_come_twice(write, tmp_path, sent) -> None:
    for name in ("a/s.csv", "b/s.csv", "b/packed.zip"):
        write(LONG, name)
    (tmp_path / "a" / "out.csv").symlink_to("/etc/hostname")
    found, faults = sent(tmp_path / "*" / "*")
    inside = {name.partition("/")[2] for name in found}
    assert inside == {"a/s.csv", "b/s.csv", "b/packed.zip"}
    assert len(faults) == 1
    (tmp_path / "scratch").rmdir()
    found, faults = sent(tmp_path / "a" / "s.csv", tmp_path / "b" / "s.csv", tmp_path / "none")
    assert list(found.values()) == [tmp_path / "a" / "s.csv"]
    assert [("of this name" in one.reason, "no such file" in one.reason) for one in faults] == [
        (True, False),
        (False, True),
    ]
