"""Items that no column of a usual name tells, and what is no score of them."""

import pytest

from store.errors import NoResultsError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths


def keys(bundle):
    return [item.key for item in bundle.datasets[0].items]


@pytest.mark.parametrize("name", ["pair_id", "audio_path", "sentence"])
def test_many_rows_of_a_system_are_items(read, name) -> None:
    rows = "".join(f"A,t{n},0.5,1\n" for n in range(12))
    bundle = read(f"model,{name},similarity,sense_id_1\n" + rows, "spam/a_similarity.csv")
    assert (bundle.format, len(keys(bundle)), keys(bundle)[0]) == ("generic", 12, "t0")
    assert [metric.name for metric in bundle.metrics] == ["similarity"]


def test_few_rows_of_a_system_are_figures(read) -> None:
    text = "model,paper_id,accuracy\nA,p1,0.5\nB,p2,0.75\n"
    assert read(text, "spam/board.csv").format == "reported"


def test_a_file_names_the_item_where_nothing_else_does(read) -> None:
    bundle = read("path,reference,prediction,wer\na/x.wav,u,v,0.5\n", "spam/whisper_results.csv")
    assert keys(bundle) == ["a/x.wav"]


def test_few_items_that_stand_again_under_other_words_are_other_items(read) -> None:
    bundle = read("id,cue,correct\n1,road,1\n2,road,0\n3,sun,1\n1,sun,0\n", "spam/net.csv")
    assert keys(bundle) == ["road/1", "road/2", "sun/3", "sun/1"]


def test_items_under_each_word_are_runs(read) -> None:
    text = "id,style,correct\n1,plain,1\n2,plain,0\n1,polite,1\n2,polite,1\n"
    bundle = read(text, "spam/net.csv")
    found = {run.label: run.scores[0].values[:, 0].tolist() for run in bundle.runs}
    assert found == {"plain": [1, 0], "polite": [1, 1]}


def test_answers_of_numbers_and_words_are_no_scores(read) -> None:
    bundle = read("model,question,answer,accuracy\nA,q,5,1\nA,r,6,0\nA,s,7,0\n", dataset="d")
    assert "accuracy" in [metric.name for metric in bundle.metrics]
    bundle = read('model,question,answer,accuracy\nA,q,5,1\nA,r,"(1, 2)",0\n', dataset="d")
    assert [metric.name for metric in bundle.metrics] == ["accuracy"]


def test_spreads_before_a_metric_and_confusions_are_no_results(read) -> None:
    bundle = read("model,mean_accuracy,std_accuracy,minimum\nA,0.5,0.1,0.4\n", "spam/b.csv")
    assert [metric.name for metric in bundle.metrics] == ["mean_accuracy"]
    with pytest.raises(NoResultsError, match="a confusion matrix"):
        read(",Pred Down,Pred Up\nActual Down,0,3\nActual Up,1,4\n", "spam/confusion_matrix.csv")


def test_lines_of_names_and_values_are_the_metrics_of_a_run(read) -> None:
    bundle = read("eval_loss = 0.5\neval_f1 = 0.75\nepoch = 5.0\n", "ner/eval_results.txt")
    found = {bundle.metrics[f.metric].name: f.value for f in bundle.reported_scores}
    assert found == {"eval_loss": 0.5, "eval_f1": 0.75}
    assert read("accuracy: 0.5\n", "ner/test_results.txt").format == "run_metrics"


def test_an_empty_page_is_no_fault(write, tmp_path) -> None:
    write("", "r/later.md")
    write("model,accuracy\nA,0.5\nB,0.25\n", "r/board.csv")
    found = read_paths([tmp_path], options=ReadOptions())
    assert [one.is_fault for one in found.left_out] == [False]
    write("", "r/broken.csv")
    assert len(read_paths([tmp_path], options=ReadOptions()).faults) == 1


@pytest.mark.parametrize(
    ("name", "system", "dataset"),
    [
        ("results_claude-haiku.csv", "claude-haiku-4-5", "spam"),
        ("results_gpt-4omini.csv", "gpt-4o-mini", "spam"),
        ("indicbert_pairs.csv", "IndicBERT", "pairs"),
        ("pairs.csv", "IndicBERT", "pairs"),
        ("bert_large.csv", "bert", "large"),
    ],
)
def test_a_dataset_is_not_called_after_the_system_of_its_file(read, name, system, dataset) -> None:
    bundle = read(f"model,id,acc\n{system},1,1\n{system},2,0\n", f"spam/results/{name}")
    assert [one.name for one in bundle.datasets] == [dataset]


