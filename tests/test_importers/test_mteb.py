"""Results of MTEB, in files of our own making."""

import json

import pytest

from store.engine import open_store
from store.errors import ImportFormatError, UnknownFormatError
from store.importers import detect, mteb
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.mteb_results import is_model_meta, is_results
from store.ingest import ingest
from store.reported import list_reported_scores

META = json.dumps({"name": "org/net", "revision": "abc", "release_date": "2026-01-01"})


def new(task="Pairs", revision="0123456789ab", **scores):
    subsets = scores or {"test": [subset(0.5)]}
    return json.dumps(
        {
            "task_name": task,
            "dataset_revision": revision,
            "mteb_version": "1.2.3",
            "scores": subsets,
            "evaluation_time": 1.5,
        }
    )


def subset(main, name="default", **figures):
    return {
        "main_score": main,
        "hf_subset": name,
        "languages": ["eng-Latn"],
        "scores_per_experiment": [{"accuracy": 0.1}],
        **figures,
    }


def old(name="Pairs", **splits):
    return json.dumps({"mteb_dataset_name": name, "mteb_version": "0.0.2", **splits})


@pytest.fixture
def results(write, tmp_path):
    """Return a function that writes files into the folder of a model and reads them."""

    def make(files, folder="org__net/abc", meta=META, yaml="", **options):
        for name, content in files.items():
            write(content, f"{folder}/{name}.json", yaml)
        if meta is not None:
            write(meta, f"{folder}/model_meta.json")
        found = read_paths([tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True)
        assert found.left_out == []
        (bundle,) = found.bundles
        assert bundle.format == "mteb"
        return bundle

    return make


def figures(bundle):
    return {bundle.datasets[one.dataset].name: one.value for one in bundle.reported_scores}


def test_each_split_and_subset_is_a_dataset(results):
    bundle = results(
        {
            "Pairs": new(test=[subset(0.5, "en"), subset(0.25, "de")], dev=[subset(0.75, "en")]),
            "Search": new("Search", "fedcba9876543210", test=[subset(0.125)]),
        }
    )
    assert figures(bundle) == {
        "Pairs/test/en": 0.5,
        "Pairs/test/de": 0.25,
        "Pairs/dev/en": 0.75,
        "Search/test": 0.125,
    }
    assert [one.version for one in bundle.datasets] == ["01234567"] * 3 + ["fedcba98"]
    assert bundle.datasets[0].language == "eng-Latn"
    assert {one.system for one in bundle.reported_scores} == {"org/net"}
    first = bundle.reported_scores[0]
    assert (first.source, first.printed) == ("org__net/abc/Pairs.json", "0.5")
    (metric,) = bundle.metrics
    assert (metric.name, metric.higher_is_better) == ("main_score", True)
    assert len(bundle.files) == 3
    assert "mteb 1.2.3" in bundle.understood[0]


@pytest.mark.parametrize(
    ("split", "main", "taken"),
    [
        (
            {"cos_sim": {"pearson": 0.9, "spearman": 0.75}, "euclidean": {"spearman": 0.5}},
            0.75,
            True,
        ),
        ({"cos_sim": {"ap": 0.5, "f1": 0.75}, "max": {"ap": 0.9}}, 0.5, True),
        ({"map_at_10": 0.1, "ndcg_at_10": 0.25, "ndcg_at_1": 0.3}, 0.25, True),
        ({"v_measure": 0.5, "v_measure_std": 0.125}, 0.5, True),
        ({"map": 0.5, "mrr": 0.75}, 0.5, True),
        ({"accuracy": 0.5, "accuracy_stderr": 0.1, "f1": 0.75}, 0.5, True),
        ({"accuracy": 0.5, "f1": 0.75, "precision": 0.7, "recall": 0.8}, 0.75, True),
        ({"accuracy": 0.5, "main_score": 0.25}, 0.25, False),
    ],
)
def test_old_layout_gets_the_main_score_of_its_kind_of_task(results, split, main, taken):
    bundle = results({"Pairs": old(test=split | {"evaluation_time": 3.0})})
    assert figures(bundle) == {"Pairs/test": main}
    assert any("states no main score" in sentence for sentence in bundle.understood) is taken


def test_old_layout_with_subsets(results):
    split = {"en": {"main_score": 0.5}, "de-en": {"cos_sim": {"spearman": 0.25}}}
    bundle = results(
        {"Pairs": old(test=split | {"evaluation_time": 3.0}, validation={"map": 0.75})}
    )
    assert figures(bundle) == {
        "Pairs/test/en": 0.5,
        "Pairs/test/de-en": 0.25,
        "Pairs/validation": 0.75,
    }
    assert {one.version for one in bundle.datasets} == {""}


def test_another_metric_can_be_read(results):
    files = {
        "A": new("A", test=[subset(0.5, ndcg_at_10=0.25, cosine_spearman=-0.5)]),
        "B": old("B", test={"cos_sim": {"spearman": 0.75}}),
    }
    bundle = results(files, metric="cosine_spearman")
    assert figures(bundle) == {"A/test": -0.5, "B/test": 0.75}
    assert bundle.metrics[0].name == "cosine_spearman"
    bundle = results(files, metric="ndcg_at_10")
    assert figures(bundle) == {"A/test": 0.25}
    assert bundle.warnings == ["No 'ndcg_at_10': B/test/default."]
    with pytest.raises(ImportFormatError, match=r"no figure of the metric 'x'.*cosine_spearman"):
        results(files, metric="x")


def test_missing_is_not_zero(results):
    files = {"A": new("A", test=[subset(None, "en"), subset(0.0, "de")]), "B": old("B", test={})}
    bundle = results(files)
    assert figures(bundle) == {"A/test/de": 0.0}
    assert bundle.warnings == ["No 'main_score': A/test/en.", "No figures at all: B."]
    with pytest.raises(ImportFormatError, match="no figure of the metric"):
        results({"A": new("A", test=[subset(float("nan"))])})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (new(test=[subset("high")]), r"Pairs.json, field 'test/default/main_score': 'high' is no"),
        (new(test=[subset(-47.5)]), r"-47.5 is outside -1..1"),
        (new(test=[subset(0.5), subset(0.25)]), r"Pairs.json states the same figure"),
        (new(test=["x"]), r"a subset is no object"),
    ],
)
def test_what_cannot_be_used_is_an_error_or_skipped(results, content, reason):
    with pytest.raises(ImportFormatError, match=reason):
        results({"Pairs": content})
    bundle = results({"Pairs": content, "Good": new("Good")}, lenient=True)
    assert "Good/test" in figures(bundle)
    assert len(bundle.skipped) == 1


