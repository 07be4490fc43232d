"""Files of one folder that call the same questions by other names: one dataset, nothing missing."""

import json

from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

QUESTIONS = ["Who wrote it?", "When was it?", "Where is it?", "What came of it?"]


def _put(folder, name, rows):
    (folder / "qa").mkdir(exist_ok=True)
    (folder / "qa" / name).write_text(json.dumps(rows))


def _keys(folder):
    found = read_paths(folder / "qa", options=ReadOptions(with_text=True))
    return {
        one.files[0].path.rsplit("/", 1)[1]: [item.key for item in one.datasets[0].items]
        for one in found.bundles
    }


def _scored(ids, questions, metric):
    return [
        {"id": key, "question": text, metric: 0.5} for key, text in zip(ids, questions, strict=True)
    ]


def test_questions_of_other_ids_are_the_same_items(tmp_path) -> None:
    _put(tmp_path, "f1_net.json", _scored(["q1", "q2", "q3", "q4"], QUESTIONS, "f1"))
    _put(tmp_path, "recall_net.json", _scored(["A", "B", "C", "D"], QUESTIONS[::-1], "recall"))
    found = _keys(tmp_path)
    assert found["f1_net.json"] == ["q1", "q2", "q3", "q4"]
    assert found["recall_net.json"] == ["q4", "q3", "q2", "q1"]


def test_a_table_of_ragas_is_of_the_items_of_the_answers(tmp_path) -> None:
    ragas = [
        {
            "user_input": text,
            "response": "so",
            "reference": "it",
            "faithfulness": 1.0,
            "checked": 0.5,
        }
        for text in QUESTIONS
    ]
    _put(tmp_path, "a_ragas.json", ragas)
    _put(tmp_path, "net.json", _scored(["q1", "q2", "q3", "q4"], QUESTIONS, "f1"))
    assert _keys(tmp_path)["a_ragas.json"] == ["q1", "q2", "q3", "q4"]
    (bundle,) = (one for one in read_paths(tmp_path / "qa").bundles if one.format == "ragas")
    known = {one.name: one.higher_is_better for one in bundle.metrics}
    assert known == {"faithfulness": True, "checked": None}


def test_other_questions_keep_their_names(tmp_path) -> None:
    others = ["Which one?", "How many?", "Why so?", "What came of it?"]
    _put(tmp_path, "f1_net.json", _scored(["q1", "q2", "q3", "q4"], QUESTIONS, "f1"))
    _put(tmp_path, "recall_net.json", _scored(["A", "B", "C", "D"], others, "recall"))
    assert _keys(tmp_path)["recall_net.json"] == ["A", "B", "C", "D"]


def test_of_an_id_and_that_of_a_document_the_first_names_the_item(tmp_path) -> None:
    rows = [{"id": f"q{n}", "doc_id": f"d{n // 2}", "f1": 0.5, "recall": 0.1 * n} for n in range(4)]
    _put(tmp_path, "net.json", rows)
    (bundle,) = read_paths(tmp_path / "qa").bundles
    assert [(i.key, i.group) for i in bundle.datasets[0].items] == [
        ("q0", "d0"), ("q1", "d0"), ("q2", "d1"), ("q3", "d1"),
    ]  # fmt: skip
