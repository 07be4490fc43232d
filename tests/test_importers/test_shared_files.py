"""Real files that nobody here wrote; they lie beside the checkout and are never copied."""

from pathlib import Path

import numpy as np
import pytest

from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "data"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real files is not beside this"),
]


def read_one(path, **options):
    (bundle,) = read_paths([DATA / path], options=ReadOptions(**options), root=DATA).bundles
    return bundle


def vector(bundle, system, metric, label=""):
    """Return the scores of a run on a metric by item."""
    (run,) = (run for run in bundle.runs if (run.system, run.label) == (system, label))
    (one,) = (one for one in run.scores if bundle.metrics[one.metric].name == metric)
    items = bundle.datasets[run.dataset].items
    return {item.key: row[0] for item, row in zip(items, one.values.tolist(), strict=True)}


def mean(bundle, system, metric, label=""):
    return np.nanmean(list(vector(bundle, system, metric, label).values()))


def figure(bundle, system, dataset, metric):
    """Return the figure that a table states."""
    (value,) = (
        one.value
        for one in bundle.reported_scores
        if (one.system, bundle.datasets[one.dataset].name) == (system, dataset)
        and bundle.metrics[one.metric].name == metric
    )
    return value


@pytest.mark.parametrize(("name", "first"), [("A", 46.1726), ("B", 45.5980)])
def test_lists_of_scores(name, first) -> None:
    bundle = read_one(f"dror2018/res{name}.txt", system=name, dataset="d", metric="bleu")
    scores = vector(bundle, name, "bleu")
    assert len(scores) == 1000
    assert scores["1"] == first
    assert list(scores) == [str(i) for i in range(1, 1001)]


def test_swebench_items() -> None:
    bundle = read_one("swebench_bash_only/derived/per_instance_bash_only.csv", dataset="swe")
    assert (len(bundle.runs), len(bundle.datasets[0].items)) == (17, 500)
    assert [metric.name for metric in bundle.metrics] == ["resolved", "cost_usd", "api_calls"]
    gemini = "Gemini 3 Pro Preview (2025-11-18)"
    assert mean(bundle, gemini, "resolved") == pytest.approx(0.742)
    assert mean(bundle, "Claude 3.7 Sonnet (20250219)", "resolved") == pytest.approx(0.102)
    assert vector(bundle, gemini, "cost_usd")["pytest-dev__pytest-10356"] == 0.6771766000000002
    (run,) = (run for run in bundle.runs if run.system == gemini)
    assert run.provenance.evaluated_on is not None
    assert run.provenance.evaluated_on.isoformat() == "2025-11-18T00:00:00+00:00"


def test_terminal_bench_runs() -> None:
    bundle = read_one("terminal_bench/derived/trials.csv", dataset="tb", metric="resolved")
    assert (len(bundle.runs), len(bundle.datasets[0].items)) == (20, 80)
    assert len({run.system for run in bundle.runs}) == 4
    system, label = "OpenHands + Claude 4 Sonnet", "openhands-sonnet"
    scores = vector(bundle, system, "resolved", label)
    assert scores["super-benchmark-upet"] == 0
    assert sum(value == 1 for value in scores.values()) == 32, "40 % of 80, empty ones not counted"
    missing = sum(np.isnan(one.values).sum() for run in bundle.runs for one in run.scores)
    assert missing == 206


def test_livecodebench_items() -> None:
    bundle = read_one(
        "livecodebench_generation/derived/per_problem.csv", dataset="lcb", metric="pass@1"
    )
    assert (len(bundle.runs), len(bundle.datasets[0].items)) == (16, 1055)
    assert mean(bundle, "DeepSeek-V3", "pass@1") == pytest.approx(49.55, abs=0.005)
    assert mean(bundle, "O4-Mini (High)", "pass@1") == pytest.approx(83.22, abs=0.005)
    first = bundle.datasets[0].items[0]
    assert (first.key, first.metadata) == (
        "1873_A",
        {"contest_date": "2023-08-22", "platform": "codeforces", "difficulty": "easy"},
    )


