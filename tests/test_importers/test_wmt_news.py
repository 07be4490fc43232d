"""The folder of WMT's news task, in files of our own making."""

import sys

import pytest
from sacrebleu.metrics import CHRF

from store import vectors
from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

TEXTS = {
    "txt/sources/newstest2021.de-en.src.de": "eins\nzwei\n",
    "txt/references/newstest2021.de-en.ref.A.en": "one\ntwo\n",
    "txt/references/newstest2021.de-en.ref.B.en": "1\n2\n",
    "txt/system-outputs/newstest2021.de-en.hyp.Online-A.en": "one\ntoo\n",
    "txt/system-outputs/newstest2021.de-en.hyp.X.1.en": "won\ntwo",
}
SCORES = {
    "scores/COMET/de-en/COMET_newstest2021_ref-A.tsv": "Online-A\t0.5\nX.1\t0.25\nref-B\t0.75\n",
    "scores/COMET/de-en/COMET_newstest2021_ref-B.tsv": "Online-A\t0.4\nX.1\t0.3\n",
}


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes files and reads the folder as one bundle."""

    def make(files, **options):
        for name, content in files.items():
            write(content, name)
        (bundle,) = read_paths(
            [tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True
        ).bundles
        assert bundle.format == "wmt_news"
        return bundle

    return make


def test_lines_are_items(folder):
    bundle = folder(TEXTS | SCORES)
    (dataset,) = bundle.datasets
    assert (dataset.name, dataset.language) == ("newstest2021 de-en", "de-en")
    assert [item.key for item in dataset.items] == ["1", "2"]
    assert all(item.content_hash and item.input_text is None for item in dataset.items)
    assert all(not run.outputs for run in bundle.runs)
    assert "Translations of 2 systems are not kept; --with-text keeps them." in bundle.understood


def test_texts_are_kept_on_request(folder):
    bundle = folder(TEXTS, with_text=True)
    assert [(i.input_text, i.reference_text) for i in bundle.datasets[0].items] == [
        ("eins", "one"),
        ("zwei", "two"),
    ]
    assert {run.system: list(run.outputs[0]) for run in bundle.runs} == {
        "Online-A": ["one", "too"],
        "X.1": ["won", "two"],
    }


def test_scores_are_figures_by_reference(folder):
    bundle = folder(TEXTS | SCORES)
    found = {
        (one.system, bundle.metrics[one.metric].signature): one.value
        for one in bundle.reported_scores
    }
    assert found == {
        ("Online-A", "ref-A"): 0.5,
        ("X.1", "ref-A"): 0.25,
        ("ref-B", "ref-A"): 0.75,
        ("Online-A", "ref-B"): 0.4,
        ("X.1", "ref-B"): 0.3,
    }
    assert [one.name for one in bundle.metrics] == ["COMET", "COMET", "chrF", "BLEU"]
    assert {one.n_items for one in bundle.reported_scores} == {2}
    assert "ref-B is a human translation by name, judged or scored as systems are." in (
        bundle.understood
    )


def test_translations_are_scored_against_all_references(folder):
    bundle = folder(TEXTS | SCORES)
    for run in bundle.runs:
        (chrf,) = [each for each in run.scores if bundle.metrics[each.metric].name == "chrF"]
        outputs = TEXTS[f"txt/system-outputs/newstest2021.de-en.hyp.{run.system}.en"].split()
        expected = CHRF().corpus_score(outputs, [["one", "two"], ["1", "2"]]).score
        assert vectors.aggregate(chrf.values, "chrf") == pytest.approx(expected)
    assert {metric.signature[:8] for metric in bundle.metrics[2:]} == {"nrefs:2|"}
    assert [guess.value for guess in bundle.guesses] == ["chrf, bleu"]


def test_one_reference_and_other_metrics_on_request(folder, tmp_path):
    gold = tmp_path / "txt/references/newstest2021.de-en.ref.B.en"
    bundle = folder(TEXTS, gold=gold, score=["TER"])
    (metric,) = bundle.metrics
    assert (metric.name, metric.signature[:8], metric.higher_is_better) == (
        "TER",
        "nrefs:1|",
        False,
    )
    assert bundle.guesses == []


def test_without_the_library_the_rest_goes_in(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    bundle = folder(TEXTS | SCORES)
    assert (bundle.runs, len(bundle.reported_scores)) == ([], 5)
    assert "pip install" in bundle.warnings[0]
    with pytest.raises(ImportFormatError, match="pip install"):
        folder(TEXTS, score=["bleu"])


def test_scores_alone(folder):
    bundle = folder(SCORES)
    assert (len(bundle.datasets[0].items), len(bundle.reported_scores)) == (0, 5)


def test_texts_must_line_up(folder):
    files = TEXTS | {"txt/sources/newstest2021.de-en.src.de": "eins\n"}
    with pytest.raises(ImportFormatError, match="The texts of a language pair must line up"):
        folder(files)


def test_scores_that_cannot_be_used(folder):
    name = next(iter(SCORES))
    text = SCORES[name] + "Y\tmany\nX.1\t1\n"
    skipped = folder({name: text}, lenient=True).skipped
    assert [row.reason for row in skipped] == ["'many' is no number.", "2 scores of 'X.1'."]
    with pytest.raises(ImportFormatError, match="'many' is no number"):
        folder({name: text})


@pytest.mark.parametrize(
    "name",
    [
        "txt/texts/newstest2021.de-en.src.de",
        "txt/sources/newstest2021.de-en.hyp.A.de",
        "txt/sources/newstest2021.german.src.de",
        "scores/BLEU/de-en/COMET_newstest2021_ref-A.tsv.txt",
    ],
)
def test_other_files_are_left_alone(write, tmp_path, name):
    write("some words here that are no table\n", name)
    assert read_paths([tmp_path]).bundles == []


def test_a_file_that_is_forced(write):
    path = write("A\t1\n", "x.tsv")
    with pytest.raises(ImportFormatError, match="does not say what it holds"):
        read_paths([path], format="wmt_news")


def test_the_layout_since_2024(write, tmp_path):
    texts = {
        "sources/cs-uk.txt": "eins\nzwei\n",
        "references/cs-uk.refA.txt": "one\ntwo\n",
        "system-outputs/cs-uk/A-1.txt": "one\ntoo\n",
        "documents/cs-uk.docs": "news d1\nnews d1\n",
        "metadata/cs-uk.jsonl": '{"domain": "news", "docid": "d1"}\n',
    }
    for name, text in texts.items():
        write(text, f"wmt24/txt/{name}")
        write(text * (2 if text.endswith("\n") else 1), f"wmt24/txt-ts/{name}")
    found = read_paths([tmp_path], root=tmp_path)
    assert found.faults == []
    assert {(b.format, b.datasets[0].name, len(b.datasets[0].items)) for b in found.bundles} == {
        ("wmt_news", "wmt24 cs-uk", 2),
        ("wmt_news", "wmt24 with test suites cs-uk", 4),
    }
    assert {run.system for b in found.bundles for run in b.runs} == {"A-1"}


def test_a_folder_for_each_test_set_may_lie_between(write, tmp_path):
    for name, content in TEXTS.items():
        write(content, name.replace("system-outputs/", "system-outputs/newstest2021/"))
    write(TEXTS["txt/references/newstest2021.de-en.ref.A.en"],
          "txt/system-outputs/newstest2021/newstest2021.de-en.ref.A.en")  # fmt: skip
    scores = "".join(f"{system}\t{value}\n" for system in ("X.1", "refA") for value in (90, "None"))
    write(scores, "evaluation/newstest2021/de-en.mqm.seg.score")
    write("X.1\t90\nrefA\t90\n", "evaluation/newstest2021/de-en.mqm.sys.score")
    texts, human = sorted(
        read_paths([tmp_path], root=tmp_path).bundles, key=lambda one: one.format, reverse=True
    )
    assert {run.system for run in texts.runs} == {"Online-A", "X.1"}
    assert {run.system for run in human.runs} == {"X.1", "refA"}
    assert texts.datasets[0].name == human.datasets[0].name == "newstest2021 de-en"
    assert [one.value for one in human.reported_scores] == [90, 90]
