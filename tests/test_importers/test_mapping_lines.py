"""What a YAML file states and the data file cannot follow is named with its line in the YAML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.claims import read_claims
from store.importers.detect import read_paths

SCORES = "system,item,accuracy\nA,q1,1\nA,q2,0\n"
RATINGS = "system,item,annotator,rating\nA,q1,x,1\nB,q1,x,2\nA,q1,y,2\nB,q1,y,2\n"


@pytest.mark.parametrize(
    ("content", "yaml", "field", "reason", "stated"),
    [
        (
            SCORES,
            "dataset: d\ncolumns:\n  system: system\n  item: qid\n",
            "item",
            "there is no column 'qid' for the item",
            "`columns.item` is stated in tiebreak.yaml, line 4.",
        ),
        (
            SCORES,
            "dataset: d\n\nlayout: '{model}'\n",
            "layout",
            "must hold {system} once",
            "`layout` is stated in tiebreak.yaml, line 3.",
        ),
        (
            SCORES,
            "dataset: d\nlayout: 'x_{system}'\n",
            "layout",
            "no numeric column fits the layout",
            "`layout` is stated in tiebreak.yaml, line 2.",
        ),
        (
            SCORES,
            "dataset: d\nmetrics:\n  accuracy:\n    higher_is_better: true\n    aggregation: f1\n",
            "accuracy",
            "declares the aggregation 'f1', which needs the columns accuracy.tp",
            "`metrics.accuracy.aggregation` is stated in tiebreak.yaml, line 5.",
        ),
        (
            SCORES.replace("1\n", "1%\n"),
            "dataset: d\nmetrics:\n  accuracy: {unit: proportion}\n",
            "accuracy",
            "carry % signs but the unit is declared as 'proportion'",
            "`metrics.accuracy.unit` is stated in tiebreak.yaml, line 3.",
        ),
        (
            SCORES,
            "dataset: d\noptions:\n  scale: 1..5\n",
            "scale",
            "the format 'generic' has no options",
            "`options.scale` is stated in tiebreak.yaml, line 3.",
        ),
        (
            RATINGS,
            "format: judgments\ndataset: d\noptions:\n  criterion: fluency\n  scale: 5..1\n",
            "scale",
            "'5..1' is no value of this option",
            "`options.scale` is stated in tiebreak.yaml, line 5.",
        ),
        (
            RATINGS,
            "format: judgments\ndataset: d\noptions:\n  criterion: fluency\n  kid: model\n",
            "kid",
            "there is no option 'kid'",
            "`options.kid` is stated in tiebreak.yaml, line 5.",
        ),
        (
            RATINGS,
            "format: judgments\ndataset: d\ncolumns:\n  annotator: worker\n",
            "annotator",
            "there is no column 'worker' for the annotator",
            "`columns.annotator` is stated in tiebreak.yaml, line 4.",
        ),
    ],
)
def test_statement_that_the_file_cannot_follow(
    read, content: str, yaml: str, field: str, reason: str, stated: str
) -> None:
    said = rf"scores\.csv, field '{field}': .*{re.escape(reason)}.* {re.escape(stated)}$"
    with pytest.raises(ImportFormatError, match=said):
        read(content, yaml=yaml)


def test_format_that_does_not_exist(read) -> None:
    said = r"tiebreak\.yaml, line 2, field 'format': there is no format 'generik'"
    with pytest.raises(ImportFormatError, match=said):
        read(SCORES, yaml="dataset: d\nformat: generik\n")


def test_option_of_a_treebank(read) -> None:
    tree = "# sent_id = a\n1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    said = r"'wellformed' is neither.* `options.punctuation` is stated in tiebreak\.yaml, line 2\.$"
    with pytest.raises(ImportFormatError, match=said):
        read(tree, name="gold.conllu", yaml="options:\n  punctuation: wellformed\n")


def test_flag_goes_before_the_yaml_and_is_not_blamed_on_it(read) -> None:
    yaml = "dataset: d\ncolumns:\n  item: item\n"
    with pytest.raises(ImportFormatError, match="no column 'qid' for the item") as caught:
        read(SCORES, yaml=yaml, columns={"item": "qid"})
    assert "stated" not in str(caught.value)
    with pytest.raises(ImportFormatError, match="must hold") as caught:
        read(SCORES, yaml="dataset: d\nlayout: x\n", layout="y")
    assert "stated" not in str(caught.value)


def test_error_of_a_row_names_its_row_alone(read) -> None:
    with pytest.raises(ImportFormatError, match=r"scores\.csv, line 2, field 'accuracy'") as caught:
        read(SCORES.replace("q1,1", "q1,x"), yaml="dataset: d\nmetric: accuracy\n")
    assert "stated" not in str(caught.value)


def test_one_file_of_a_folder(write, tmp_path: Path) -> None:
    write(SCORES, "a.csv", "dataset: d\n")
    write(SCORES, "b.csv")
    (tmp_path / "b.tiebreak.yaml").write_text("dataset: d\n\n\ncolumns: {item: qid}\n")
    with pytest.raises(ImportFormatError, match=r"b\.tiebreak\.yaml, line 4\.") as caught:
        read_paths(tmp_path, whole=True)
    assert caught.value.path.endswith("b.csv")


def test_claims(write) -> None:
    path = write(
        "system,value,date,source\nA,1,2020-01-01,x\n",
        "claims.csv",
        "dataset: d\nmetric: m\ncolumns:\n  system: who\n",
    )
    said = r"no column 'who' for the system.* `columns.system` is stated in .*yaml, line 4\.$"
    with pytest.raises(ImportFormatError, match=said):
        read_claims(path, ReadOptions())
