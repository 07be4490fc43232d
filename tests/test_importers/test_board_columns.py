"""What the columns of a board are called after: metrics, datasets, a metric on a dataset."""

from __future__ import annotations

import pytest

from store.importers.board_columns import metrics_on_datasets, summaries
from store.importers.detect import read_paths


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["SADA WER", "CV WER"], [("SADA", "WER"), ("CV", "WER")]),
        (["wer_sada", "cer_sada", "wer_cv"], [("sada", "wer"), ("sada", "cer"), ("cv", "wer")]),
        (["BLEU (en-de)", "BLEU (en-fr)"], [("en-de", "BLEU"), ("en-fr", "BLEU")]),
        (["MMLU accuracy", "GSM8K accuracy"], [("MMLU", "accuracy"), ("GSM8K", "accuracy")]),
        (["Answer F1", "Support F1"], []),
        (["val_wer", "test_wer"], []),
        (["Raw WER", "Normalized WER"], []),
        (["SADA WER", "WER"], []),
        (["SADA WER", "SADA wer"], []),
        (["BLEU chrF", "ROUGE WER"], []),
        (["word error rate", "sentence error rate"], []),
    ],
)
def test_headers_that_name_a_dataset_and_a_metric(columns, expected) -> None:
    assert [tuple(one) for one in metrics_on_datasets(columns).values()] == expected


def test_summaries_stand_beside_others() -> None:
    assert summaries(["mmlu", "arc", "Avg.", "Overall Score"]) == ["Avg.", "Overall Score"]
    assert summaries(["mmlu", "avg"]) == []


def test_a_board_of_metrics_on_datasets(tmp_path) -> None:
    path = tmp_path / "asr.csv"
    path.write_text("Model,SADA WER,SADA CER,CV WER,CV CER\nw,40.2,20.1,12.5,5.1\n")
    [bundle] = read_paths(path).bundles
    found = {
        (bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name): one.value
        for one in bundle.reported_scores
    }
    assert found == {
        ("SADA", "WER"): 40.2,
        ("SADA", "CER"): 20.1,
        ("CV", "WER"): 12.5,
        ("CV", "CER"): 5.1,
    }
    assert [guess.value for guess in bundle.guesses] == ["SADA, CV"]


def test_the_mean_of_a_board_is_no_dataset(tmp_path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,mmlu,gsm8k,arc,avg\nA,70.1,50.2,60.3,60.2\n")
    [bundle] = read_paths(path).bundles
    assert [one.name for one in bundle.datasets] == ["mmlu", "gsm8k", "arc"]
    assert "No datasets, but summaries of the others: avg." in bundle.understood


def test_the_mean_of_a_group_is_not_the_metric_of_all(tmp_path) -> None:
    path = tmp_path / "evals.csv"
    path.write_text(
        ",,WMT24,,,IFEval,\nModel,IFEval Avg,en-de,en-cs,en-ru,loose,strict\n"
        "a,0.85,0.81,0.82,0.83,0.9,0.8\nb,0.75,0.71,0.72,0.73,0.8,0.7\n"
    )
    [bundle] = read_paths(path).bundles
    assert {one.name for one in bundle.metrics} == {"score"}


def test_ids_and_times_of_items_are_no_systems(tmp_path) -> None:
    path = tmp_path / "agents.csv"
    rows = "".join(f"t{n},2026-06-0{n}T10:00:00,0.{n},{n}.5,0.9\n" for n in range(1, 6))
    path.write_text(f"trace_id,evaluated_at,f1,plan_score,step_score\n{rows}")
    found = read_paths(path)
    assert [bundle.format for bundle in found.bundles] == ["generic"]
    assert [item.key for item in found.bundles[0].datasets[0].items] == [
        "t1",
        "t2",
        "t3",
        "t4",
        "t5",
    ]
