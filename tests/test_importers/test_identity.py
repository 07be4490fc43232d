"""What tells systems of one model apart."""

from __future__ import annotations

import json

import pytest

from store.engine import open_store
from store.errors import ConflictError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.identity import Identity, identity_of, of_arguments
from store.ingest import ingest, ingest_all
from store.systems import get_system, list_systems

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "s.db", create=True)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ({}, "m"),
        ({"revision": "step1000"}, "m@step1000"),
        ({"revision": SHA}, "m"),
        ({"revision": "main", "backend": "hf", "precision": "auto"}, "m"),
        ({"backend": "vllm", "precision": "int4"}, "m (int4, vllm)"),
        ({"adapter": "org/lora", "prompt_variant": "chat template"}, "m (org/lora, chat template)"),
        ({"adapter": "None", "revision": " "}, "m"),
    ],
)
def test_name_of_a_system(stated, name) -> None:
    assert identity_of("m", stated).name() == name


def test_what_is_usual_is_a_field_and_not_in_the_name() -> None:
    assert identity_of("m", {"revision": "main"}).stated == {"model": "m", "revision": "main"}
    assert Identity("m").stated == {}


def test_names_that_a_harness_changed_are_one_and_auto_says_nothing() -> None:
    names = ("hf", "hf-causal-experimental", "gpt2")
    assert len({identity_of("m", {"backend": one}) for one in names}) == 1
    assert identity_of("m", {"precision": "auto", "backend": "default"}) == Identity("m")


def test_arguments_of_a_harness() -> None:
    found = of_arguments("m", {"load_in_4bit": "True", "peft": "a", "revision": "r1"}, "vllm")
    assert found == Identity("m", "r1", "a", "4-bit", "vllm")


def test_revisions_in_a_table_are_systems(read, store) -> None:
    table = "model,revision,dtype,item,acc\nm,step1,int8,q1,1\nm,step2,int8,q1,0\n,,,,\n"
    bundle = read(table.replace(",,,,\n", ""), dataset="d")
    assert {run.system for run in bundle.runs} == {"m@step1 (int8)", "m@step2 (int8)"}
    report = ingest(store, bundle, actor="t")
    tags = set(get_system(store, "m@step1 (int8)").tags)
    assert tags == {"model: m", "revision: step1", "precision: int8"}
    assert report.n("detail", "filled in") == 6
    assert not ingest(store, bundle, actor="t").changed


def test_commits_are_in_the_names_where_a_model_has_several(read, store) -> None:
    other = "f" * 40
    table = f"model,revision,dataset,acc\nm,{SHA},d,1\nm,{other},d,0\nn,{SHA},d,1\n"
    bundle = read(table)
    assert {one.system for one in bundle.reported_scores} == {"m@01234567", "m@ffffffff", "n"}
    ingest(store, read(f"model,revision,dataset,acc\nm,{SHA},d,1\n"), actor="t")
    later = read(f"model,revision,dataset,acc\nm,{other},e,1\n", "later.csv")
    with pytest.raises(ConflictError, match="holds 'm' with revision: 0123"):
        ingest(store, later, actor="t")


def test_revisions_in_a_table_of_figures_are_systems(read) -> None:
    table = "model,training_step,precision,d1\nm,1000,0.5,0.25\nm,2000,0.75,0.5\n"
    bundle = read(table, metric="acc", format="reported")
    assert {one.system for one in bundle.reported_scores} == {"m@1000", "m@2000"}
    assert bundle.identities["m@1000"] == {"model": "m", "revision": "1000"}
    long = "model,quantization,dataset,score\nm,awq,d,1\nm,none,d,2\n"
    bundle = read(long, metric="acc")
    assert [one.system for one in bundle.reported_scores] == ["m (awq)", "m"]


def test_a_column_of_precisions_is_a_metric(read) -> None:
    bundle = read("system,item,precision,recall\nA,q1,0.5,1\n", dataset="d")
    assert {metric.name for metric in bundle.metrics} == {"precision", "recall"}
    assert [run.system for run in bundle.runs] == ["A"]


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"model_args": "pretrained=org/m,revision=step1000"}, "org/m@step1000"),
        ({"model_args": {"pretrained": "org/m", "dtype": "float16"}}, "org/m (float16)"),
        ({"model": "vllm", "model_args": "pretrained=org/m"}, "org/m (vllm)"),
        ({"model": "hf", "model_args": "pretrained=org/m,revision=main"}, "org/m"),
    ],
)
def test_lm_eval_tells_revisions_and_back_ends_apart(tmp_path, more, name) -> None:
    content = {
        "results": {"t": {"acc,none": 0.5}},
        "versions": {"t": 1},
        "config": more,
        "model_name": "org/m",
    }
    path = tmp_path / "results_2025-01-01T00-00-00.json"
    path.write_text(json.dumps(content))
    (bundle,) = read_paths(path).bundles
    assert [run.system for run in bundle.runs] == [name]
    (bundle,) = read_paths(path, options=ReadOptions(system="mine")).bundles
    assert [run.system for run in bundle.runs] == ["mine"]


