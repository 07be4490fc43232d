"""Model cards with a model-index, in files of our own making."""

import pytest

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

CARD = """---
language: et
model-index:
- name: {name}
  results:
  - task: {{type: asr, name: Speech}}
    dataset: {{name: Common Voice, type: cv, config: et, split: test, revision: 0123456789abc}}
    metrics:
    - {{type: wer, value: {wer}, name: WER}}
    - {{type: cer, value: 5.5, name: Test CER}}
---
# A model
| Epoch | Loss |
|---|---|
| 1 | 0.5 |
"""


@pytest.fixture
def cards(write, tmp_path):
    def make(**contents):
        for name, content in contents.items():
            write(content, f"{name}/README.md")
        return read_paths([tmp_path], options=ReadOptions(), root=tmp_path, whole=True)

    return make


def test_figures_of_a_card(cards):
    (bundle,) = cards(a=CARD.format(name="whisper", wer="43.7 +/- 1.2")).bundles
    assert [(s.system, s.value, s.printed) for s in bundle.reported_scores] == [
        ("whisper", 43.7, "43.7 +/- 1.2"),
        ("whisper", 5.5, "5.5"),
    ]
    assert [metric.name for metric in bundle.metrics] == ["wer", "cer"]
    (dataset,) = bundle.datasets
    assert (dataset.name, dataset.version) == ("Common Voice/et/test", "01234567")
    assert dataset.task == "asr"


def test_two_cards_of_one_name_are_two_systems(cards):
    found = cards(ann=CARD.format(name="PPO", wer=9), bob=CARD.format(name="PPO", wer=0.08))
    (bundle,) = found.bundles
    wers = {s.system: s.value for s in bundle.reported_scores if s.metric == 0}
    assert wers == {"PPO (ann)": 9.0, "PPO (bob)": 8.0}
    assert {guess.subject for guess in bundle.guesses} >= {"metric wer: scale"}


def test_metrics_of_one_type_keep_their_names(cards):
    metrics = (
        "metrics: [{type: f1, value: 1, name: F1 Macro}, {type: f1, value: 2, name: F1 Micro}]"
    )
    card = f"---\nmodel-index:\n- name: m\n  results:\n  - task: {{type: t}}\n    {metrics}\n---\n"
    (bundle,) = cards(a=card).bundles
    assert [metric.name for metric in bundle.metrics] == ["F1 Macro", "F1 Micro"]
    assert bundle.datasets[0].name == "not stated by m"


def test_an_old_card_has_one_metric_without_a_list(cards):
    result = "{dataset: {name: d, args: es}, metric: {name: Accuracy, type: accuracy, value: 0.9}}"
    (bundle,) = cards(a=f"---\nmodel_index:\n- name: m\n  results: [{result}]\n---\n").bundles
    assert [s.value for s in bundle.reported_scores] == [0.9]
    assert bundle.datasets[0].name == "d/es"


def test_a_damaged_card_names_its_line_and_an_empty_one_has_no_results(write, tmp_path):
    path = write("---\nmodel-index:\n- name: {m\n---\n", "bad/README.md")
    with pytest.raises(ImportFormatError, match="line 4"):
        read_paths([path], root=tmp_path)
    path = write("---\nmodel-index:\n- name: m\n---\n", "empty/README.md")
    with pytest.raises(NoResultsError):
        read_paths([path], root=tmp_path)


@pytest.mark.parametrize("loop", [False, True])
def test_aliases_that_stand_for_billions_are_refused(write, tmp_path, loop):
    nine = [", ".join([f"*a{n}"] * 9) for n in range(11)]
    lines = ["a0: &a0 [x]", *(f"a{n + 1}: &a{n + 1} [{inner}]" for n, inner in enumerate(nine))]
    index = "model-index: &m [*m]" if loop else "model-index: *a11"
    path = write("---\n" + "\n".join([*lines, index]) + "\n---\n", "bomb/README.md")
    with pytest.raises(ImportFormatError, match="aliases"):
        read_paths([path], root=tmp_path)
