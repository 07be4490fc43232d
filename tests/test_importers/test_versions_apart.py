"""Items of one name with other texts in the files of one import."""

from __future__ import annotations

import json

from store.importers.detect import read_paths


def test_files_with_other_texts_are_on_another_version(write, tmp_path) -> None:
    def scores(system, *texts):
        rows = [
            {"system": system, "dataset": "quiz", "id": f"q{n}", "input": text, "acc": 1.0}
            for n, text in enumerate(texts)
        ]
        write("".join(json.dumps(row) + "\n" for row in rows), f"{system}.jsonl")

    scores("a", "one", "two")
    scores("b", "one", "two", "three")
    scores("c", "ONE", "two")
    scores("d", "ONE")
    scores("e", "other")
    found = read_paths([tmp_path], root=tmp_path)
    versions = {b.runs[0].system: b.datasets[0].version for b in found.bundles}
    assert versions["a"] == versions["b"] == ""
    assert versions["c"] == versions["d"] != ""
    assert versions["e"] not in {"", versions["c"]}
    guesses = {b.runs[0].system: [g.subject for g in b.guesses] for b in found.bundles}
    assert (guesses["a"], guesses["c"]) == ([], ["version of quiz"])
    again = read_paths([tmp_path], root=tmp_path)
    assert [b.datasets[0].version for b in again.bundles] == [
        b.datasets[0].version for b in found.bundles
    ]
