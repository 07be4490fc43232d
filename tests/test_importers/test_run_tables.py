"""Tables of numbered runs in which settings tell lines of one number apart."""

import pytest

from store.errors import ImportFormatError


def test_settings_of_numbered_trials_are_parts_of_systems(read) -> None:
    head = "learning_rate,batch_size,trial,accuracy,f1\n"
    rows = "0.1,32,1,0.5,0.4\n0.1,32,2,0.6,0.4\n0.01,32,1,0.7,0.6\n0.01,32,2,0.7,0.7\n"
    bundle = read(head + rows, "net/sweep.csv")
    found = {
        (one.system, bundle.metrics[one.metric].name, one.source): one.value
        for one in bundle.reported_scores
    }
    assert found["sweep (learning_rate=0.1)", "accuracy", "sweep.csv, trial 2"] == 0.6
    assert found["sweep (learning_rate=0.01)", "f1", "sweep.csv, trial 1"] == 0.6
    assert len(found) == 8


def test_lines_that_nothing_tells_apart_are_refused(read) -> None:
    with pytest.raises(ImportFormatError, match="no column of settings or words"):
        read("fold,accuracy,f1\n1,0.5,0.6\n1,0.7,0.6\n2,0.5,0.4\n", "net/folds.csv")
