"""Trials are samples until somebody says that they are seeds; only seeds differ by training."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.studies.comparison import Compare
from dashboard.cli import app
from store.backup import check
from store.datasets import get_dataset
from store.engine import open_store
from store.errors import NotFoundError, StoreError
from store.history import list_events
from store.repeats import repeats_on, set_repeats


@pytest.fixture
def told(tmp_path):
    """Return what writes tables of three samples an item and compares their systems."""

    def of(name, order):
        rng = np.random.default_rng(5)
        hard = rng.random(80)
        lines = ["system,item,trial,accuracy"]
        for system, gain in (("A", 0.12), ("B", 0.0)):
            right = rng.random((80, 3)) < (0.9 * hard + gain)[:, None]
            for item, row in enumerate(right.astype(int)):
                lines += [f"{system},q{item},{t},{row[k]}" for t, k in enumerate(order(item))]
        table, path = tmp_path / f"{name}.csv", tmp_path / f"{name}.db"
        table.write_text("\n".join(lines) + "\n")
        done = CliRunner().invoke(app, ["--store", str(path), "ingest", str(table), "--dataset=d"])
        assert done.exit_code == 0, done.output
        return path

    return of


def answer(path):
    with open_store(path, read_only=True) as store:
        found = Compare("A", "B", "d").answer(store, lambda done, total: None)
    return found.to_dict()["pvalue"], found.to_dict()["ci"]


def test_samples_can_be_numbered_in_any_way(told):
    rng = np.random.default_rng(0)
    straight = answer(told("straight", lambda item: (0, 1, 2)))
    assert answer(told("mixed", lambda item: rng.permutation(3))) == straight


def test_seeds_widen_the_answer_and_samples_do_not(told):
    path = told("one", lambda item: (0, 1, 2))
    as_samples = answer(path)
    with open_store(path) as store:
        a, _ = set_repeats(store, "d", "seeds", actor="ann")
        assert (a.system, a.n_runs, a.n_trials, a.trials_are) == ("A", 1, 3, "seeds")
    as_seeds = answer(path)
    assert as_seeds[0] > as_samples[0]
    with open_store(path) as store:
        set_repeats(store, "d", "samples", actor="ann")
        uid = get_dataset(store, "d").uid
        assert [
            event.detail["trials"] for event in list_events(store, target_uid=uid, limit=2)
        ] == [
            "samples",
            "seeds",
        ]
        assert check(store) == []
    assert answer(path) == as_samples


def test_a_comparison_says_what_the_trials_are(told):
    path = told("one", lambda item: (0, 1, 2))

    def warned(about):
        with open_store(path, read_only=True) as store:
            found = Compare("A", "B", "d").answer(store, lambda done, total: None)
        return any(about in one for one in found.warnings)

    assert warned("Trials are samples")
    assert not warned("that in the seeds")
    with open_store(path) as store:
        set_repeats(store, "d", "seeds", actor="ann")
    assert warned("that in the seeds")
    assert not warned("Trials are samples")


def test_what_cannot_be_said_is_refused(told):
    path = told("one", lambda item: (0, 1, 2))
    with open_store(path) as store:
        with pytest.raises(StoreError, match="samples or seeds, not 'seedz'"):
            set_repeats(store, "d", "seedz", actor="ann")
        with pytest.raises(NotFoundError, match="no system 'C'"):
            set_repeats(store, "d", "seeds", system="C", actor="ann")
        with pytest.raises(NotFoundError, match="no dataset 'e'"):
            set_repeats(store, "e", "seeds", actor="ann")


def test_the_command_says_it_of_one_system(told):
    path = told("one", lambda item: (0, 1, 2))
    words = ["--store", str(path), "set", "repeats", "d", "seeds", "--system", "A", "--json"]
    result = json.loads(CliRunner().invoke(app, words).stdout)["result"]
    assert [(row["system"], row["trials_are"]) for row in result["rows"]] == [
        ("A", "seeds"),
        ("B", "samples"),
    ]
    with open_store(path, read_only=True) as store:
        assert [one.to_dict() for one in repeats_on(store, "d")] == result["rows"]
