"""The YAML file beside a data file: found, strict, with lines."""

import pytest

from store.errors import ImportFormatError
from store.importers.mapping import FileMapping, is_mapping_file, load_mapping, mapping_path
from store.importers.yaml_nodes import nearest, parse_yaml


def load(write, yaml):
    path = write("x", "scores.csv", yaml)
    return load_mapping(path, "scores.csv")


def test_own_mapping_goes_before_the_one_of_the_folder(write) -> None:
    path = write("x", "a.b.csv.gz", "system: folder")
    assert mapping_path(path) == path.with_name("tiebreak.yaml")
    own = write("system: own", "a.b.tiebreak.yaml")
    assert mapping_path(path) == own
    assert load_mapping(path, "sub/a.b.csv.gz").system == "own"
    found = load_mapping(path, "sub/a.b.csv.gz").source_file
    assert found is not None
    assert found.path == "sub/a.b.tiebreak.yaml"


def test_timestamps_in_a_name_are_no_extension(write) -> None:
    path = write("x", "results_2026-01-21T03-44-18.458309.json")
    own = write("system: s", "results_2026-01-21T03-44-18.458309.tiebreak.yaml")
    assert mapping_path(path) == own


def test_no_mapping_and_an_empty_one(write, tmp_path) -> None:
    path = write("x")
    assert load_mapping(path, "scores.csv") == FileMapping()
    (tmp_path / "tiebreak.yaml").write_text("# nothing yet\n")
    assert load_mapping(path, "scores.csv").system is None


def test_mapping_files_are_known_by_name(tmp_path) -> None:
    assert is_mapping_file(tmp_path / "tiebreak.yaml")
    assert is_mapping_file(tmp_path / "x.tiebreak.yaml")
    assert not is_mapping_file(tmp_path / "metadata.yaml")


def test_scalars_keep_the_text_they_are_written_as(write) -> None:
    mapping = load(write, "system: no\ndataset: {name: 007, version: 1.10}\nsource: 2017-07-01\n")
    assert (mapping.system, mapping.dataset) == ("no", "007")
    assert (mapping.dataset_note.version, mapping.source) == ("1.10", "2017-07-01")


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("sytem: A\n", r"tiebreak.yaml, line 1, field 'sytem': unknown key. Did you mean 'system'"),
        ("metrics:\n  acc:\n    unitt: x\n", r"line 3, field 'metrics.acc.unitt': unknown key"),
        ("columns: {itm: q}\n", r"field 'columns.itm': unknown key. Did you mean 'item'"),
        (
            "metrics: {acc: {unit: parts}}\n",
            r"must be one of proportion, percent, points; is 'parts'",
        ),
        ("metrics: {acc: {higher_is_better: 1}}\n", r"must be true or false, is 1"),
        ("metrics: {acc: {lower: low}}\n", r"must be a number, is 'low'"),
        ("metrics: {acc: {lower: .inf}}\n", r"must be a finite number"),
        ("metrics: {acc: {lower: 1, upper: 0}}\n", r"acc.upper': must be larger than lower"),
        ("metrics: {acc: {aggregation: sum}}\n", r"must be one of mean, median, ratio, f1, bleu"),
        ("run: {seed: x}\n", r"field 'run.seed': must be a whole number, is 'x'"),
        ("run: {config: x}\n", r"field 'run.config': must be a mapping of keys to values"),
        ("run: {evaluated_on: soon}\n", r"field 'run.evaluated_on': 'soon' is no date"),
        ("system: A\nsystem: B\n", r"line 2, field 'system': the key stands twice"),
        ("system:\n", r"field 'system': has no value. Give one or remove the key"),
        ("system: [A]\n", r"field 'system': must be one plain value"),
        ("- a\n", r"line 1: must be a mapping of keys to values"),
        ("system: 'A\n", r"not YAML: found unexpected end of stream"),
        ("aliases: {A: B}\n", r"field 'aliases.A': must be a list"),
        ("overlaps: [{datasets: [A]}]\n", r"needs `datasets: \[A, B\]`"),
        ("overlaps: [{datasets: [A, B], kind: x}]\n", r"must be one of shared-items, contains"),
        ("comparisons: {sidedness: one}\n", r"must be one of two-sided, greater, less"),
        ("dataset: {nam: d}\n", r"field 'dataset.nam': unknown key. Did you mean 'name'"),
        ("run: {config: {a: !odd x}}\n", r"field 'run.config.a': cannot be read"),
    ],
)
def test_faulty_mappings_are_named_with_line_and_key(write, yaml, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        load(write, yaml)


def test_nearest_lists_what_is_known_when_nothing_is_near() -> None:
    assert nearest("Metrc", ["metric", "item"]) == " Did you mean 'metric'?"
    assert nearest("zzz", ["metric", "item"]) == " Known: metric, item."
    assert nearest("zzz", []) == ""


def test_plain_values_are_what_json_can_hold() -> None:
    root = parse_yaml("a: [1, 0.5, true, null, x, 2020-01-01]\nb: {c: '1'}\n", "y")
    assert root is not None
    assert root.plain() == {"a": [1, 0.5, True, None, "x", "2020-01-01"], "b": {"c": "1"}}
    assert parse_yaml("", "y") is None
