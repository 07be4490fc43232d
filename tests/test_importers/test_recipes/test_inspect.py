"""Inspect logs: archives and JSON, epochs, grades, several scorers, errors, broken-off logs."""

import pytest

from store.errors import ImportFormatError
from store.importers.bundle import Status
from store.importers.known_metrics import lookup
from store.importers.recipes.archive import Archive

from .conftest import figures_of, scores_of, zipped


def header(status="success", model="org/net", scores=None, **evaluation):
    return {
        "version": 2,
        "status": status,
        "eval": {
            "task": "quiz",
            "model": model,
            "created": "2026-05-01T10:00:00+02:00",
            "dataset": {"samples": 3, "sample_ids": [1, 2, 3]},
            "config": {"epochs": 1},
            "packages": {"inspect_ai": "0.3.1"},
            **evaluation,
        },
        "results": {"completed_samples": 3, "scores": scores or []},
    }


def sample(key, epoch=1, error=None, text="What?", **scores):
    return {
        "id": key,
        "epoch": epoch,
        "input": text,
        "target": "A",
        "metadata": {"topic": "birds", "long": "x" * 900},
        "scores": {name: {"value": value} for name, value in scores.items()},
        **({"error": error} if error else {}),
    }


def accuracy(value, name="match", scorer=None, **more):
    metrics = {"accuracy": {"value": value}, "stderr": {"value": 0.1}}
    return {"name": name, "scorer": scorer or name, "metrics": metrics, **more}


def archive(head, samples, method=93, **more):
    members = [("_journal/start.json", head)]
    members += [(f"samples/{s['id']}_epoch_{s['epoch']}.json", s) for s in samples]
    members += [("summaries.json", samples), ("header.json", head)]
    return zipped(members, method)


@pytest.mark.parametrize("method", [93, 0])
def test_grades_of_an_archive_and_what_its_header_states(put, read, method):
    samples = [sample(1, match="C"), sample(2, match="P"), sample("b", match="I")]
    put(archive(header(scores=[accuracy(0.5)]), samples, method), "log.eval")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {("org/net", "quiz", "match", 0): {"1": 1, "2": 0.5, "b": 0}}
    assert figures_of([bundle]) == {("org/net", "quiz", "match"): [0.5]}
    assert bundle.reported_scores[0].run == 0
    assert bundle.metrics[0].higher_is_better is True
    (run,) = bundle.runs
    assert (run.complete, run.provenance.harness_version) == (True, "0.3.1")
    assert run.provenance.evaluated_on.hour == 10
    assert bundle.datasets[0].items[0].metadata == {"topic": "birds"}


def test_the_same_log_as_json_and_as_archive_says_the_same(put, read):
    samples = [sample(1, match="C"), sample(2, match="N")]
    put(archive(header(), samples), "a/log.eval")
    put({**header(), "samples": samples}, "b/log.json")
    one, other = read("a").bundles[0], read("b").bundles[0]
    assert scores_of([one]) == scores_of([other])
    assert one.datasets == other.datasets


def test_epochs_are_trials_and_dict_scores_are_metrics(put, read):
    samples = [
        sample(1, 1, judge={"clear": 0.5, "kind": True}),
        sample(1, 2, judge={"clear": 1.0, "kind": False}, match="C"),
    ]
    put({**header(), "samples": samples}, "log.json")
    assert scores_of(read().bundles) == {
        ("org/net", "quiz", "judge/clear", 0): {"1": 0.5},
        ("org/net", "quiz", "judge/clear", 1): {"1": 1.0},
        ("org/net", "quiz", "judge/kind", 0): {"1": 1.0},
        ("org/net", "quiz", "judge/kind", 1): {"1": 0.0},
        ("org/net", "quiz", "match", 1): {"1": 1.0},
    }


def test_an_error_is_missing_and_items_that_never_ran_are_named(put, read):
    samples = [sample(1, match="C"), sample(2, error={"message": "429"}, match="I")]
    put({**header("error"), "samples": samples}, "log.json")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {("org/net", "quiz", "match", 0): {"1": 1, "2": None, "3": None}}
    (run,) = bundle.runs
    assert run.statuses[0].tolist() == [Status.OK, Status.ERROR, Status.NOT_ATTEMPTED]
    assert not run.complete


