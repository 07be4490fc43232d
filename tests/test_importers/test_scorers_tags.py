"""Tagged words and span F1, in files of our own making, against seqeval."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2, IOBES, Entities

from store import vectors
from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.scorers.entities import lenient_entities, scheme_of, strict_entities

GOLD = "Ann\tB-PER\nLee\tI-PER\nran\tO\n\n#\tO\nRome\tB-LOC\n"
RIGHT = "Ann B-PER\nLee I-PER\nran O\n \n# O\nRome B-LOC\n\n\n"
FILES = {
    "gold/x.test.annotated": GOLD,
    "submissions/good": RIGHT,
    "submissions/loose": GOLD.replace("B-", "I-"),
    "submissions/wrong": GOLD.replace("Lee\tI-PER", "Lee\tO"),
}
LETTERS = ["O", "B-a", "I-a", "E-a", "S-a", "B-b", "I-b", "E-b", "S-b"]


@settings(max_examples=200, deadline=None)
@given(tags=st.lists(st.sampled_from(LETTERS), min_size=1, max_size=7))
def test_entities_are_those_of_seqeval(tags):
    assert lenient_entities(tags) == {(kind, a, b + 1) for kind, a, b in get_entities(tags)}
    for name, scheme in (("IOB2", IOB2), ("IOBES", IOBES)):
        if name == "IOBES" or not {tag[0] for tag in tags} & {"E", "S"}:
            (found,) = Entities([tags], scheme).entities
            assert strict_entities(tags, name) == {(one.tag, one.start, one.end) for one in found}


def test_other_letters_and_long_types():
    assert lenient_entities(["U-a", "B-a", "L-a"]) == {("a", 0, 1), ("a", 1, 3)}
    assert lenient_entities(["B-creative-work", "I-creative-work"]) == {("creative-work", 0, 2)}
    assert scheme_of([["O I-a O"]]) is None
    assert scheme_of([["O S-a O"]]) == "IOBES"


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes files and reads the folder."""

    def make(files, **options):
        for name, content in files.items():
            write(content, name)
        return read_paths(
            [tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True
        ).bundles

    return make


def figures(bundle):
    names = [metric.name for metric in bundle.metrics]
    return {
        run.system: {
            names[one.metric]: vectors.aggregate(one.values, bundle.metrics[one.metric].aggregation)
            for one in run.scores
        }
        for run in bundle.runs
    }


def test_gold_and_systems_in_folders(folder):
    (bundle,) = folder(FILES)
    assert figures(bundle) == {
        "good": {"span_f1": 1.0, "span_f1_strict": 1.0},
        "loose": {"span_f1": 1.0, "span_f1_strict": 0.0},
        "wrong": {"span_f1": 0.5, "span_f1_strict": 0.5},
    }
    assert bundle.runs[2].scores[0].values.tolist() == [[0, 1, 1], [1, 0, 0]]
    assert [item.metadata for item in bundle.datasets[0].items] == [{"words": 3}, {"words": 2}]
    assert {guess.subject for guess in bundle.guesses} == {"gold", "metrics", "dataset"}


def test_gold_in_the_last_column_but_one(folder):
    (bundle,) = folder({"task/bert.txt": "Ann NNP B-PER B-PER\nran VBD O B-PER\n\nRome NNP O O\n"})
    assert figures(bundle) == {"bert": {"span_f1": 2 / 3, "span_f1_strict": 2 / 3}}


def test_parts_of_speech(folder):
    files = {"gold.conll": "a\tDT\nb\tNN\n\nc\tVB\n", "tagger.conll": "a\tDT\nb\tVB\n\nc\tVB\n"}
    (bundle,) = folder(files)
    assert figures(bundle) == {"tagger": {"tag_accuracy": 2 / 3}}


def test_documents_are_groups(folder):
    text = "-DOCSTART- -X- O O\n\na DT O\nb NN B-X\n\n-DOCSTART- -X- O O\n\nc VB O\n"
    (bundle,) = folder({"gold.txt": text, "sys.txt": text})
    assert [item.group for item in bundle.datasets[0].items] == ["document 1", "document 2"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (RIGHT.replace("ran O\n", ""), r"line 1: sentence 1 has 2 words, .*\(line 1\) 3"),
        ("Ann B-PER\nLee I-PER\nran O\n\n", "1 sentences, in .* 2"),
        ("a O\nb O\nc O\n\nd O\ne B-LOC\n", "5 of 5 words are not those"),
    ],
)
def test_other_sentences_or_words(folder, text, reason):
    files = FILES | {"submissions/other": text}
    with pytest.raises(AlignmentError, match=reason):
        folder(files)
    (bundle,) = folder(files, lenient=True)
    assert (len(bundle.runs), bundle.skipped[0].path) == (3, "submissions/other")


def test_a_few_words_written_otherwise_are_told(folder):
    many = GOLD + "w\tO\n" * 20
    (bundle,) = folder({"gold.txt": many, "sys.txt": many.replace("Lee", "Li")})
    assert "written otherwise than in the gold, and taken as the same: 1." in bundle.warnings[0]


def test_a_word_without_a_tag(folder):
    files = FILES | {"submissions/bad": GOLD + "\n".join(["x\tO"] * 20000) + "\nlost\n"}
    with pytest.raises(ImportFormatError, match=r"line 20007: 'lost' has no tag"):
        folder(files)


def test_without_gold(read):
    with pytest.raises(UnknownFormatError, match="--gold FILE"):
        read(GOLD, "bert.conll")


def test_chunks_beside_names_are_no_gold(read):
    text = "EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\nPeter NNP B-NP B-PER\n"
    with pytest.raises(UnknownFormatError, match="--gold FILE"):
        read(text, "test.txt")
    bundle = read(text.replace("B-NP", "B-ORG").replace("B-VP", "O"), "out.txt")
    assert figures(bundle)["out"]["span_f1"] == 0.5
