"""A folder with gold trees and predicted ones, of our own making."""

import gzip
import re

import pytest

from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

WORDS = (
    (("They", "PRON"), ("talk", "VERB"), (".", "PUNCT")),
    (("Old", "ADJ"), ("dogs", "NOUN"), ("in", "ADP"), ("town", "NOUN"), ("bark", "VERB")),
)
GOLD = (
    ((2, "nsubj"), (0, "root"), (2, "punct")),
    ((2, "amod"), (5, "nsubj"), (4, "case"), (2, "nmod:loc"), (0, "root")),
)
GOOD = (
    ((2, "nsubj"), (0, "root"), (2, "punct")),
    ((2, "amod"), (5, "nsubj"), (4, "case"), (2, "nmod:in"), (0, "root")),
)
BAD = (
    ((0, "root"), (1, "obj"), (1, "punct")),
    ((2, "amod"), (4, "nsubj"), (2, "case"), (5, "nsubj"), (0, "root")),
)


def conllu(trees, words=WORDS, names=("s-1", "s-2"), extra=""):
    blocks = []
    for name, forms, tree in zip(names, words, trees, strict=True):
        lines = [f"# sent_id = {name}"] if name else []
        for number, ((form, tag), (head, label)) in enumerate(zip(forms, tree, strict=True), 1):
            lines.append(f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
        blocks.append("\n".join(lines) + "\n")
    return extra + "\n".join(blocks)


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes files into the folder "town" and reads it."""

    def read_folder(files=None, *, only=None, yaml="", **options):
        files = {"gold.conllu": GOLD, "good.conllu": GOOD, "bad.conllu": BAD} | (files or {})
        for name, content in files.items():
            text = conllu(content) if isinstance(content, tuple) else content
            if text is not None:
                write(text, f"town/{name}", yaml)
        given = [tmp_path / "town" / name for name in only] if only else [tmp_path / "town"]
        found = read_paths(given, options=ReadOptions(**options), root=tmp_path, whole=True)
        assert found.left_out == []
        (bundle,) = found.bundles
        return bundle

    return read_folder


def values(bundle, system, metric):
    (run,) = (run for run in bundle.runs if run.system == system)
    (one,) = (one for one in run.scores if bundle.metrics[one.metric].name == metric)
    return one.values.astype(int).tolist()


def signatures(bundle):
    return {metric.name: metric.signature for metric in bundle.metrics}


def test_a_folder_is_a_dataset_and_a_file_a_system(folder) -> None:
    bundle = folder()
    assert bundle.format == "conllu"
    assert [file.path for file in bundle.files] == [
        f"town/{name}.conllu" for name in ("gold", "bad", "good")
    ]
    (dataset,) = bundle.datasets
    assert (dataset.name, [item.key for item in dataset.items]) == ("town", ["s-1", "s-2"])
    assert [run.system for run in bundle.runs] == ["bad", "good"]
    assert dataset.items[1].metadata == {"tokens": 5, "depth": 4}
    assert dataset.items[0].input_text is None
    assert "Gold trees: town/gold.conllu, 2 sentences, 8 words." in bundle.understood


def test_metrics_are_ratios_with_their_rules(folder) -> None:
    bundle = folder()
    assert signatures(bundle) == {
        "UAS": "punctuation kept",
        "LAS": "punctuation kept; subtypes stripped",
        "LA": "punctuation kept; subtypes stripped",
        "NED": "punctuation kept",
        "TED": "trees of words; punctuation kept; subtypes stripped",
        "UCP": "punctuation dropped (Unicode P)",
        "LCP": "punctuation dropped (Unicode P); subtypes stripped",
    }
    described = {
        (m.higher_is_better, m.aggregation, m.unit, m.lower, m.upper) for m in bundle.metrics
    }
    assert described == {(True, "ratio", "proportion", 0.0, 1.0)}


def test_counts_of_each_sentence(folder) -> None:
    bundle = folder()
    assert values(bundle, "good", "LAS") == [[3, 3], [5, 5]]
    assert values(bundle, "bad", "UAS") == [[0, 3], [2, 5]]
    assert values(bundle, "bad", "LAS") == [[0, 3], [2, 5]]
    assert values(bundle, "bad", "LA") == [[1, 3], [4, 5]]
    assert values(bundle, "bad", "UCP") == [[0, 1], [0, 1]]
    assert values(bundle, "good", "LCP") == [[1, 1], [1, 1]]


def test_rules_can_be_chosen(folder) -> None:
    choices = {
        "punctuation": "drop",
        "subtypes": "keep",
        "ted": "functions",
        "verbs": "NOUN, VERB,NOUN",
    }
    bundle = folder(choices=choices)
    assert values(bundle, "good", "LAS") == [[2, 2], [4, 5]]
    assert values(bundle, "good", "UAS") == [[2, 2], [5, 5]]
    assert values(bundle, "good", "LCP") == [[1, 1], [2, 3]]
    assert values(bundle, "good", "TED") == [[6, 6], [14, 16]]
    found = signatures(bundle)
    assert found["TED"] == ("function trees; punctuation dropped (Unicode P); subtypes kept")
    assert bundle.runs[0].provenance.config == {"verbs": "NOUN, VERB"}
    assert "Tags of verbs: NOUN, VERB." in bundle.understood


def test_las_by_part_of_speech(folder) -> None:
    bundle = folder(choices={"pos": "yes", "content": "NOUN,VERB", "function": "ADP"})
    assert values(bundle, "bad", "LAS (NOUN)") == [[0, 0], [0, 2]]
    assert values(bundle, "bad", "LAS (content)") == [[0, 1], [1, 3]]
    assert values(bundle, "good", "LAS (function)") == [[0, 0], [1, 1]]
    assert {text for name, text in signatures(bundle).items() if name.startswith("LAS")} == {
        "punctuation kept; subtypes stripped"
    }
    assert bundle.runs[0].provenance.config == {
        "verbs": "VERB",
        "content words": "NOUN, VERB",
        "function words": "ADP",
    }
    usual = folder(choices={"pos": "yes"}).runs[0].provenance.config
    assert usual["content words"] == "ADJ, NOUN, PROPN, VERB"
    assert usual["function words"] == "all others but punctuation (Unicode P)"


@pytest.mark.parametrize(
    ("choices", "part"),
    [
        ({"punctuaton": "keep"}, r"Did you mean 'punctuation'\?.*subtypes \(strip or keep\)"),
        ({"punctuation": "yes"}, "'yes' is neither 'drop' nor 'keep'"),
        ({"verbs": "VERB,,AUX"}, "no list of parts of speech"),
        ({"content": "NOUN"}, "add --option pos=yes"),
        ({"gold": "silver"}, "no file fits --option gold=silver: bad.conllu, gold.conllu"),
    ],
)
def test_choices_that_there_are_not(folder, choices, part) -> None:
    with pytest.raises(ImportFormatError, match=part):
        folder(choices=choices)


def test_one_metric_alone(folder) -> None:
    assert list(signatures(folder(metric="LAS"))) == ["LAS"]
    with pytest.raises(ImportFormatError, match=r"no metric 'BLEU'\. Metrics: UAS, LAS"):
        folder(metric="BLEU")


def test_texts_are_the_lines_of_the_files(folder) -> None:
    bundle = folder(with_text=True)
    item = bundle.datasets[0].items[0]
    first = conllu(GOLD).split("\n\n")[0]
    assert (item.input_text, item.reference_text) == ("They talk .", first)
    (good,) = (run for run in bundle.runs if run.system == "good")
    assert good.outputs == {0: [block.rstrip("\n") for block in conllu(GOOD).split("\n\n")]}


def test_a_changed_gold_tree_is_another_item(folder) -> None:
    before = [item.content_hash for item in folder().datasets[0].items]
    again = [item.content_hash for item in folder().datasets[0].items]
    after = [item.content_hash for item in folder({"gold.conllu": GOOD}).datasets[0].items]
    assert before == again
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_sentences_without_names_are_counted(folder) -> None:
    unnamed = {"gold.conllu": conllu(GOLD, names=("", ""))}
    bundle = folder(unnamed)
    assert [item.key for item in bundle.datasets[0].items] == ["1", "2"]
    assert any("named by their number" in told for told in bundle.understood)
    twice = folder({"gold.conllu": conllu(GOLD, names=("s", "s"))})
    assert [item.key for item in twice.datasets[0].items] == ["1", "2"]


def test_documents_are_groups(folder) -> None:
    gold = "# newdoc id = one\n" + conllu(GOLD).replace("\n\n", "\n\n# newdoc id = two\n")
    bundle = folder({"gold.conllu": gold})
    assert [item.group for item in bundle.datasets[0].items] == ["one", "two"]
    single = folder({"gold.conllu": "# newdoc id = one\n" + conllu(GOLD)})
    assert [item.group for item in single.datasets[0].items] == [None, None]


def test_another_file_can_be_the_gold_file(folder) -> None:
    bundle = folder({"gold.conllu": None}, choices={"gold": "good"})
    assert [run.system for run in bundle.runs] == ["bad"]
    bundle = folder({"gold.2.conllu": None}, choices={"gold": "good.conllu"})
    assert [run.system for run in bundle.runs] == ["bad", "gold"]


def test_which_file_is_gold_must_be_clear(folder) -> None:
    with pytest.raises(ImportFormatError, match=r"2 files fit .*: gold.conllu, gold_2.conllu"):
        folder({"gold_2.conllu": GOLD})


def test_golden_is_not_gold(folder) -> None:
    bundle = folder({"gold.conllu": None, "Gold-dev.conllu": GOLD, "golden.conllu": GOOD})
    assert [run.system for run in bundle.runs] == ["bad", "golden", "good"]
    with pytest.raises(ImportFormatError, match="no file fits"):
        folder(only=["good.conllu", "bad.conllu"])


@pytest.mark.parametrize("name", ["gold.conllu", "good.conllu"])
def test_a_file_alone_is_nothing(folder, name) -> None:
    with pytest.raises(UnknownFormatError, match=r"[Gg]ive the whole folder"):
        folder(only=[name])


def test_names_from_flags_and_yaml(folder) -> None:
    assert folder(only=["gold.conllu", "bad.conllu"], system="S").runs[0].system == "S"
    with pytest.raises(ImportFormatError, match="cannot name 2 files"):
        folder(system="S")
    yaml = "dataset: {name: towns, language: en}\naliases: {Malt: [bad], MST: [good]}\n"
    bundle = folder(yaml=yaml)
    assert [run.system for run in bundle.runs] == ["Malt", "MST"]
    assert (bundle.datasets[0].name, bundle.datasets[0].language) == ("towns", "en")
    assert [file.path for file in bundle.files].count("town/tiebreak.yaml") == 1
    assert folder(dataset="D").datasets[0].name == "D"


def test_two_files_of_one_system(folder) -> None:
    with pytest.raises(ImportFormatError, match="the system 'good' too") as caught:
        folder({"good.conll": GOOD})
    assert caught.value.path == "town/good.conllu"


def test_a_file_may_have_a_yaml_of_its_own(folder, write) -> None:
    write("run: {seed: 7}\n", "town/good.tiebreak.yaml")
    bundle = folder()
    assert [run.provenance.seed for run in bundle.runs] == [None, 7]


def test_packed_files_and_other_endings(folder) -> None:
    packed = gzip.compress(conllu(GOLD).encode())
    extra = {"good.conllu": None, "bad.conllu": None, "good.txt": GOOD}
    bundle = folder({"gold.conllu": None, "gold.conllu.gz": packed} | extra)
    assert [run.system for run in bundle.runs] == ["good"]


def test_several_folders_are_several_datasets(folder, write, tmp_path) -> None:
    folder()
    for name, trees in (("gold.conllu", GOLD), ("good.conllu", GOOD)):
        write(conllu(trees), f"sea/{name}")
    found = read_paths([tmp_path], root=tmp_path)
    assert [bundle.datasets[0].name for bundle in found.bundles] == ["sea", "town"]


@pytest.mark.parametrize(
    ("content", "line", "field", "part"),
    [
        (
            conllu(GOOD[:1], WORDS[:1], ("s-1",)),
            None,
            None,
            "sentences: 1, but 2 in town/gold.conllu",
        ),
        (
            conllu(GOOD).replace("\tdogs\t", "\tcats\t"),
            8,
            "FORM",
            r"sentence 2 \('s-2'\): the word 'cats' is 'dogs' in town/gold.conllu, line 6.*forms=",
        ),
        (
            conllu(GOOD) + "6\t!\t_\tPUNCT\t_\t_\t5\tpunct\t_\t_\n",
            6,
            "ID",
            r"words in sentence 2 \('s-2'\): 6, but 5 in town/gold.conllu, line 6\.",
        ),
    ],
)
def test_other_sentences(folder, content, line, field, part) -> None:
    bundle = folder({"good.conllu": content})
    assert [run.system for run in bundle.runs] == ["bad"]
    (skipped,) = bundle.skipped
    assert (skipped.path, skipped.line, skipped.field) == ("town/good.conllu", line, field)
    assert skipped.reason.startswith("file left out: ")
    assert re.search(part, skipped.reason)
    assert "run on raw text" in skipped.reason


def test_nothing_is_left_of_it(folder) -> None:
    shorter = conllu(GOOD[:1], WORDS[:1], ("s-1",))
    files = {"good.conllu": shorter, "bad.conllu": shorter}
    with pytest.raises(AlignmentError, match="sentences: 1, but 2"):
        folder(files)
    with pytest.raises(ImportFormatError, match="no predicted file has the sentences"):
        folder(files, lenient=True)


def test_words_written_otherwise(folder) -> None:
    def written(old, new):
        return conllu(GOOD).replace(f"\t{old}\t", f"\t{new}\t")

    bundle = folder({"good.conllu": written("dogs", "<num>")})
    assert any("taken as the same: 1." in warning for warning in bundle.warnings)
    for gold, predicted in (("é", "e\u0301"), ("(", "-LRB-")):
        files = {"gold.conllu": conllu(GOLD).replace("\tdogs\t", f"\t{gold}\t"), "bad.conllu": None}
        bundle = folder(files | {"good.conllu": written("dogs", predicted)}, only=[
            "gold.conllu", "good.conllu",
        ])  # fmt: skip
        assert values(bundle, "good", "LAS") == [[3, 3], [5, 5]]
    loose = folder({"good.conllu": written("dogs", "cats")}, choices={"forms": "ignore"})
    assert values(loose, "good", "LAS") == [[3, 3], [5, 5]]


def test_circles_in_predicted_trees_are_told(folder) -> None:
    circle = (((2, "nsubj"), (1, "root"), (2, "punct")), GOOD[1])
    bundle = folder({"bad.conllu": circle})
    assert values(bundle, "bad", "UAS") == [[2, 3], [5, 5]]
    assert values(bundle, "bad", "TED") == [[4, 6], [10, 10]]
    assert any("heads go round in a circle in 1 of 2 sentences" in told for told in bundle.warnings)


def test_circles_in_gold_trees_are_refused(folder) -> None:
    circle = (GOLD[0], ((2, "amod"), (1, "nsubj"), *GOLD[1][2:]))
    with pytest.raises(ImportFormatError, match=r"sentence 2 \('s-2'\): heads go round") as caught:
        folder({"gold.conllu": circle})
    assert (caught.value.path, caught.value.line) == ("town/gold.conllu", 6)


def test_no_verb_no_predications(folder) -> None:
    bundle = folder(choices={"verbs": "V"})
    assert list(signatures(bundle)) == ["UAS", "LAS", "LA", "NED", "TED"]
    (warning,) = bundle.warnings
    assert "no token with dependents is tagged V." in warning
    assert "tags of the gold file: ADJ, ADP, NOUN, PRON, PUNCT, VERB." in warning


@pytest.mark.parametrize(
    "text",
    [
        "1\t2\t3\t4\t5\t6\t7\t8\t9\t10\n",
        "id\tb\tc\td\te\tf\tg\th\ti\tj\n1\ta\tb\tc\td\te\t0\tx\t_\t_\n",
        "1\tscore\n",
        "",
    ],
)
def test_other_tables_are_not_taken_for_trees(write, text) -> None:
    from store.importers.conllu.importer import sniff

    assert not sniff(write(text, "table.tsv"), ReadOptions())
    assert not sniff(write(text, "table.tsv").with_name("nowhere.tsv"), ReadOptions())


def test_a_damaged_file_of_trees_is_named(folder) -> None:
    with pytest.raises(ImportFormatError, match="6 columns between tabs") as caught:
        folder({"good.conllu": "1\ta\tb\tc\td\te\n"})
    assert (caught.value.path, caught.value.line) == ("town/good.conllu", 1)
