"""The example content: it loads, again without effect, and its history is what it says it is."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analysis.studies.claims.study import study_claims
from analysis.studies.comparison import study_comparison
from analysis.studies.dependence import count_as_one
from analysis.studies.leads import find_leads, list_boards
from analysis.studies.pairs import study_pairs
from analysis.studies.ranking import study_ranking
from dashboard.demo import FOLDER, DemoReport, load_demo
from dashboard.demo.make_history import (
    METRIC,
    NAME,
    RELEASES,
    Item,
    describe_items,
    is_right,
    read_items,
    short_cut,
)
from dashboard.demo.make_texts import TASKS, Task, read_rows, read_spelling, words_right
from store.arrays import load_groups, load_runs
from store.claims import list_claims
from store.datasets import relate_datasets
from store.dated_scores import list_dated_scores
from store.engine import Store, open_store

SYSTEMS = {f"{package} {one}" for package, all_ in RELEASES.items() for one in all_.split()}


@pytest.fixture(scope="module")
def example(example_copy: Callable[[], Any]) -> Any:
    """Return the store with the example content, and what loading it did."""
    return example_copy()


@pytest.fixture(scope="module")
def opened(example: Any) -> Iterator[Store]:
    """Return the open store."""
    store = open_store(example.path)
    yield store
    store.close()


@pytest.fixture(scope="module")
def loaded(example: Any) -> DemoReport:
    """Return what the first loading did."""
    report: DemoReport = example.report
    return report


def table() -> list[dict[str, str]]:
    """Return the scores as they are shipped."""
    with gzip.open(FOLDER / "runs" / f"{NAME}.csv.gz", "rt", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def test_loading_twice_changes_nothing(opened: Store, loaded: DemoReport) -> None:
    revision = opened.revision()
    again = load_demo(opened, actor="tests")
    assert opened.revision() == revision
    assert {report.claims_added for report in again.claims} == {0}
    assert len(SYSTEMS) in [report.claims_unchanged for report in again.claims]
    for kind in ("run", "judgment"):
        assert sum(report.n(kind, "added") for report in again.ingests) == 0, kind
    assert again.files == loaded.files
    assert f"demo/claims/{NAME}.csv" in loaded.files


def test_nothing_is_skipped_or_warned_of(loaded: DemoReport) -> None:
    for claims in loaded.claims:
        assert (claims.skipped, claims.warnings) == ([], [])
        # The claims are about what the runs brought: nothing new is named by them.
        assert (claims.systems_added, claims.datasets_added, claims.metrics_added) == ([], [], [])


def test_every_release_has_a_run_and_a_claim_with_its_day(opened: Store) -> None:
    claims = [claim for claim in list_claims(opened) if claim.dataset == NAME]
    runs = list_dated_scores(opened, NAME, METRIC)
    assert len(claims) == len(runs) == len(SYSTEMS) >= 12
    assert {claim.system for claim in claims} == {run.system for run in runs} == SYSTEMS
    days = {claim.system: claim.claimed_on.date() for claim in claims}
    assert len(set(days.values())) >= 12
    for run in runs:
        assert run.dated_on is not None
        assert days[run.system] <= run.dated_on.date()
    for package, versions in RELEASES.items():
        of_package = [days[f"{package} {version}"] for version in versions.split()]
        assert all(earlier < later for earlier, later in pairwise(of_package))


def test_claims_state_what_the_items_give(opened: Store) -> None:
    claims = list_claims(opened)
    boards = {(claim.dataset, claim.metric) for claim in claims}
    assert (NAME, METRIC) in boards
    means = {
        (run.system, *board): run.value
        for board in boards
        for run in list_dated_scores(opened, *board)
    }
    for claim in claims:
        mean = means[claim.system, claim.dataset, claim.metric]
        assert claim.value == pytest.approx(mean, abs=5.1e-5)
        assert claim.system in claim.source
        assert claim.quote == ""  # nobody said it before us


def test_scores_are_complete_and_groups_are_sentences(opened: Store) -> None:
    items = read_items()
    for scores in load_runs(opened, NAME, METRIC).values():
        assert scores.shape == (1, len(items), 1)
        assert set(scores.ravel().tolist()) == {0.0, 1.0}
    groups = load_groups(opened, NAME)
    assert Counter(groups) == Counter(item.sentence for item in items)
    assert len(set(groups)) == 84


def test_the_history_is_what_its_description_says(opened: Store) -> None:
    study = study_claims(opened, NAME)
    assert study.n_looks == len(SYSTEMS)
    records = [row for row in study.rows if row.is_record]
    assert len(records) == 10
    first, *tested = records
    assert (first.system, first.verdict) == ("chardet 1.0", "unverifiable")
    assert [row.system for row in tested if row.verdict == "supported"] == [
        "chardet 1.1",
        "chardet 7.0.0",
        "chardet 7.1.0",
    ]
    alone = {
        row.system: (round(row.pvalue, 3), row.look)
        for row in tested
        if row.verdict != "supported" and row.pvalue < 0.05
    }
    assert alone == {
        "charset-normalizer 1.4.0": (0.016, 13),
        "charset-normalizer 2.0.0": (0.039, 14),
        "chardet 7.4.0.post1": (0.035, 29),
    }


def test_shipped_items_are_those_of_the_sentences() -> None:
    shipped = [{key: row[key] for key in list(row)[:5]} for row in table()]
    assert shipped == list(describe_items(read_items()))


def test_items_are_hard_enough_to_tell_detectors_apart() -> None:
    items = read_items()
    assert 400 <= len(items) <= 800
    assert len({item.language for item in items}) >= 15
    assert len({item.key for item in items}) == len({item.data for item in items}) == len(items)
    assert all(is_right(item, item.encoding) for item in items)
    assert not any(item.text.isascii() for item in items)


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("cp1252", True),
        ("ISO-8859-1", True),  # another name that gives the same text
        ("cp1250", True),
        ("koi8-r", False),
        ("utf-8", False),  # cannot be decoded so
        ("EUC-TW", False),  # unknown to Python
        ("crashed: KeyError", False),
        (None, False),
    ],
)
def test_an_answer_is_right_when_it_gives_back_the_text(name: str | None, right: bool) -> None:
    item = Item(
        "German 1", "German", "cp1252", "long", "große Suppe", "große Suppe".encode("cp1252")
    )
    assert is_right(item, name) is right


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    item = Item("x", "x", "utf-16", "long", "Дом", b"\xff\xfe" + "Дом".encode("utf-16-le"))
    assert is_right(item, "UTF-16")
    assert is_right(item, "UTF-16LE")
    assert not is_right(item, "UTF-16BE")


def test_the_short_cut_begins_beyond_ascii() -> None:
    assert short_cut("Then the café opened its big doors again") == "café opened its big doors"
    assert short_cut("наш дом") == "наш дом"
    assert short_cut("昨日の夜は雨がひどく降ったので") == "昨日の夜は雨がひどく降っ"


def test_the_content_stays_small() -> None:
    files = [path for path in Path(FOLDER).rglob("*") if path.suffix in (".gz", ".csv", ".yaml")]
    assert sum(path.stat().st_size for path in files) < 900_000


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_shipped_answers_are_to_the_texts_and_scored_by_the_rules(task: Task) -> None:
    items = {(item.dataset, item.key): item for item in task.read()}
    programs = {program.name: program for program in task.programs}
    rows = read_rows(task.name)
    for row in rows:
        item = items[row["dataset"], row["item"]]
        assert (row["input"], row["reference"]) == (item.text, item.reference)
        for metric, rule in task.scores.items():
            assert float(row[metric]) == pytest.approx(rule(row["output"], row["reference"]))
        assert float(row["latency_ms"]) > 0
    asked = Counter(row["system"] for row in rows)
    assert asked == {
        name: sum(program.only in ("", item.language) for item in items.values())
        for name, program in programs.items()
    }


def test_a_slip_is_a_word_and_what_was_meant() -> None:
    items = read_spelling()
    assert all(item.text != item.reference for item in items)
    assert not any(mark in item.text + item.reference for item in items for mark in "{|}")
    assert words_right("a c b", "a b") == pytest.approx(2 / 3, abs=1e-4)
    assert words_right("The house", "the house") == 0.5


def test_a_store_opens_on_the_texts(opened: Store) -> None:
    first = list_boards(opened)[0]
    assert first.dataset == "languages: chat"
    lead = find_leads(opened, [first.dataset_uid])[first.dataset_uid]
    assert (lead.metric, lead.lead) == ("language_accuracy", "tie of 4")
    ranking = study_ranking(opened, n_resamples=99)
    assert (ranking.metric.label, len(ranking.datasets)) == ("date_accuracy", 8)


def test_the_texts_hold_a_gain_a_tie_and_a_record_that_was_noise(opened: Store) -> None:
    versions = study_comparison(opened, "py3langid 0.4.0", "py3langid 0.2.2")
    assert versions.metric.label == "language_accuracy"  # of two metrics, not the time it took
    chat = study_pairs(opened, "languages: chat")
    newer, older, origin = map(
        chat.systems.index, ("py3langid 0.4.0", "py3langid 0.2.2", "langid 1.1.6")
    )
    assert chat.pvalue_adjusted[newer, older] < 0.001
    assert chat.difference[newer, older] > 0.2
    assert chat.difference[older, origin] == 0  # one model in two packages
    history = study_claims(opened, "dates: German")
    noise = next(row for row in history.rows if row.system == "dateparser 0.7.6")
    assert noise.is_record
    assert noise.pvalue < 0.05
    assert noise.verdict != "supported"


def test_boards_of_numbers_are_four_datasets_of_a_ranking(opened: Store) -> None:
    assert (
        "over 4 that share no items"
        in study_ranking(opened, n_resamples=99, metric="accuracy").sentence
    )


def test_what_nobody_knows_of_datasets_is_not_called_shared(opened: Store) -> None:
    relations = relate_datasets(opened)
    assert relations.overlaps
    assert relations.unknown
    assert "nothing shows" in count_as_one("3 datasets", relations, None)