def test_sigmorphon_languages() -> None:
    folder = DATA / "sigmorphon2022_inflection" / "derived"
    paths = sorted(folder.glob("*_large.csv"))
    assert len(paths) == 20
    n_items = 0
    for path in paths:
        bundle = read_one(path, dataset=path.stem, layout="{system}_{metric}")
        assert [metric.name for metric in bundle.metrics] == ["exact", "edit"]
        assert not any(np.isnan(one.values).any() for run in bundle.runs for one in run.scores)
        n_items += len(bundle.datasets[0].items)
        if path.stem == "tur_large":
            assert {run.system for run in bundle.runs} == {"cluzh", "osu", "tuemorph", "umelb"}
            assert bundle.datasets[0].items[0].metadata.keys() == {"lemma", "pos"}
            assert mean(bundle, "cluzh", "exact") == pytest.approx(0.872)
            assert mean(bundle, "osu", "edit") == pytest.approx(5.0185)
    assert n_items == 39_584


def test_summeval_summaries() -> None:
    bundle = read_one("summeval_metrics_human/derived/summary_level.csv", dataset="summeval")
    assert (len(bundle.runs), len(bundle.datasets[0].items), len(bundle.metrics)) == (16, 100, 23)
    key = "cnn-test-404f859482d47c127868964a9a39d1a7645dd2e9"
    assert vector(bundle, "M0", "human.expert.coherence")[key] == 4.6667
    assert vector(bundle, "M1", "METEOR")[key] == 0.21176779392947004


@pytest.mark.parametrize(
    ("release", "n_systems", "n_tasks"),
    [
        ("2024_06_24", 73, 17),
        ("2024_07_26", 73, 18),
        ("2024_08_31", 59, 18),
        ("2024_11_25", 65, 18),
    ],
)
def test_livebench_tables(release, n_systems, n_tasks) -> None:
    bundle = read_one(f"livebench_tables/public/table_{release}.csv", metric="score")
    assert bundle.format == "reported"
    assert len({one.system for one in bundle.reported_scores}) == n_systems
    assert len(bundle.datasets) == n_tasks
    if release == "2024_06_24":
        assert figure(bundle, "claude-3-5-sonnet-20240620", "math_comp", "score") == 44.792


def test_mteb_scores() -> None:
    bundle = read_one(
        "mteb_english/derived/scores.csv",
        metric="main_score",
        columns={"dataset": "{task}/{split}/{subset}", "score": "main_score"},
    )
    assert bundle.format == "reported"
    assert (len(bundle.reported_scores), len(bundle.reported_comparisons)) == (1409, 0)
    place = (
        "sentence-transformers__all-MiniLM-L6-v2",
        "AmazonCounterfactualClassification/test/en",
    )
    assert figure(bundle, *place, "main_score") == 0.6364179104477612


def test_mteb_results() -> None:
    found = read_paths([DATA / "mteb_english" / "raw"], root=DATA)
    assert found.left_out == []
    assert {bundle.format for bundle in found.bundles} == {"mteb"}
    assert len(found.bundles) == 8
    by_system = {bundle.reported_scores[0].system: bundle for bundle in found.bundles}
    today = by_system["Alibaba-NLP/gte-modernbert-base"]
    assert figure(today, "Alibaba-NLP/gte-modernbert-base", "BIOSSES/test", "main_score") == 0.84776
    before = by_system["sentence-transformers/gtr-t5-base"]
    place = ("sentence-transformers/gtr-t5-base", "BIOSSES/test", "main_score")
    assert figure(before, *place) == 0.7900420980306923
    tasks = {one.name.split("/")[0] for one in before.datasets}
    assert len(tasks) == 6
    assert {one.name for one in today.datasets} >= {one.name for one in before.datasets}


def test_berts_of_a_feather() -> None:
    bundle = read_one(
        "berts_of_a_feather/berts_of_a_feather_accuracies_by_run.csv",
        metric="accuracy",
        columns={"system": "Run"},
        lenient=True,
    )
    assert (bundle.format, len(bundle.datasets)) == ("reported", 38)
    assert figure(bundle, "Run 0", "MNLI dev acc.", "accuracy") == 0.8456444
    assert len(bundle.skipped) == 7  # blank rows


