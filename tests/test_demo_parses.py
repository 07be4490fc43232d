"""The judged parses of the demo: trees that hold, parsers that differ, sheets that tell nothing."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dashboard.demo import FOLDER as DEMO
from dashboard.demo import QUESTION, read_parses
from dashboard.demo import make_judgments as judging
from dashboard.demo.make_parses import FOLDER, GOLD, PARSERS, as_conllu, read_sentences
from store.engine import Store, open_store
from store.importers.conllu.trees import Sentence, read_sentence
from store.importers.conllu.trees import read_sentences as read_trees
from store.judgments import list_annotators, list_criteria, load_item_judgments
from store.texts import load_outputs, load_texts

DATASET = "everyday parses"
NOT_PROJECTIVE = {"relative-7"}
JUDGMENTS = FOLDER / "judgments.csv"


@pytest.fixture(scope="module")
def gold() -> list[Sentence]:
    """Return the gold trees."""
    return read_trees(GOLD.read_text(encoding="utf-8"))


def parsed(system: str) -> list[Sentence]:
    """Return the trees of a parser as they are shipped."""
    return read_trees((FOLDER / f"{system}.conllu").read_text(encoding="utf-8"))


def heads(sentence: Sentence) -> list[int]:
    """Return the heads, 0 for a root."""
    return [token.head for token in sentence.tokens]


def chain(of: Sequence[int], token: int) -> list[int]:
    """Return a token and all that it hangs from; stop when a token comes again."""
    found = [token]
    while of[found[-1] - 1] and of[found[-1] - 1] not in found:
        found.append(of[found[-1] - 1])
    return found


def is_tree(of: Sequence[int]) -> bool:
    """Return whether every token hangs from a root in the end."""
    return all(of[chain(of, token)[-1] - 1] == 0 for token in range(1, len(of) + 1))


def is_projective(of: Sequence[int]) -> bool:
    """Return whether all between a head and its dependent hangs from that head."""
    return all(
        head in chain(of, between)
        for token, head in enumerate(of, start=1)
        if head
        for between in range(min(token, head) + 1, max(token, head))
    )


def test_gold_trees_are_trees(gold: list[Sentence]) -> None:
    assert len(gold) == len({sentence.sent_id for sentence in gold}) == 48
    for sentence in gold:
        of, name = heads(sentence), str(sentence.sent_id)
        assert 6 <= len(of) <= 22
        assert is_tree(of), name
        assert is_projective(of) == (name not in NOT_PROJECTIVE), name
        # only what consists of several utterances has several roots
        assert (of.count(0) > 1) == name.startswith("fragments"), name
        for token in sentence.tokens:
            assert (token.deprel == "root") == (token.head == 0), (name, token)
            assert (token.deprel == "punct") == (token.upos == "PUNCT"), (name, token)


def test_the_text_is_that_of_the_tokens() -> None:
    for block in GOLD.read_text(encoding="utf-8").strip().split("\n\n"):
        name, text, *lines = block.split("\n")
        cells = [line.split("\t") for line in lines]
        written = "".join(one[1] + " " * (one[9] != "SpaceAfter=No") for one in cells)
        assert text == f"# text = {written.strip()}", name


@pytest.mark.parametrize("system", PARSERS)
def test_the_shipped_trees_are_what_the_parser_gives(system: str) -> None:
    made = as_conllu(read_sentences(), PARSERS[system])
    assert (FOLDER / f"{system}.conllu").read_text(encoding="utf-8") == made


@pytest.mark.parametrize("system", PARSERS)
def test_a_parser_is_neither_useless_nor_perfect(system: str, gold: list[Sentence]) -> None:
    n_right = n_tokens = 0
    for ours, right in zip(parsed(system), gold, strict=True):
        assert heads(ours).count(0) == 1
        assert is_tree(heads(ours)), ours.sent_id
        n_right += sum(a == b for a, b in zip(heads(ours), heads(right), strict=True))
        n_tokens += len(right.tokens)
    assert 0.6 < n_right / n_tokens < 0.9


def test_the_judged_parsers_differ_nearly_everywhere() -> None:
    first, second = (parsed(system) for system in judging.SYSTEMS)
    differing = [heads(a) != heads(b) for a, b in zip(first, second, strict=True)]
    assert sum(differing) == 47  # as the README says


def test_the_parser_that_is_ahead_depends_on_the_metric() -> None:
    (bundle,) = read_parses()[:1]
    totals = {
        (run.system, bundle.metrics[scores.metric].name): scores.values.reshape(-1, 2).sum(axis=0)
        for run in bundle.runs
        for scores in run.scores
    }
    value = {key: counted / out_of for key, (counted, out_of) in totals.items()}
    ahead = {
        name: max(judging.SYSTEMS, key=lambda system: value[system, name])
        for name in ("UAS", "LAS", "UCP", "LCP", "NED", "TED")
    }
    assert list(ahead.values()) == ["nearest-head"] * 4 + ["verb-first"] * 2


def test_a_sheet_names_no_parser_and_both_come_first() -> None:
    items = list(judging.read_trees(judging.SYSTEMS[0]))
    sheets = [judging.sheet(judge) for judge in judging.JUDGES]
    assert len(set(sheets)) == len(judging.JUDGES)
    for judge, text in zip(judging.JUDGES, sheets, strict=True):
        assert text.count("=== Item ") == text.count("  A:") == text.count("  B:") == len(items)
        assert not any(name in text for name in (*PARSERS, "gold"))
        first = Counter(shown[0] for shown in judging.orders(judge, items).values())
        assert min(first[system] for system in judging.SYSTEMS) >= len(items) // 3


def test_a_sheet_shows_the_trees_in_the_order_of_its_judge() -> None:
    trees = {system: judging.read_trees(system) for system in judging.SYSTEMS}
    order = judging.orders("judge 1", list(trees[judging.SYSTEMS[0]]))
    shown_items = judging.sheet("judge 1").split("=== Item ")[1:]
    for text, (item, shown) in zip(shown_items, order.items(), strict=True):
        trees_shown = text.split("  A:\n")[1].split("  B:\n")
        for lines, system in zip(trees_shown, shown, strict=True):
            rows = [line[6:] for line in lines.splitlines() if line.strip()]
            told = [f"{word} <-{label}- {head}" for word, label, head in trees[system][item][1]]
            assert rows == told


def answer(folder: Path, choices: Sequence[str]) -> None:
    """Write the same answers for every judge."""
    lines = [f"{number},{choice}" for number, choice in enumerate(choices, start=1)]
    for k in range(1, len(judging.JUDGES) + 1):
        (folder / f"answers_{k}.csv").write_text("\n".join(["item,choice", *lines]) + "\n")


def test_answers_become_preferences(tmp_path: Path) -> None:
    answer(tmp_path, [("A", "B", "tie")[number % 3] for number in range(48)])
    rows = judging.collect(tmp_path)
    assert len(rows) == 3 * 48
    trees = judging.read_trees(judging.SYSTEMS[0])
    for judge in judging.JUDGES:
        own = [row for row in rows if row["annotator"] == judge]
        order = judging.orders(judge, list(trees))
        assert [row["item"] for row in own] == list(trees)
        assert [(row["first"], row["second"]) for row in own] == list(order.values())
        assert [row["choice"] for row in own[:3]] == ["first", "second", "tie"]
        assert {(row["annotator_kind"], row["order_known"]) for row in own} == {("model", "yes")}


@pytest.mark.parametrize(
    ("choices", "complaint"),
    [
        (["A"] * 47, "not every item from 1 to 48"),
        (["A"] * 49, "not every item from 1 to 48"),
        (["A"] * 47 + ["C"], "item 48 has 'C', not A, B or tie"),
    ],
)
def test_answers_that_are_none_are_refused(
    tmp_path: Path, choices: list[str], complaint: str
) -> None:
    answer(tmp_path, choices)
    with pytest.raises(ValueError, match=complaint):
        judging.collect(tmp_path)


@pytest.fixture(scope="module")
def loaded(example_copy: Callable[[], Any]) -> Iterator[Store]:
    """Return a store with the demo in it."""
    store = open_store(example_copy().path)
    yield store
    store.close()


def test_the_demo_has_the_parses_and_their_trees(loaded: Store) -> None:
    sentences = read_sentences()
    texts = load_texts(loaded, DATASET, range(len(sentences)))
    stored = {text.key: text.input_text for text in texts.values()}
    assert stored == {sentence.name: sentence.text for sentence in sentences}
    outputs = load_outputs(loaded, DATASET, range(len(sentences)))
    assert Counter(output.system for output in outputs) == dict.fromkeys(PARSERS, len(sentences))
    forms = {tuple(token.form for token in sentence.tokens) for sentence in sentences}
    for block in [str(text.reference_text) for text in texts.values()] + [
        output.text for output in outputs
    ]:
        assert tuple(token.form for token in read_sentence(block).tokens) in forms


def test_the_demo_has_the_judgments(loaded: Store) -> None:
    with JUDGMENTS.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == 3 * 48
    (criterion,) = list_criteria(loaded, DATASET)
    assert criterion.question == QUESTION
    assert (criterion.name, criterion.n_judgments) == (judging.CRITERION, len(rows))
    annotators = list_annotators(loaded, DATASET)
    assert {(one.name, one.kind, one.n_preferences) for one in annotators} == {
        (judge, "model", 48) for judge in judging.JUDGES
    }
    item = rows[0]["item"]
    judged = load_item_judgments(loaded, DATASET, item).preferences
    told = {(row["annotator"], row["choice"]) for row in rows if row["item"] == item}
    assert {(one.annotator, one.choice) for one in judged} == told


def test_the_shipped_judgments_are_about_the_trees_as_they_were_shown() -> None:
    with JUDGMENTS.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    items = list(judging.read_trees(judging.SYSTEMS[0]))
    order = {judge: judging.orders(judge, items) for judge in judging.JUDGES}
    for row in rows:
        assert (row["first"], row["second"]) == order[row["annotator"]][row["item"]]


def test_every_file_is_loaded(example_copy: Callable[[], Any]) -> None:
    of_parses = {file for file in example_copy().report.files if "parses/" in file}
    assert of_parses == {
        path.relative_to(DEMO.parent).as_posix() for path in FOLDER.iterdir() if path.is_file()
    }