@pytest.mark.parametrize(("on_error", "score"), [(True, 0), (False, None), (None, None)])
def test_scores_of_samples_that_crashed_count_where_inspect_counts_them(put, read, on_error, score):
    samples = [
        sample(1, match="C"),
        sample(2, error={"message": "429"}, match="I"),
        {**sample(3, match="I"), "limit": {"type": "time", "limit": 9}},
        {**sample(4, match="C"), "limit": "time"},
    ]
    log = {**header(), "samples": samples}
    log["eval"]["config"] = {"score_on_error": on_error}
    put(log, "log.json")
    (bundle,) = read().bundles
    found = scores_of([bundle])[("org/net", "quiz", "match", 0)]
    assert found == {"1": 1, "2": score, "3": 0, "4": 1}
    outcomes = [Status.OK, Status.ERROR, Status.TIMED_OUT, Status.OK]
    assert bundle.runs[0].statuses[0].tolist() == outcomes


def test_a_log_whose_samples_all_crashed_goes_in(put, read):
    samples = [sample(n, error={"message": "401"}) for n in (1, 2)]
    put({**header(scorers=[{"name": "match"}]), "samples": samples}, "log.json")
    (bundle,) = read().bundles
    assert scores_of([bundle])[("org/net", "quiz", "match", 0)] == {"1": None, "2": None}
    assert bundle.runs[0].statuses[0].tolist() == [Status.ERROR] * 2


def test_a_log_without_header_is_read_from_its_journal(put, read):
    parts = [("_journal/start.json", header("started")),
             ("_journal/summaries/10.json", [sample(3, match="I")]),
             ("_journal/summaries/2.json", [sample(1, match="C")])]  # fmt: skip
    put(zipped(parts), "log.eval")
    (bundle,) = read().bundles
    assert scores_of([bundle])[("org/net", "quiz", "match", 0)] == {"1": 1, "3": 0, "2": None}
    assert not bundle.runs[0].complete


def test_another_version_of_a_task_is_another_version_of_its_dataset(put, read):
    for version in (0, 2):
        log = {**header(task_version=version), "samples": [sample(1, match="C", text=str(version))]}
        put(log, f"{version}.json")
    assert [b.datasets[0].version for b in read().bundles] == ["", "2"]


def test_repeats_that_are_alike_count_once_and_others_are_refused(put, read):
    put({**header(), "samples": [sample(1, match="C"), sample(1, match="C")]}, "log.json")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {("org/net", "quiz", "match", 0): {"1": 1}}
    put({**header(), "samples": [sample(1, match="C"), sample(1, match="I")]}, "log.json")
    with pytest.raises(ImportFormatError, match="comes twice"):
        read()


def test_roles_stand_for_a_model_and_reducers_are_kept_apart(put, read):
    scores = [accuracy(0.5, reducer="mean"), accuracy(0.75, reducer="pass_at_2")]
    head = header(model="none/none", scores=scores, model_roles={"red": {"model": "a"}})
    put({**head, "samples": [sample(1, match="C")]}, "log.json")
    assert figures_of(read().bundles) == {
        ("red=a", "quiz", "match"): [0.5],
        ("red=a", "quiz", "match reducer:pass_at_2"): [0.75],
    }


def test_texts_are_kept_on_request_without_changing_what_an_item_is(put, read):
    full = sample(1, match="C", text="long " * 100)
    full["output"] = {"choices": [{"message": {"content": [{"text": "An answer"}]}}]}
    thin = {**full, "input": full["input"][:300] + "...", "output": None}
    members = [("samples/1_epoch_1.json", full), ("summaries.json", [thin]),
               ("header.json", header())]  # fmt: skip
    put(zipped(members), "log.eval")
    (short,), (whole,) = read().bundles, read(with_text=True).bundles
    assert whole.runs[0].outputs == {0: ["An answer"]}
    assert whole.datasets[0].items[0].input_text == full["input"]
    hashes = {one.datasets[0].items[0].content_hash for one in (short, whole)}
    assert len(hashes) == 1