def test_wmt19_systems() -> None:
    bundle = read_one("wmt19_metrics_system_level/derived/system_level.csv")
    assert bundle.format == "reported"
    assert (len(bundle.datasets), len(bundle.reported_scores)) == (18, 5368)
    assert len({(one.system, one.dataset) for one in bundle.reported_scores}) == 225
    assert figure(bundle, "CAiRE.6949", "de-cs", "BEER") == 0.430018182927
    names = {metric.name for metric in bundle.metrics}
    assert {"UNI", "UNI+", "chrF", "chrF+", "human_DA_z"} <= names


@pytest.fixture(scope="module")
def harness_output():
    return read_paths([DATA / "lm_eval_outputs"], root=DATA)


def test_all_harness_output_is_read(harness_output) -> None:
    assert [file.path for file in harness_output.left_out] == ["lm_eval_outputs/README.md"]
    bundles = harness_output.bundles
    assert {bundle.format for bundle in bundles} == {"lm_eval"}
    n_files = sum(len(bundle.files) for bundle in bundles)
    assert (len(bundles), n_files) == (163, 169)
    assert sum(len(bundle.runs) for bundle in bundles) == 1601
    assert sum(len(bundle.reported_scores) for bundle in bundles) == 2109


def harness_bundle(harness_output, part):
    (bundle,) = (b for b in harness_output.bundles if part in b.files[0].path)
    return bundle


def test_harness_run_with_a_limit(harness_output) -> None:
    bundle = harness_bundle(harness_output, "Qwen__Qwen3-8B/results_")
    assert len(bundle.files) == 4
    by_task = {bundle.datasets[run.dataset].name: run for run in bundle.runs}
    assert set(by_task) == {f"negotiationtom_{part}" for part in ("belief", "desire", "intention")}
    means = {
        (task, bundle.metrics[one.metric].name): float(one.values.mean())
        for task, run in by_task.items()
        for one in run.scores
    }
    assert means == {
        ("negotiationtom_belief", "acc"): 0.45,
        ("negotiationtom_desire", "acc"): 0.6,
        ("negotiationtom_intention", "exact_match"): 0.2,
    }
    assert [len(d.items) for d in bundle.datasets] == [20, 20, 20]
    assert [d.n_items_stated for d in bundle.datasets] == [13812, 13812, 4618]


def test_harness_shots_are_two_runs_on_the_same_items(harness_output) -> None:
    few = harness_bundle(harness_output, "google__gemma-2b/results_2026-01-16T15-23-47")
    none = harness_bundle(harness_output, "masakhaner_luo_0shot_investigation")
    for bundle, label in ((few, "5-shot"), (none, "0-shot")):
        assert bundle.runs[0].label.startswith(label)
        assert bundle.runs[0].scores == [], "span F1 arises over the whole corpus"
        assert len(bundle.datasets[0].items) == 185
    hashes = [[item.content_hash for item in b.datasets[0].items] for b in (few, none)]
    assert hashes[0] == hashes[1]
    assert few.reported_scores[0].value == 0.0656270305392884


def test_harness_samples_alone(harness_output) -> None:
    bundle = harness_bundle(harness_output, "samples_asdiv")
    assert bundle.runs[0].system == "meta-llama/Meta-Llama-3-8B-Instruct"
    assert float(bundle.runs[0].scores[0].values.mean()) == pytest.approx(0.92)


def test_harness_layout_of_2023(harness_output) -> None:
    bundle = harness_bundle(harness_output, "bloom-560m_lambada_openai_0-shot")
    assert {run.system for run in bundle.runs} == {"bigscience/bloom-560m"}
    assert figure(bundle, "bigscience/bloom-560m", "lambada_openai", "ppl") == 28.67792043529687


def test_real_files_fit_each_other_by_item_key() -> None:
    bundles = [
        read_one(f"dror2018/res{name}.txt", system=name, dataset="d", metric="bleu")
        for name in "AB"
    ]
    first, second = ([item.key for item in bundle.datasets[0].items] for bundle in bundles)
    assert first == second
