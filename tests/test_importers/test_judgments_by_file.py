"""Ratings of several people, a file for each, in files of our own making."""

import pytest

from store.importers.detect import read_paths

HEAD = "id,Correctness,Readability,Hallucinates,Notes\n"


@pytest.fixture
def read(write, tmp_path):
    def make(**files):
        for name, text in files.items():
            write(text, f"study/{name}.csv")
        return read_paths([tmp_path / "study"], root=tmp_path).bundles

    return make


def test_the_names_of_files_are_those_of_the_annotators(read) -> None:
    bundles = read(
        human_eval_Ann=HEAD + "1,5,4,No,\n2,2,3,Yes,odd\n",
        human_eval_Bo=HEAD + "1,4,4,No,\n2,1,3,Yes,\n",
        human_eval_template=HEAD + "1,,,,\n2,,,,\n",
    )
    found = {
        (one.annotator, bundle.criteria[one.criterion].name, one.item): one.value
        for bundle in bundles
        for one in bundle.ratings
    }
    assert found["Ann", "Correctness", 0] == 5
    assert found["Bo", "Correctness", 1] == 1
    assert {who for who, _, _ in found} == {"Ann", "Bo"}
    assert not any(bundle.runs for bundle in bundles)


def test_files_of_systems_stay_scores(read) -> None:
    bundles = read(
        human_eval_gpt4="id,correct\n1,1\n2,0\n", human_eval_llama="id,correct\n1,1\n2,1\n"
    )
    systems = {run.system for bundle in bundles for run in bundle.runs}
    assert {name.removeprefix("human_eval_") for name in systems} == {"gpt4", "llama"}
    assert not any(bundle.ratings for bundle in bundles)
