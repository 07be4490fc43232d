"""One table in several shapes: whatever the shape, the same systems, items and scores go in."""

import json

import pytest

from store.importers.detect import read_paths

_SCORES = {("gpt-4o", f"q{n}"): float(n % 3 > 0) for n in range(12)} | {
    ("t5-base", f"q{n}"): float(n % 4 > 0) for n in range(12)
}
_ROWS = [{"model": s, "question_id": i, "correct": v} for (s, i), v in _SCORES.items()]


@pytest.fixture
def scores(tmp_path):
    """Return a function that writes one file and returns (system, item) -> score."""

    def make(name: str, text: str) -> dict[tuple[str, str], float]:
        path = tmp_path / "squad" / name
        path.parent.mkdir()
        path.write_text(text)
        found = {}
        for bundle in read_paths(path.parent).bundles:
            assert not bundle.reported_scores
            for run in bundle.runs:
                keys = [item.key for item in bundle.datasets[run.dataset].items]
                (one,) = run.scores
                values = one.values[:, 0].tolist()
                found |= {(run.system, k): v for k, v in zip(keys, values, strict=True)}
        return found

    return make


def _columns() -> dict[str, list[object]]:
    return {name: [row[name] for row in _ROWS] for name in _ROWS[0]}


@pytest.mark.parametrize(
    "content",
    [
        {str(n): row for n, row in enumerate(_ROWS)},
        {k: {str(n): v for n, v in enumerate(cells)} for k, cells in _columns().items()},
        _columns(),
        {"created": "2026-01-02", "n": 24, "data": {"rows": _ROWS}},
    ],
)
def test_frames_written_as_json(scores, content) -> None:
    assert scores("results.json", json.dumps(content)) == _SCORES


def test_lists_without_names_are_no_table(tmp_path) -> None:
    (tmp_path / "history.json").write_text(json.dumps({"loss": [0.5, 0.25], "acc": [0.5, 0.75]}))
    assert not read_paths(tmp_path).bundles


@pytest.mark.parametrize("name", ["idx", "index", "no", "#", "row", "guid", "sample", "prompt_id"])
def test_what_numbers_the_rows_of_each_system_is_the_item(scores, name) -> None:
    rows = "".join(f"{s},{i[1:]},{int(v)}\n" for (s, i), v in _SCORES.items())
    expected = {(s, i[1:]): v for (s, i), v in _SCORES.items()}
    assert scores("results.csv", f"model,{name},correct\n{rows}") == expected


def test_what_numbers_the_rows_of_a_board_is_no_item(tmp_path) -> None:
    rows = "".join(f"{n},model-{n},0.{n + 10}\n" for n in range(12))
    (tmp_path / "squad.csv").write_text(f"index,model,f1\n{rows}")
    (bundle,) = read_paths(tmp_path).bundles
    assert len(bundle.reported_scores) == 12


def _wide(before: str = "", after: str = "") -> str:
    rows = "".join(
        f"q{n},{_SCORES['gpt-4o', f'q{n}']:g},{_SCORES['t5-base', f'q{n}']:g}\n" for n in range(12)
    )
    return f"id,gpt-4o,t5-base\n{before}{rows}{after}"


@pytest.mark.parametrize(
    ("before", "after"),
    [("AVERAGE,0.667,0.75\n", ""), ("", "Total,8,9\n"), ("", "mean,0.667,0.75\nstd,0.5,0.4\n")],
)
def test_rows_that_sum_up_are_no_items(scores, before, after) -> None:
    assert scores("accuracy.csv", _wide(before, after)) == _SCORES


def test_a_row_called_total_that_sums_up_nothing_is_an_item(scores) -> None:
    assert len(scores("accuracy.csv", _wide(after="total,1,0\n"))) == 26


@pytest.mark.parametrize(
    ("head", "metric"),
    [
        ("模型,问题编号,准确率", "准确率"),
        ("Modell,Frage-ID,Genauigkeit", "Genauigkeit"),
        ("modèle,id,exactitude", "exactitude"),
        ("modelName,questionId,isCorrect", "isCorrect"),
        ("LLM,Question ID,Correct", "Correct"),
        ("config,id,correct", "correct"),
        ("backend,id,correct", "correct"),
    ],
)
def test_columns_by_other_names(tmp_path, head, metric) -> None:
    rows = "".join(f"{s},{i},{int(v)}\n" for (s, i), v in _SCORES.items())
    path = tmp_path / "squad" / "results.csv"
    path.parent.mkdir()
    path.write_text(f"{head}\n{rows}", encoding="utf-8")
    (bundle,) = read_paths(path.parent).bundles
    assert {run.system for run in bundle.runs} == {"gpt-4o", "t5-base"}
    assert [one.name for one in bundle.metrics] == [metric]
    assert [len(one.items) for one in bundle.datasets] == [12]


def test_a_column_of_evaluations_names_datasets(tmp_path) -> None:
    rows = "".join(f"a,{d},q{n},1\n" for d in ("squad", "gsm8k") for n in range(9))
    (tmp_path / "results.csv").write_text(f"model,eval_name,example_id,em\n{rows}")
    (bundle,) = read_paths(tmp_path).bundles
    assert {one.name for one in bundle.datasets} == {"squad", "gsm8k"}


def test_judges_are_no_systems(tmp_path) -> None:
    rows = "".join(f"{j},q{n},1\n" for j in ("gpt-4o", "llama-3-8b") for n in range(9))
    (tmp_path / "results.csv").write_text(f"judge_model,question_id,correct\n{rows}")
    systems = {run.system for bundle in read_paths(tmp_path).bundles for run in bundle.runs}
    assert systems.isdisjoint({"gpt-4o", "llama-3-8b"})