def test_the_system_is_given_described_or_the_folder(results, write, tmp_path):
    assert results({"Pairs": new()}, system="mine").reported_scores[0].system == "mine"
    assert results({"Pairs": new()}).reported_scores[0].system == "org/net"
    aliased = results({"Pairs": new()}, yaml="aliases: {Net: [org/net]}\n")
    assert aliased.reported_scores[0].system == "Net"
    alone = write(new(), "acme__one/rev/Pairs.json")
    (bundle,) = read_paths([alone]).bundles
    assert bundle.reported_scores[0].system == "acme/one"
    nameless = write(new(), "results/Pairs.json")
    with pytest.raises(ImportFormatError, match=r"nothing says which model.*--system"):
        read_paths([nameless])


def test_a_single_file_is_read_with_the_description_beside_it(write, tmp_path):
    write(META, "x/y/model_meta.json")
    path = write(new(), "x/y/Pairs.json")
    (bundle,) = read_paths([path], root=tmp_path).bundles
    assert bundle.reported_scores[0].system == "org/net"
    assert [file.path for file in bundle.files] == ["x/y/Pairs.json", "x/y/model_meta.json"]


def test_a_description_alone_holds_no_results(write, tmp_path):
    path = write(META, "x/y/model_meta.json")
    with pytest.raises(UnknownFormatError, match="describes a model"):
        read_paths([path])
    (ignored,) = read_paths([tmp_path]).left_out
    assert ignored.reason == "describes a model and holds no results."


def test_the_dataset_can_be_renamed_where_there_is_one(results):
    bundle = results({"Pairs": new()}, dataset="pairs", dataset_version="2")
    assert [(one.name, one.version) for one in bundle.datasets] == [("pairs", "2")]
    with pytest.raises(ImportFormatError, match="cannot stand for 2 splits and subsets"):
        results({"Pairs": new(), "Other": new("Other")}, dataset="pairs")


def test_other_json_is_left_alone():
    assert not is_results([1])
    assert not is_results({"task_name": "x", "scores": {"test": 1}})
    assert not is_results({"results": {}, "config": {}})
    assert not is_model_meta({"name": "x"})


def test_results_are_stored_and_stay_the_same(results, tmp_path):
    bundle = results({"A": new("A"), "B": new("B", test=[subset(0.25)])})
    store = open_store(tmp_path / "t.db", create=True)
    ingest(store, bundle, actor="t")
    revision = store.revision()
    ingest(store, bundle, actor="t")
    assert store.revision() == revision
    assert sorted(one.value for one in list_reported_scores(store)) == [0.25, 0.5]
    store.close()


def test_a_fault_of_all_files_does_not_read_them_over_and_over(write, tmp_path, monkeypatch):
    reads = []
    real = mteb.read_task
    monkeypatch.setattr(mteb, "read_task", lambda *given: (reads.append(given), real(*given))[1])
    monkeypatch.setattr(detect, "_MOST_READ_AGAIN", 0)
    for number in range(20):
        write(new(f"T{number}"), f"results/T{number}.json")
    found = read_paths([tmp_path], root=tmp_path)
    assert len(found.left_out) == 20
    assert len(reads) <= 60


def test_a_folder_called_after_the_model_is_a_guess(results):
    bundle = results(
        {"Pairs": old(test={"accuracy": 0.5})}, "results/net-small/0a1b2c3d", meta=None
    )
    assert bundle.reported_scores[0].system == "net-small"
    assert [(g.subject, g.value) for g in bundle.guesses] == [("system", "net-small")]


def test_scores_above_one_are_percent(results):
    bundle = results({"Find": old("Find", test={"ndcg_at_10": 36.5, "map_at_10": 20.0})})
    assert [one.value for one in bundle.reported_scores] == [pytest.approx(0.365)]
    assert any("percent" in told for told in bundle.understood)


def test_a_split_without_subsets_and_a_damaged_neighbour(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "A.json").write_text(new("A", test={"main_score": 0.25}))
    (tmp_path / "m" / "B.json").write_text(new("B", test=[0.5]))
    read = read_paths(tmp_path / "m", root=tmp_path)
    [figure] = read.bundles[0].reported_scores
    assert (figure.value, read.bundles[0].datasets[0].name) == (0.25, "A/test")
    assert [one.path for one in read.faults] == ["m/B.json"]
