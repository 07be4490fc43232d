"""Real files of WMT; they lie beside the checkout and are never copied."""

import csv
from collections import Counter, defaultdict

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from store import vectors
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def data(shared_folder):
    return shared_folder / "data"


def by_system(bundle, metric, dataset):
    """Return system -> the figure that is stated of it."""
    return {
        one.system: one.value
        for one in bundle.reported_scores
        if bundle.metrics[one.metric].name == metric
        and bundle.datasets[one.dataset].name == dataset
    }


def test_ted_talks_mqm(data):
    (bundle,) = read_paths([data / "wmt21_ted_mqm_ende"]).bundles
    (dataset,) = bundle.datasets
    assert (dataset.name, len(dataset.items), len(bundle.ratings)) == ("mqm_ted_ende", 529, 7406)
    assert len({item.group for item in dataset.items}) == 5
    assert sum(len(rating.spans) for rating in bundle.ratings) == 8435 - 4404
    told = "7,406 of 7,406 stated averages equal the mean over raters of the weighted errors."
    assert told in bundle.understood
    (warning,) = bundle.warnings
    assert "line 6,444: a span opens with <v> and never closes" in warning


def test_ted_talks_means_are_those_of_the_authors(data):
    """The README of google/wmt-mqm-human-evaluation prints these, cut or rounded to two digits."""
    (bundle,) = read_paths([data / "wmt21_ted_mqm_ende" / "mqm_ted_ende.tsv"]).bundles
    values = defaultdict(list)
    for rating in bundle.ratings:
        values[rating.system].append(rating.value)
    printed = {
        "ref": 0.91, "Facebook-AI": 1.06, "Online-W": 1.12, "VolcTrans-AT": 1.24,
        "metricsystem3": 1.44, "VolcTrans-GLAT": 1.49, "HuaweiTSC": 1.50, "metricsystem1": 1.63,
        "metricsystem2": 1.69, "metricsystem5": 1.72, "UEdin": 1.77, "metricsystem4": 1.78,
        "eTranslation": 1.96, "Nemo": 2.14,
    }  # fmt: skip
    assert {name: np.mean(found) for name, found in values.items()} == pytest.approx(
        printed, abs=0.01
    )


def test_spans_are_parts_of_the_translations(data):
    path = data / "wmt21_ted_mqm_ende" / "mqm_ted_ende.tsv"
    (bundle,) = read_paths([path], options=ReadOptions(with_text=True)).bundles
    outputs = {run.system: run.outputs[0] for run in bundle.runs}
    n_checked = 0
    for rating in bundle.ratings:
        source = bundle.datasets[0].items[rating.item].input_text
        for span in rating.spans:
            text = source if span.in_source else outputs[rating.system][rating.item]
            assert text[span.start : span.end] == span.text != ""
            n_checked += 1
    assert n_checked == 4031


def test_news_direct_assessment(data):
    (bundle,) = read_paths([data / "wmt21_news_de-en" / "humaneval"]).bundles
    assert [(one.name, len(one.items)) for one in bundle.datasets] == [
        ("newstest2021 de-en", 0),
        ("newstest2021 de-en, DA segments", 1000),
    ]
    assert "20 of 20 stated means equal the mean over the segments." in bundle.understood
    assert bundle.aliases == {"Nemo": ["NVIDIA-NeMo"]}
    z = by_system(bundle, "DA z", "newstest2021 de-en")
    assert (len(z), max(z, key=z.__getitem__), min(z, key=z.__getitem__)) == (
        20,
        "Borderline",
        "HuaweiTSC",
    )
    n_scores = sum(int(np.isfinite(run.scores[0].values).sum()) for run in bundle.runs)
    assert n_scores == 19385


def overlap(one, other):
    """Return the F-score of the words that two texts share."""
    mine, theirs = Counter(one.lower().split()), Counter(other.lower().split())
    return 2 * (mine & theirs).total() / (mine.total() + theirs.total())


