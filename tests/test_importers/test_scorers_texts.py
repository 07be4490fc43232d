"""Outputs and references as text that lines up, in files of our own making."""

import sys

import pytest

from store import vectors
from store.errors import AlignmentError, ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

SOURCE, RIGHT = (
    "eins zwei drei\nvier\n",
    "one two three four five six\nfour and more words here to say\n",
)
FILES = {
    "ted.orig.deu": SOURCE,
    "ted.ref.detok.eng": RIGHT,
    "ted.sys1.detok.eng": "one two three for five six\nfour and more words here\n",
    "ted.sys2.detok.eng": RIGHT,
    "README.md": "# notes\n",
}


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes files and reads the folder."""

    def make(files, at=".", **options):
        for name, content in files.items():
            write(content, name)
        place = [tmp_path / at] if isinstance(at, str) else [tmp_path / each for each in at]
        return read_paths(place, options=ReadOptions(**options), root=tmp_path, whole=True).bundles

    return make


def figures(bundle):
    return {
        (run.system, bundle.metrics[one.metric].name): vectors.aggregate(
            one.values, bundle.metrics[one.metric].aggregation
        )
        for run in bundle.runs
        for one in run.scores
    }


def test_language_pairs_of_a_folder_are_datasets(folder):
    files = {}
    for pair in ("en-de", "en-fr"):
        files |= {f"set.{pair}.ref.txt": f"a {pair}\nb\n", f"set.{pair}.hyp1.txt": "a b\nc\n"}
    bundles = folder(files)
    names = [dataset.name for bundle in bundles for dataset in bundle.datasets]
    assert sorted(name.rpartition(" ")[2] for name in names) == ["en-de", "en-fr"]


def test_a_file_for_each_system(folder):
    (bundle,) = folder(FILES)
    found = figures(bundle)
    assert list(found) == [("sys1", "chrF"), ("sys1", "BLEU"), ("sys2", "chrF"), ("sys2", "BLEU")]
    assert found["sys2", "BLEU"] == pytest.approx(100)
    assert [item.key for item in bundle.datasets[0].items] == ["1", "2"]
    assert {guess.subject for guess in bundle.guesses} == {"gold", "metrics", "systems", "dataset"}
    assert "sacrebleu" in bundle.runs[0].provenance.packages


@pytest.mark.parametrize(
    "names",
    [
        ("ref.en", "google.en"),
        ("references/a.en", "outputs/google"),
        ("test.ref.A.en", "test.hyp.google.en"),
        ("gold.txt", "google_predictions.txt"),
    ],
)
def test_names_say_which_is_which(folder, names):
    files = dict(zip(names, [RIGHT, RIGHT], strict=True))
    (bundle,) = folder(files)
    assert [run.system for run in bundle.runs] == ["google"]


def test_two_references_count_together(folder):
    (bundle,) = folder({"t.refA.en": RIGHT, "t.refB.en": RIGHT.upper(), "t.hyp.x.en": RIGHT})
    assert all(metric.signature.startswith("nrefs:2|") for metric in bundle.metrics)
    assert [run.system for run in bundle.runs] == ["x"]


def test_one_output_alone_finds_the_references_beside_it(folder):
    (bundle,) = folder(FILES, at="ted.sys1.detok.eng")
    assert [run.system for run in bundle.runs] == ["sys1"]


def test_gold_and_metrics_that_are_named(folder, tmp_path):
    files = {"here/a.txt": "1 2 3\nx y\n", "elsewhere/right.txt": "1 2 4\nx y\n"}
    gold = tmp_path / "elsewhere/right.txt"
    (bundle,) = folder(files, at="here", gold=gold, score=["wer"])
    assert figures(bundle) == {("a", "WER"): pytest.approx(1 / 5)}


def test_texts_are_kept_on_request(folder):
    (bundle,) = folder(FILES, with_text=True)
    assert bundle.datasets[0].items[0].input_text == "eins zwei drei"
    assert list(bundle.runs[1].outputs[0]) == RIGHT.splitlines()


def test_lines_that_do_not_line_up(folder):
    cut = FILES | {"ted.sys1.detok.eng": "one two three four five six\n"}
    with pytest.raises(AlignmentError, match=r"sys1.*line 2.* 1 lines here, 2 in ted\.ref"):
        folder(cut)
    (bundle,) = folder(cut, lenient=True)
    assert [run.system for run in bundle.runs] == ["sys2"]
    assert bundle.skipped[0].path == "ted.sys1.detok.eng"


def test_a_stranger_beside_the_texts_is_left_out(folder):
    files = {"ref.txt": RIGHT, "google.txt": RIGHT, "todo.txt": "buy milk\n"}
    (bundle,) = folder(files)
    assert [run.system for run in bundle.runs] == ["google"]
    assert [one.path for one in bundle.left_out] == ["todo.txt"]


def test_a_target_among_strangers_is_no_gold(folder):
    assert folder({"target.txt": RIGHT, "vocab.txt": "a\n", "todo.txt": "buy milk\n"}) == []


def test_folders_name_system_and_split(folder):
    files = {
        f"quechua/results/{system}/{split}/{role}.word-best.pt-{split}.txt": "a<unk>b (u-1)\n"
        for system in ("small", "large")
        for split in ("test", "test_spont")
        for role in ("hypo", "ref")
    }
    bundles = folder(files)
    found = {(one.datasets[0].name, run.system) for one in bundles for run in one.runs}
    assert found == {
        (f"quechua/{split}", system)
        for system in ("small", "large")
        for split in ("test", "test_spont")
    }
    assert [metric.name for metric in bundles[0].metrics] == ["WER", "CER"]


def test_utterances_are_aligned_by_name_and_words_split(folder):
    files = {
        "asr/ref.word-x.txt": "one<unk>two (u-1)\nthree<unk>four<unk>five (u-2)\n",
        "asr/hypo.word-x.txt": "three<unk>for<unk>five (u-2)\none<unk>two (u-1)\n",
    }
    (bundle,) = folder(files)
    (wer, _) = bundle.runs[0].scores
    assert wer.values.tolist() == [[0, 2], [1, 3]]
    assert [item.key for item in bundle.datasets[0].items] == ["u-1", "u-2"]
    assert any(guess.value == "split at <unk>" for guess in bundle.guesses)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("one (u-1)\ntwo (u-3)\n", "1 utterances of .* are not here, as 'u-2'"),
        ("one (u-1)\ntwo (u-1)\n", "line 2.* stands twice"),
        ("one (u-1)\ntwo\n", "line 2.* does not end in the name"),
    ],
)
def test_utterances_that_do_not_agree(folder, text, reason):
    with pytest.raises(AlignmentError, match=reason):
        folder({"ref.trn": "one (u-1)\ntwo (u-2)\n", "hypo.trn": text})


def test_without_the_library_nothing_is_read(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(ImportFormatError, match=r"ted\.ref.*pip install"):
        folder(FILES)


def test_lists_of_numbers_are_no_texts(folder):
    assert folder({"ref.txt": "0.5\n0.25\n", "sys.txt": "0.5\n0.75\n"}) == []


def test_what_r_printed_is_no_text(folder):
    printed = '[1] "M1"\n[1] 61.5\n'
    assert folder({"means-no-refs.txt": printed, "means.txt": printed}) == []