def test_a_log_without_scores_holds_no_results(put, read):
    put({**header(), "samples": [sample(1)]}, "log.json")
    found = read()
    assert found.bundles == []
    assert "no scores" in found.left_out[0].reason


def test_a_damaged_archive_names_the_member(put, read, tmp_path):
    data = bytearray(archive(header(), [sample(1, match="C")]))
    data[data.index(b"summaries.json") + 20] ^= 0xFF
    path = put(bytes(data), "log.eval")
    with pytest.raises(ImportFormatError, match=r"log\.eval:summaries\.json"):
        read(path.name)


def test_a_zip_of_a_version_that_nobody_reads_is_refused_in_words(tmp_path):
    content = bytearray(zipped([("header.json", header())]))
    content[content.rindex(b"PK\x01\x02") + 6] = 255  # the version needed to read it
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    with pytest.raises(ImportFormatError, match="not a whole zip file"):
        Archive(path.read_bytes(), path.name)


def test_a_count_of_steps_beside_accuracy_is_no_grade(put, read):
    values = {"Accuracy": 1, "Total Steps": 12}
    stated = [accuracy(1.0, name=name, scorer="agent") for name in values]
    put(
        archive(header(scores=stated), [sample(1, agent=values), sample(2, agent=values)]), "a.eval"
    )
    (bundle,) = read().bundles
    better = {metric.name: metric.higher_is_better for metric in bundle.metrics}
    assert better["agent/Accuracy"] is True
    assert better["agent/Total Steps"] is None  # the table of known metrics says: lower


def test_a_side_called_right_is_no_share_of_what_is_right(put, read):
    sides = [
        {"name": side, "scorer": "judge", "metrics": {"mean": {"value": 0.5}}}
        for side in ("left", "right")
    ]
    put(archive(header(scores=sides), [sample(1, judge="left")]), "a.eval")
    (bundle,) = read().bundles
    better = {metric.name: metric.higher_is_better for metric in bundle.metrics}
    assert (better["judge/left"], better["judge/right"]) == (None, None)
    assert lookup("judge/right") is None


def test_a_share_of_what_is_better_low_is_no_grade(put, read):
    stated = [accuracy(0.5, name="attack_success")]
    put(archive(header(scores=stated), [sample(1, attack_success=1)]), "a.eval")
    (bundle,) = read().bundles
    assert [m.higher_is_better for m in bundle.metrics if m.name == "attack_success"] == [None]
    assert lookup("attack_success").higher_is_better is False


def test_figures_of_groups_are_metrics_of_their_own(put, read):
    by = {"metric": {"type": "metric", "name": "accuracy"}, "group_key": "level"}
    stated = {"easy": 1.0, "hard": 0.0, "all": 0.5}
    metrics = {key: {"name": key, "value": value, "params": by} for key, value in stated.items()}
    metrics["stderr"] = {"name": "stderr", "value": 0.25}
    scores = [{"name": "match", "scorer": "match", "metrics": metrics}]
    samples = [sample(1, match="C"), sample(2, match="I")]
    put({**header(scores=scores), "samples": samples}, "log.json")
    (bundle,) = read().bundles
    found = {bundle.metrics[s.metric].signature: s for s in bundle.reported_scores}
    assert {name: one.value for name, one in found.items()} == {
        "level=easy": 1.0,
        "level=hard": 0.0,
        "": 0.5,
    }
    assert (found[""].stderr, found["level=easy"].stderr) == (0.25, None)
    assert {one.higher_is_better for one in bundle.metrics} == {True}


def test_metrics_of_a_scorer_of_its_own_are_stated_figures(put, read):
    metrics = {"sub_correctness": 0.4, "stderr": 0.1, "bootstrap_stderr": 0.1, "std": 0.5}
    stated = {key: {"name": key, "value": value} for key, value in metrics.items()}
    scores = [{"name": "code", "scorer": "code", "metrics": stated}]
    put({**header(scores=scores), "samples": [sample(1, code=1.0)]}, "log.json")
    assert figures_of(read().bundles) == {("org/net", "quiz", "code/sub_correctness"): [0.4]}
