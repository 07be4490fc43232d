"""Folders of languages beside each other: one dataset in each language."""

import json

import pytest

from store.importers.detect import read_paths
from store.importers.languages_apart import is_language


def _grades(folder, language, scores, name="net"):
    place = folder / language / "single_grade"
    place.mkdir(parents=True, exist_ok=True)
    rows = [{"question_id": n, "model_id": name, "judge_id": "j", "score": s}
            for n, s in enumerate(scores)]  # fmt: skip
    (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _datasets(found):
    return {
        (run.system, one.datasets[run.dataset].name) for one in found.bundles for run in one.runs
    }


def test_grades_of_two_languages_are_of_two_datasets(tmp_path) -> None:
    for language in ("en", "ko"):
        _grades(tmp_path, language, [7, 3])
    found = read_paths(tmp_path)
    assert _datasets(found) == {("net", "MT-bench (en)"), ("net", "MT-bench (ko)")}
    assert {one.datasets[0].language for one in found.bundles} == {"en", "ko"}
    assert not any(run.label for one in found.bundles for run in one.runs)
    assert {g.value for one in found.bundles for g in one.guesses} == {
        "MT-bench (en)",
        "MT-bench (ko)",
    }


def test_pairs_of_two_languages_do_not_contradict_each_other(tmp_path) -> None:
    for language, winner in (("en", "a"), ("ko", "b")):
        (tmp_path / language).mkdir()
        pair = {"model_a": "a", "model_b": "b", "judge_id": "j", "winner": winner}
        rows = [{"question_id": n, **pair} for n in range(2)]
        place = tmp_path / language / "pairs.jsonl"
        place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_paths(tmp_path)
    names = {one.datasets[0].name for one in found.bundles}
    assert names == {"MT-bench pairs (en)", "MT-bench pairs (ko)"}


@pytest.mark.parametrize("other", ["run_2", "gpt"])
def test_folders_of_which_one_is_no_language_are_not_told_apart(tmp_path, other) -> None:
    for folder, scores in (("en", [7, 3]), (other, [7, 3])):
        _grades(tmp_path, folder, scores)
    assert _datasets(read_paths(tmp_path)) == {("net", "MT-bench")}


def test_a_bench_of_its_own_questions_is_called_after_its_folder(tmp_path) -> None:
    for bench in ("mt_bench", "law_bench_ja"):
        _grades(tmp_path / "data" / bench, "model_judgment", [7, 3])
    assert _datasets(read_paths(tmp_path)) == {("net", "MT-bench"), ("net", "law_bench_ja")}


@pytest.mark.parametrize(
    ("name", "expected"), [("ko", True), ("zh-CN", True), ("German", True), ("runs", False)]
)
def test_what_a_language_is_called(name, expected) -> None:
    assert is_language(name) is expected
