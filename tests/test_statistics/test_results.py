import dataclasses
import json
import math

import numpy as np
import pytest

from analysis.statistics.across.overclaiming import simulate_overclaiming
from analysis.statistics.across.replicability import analyse_replicability
from analysis.statistics.multiplicity import adjust
from analysis.statistics.results import to_plain
from tests.test_statistics.pairs import signflip

RESULTS = [
    adjust([0.01, math.nan, 0.5]),
    analyse_replicability([0.01, math.nan, 0.5]),
    signflip([1.5, 2.5, math.nan], [0.5, 2.0, 1.0]),
    signflip([], []),
    simulate_overclaiming("dependent", n_datasets=5, n_repetitions=10),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.signature)
def test_to_dict_is_json_without_nan(result):
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["signature"] == result.signature


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.signature)
def test_results_are_frozen_and_their_arrays_locked(result):
    field = dataclasses.fields(result)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, field, None)
    for entry in dataclasses.fields(result):
        value = getattr(result, entry.name)
        values = value.values() if hasattr(value, "values") else [value]
        for array in values:
            assert not isinstance(array, np.ndarray) or not array.flags.writeable


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.signature)
def test_str_ends_with_the_signature(result):
    assert str(result).splitlines()[-1] == result.signature
    assert "\n" not in result.signature


def test_mappings_of_results_cannot_be_changed():
    with pytest.raises(TypeError):
        RESULTS[1].identified["holm"] = np.array([True])


def test_to_plain_turns_what_is_not_finite_into_none():
    values = {"x": np.array([1.0, np.nan]), 2: (np.inf, np.int64(3), True, None)}
    assert to_plain(values) == {"x": [1.0, None], "2": [None, 3, True, None]}


def test_to_plain_refuses_unknown_objects():
    with pytest.raises(TypeError, match="`value` of type object has no JSON form"):
        to_plain(object())
