"""Real judgments that nobody here made; they lie beside the checkout and are never copied."""

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "data"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real files is not beside this"),
]


def read_one(path, format=None, **options):
    found = read_paths([DATA / path], format=format, options=ReadOptions(**options), root=DATA)
    (bundle,) = found.bundles
    return bundle


@pytest.mark.parametrize(
    ("language", "n_items", "n_annotators", "n_red", "n_blue"),
    [
        ("da", 200, 3, 265, 235),
        ("de", 200, 2, 210, 190),
        ("en", 200, 4, 398, 402),
        ("es", 184, 4, 344, 392),
        ("hr", 200, 2, 236, 164),
    ],
)
def test_choices_between_two_parsers(language, n_items, n_annotators, n_red, n_blue) -> None:
    bundle = read_one(
        f"plank_conll2015/{language}/annotated.csv",
        "judgments",
        dataset=language,
        choices={"red": "parser2", "blue": "parser1"},
    )
    chosen = Counter(
        one.first if one.choice == "first" else one.second for one in bundle.preferences
    )
    assert len(bundle.datasets[0].items) == n_items
    assert len({one.annotator for one in bundle.preferences}) == n_annotators
    assert chosen == {"parser2": n_red, "parser1": n_blue}


def test_items_of_choices_are_called_as_those_of_the_trees() -> None:
    trees = read_paths(
        [DATA / "plank_conll2015" / "en" / f"{name}.conll" for name in ("gold", "parser1")],
        format="conllu",
        options=ReadOptions(dataset="en"),
    ).bundles[0]
    bundle = read_one("plank_conll2015/en/annotated.csv", "judgments", dataset="en")
    assert [one.key for one in bundle.datasets[0].items] == [
        one.key for one in trees.datasets[0].items
    ]


@pytest.mark.parametrize(
    ("name", "n_items", "n_annotators", "counts"),
    [
        ("rte", 800, 164, {"0": 3419, "1": 4581}),
        ("temporal", 462, 76, {"1": 2178, "2": 2442}),
        ("wsd", 177, 34, {"1": 1288, "2": 40, "3": 442}),
    ],
)
def test_labels_of_a_crowd(name, n_items, n_annotators, counts) -> None:
    path = f"crowd_annotations_snow2008/{name}.csv"
    bundle = read_one(path, "judgments", dataset=name, choices={"level": "nominal"})
    (criterion,) = bundle.criteria
    assert len(bundle.datasets[0].items) == n_items
    assert len({one.annotator for one in bundle.ratings}) == n_annotators
    assert Counter(criterion.labels[int(one.value)] for one in bundle.ratings) == counts


def test_an_empty_line_is_an_item() -> None:
    bundle = read_one("mace/examples/pos.csv", "judgments", dataset="pos")
    judged = {bundle.datasets[0].items[one.item].key for one in bundle.ratings}
    assert (len(bundle.datasets[0].items), judged) == (6, {"1", "2", "4", "5", "6"})


def test_lists_of_ratings() -> None:
    bundle = read_one(
        "summeval_metrics_human/human/relevance.jsonl",
        dataset="summeval",
        columns={"system": "summarizer_id"},
        choices={"scale": "1..5"},
    )
    assert (len(bundle.ratings), len(bundle.datasets[0].items)) == (51_200, 100)
    with (DATA / "summeval_metrics_human/derived/summary_level.csv").open() as file:
        table = list(csv.DictReader(file))
    values = defaultdict(list)
    for one in bundle.ratings:
        key = bundle.datasets[0].items[one.item].key
        values[bundle.criteria[one.criterion].name, key, one.system].append(one.value)
    for row in table:
        for criterion in bundle.criteria:
            group, aspect = criterion.name.split()
            found = values[criterion.name, row["instance_id"], row["system"]]
            stated = float(row[f"human.{group}.{aspect}"])
            assert sum(found) / len(found) == pytest.approx(stated, abs=5e-5)


def test_a_judge_of_alpaca_eval() -> None:
    path = "alpaca_eval_2/original/phi-2/alpaca_eval_gpt4/annotations.json"
    bundle = read_one(path)
    counts = Counter(one.choice for one in bundle.preferences)
    assert counts == {"first": 543, "second": 234, "tie": 22}
    assert len(bundle.datasets[0].items) == 805
    text = json.loads((DATA / path).read_text(encoding="utf-8"))[0]
    assert bundle.preferences[0].second_length == len(text["output_2"])


def test_win_rates_of_a_table_of_probabilities() -> None:
    bundle = read_one(
        "alpaca_eval_2/preferences.csv",
        dataset="AlpacaEval 2",
        columns={
            "second": "model",
            "strength": "win_prob",
            "first_length": "len_baseline",
            "second_length": "len_model",
        },
        choices={"first": "gpt4_1106_preview", "annotator": "judge", "kind": "model"},
    )
    assert len(bundle.preferences) == 37_021
    sums = defaultdict(list)
    for one in bundle.preferences:
        sums[one.second].append(one.strength)
    with (DATA / "alpaca_eval_2/models.csv").open() as file:
        stated = {row["model"]: float(row["win_rate_recomputed"]) for row in csv.DictReader(file)}
    rates = {system: 100 * sum(shares) / len(shares) for system, shares in sums.items()}
    assert len(rates) == 46
    assert rates == pytest.approx({system: stated[system] for system in rates}, abs=1e-3)


def test_mean_ratings_beside_metrics() -> None:
    bundle = read_one(
        "topical_chat_human_metric/topical_chat_result.json",
        "judgments",
        dataset="topical chat",
        columns={"input": "source"},
        choices={"annotator": "mean", "criteria": "scores", "metrics": "predict_scores"},
    )
    assert (len(bundle.datasets[0].items), len(bundle.ratings)) == (60, 360 * 6)
    assert [one.name for one in bundle.criteria] == [
        "understandability", "naturalness", "coherence", "engagingness", "groundedness", "overall",
    ]  # fmt: skip
    assert len(bundle.runs) == 6
    assert {len(run.scores) for run in bundle.runs} == {6}
    assert "predict_scores naturalness" in [metric.name for metric in bundle.metrics]
