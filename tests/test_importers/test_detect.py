"""Which file is what: folders, groups, damaged and unknown files."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.registry import IMPORTERS

LONG = "system,dataset,item,metric,score\nA,d,1,acc,1\n"


def paths_of(result):
    return [[file.path for file in bundle.files] for bundle in result.bundles]


def test_folder_is_read_in_order_and_without_what_is_not_data(write, tmp_path) -> None:
    write(LONG, "b.csv")
    write(LONG, "a/z.csv")
    write(LONG, ".hidden/x.csv")
    write(LONG, ".x.csv")
    write("# Results\n", "README.md")
    write(b"\x89PNG\0", "plot.png")
    write("model,link\nA,x\n", "models.csv")
    write("metric: acc", "tiebreak.yaml")
    result = read_paths([tmp_path], root=tmp_path)
    assert paths_of(result) == [["a/z.csv"], ["b.csv", "tiebreak.yaml"]]
    assert {file.path for file in result.left_out} == {"README.md", "plot.png", "models.csv"}
    reasons = {file.path: file.reason for file in result.left_out}
    assert "a picture (PNG)" in reasons["plot.png"]
    assert reasons["models.csv"].startswith("no figures")


def test_paths_are_shown_as_given_without_a_root(write) -> None:
    path = write(LONG)
    assert read_paths([path]).bundles[0].files[0].path == path.as_posix()
    assert read_paths([str(path)], root=Path("/elsewhere")).bundles[0].files[0].path == str(path)


def test_a_file_named_twice_is_read_once(write, tmp_path) -> None:
    path = write(LONG)
    assert len(read_paths([path, tmp_path, path]).bundles) == 1


def test_a_link_is_another_file_when_it_has_its_own_description(write, tmp_path) -> None:
    path = write(LONG)
    link, described = tmp_path / "latest.csv", tmp_path / "other.csv"
    for made in (link, described):
        made.symlink_to(path)
    assert len(read_paths([path, link]).bundles) == 1
    write("dataset_version: no such key\n", "other.tiebreak.yaml")
    with pytest.raises(ImportFormatError, match="unknown key"):
        read_paths([path, described])
    write("run: {label: second}\n", "other.tiebreak.yaml")
    found = read_paths([tmp_path], root=tmp_path)
    assert [bundle.runs[0].label for bundle in found.bundles] == ["", "second"]


def test_sha256_is_of_the_file_as_it_lies_there(write) -> None:
    plain = read_paths([write(LONG)]).bundles[0].files[0].sha256
    packed = read_paths([write(gzip.compress(LONG.encode()), "s.csv.gz")]).bundles[0].files[0]
    assert len(plain) == 64
    assert packed.sha256 != plain


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "notes.rst",
            "hello there",
            r"notes.rst: no importer .*, generic\. Force one with --format NAME",
        ),
        ("x.json", "{}", "no importer recognises the content"),
        ("x.txt", "just some words, and more", "no importer recognises the content"),
    ],
)
def test_unknown_files_list_the_formats(write, tmp_path, name, content, message) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        read_paths([write(content, name)], root=tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.json", '{"results": {"a": 1},\n "b": ', r"x.json, line 2: not JSON: .*cut off"),
        ("x.json", '{"a" 1}', r"line 1: not JSON: Expecting ':' delimiter"),
        ("x.csv", "", r"x.csv: the file is empty"),
        ("x.csv.gz", gzip.compress(LONG.encode(), mtime=0)[:-9], r"Compressed file ended early"),
    ],
    ids=["json cut off", "json", "empty", "gzip cut off"],
)
def test_damaged_data_stops_when_named_and_is_left_out_of_a_folder(
    write, tmp_path, name, content, message
) -> None:
    path = write(content, name)
    with pytest.raises(ImportFormatError, match=message):
        read_paths([path], root=tmp_path)
    write(LONG, "sound.csv")
    result = read_paths([tmp_path], root=tmp_path)
    assert paths_of(result) == [["sound.csv"]]
    (fault,) = result.faults
    assert fault.path == name
    assert re.search(message, str(fault))


@pytest.mark.parametrize("content", ['{\n// 30 steps\n"model": "m"}', "", "\0\0binary"])
@pytest.mark.parametrize("name", ["config.json", "training_args.json", "run-settings.json"])
def test_a_damaged_file_of_settings_loses_no_results(write, tmp_path, name, content) -> None:
    write(LONG)
    write(content, name)
    result = read_paths([tmp_path], root=tmp_path)
    assert [one.path for one in result.left_out] == [name]
    assert not result.faults
    with pytest.raises(ImportFormatError):
        read_paths([tmp_path / name])


def test_missing_files_and_empty_folders(tmp_path) -> None:
    with pytest.raises(ImportFormatError, match=r"^nowhere.csv: there is no such file"):
        read_paths([tmp_path / "nowhere.csv"], root=tmp_path)
    with pytest.raises(ImportFormatError, match=r"the folder holds no file to read"):
        read_paths([tmp_path])


def test_a_mapping_file_is_not_data(write) -> None:
    with pytest.raises(ImportFormatError, match="describes data files and holds no results"):
        read_paths([write("system: A", "tiebreak.yaml")])


def test_format_is_forced(write) -> None:
    path = write("system,dataset,item,score\nA,d,1,0.5\n")
    options = ReadOptions(metric="m")
    assert read_paths([path], options=options).bundles[0].format == "generic"
    forced = read_paths([path], format="reported", options=options)
    assert forced.bundles[0].format == "reported"


def test_yaml_names_the_format(write) -> None:
    path = write("system,dataset,item,score\nA,d,1,0.5\n", yaml="format: reported\nmetric: m")
    assert read_paths([path]).bundles[0].format == "reported"


def test_unknown_format_names(write, tmp_path) -> None:
    path = write(LONG)
    with pytest.raises(UnknownFormatError, match=r"no format 'genric'. Did you mean 'generic'"):
        read_paths([path], format="genric")
    write(LONG, yaml="format: lmeval")
    said = r"tiebreak.yaml, line 1, field 'format': .*'lm_eval'"
    with pytest.raises(ImportFormatError, match=said):
        read_paths([path], root=tmp_path)


def test_files_of_one_evaluation_are_one_bundle(write, tmp_path) -> None:
    results = '{"results": {"t": {"acc": 0.5}}, "versions": {"t": 0}, "config": {"model": "m"}}'
    stamps = ["2025-01-01T00-00-00.1", "2025-01-02T00-00-00.1"]
    for stamp in stamps:
        write(results, f"m/results_{stamp}.json")
        write('{"doc_id": 0, "resps": [], "acc": 1}\n', f"m/samples_t_{stamp}.jsonl")
    write(results, f"other/copy_{stamps[0]}.json")
    result = read_paths([tmp_path], root=tmp_path)
    assert paths_of(result) == [
        [f"m/results_{stamp}.json", f"m/samples_t_{stamp}.jsonl"] for stamp in stamps
    ] + [[f"other/copy_{stamps[0]}.json"]]


def test_importers_have_distinct_names_and_a_description() -> None:
    assert len({importer.name for importer in IMPORTERS}) == len(IMPORTERS)
    assert all(importer.description for importer in IMPORTERS)


def test_text_table_is_known_by_its_columns(write) -> None:
    path = write("system\titem\tacc\nA\t1\t0.5\n", "t.txt")
    assert read_paths([path], options=ReadOptions(dataset="d")).bundles[0].format == "generic"


def test_forcing_a_format_leaves_the_notes_in_a_folder_alone(write, tmp_path) -> None:
    write(LONG, yaml="format: generic")
    write("# Notes", "README.md")
    for forced in (None, "generic"):
        result = read_paths([tmp_path], format=forced, root=tmp_path)
        assert [bundle.format for bundle in result.bundles] == ["generic"]
        assert [file.path for file in result.left_out] == ["README.md"]


def test_one_path_may_be_given_without_a_list(write) -> None:
    path = write(LONG)
    assert len(read_paths(path).bundles) == len(read_paths(str(path)).bundles) == 1


def test_importers_load_no_heavy_library() -> None:
    heavy = "('pandas', 'sqlalchemy', 'pyarrow', 'scipy', 'streamlit', 'lm_eval')"
    code = f"import sys, store.importers; print([m for m in {heavy} if m in sys.modules])"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("given", ["hub", "hub/models--org--net/snapshots/abc1"])
def test_the_cache_of_hugging_face_is_read_by_the_names_of_its_links(tmp_path, given):
    cache = tmp_path / "hub" / "models--org--net"
    snapshot = cache / "snapshots" / "abc1" / "runs"
    for folder in (cache / "blobs", snapshot, cache / "refs"):
        folder.mkdir(parents=True)
    (cache / "refs" / "main").write_text("abc1")
    (cache / "blobs" / "0f3a").write_text("item,acc\n1,1\n2,0\n")
    (snapshot / "scores.csv").symlink_to("../../../blobs/0f3a")
    (tmp_path / "other.csv").write_text("item,acc\n1,1\n")
    (snapshot / "away.csv").symlink_to("../../../../../other.csv")
    found = read_paths(tmp_path / given, root=tmp_path)
    (bundle,) = found.bundles
    assert bundle.files[0].path == "hub/models--org--net/snapshots/abc1/runs/scores.csv"
    assert "net" in (bundle.runs[0].system, bundle.datasets[0].name)
    (fault,) = found.faults
    assert fault.path.endswith("away.csv")
    assert "leads out of the folder" in fault.reason