def test_results_of_a_test_are_of_another_split(write, tmp_path) -> None:
    write("eval_f1 = 0.5\n", "net/eval_results.txt")
    write("eval_f1 = 0.25\n", "net/test_results.txt")
    found = {
        bundle.datasets[0].name: bundle.reported_scores[0].value
        for bundle in read_paths([tmp_path], root=tmp_path).bundles
    }
    assert found == {"net": 0.5, "net/test": 0.25}


def test_what_changes_within_an_item_is_no_group_of_items(read) -> None:
    bundle = read("model,id,cluster,acc\nA,1,3,1\nB,1,4,0\n", dataset="d")
    assert [item.group for item in bundle.datasets[0].items] == [None]
    bundle = read("model,id,cluster,acc\nA,1,3,1\nB,1,3,0\n", dataset="d")
    assert [item.group for item in bundle.datasets[0].items] == ["3"]


def test_texts_beside_coordinates_are_no_results(read) -> None:
    with pytest.raises(NoResultsError, match="may be systems or metrics"):
        read("x,y,sentence\n1.5,2,a\n2.5,3,b\n", "tsne.csv")
    with pytest.raises(NoResultsError, match="a flag"):
        read("id,has_clue,note\n1,True,x\n2,False,y\n", "notes.csv")


def test_a_segment_is_counted_in_its_document(read) -> None:
    rows = "d1,1,A,0.5\nd1,2,A,0.75\nd2,1,A,1\n"
    bundle = read("doc_id,segment_id,system_id,accuracy\n" + rows, dataset="d")
    assert keys(bundle) == ["d1/1", "d1/2", "d2/1"]
    assert [item.group for item in bundle.datasets[0].items] == ["d1", "d1", "d2"]


def test_few_rows_with_texts_or_places_are_items(read) -> None:
    head = "language,model,sentence_idx,text,rtf,wer\n"
    rows = "".join(f"en,{name},{n},t{n},0.{n},0\n" for name in ("bark", "xtts") for n in (1, 2))
    bundle = read(head + rows, "spam/latencies.csv")
    assert (bundle.format, keys(bundle)) == ("generic", ["t1", "t2"])
    assert {run.system for run in bundle.runs} == {"bark", "xtts"}
    assert all(not metric.higher_is_better for metric in bundle.metrics if metric.name == "rtf")


def test_numbered_ids_of_two_sides_are_no_scores(read) -> None:
    rows = "".join(f"A,{n},{n % 3},{n % 2}\n" for n in range(552, 564))
    bundle = read("method,id_left,pred_id_right,is_correct\n" + rows, "spam/pairs.csv")
    assert (bundle.format, len(keys(bundle))) == ("generic", 12)
    assert [metric.name for metric in bundle.metrics] == ["is_correct"]


@pytest.mark.parametrize("system", ["", "A"])
def test_briefs_of_numbered_runs_are_items(read, system) -> None:
    head = "run,brief,quality\n" if not system else "run,brief,system,quality\n"
    end = f",{system}" if system else ""
    rows = "".join(f"{run},{brief}{end},0.{run}\n" for run in (1, 2) for brief in ("a", "b"))
    bundle = read(head + rows, "spam/net.csv")
    assert (bundle.format, keys(bundle)) == ("generic", ["a", "b"])
    assert [run.label for run in bundle.runs] == ["1", "2"]


@pytest.mark.parametrize("questions", [("1", "2"), ("What is it?", "Who was that?")])
def test_a_question_is_an_item(read, questions) -> None:
    rows = "".join(f"{model},{one},1\n" for model in ("A", "B") for one in questions)
    bundle = read("model,question,accuracy\n" + rows, "spam/q.csv")
    assert (bundle.format, keys(bundle)) == ("generic", list(questions))


@pytest.mark.parametrize(
    ("texts", "share", "found"),
    [
        (["What is it now?", "Who was that then?"], "1", "generic"),
        ([f"What is {n} plus {n}?" for n in range(12)], "0.5", "generic"),
        (["Think step by step", "Answer in one word"], "0.5", "reported"),
        (["cot", "zero-shot"], "1", "reported"),
    ],
)
def test_prompts_are_items_where_they_are_what_was_asked(read, texts, share, found) -> None:
    rows = "".join(f"{model},{one},{share}\n" for model in ("A", "B") for one in texts)
    assert read("model,prompt,accuracy\n" + rows, "spam/p.csv").format == found


def test_cases_that_passed_or_not_are_items(read) -> None:
    cases = ", ".join(f'{{"case": "c{n}", "passed": {str(n > 0).lower()}}}' for n in range(3))
    bundle = read(f'{{"model": "A", "cases": [{cases}]}}', "spam/run.json")
    assert (bundle.format, keys(bundle)) == ("generic", ["c0", "c1", "c2"])
    assert [run.system for run in bundle.runs] == ["A"]
