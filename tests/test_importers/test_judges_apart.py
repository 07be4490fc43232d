"""A judge that prefers one thing and another in folders beside each other."""

from __future__ import annotations

import json

import pytest

from store.importers.detect import read_paths


@pytest.mark.parametrize(
    ("paths", "judges"),
    [
        (("m/gpt/a.json", "m/gpt_new/a.json"), ["gpt", "gpt (gpt_new)"]),
        (("m/old/a.json", "m/new/a.json"), ["gpt (new)", "gpt (old)"]),
        (("m/gpt/a.json", "m/copy/gpt/a.json"), ["gpt", "gpt"]),
    ],
)
def test_folders_tell_judges_apart(tmp_path, paths, judges) -> None:
    for preference, name in enumerate(paths, start=1):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        sides = {"generator_1": "base", "generator_2": "mine"}
        record = {"instruction": "Say hello.", **sides, "preference": preference}
        path.write_text(json.dumps([{**record, "annotator": "gpt"}]))
    found = read_paths([tmp_path], root=tmp_path)
    made = {one.annotator: b for b in found.bundles for one in b.preferences}
    assert sorted(one.annotator for b in found.bundles for one in b.preferences) == judges
    for judge, bundle in made.items():
        assert bundle.annotators == {judge: "model"}
        assert [g.value for g in bundle.guesses if g.subject == "annotator"] == (
            [judge] if "(" in judge else []
        )


def test_the_same_preferences_are_of_one_judge(tmp_path) -> None:
    for folder in ("gpt", "gpt_new"):
        path = tmp_path / folder / "annotations.json"
        path.parent.mkdir()
        sides = {"generator_1": "base", "generator_2": "mine"}
        path.write_text(
            json.dumps([{"instruction": "Hi.", **sides, "preference": 1, "annotator": "gpt"}])
        )
    found = read_paths([tmp_path], root=tmp_path)
    assert {one.annotator for b in found.bundles for one in b.preferences} == {"gpt"}
