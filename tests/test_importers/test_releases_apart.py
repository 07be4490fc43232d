"""Files that are called alike but for a release: other questions are another version."""

import pytest

from store.importers.detect import read_paths

ITEMS = "model,id,acc\n"
BOARD = "model,accuracy,f1\nA,{0},{0}\nB,0.5,0.5\n"


@pytest.fixture
def datasets(tmp_path):
    def make(files):
        for name, text in files.items():
            path = tmp_path / "ours" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        bundles = read_paths(tmp_path / "ours", root=tmp_path).bundles
        return [(one.name, one.version) for bundle in bundles for one in bundle.datasets]

    return make


def items(*keys):
    return ITEMS + "".join(f"A,{key},1\n" for key in keys)


@pytest.mark.parametrize(
    "places",
    [
        ("bench-2024-06.csv", "bench-2024-11.csv"), ("2023/bench.csv", "2024/bench.csv"),
        ("v1/bench.csv", "v2/bench.csv"), ("2024-06-24/a/bench.csv", "2024-11-25/a/bench.csv"),
        ("bench/2023.csv", "bench/2024.csv"),
    ],
)  # fmt: skip
def test_releases_with_other_items_are_versions(datasets, places) -> None:
    found = datasets({places[0]: items("p", "q"), places[1]: items("q", "r")})
    assert len(set(found)) == 2
    if all(version for _, version in found):
        assert {name for name, _ in found} == {"bench"}


def test_parts_of_a_release_are_one_version(datasets) -> None:
    files = {"v1/bench.csv": items("p", "q"), "v2/bench.csv": items("p", "q", "r")}
    assert datasets(files) == [("bench", "")] * 2
    assert datasets({"v1/bench.csv": items("p"), "v2/bench.csv": items("p")})[0] == ("bench", "")


def test_shards_are_one_version(datasets) -> None:
    files = {f"part{n}/bench.csv": items(f"q{n}") for n in (1, 2)}
    assert datasets(files) == [("bench", "")] * 2


def test_a_release_beside_a_file_without_one_stays(datasets) -> None:
    files = {"bench.csv": items("p"), "v2/bench.csv": items("q")}
    assert datasets(files) == [("bench", "")] * 2


@pytest.mark.parametrize(
    "names", [("v1/board.csv", "v2/board.csv"), ("board_v1.csv", "board_v2.csv")]
)
def test_releases_of_a_board_are_versions_and_no_names(datasets, names) -> None:
    files = {name: BOARD.format(n / 4) for n, name in enumerate(names)}
    assert datasets(files) == [("ours", "v1"), ("ours", "v2")]


def test_a_folder_is_the_release_of_a_board_of_many_tasks(datasets) -> None:
    board = "model,maths,logic,code\nA,50.5,40,3\nB,51.5,41,4\n"
    assert {version for _, version in datasets({"2024-06/board.csv": board})} == {"2024-06"}
