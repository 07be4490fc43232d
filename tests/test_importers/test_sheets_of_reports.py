"""Sheets and tables of reports: numbered rows of tests, rows and columns that sum up others."""

from store.importers.detect import read_paths


def _write(folder, text):
    (folder / "qa").mkdir(exist_ok=True)
    (folder / "qa/report.csv").write_text(text)
    return read_paths(folder / "qa").bundles


def test_numbered_tests_are_items(tmp_path) -> None:
    rows = "".join(f"{n},case_{n},{'PASSED' if n > 1 else 'FAILED'}\n" for n in range(1, 5))
    (bundle,) = _write(tmp_path, f"#,Test Name,Status\n{rows}")
    keys = [item.key for item in bundle.datasets[0].items]
    assert keys == ["case_1", "case_2", "case_3", "case_4"]
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [0, 1, 1, 1]


def test_a_mean_above_the_items_is_none_of_them(tmp_path) -> None:
    rows = "FINAL (mean),0.5\nq1,0.25\nq2,0.75\nMEAN,0.5\n"
    (bundle,) = _write(tmp_path, f"question_id,f1\n{rows}")
    assert [item.key for item in bundle.datasets[0].items] == ["q1", "q2"]


def test_an_item_called_so_without_the_mean_is_one(tmp_path) -> None:
    (bundle,) = _write(tmp_path, "question_id,f1\nfinal,0.9\nq1,0.25\nq2,0.75\n")
    assert [item.key for item in bundle.datasets[0].items] == ["final", "q1", "q2"]


def test_best_worst_and_total_are_no_systems(tmp_path) -> None:
    (bundle,) = _write(
        tmp_path,
        "metric,rag a,rag b,Best,Worst,Range\nrecall,0.5,0.6,0.6,0.5,0.1\nf1,0.4,0.3,0.4,0.3,0.1\n",
    )
    assert {one.system for one in bundle.reported_scores} == {"rag a", "rag b"}
    (bundle,) = _write(tmp_path, "model,accuracy\na,0.5\nb,0.7\nTOTAL,0.6\n")
    assert {one.system for one in bundle.reported_scores} == {"a", "b"}


def test_measures_under_any_name_are_no_datasets(tmp_path) -> None:
    (bundle,) = _write(
        tmp_path,
        "model,male_hits,female_hits,male_rate,female_rate\na,1,2,0.1,0.2\nb,3,4,0.3,0.4\n",
    )
    assert {one.name for one in bundle.metrics} == {
        "male_hits", "female_hits", "male_rate", "female_rate",
    }  # fmt: skip
    assert [one.name for one in bundle.datasets] == ["qa"]


def test_prompts_of_several_words_are_items(tmp_path) -> None:
    rows = "".join(
        f"{model},code,Write a program that prints {what},{n}.5\n"
        for model in ("a", "b")
        for n, what in enumerate("abcdefghijkl")
    )
    (bundle,) = _write(tmp_path, f"model,category,prompt,latency_seconds\n{rows}")
    assert len(bundle.datasets[0].items) == 12
    assert {run.system for run in bundle.runs} == {"a", "b"}


def test_arms_of_an_ablation_are_systems(tmp_path) -> None:
    (tmp_path / "ablation_filter.json").write_text(
        '{"filter_off": {"precision": 0.5, "recall": 0.4}, '
        '"filter_on": {"precision": 0.6, "recall": 0.7}}'
    )
    (bundle,) = read_paths(tmp_path).bundles
    assert {one.system for one in bundle.reported_scores} == {"filter_off", "filter_on"}


def test_what_was_answered_wrong_is_no_sample_of_all_answers(tmp_path) -> None:
    (tmp_path / "wrong_answers.csv").write_text("id,ground_truth,prediction\n1,a,b\n2,c,d\n3,e,f\n")
    assert read_paths(tmp_path).bundles == []