def test_news_segments_are_not_lines_of_the_test_set(data):
    """Why the segments are a dataset of their own: as line numbers they would make no sense."""
    folder = data / "wmt21_news_de-en"
    cheap = ReadOptions(with_text=True, score=["exact_match"])
    da, news = read_paths([folder], options=cheap).bundles
    references = [item.reference_text for item in news.datasets[0].items]
    outputs = {run.system: run.outputs[0] for run in news.runs}
    lines = [int(item.key.removeprefix("SID ")) - 1 for item in da.datasets[1].items]
    found = []
    for run in da.runs:
        if run.system in outputs:
            z = run.scores[1].values[:, 0]
            texts = outputs[run.system]
            shared = np.array([overlap(texts[line], references[line]) for line in lines])
            is_judged = np.isfinite(z)
            found.append(np.corrcoef(z[is_judged], shared[is_judged])[0, 1])
    assert len(found) == 18
    assert abs(np.mean(found)) < 0.03, "with nearly 1,000 lines each, no sign of a connection"


def test_news_texts_and_scores(data):
    folder = data / "wmt21_news_de-en"
    outputs = sorted((folder / "txt/system-outputs").iterdir())[:2]
    refs = sorted((folder / "txt/references").iterdir())
    paths = [folder / "txt/sources", folder / "scores", *refs, *outputs]
    (bundle,) = read_paths(paths, options=ReadOptions(with_text=True)).bundles
    assert (bundle.datasets[0].name, len(bundle.datasets[0].items)) == ("newstest2021 de-en", 1000)
    assert (len(bundle.runs), len(bundle.reported_scores)) == (2, 40)
    assert {one.signature for one in bundle.metrics if one.name == "COMET"} == {"ref-A", "ref-B"}
    lines = [path.read_text("utf-8").strip("\n").split("\n") for path in [*refs, *outputs]]
    for run, texts in zip(bundle.runs, lines[2:], strict=True):
        expected = BLEU().corpus_score(texts, lines[:2]).score
        assert vectors.aggregate(run.scores[1].values, "bleu") == pytest.approx(expected)


def test_metrics_task_2019(data):
    folder = data / "wmt19_metrics_system_level"
    (bundle,) = read_paths([folder / "DA-syslevel.csv", folder / "metrics"]).bundles
    assert (len(bundle.metrics), len(bundle.datasets)) == (35, 19)
    assert len(bundle.reported_scores) == 5546
    assert sum(bundle.metrics[one.metric].name == "DA z" for one in bundle.reported_scores) == 225
    assert all(metric.higher_is_better for metric in bundle.metrics)
    signatures = {metric.name: metric.signature for metric in bundle.metrics if metric.signature}
    assert signatures == {
        "CharacTER": "negated", "EED": "negated", "CDER": "1 - error", "PER": "1 - error",
        "TER": "1 - error", "WER": "1 - error",
    }  # fmt: skip


def test_errors_of_2019_go_up_with_what_people_gave(data):
    """The directions that were found without the human scores agree with these everywhere."""
    folder = data / "wmt19_metrics_system_level"
    (bundle,) = read_paths([folder / "DA-syslevel.csv", folder / "metrics"]).bundles
    n_checked = 0
    for metric in ("TER", "WER", "PER", "CDER", "CharacTER", "EED"):
        for dataset in bundle.datasets:
            human = by_system(bundle, "DA z", dataset.name)
            scores = by_system(bundle, metric, dataset.name)
            systems = [system for system in scores if system in human]
            if len(systems) > 2:
                pair = [scores[s] for s in systems], [human[s] for s in systems]
                assert np.corrcoef(pair)[0, 1] > 0.5, (metric, dataset.name)
                n_checked += 1
    assert n_checked == 6 * 18


def test_the_table_made_of_the_scores_agrees_with_them(data):
    """``derived/system_level.csv`` holds the same figures, one column for each metric."""
    folder = data / "wmt19_metrics_system_level"
    (bundle,) = read_paths([folder / "DA-syslevel.csv", folder / "metrics"]).bundles
    ours = {
        (bundle.datasets[one.dataset].name.split()[1], one.system, name): one.value
        for one in bundle.reported_scores
        for name in [bundle.metrics[one.metric].name]
    }
    with (folder / "derived" / "system_level.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    n_checked = 0
    for row in rows:
        for name, cell in row.items():
            if name not in ("language_pair", "system") and cell:
                metric = "DA z" if name == "human_DA_z" else name
                assert ours[row["language_pair"], row["system"], metric] == float(cell)
                n_checked += 1
    assert (len(rows), n_checked) == (225, 5368)