def test_a_chat_template_is_a_variant_of_the_prompt(tmp_path) -> None:
    content = {
        "results": {"t": {"acc,none": 0.5}},
        "versions": {"t": 1},
        "config": {"model_args": "pretrained=org/m"},
        "chat_template": "{% … %}",
        "chat_template_sha": SHA,
    }
    path = tmp_path / "results_2025-01-01T00-00-00.json"
    path.write_text(json.dumps(content))
    (bundle,) = read_paths(path).bundles
    assert [run.system for run in bundle.runs] == ["org/m (chat template 01234567)"]


def test_mteb_revisions_side_by_side_are_systems(tmp_path) -> None:
    for revision in (SHA, "f" * 40):
        folder = tmp_path / "org__m" / revision
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text(
            json.dumps(
                {"name": "org/m", "revision": revision, "n_parameters": 1, "release_date": None}
            )
        )
        task = {
            "task_name": "T",
            "dataset_revision": "r",
            "mteb_version": "1",
            "scores": {"test": [{"main_score": 0.5, "hf_subset": "default", "languages": ["eng"]}]},
        }
        (folder / "T.json").write_text(json.dumps(task))
    found = {one.system for b in read_paths(tmp_path).bundles for one in b.reported_scores}
    assert found == {"org/m@01234567", "org/m@ffffffff"}
    only = read_paths(tmp_path / "org__m" / SHA).bundles[0]
    assert {one.system for one in only.reported_scores} == {"org/m@01234567"}
    assert only.identities == {"org/m@01234567": {"model": "org/m", "revision": SHA}}


def test_names_that_differ_in_case_only_are_asked_about(store, read) -> None:
    def scores(name):
        return read(f"system,dataset,item,acc\n{name},d,q1,1\n")

    ingest(store, scores("GPT-4o"), actor="t")
    with pytest.raises(ConflictError, match="differ in nothing but capitals"):
        ingest(store, scores("gpt-4o"), actor="t")
    ingest_all(store, [scores("gpt-4o")], actor="t", case_matters=True)
    assert [one.name for one in list_systems(store)] == ["GPT-4o", "gpt-4o"]
    assert not ingest(store, scores("gpt-4o"), actor="t").changed


def test_an_alias_joins_names_that_differ_in_case(read, store) -> None:
    table = "system,dataset,item,metric,score\nGPT-4o,d,q1,acc,1\ngpt-4o,d,q2,acc,0\n"
    with pytest.raises(ConflictError, match=r"aliases: \{'GPT-4o'"):
        ingest(store, read(table), actor="t")
    ingest(store, read(table, yaml="aliases: {GPT-4o: [gpt-4o]}"), actor="t")
    assert [one.name for one in list_systems(store)] == ["GPT-4o"]


def test_a_path_into_the_cache_of_hugging_face_is_the_model_that_it_keeps() -> None:
    path = "/data/hub/models--org--net-7b/snapshots/01c7f73d771dfac7d292323805ebc428287df4f9"
    identity = identity_of(path, {"precision": "float16"})
    assert identity.name() == "org/net-7b (float16)"
    assert identity.revision == "01c7f73d771dfac7d292323805ebc428287df4f9"
    assert identity_of(path, {"revision": "step1"}).name() == "org/net-7b@step1"


def test_a_checkpoint_that_is_a_model_is_no_revision(read) -> None:
    rows = "Ours,xlm-roberta-base,0.5\nTwitter,org/twitter-xlm-roberta-base,0.75\n"
    bundle = read("model,checkpoint,f1\n" + rows, dataset="d")
    assert {one.system for one in bundle.reported_scores} == {"Ours", "Twitter"}
    bundle = read("model,checkpoint,f1\nA,step100,0.5\nA,step200,0.75\n", dataset="d")
    assert {one.system for one in bundle.reported_scores} == {"A@step100", "A@step200"}
