"""Overlaps of datasets that are found in the names and contents of their items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest

from store.arrays import load_shared_items
from store.datasets import get_dataset, list_overlaps, relate_datasets
from store.engine import Store
from store.errors import NotFoundError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleOverlap,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest
from store.item_names import is_telling
from store.lifecycle import delete, restore
from store.overlaps import Carried, pass_through_transforms

Add = Callable[..., None]
Names = Sequence[str] | Mapping[str, str]


@pytest.fixture
def add(store: Store, bundle: Callable[..., ImportBundle]) -> Add:
    """Return a function that adds datasets: name=keys, or name={key: content}."""

    def add_datasets(overlaps: Sequence[BundleOverlap] = (), **datasets: Names) -> None:
        made = []
        for name, keys in datasets.items():
            contents = keys if isinstance(keys, Mapping) else dict.fromkeys(keys)
            items = [BundleItem(k, content_hash=c and c * 64) for k, c in contents.items()]
            made.append(BundleDataset(name, items=items))
        ingest(store, bundle([], datasets=made, overlaps=overlaps), actor="t")

    return add_datasets


def _words(start: int, stop: int) -> list[str]:
    return [f"word{k}x" for k in range(start, stop)]


def _numbers(store: Store, *names: str) -> list[list[int]]:
    return [numbers.tolist() for numbers in load_shared_items(store, names)]


def _uids(store: Store, *names: str) -> list[str]:
    return [get_dataset(store, name).uid for name in names]


def _said(store: Store, *names: str) -> list[tuple[str, str, str, str]]:
    """Return the overlaps among some datasets, or among all of them, with their notes."""
    overlaps = list_overlaps(store, _uids(store, *names) if names else None)
    return [(o.dataset_a, o.dataset_b, o.kind, o.note) for o in overlaps]


def _found(store: Store) -> list[tuple[str, str, str, int | None]]:
    return [(o.dataset_a, o.dataset_b, o.kind, o.n_shared) for o in list_overlaps(store)]


def test_ten_equal_names_are_an_overlap(store, add):
    add(one=_words(0, 50), two=_words(40, 90), three=_words(81, 130))
    assert _found(store) == [("one", "two", "same-names", 10)]  # two and three share nine


def test_half_of_a_small_dataset_is_an_overlap(store, add):
    add(
        large=_words(0, 50), small=[*_words(0, 2), "else1x", "else2x"], other=[*_words(0, 1), "z1y"]
    )
    add(third=["word0x", "some1x", "some2x"])
    assert ("large", "small", "same-names", 2) in _found(store)
    assert ("large", "other", "same-names", 1) in _found(store)
    assert not [o for o in _found(store) if set(o[:2]) == {"large", "third"}]


def test_names_that_only_count_are_no_overlap(store, add):
    keys = [f"item {k}" for k in range(50)]
    add(one=keys, two=keys)
    assert _found(store) == []
    assert _numbers(store, "one", "two")[1][0] == 50


def test_contents_that_differ_contradict_a_name(store, add):
    add(
        one=dict.fromkeys(_words(0, 20), "1"),
        two=dict.fromkeys(_words(0, 20), "2"),
        three=_words(0, 20),
    )
    assert _found(store) == [("one", "three", "same-names", 20), ("two", "three", "same-names", 20)]


def test_a_pair_that_is_declared_or_shares_contents_is_listed_once(store, add):
    keys = _words(0, 20)
    add([BundleOverlap("one", "two", "transform")], one=keys, two=keys)
    add(x=dict.fromkeys(keys, "1"), y=dict.fromkeys(keys, "1"))
    kinds = {frozenset(o[:2]): o[2:] for o in _found(store)}
    assert len(kinds) == len(_found(store)) == 6
    assert kinds[frozenset({"one", "two"})] == ("transform", None)
    assert kinds[frozenset({"x", "y"})] == ("shared-items", 1)
    assert kinds[frozenset({"one", "x"})] == ("same-names", 20)


def test_overlaps_of_some_datasets_and_of_living_ones(store, add):
    keys = _words(0, 20)
    add(one=keys, two=keys, three=keys)
    uids = [list_overlaps(store)[0].dataset_a_uid, list_overlaps(store)[0].dataset_b_uid]
    assert len(list_overlaps(store)) == 3
    assert len(list_overlaps(store, uids)) == 1
    delete(store, "dataset", "three", actor="t")
    assert len(list_overlaps(store)) == 1


def test_overlaps_agree_with_plain_sets(store, add):
    rng = np.random.default_rng(20261121)
    pool = np.array([*_words(0, 60), *(f"q{k}" for k in range(60))])
    held = {
        f"d{i}": rng.choice(pool, rng.integers(5, 75), replace=False).tolist() for i in range(9)
    }
    add(**held)
    expected = {}
    for a, b in combinations(held, 2):
        n = sum(map(is_telling, set(held[a]) & set(held[b])))
        if n and n >= min(10, min(len(held[a]), len(held[b])) / 2):
            expected[a, b] = n
    assert {(a, b): n for a, b, _, n in _found(store)} == expected
    assert 5 < len(expected) < 30


def _versions(bundle, name: str, *versions: str, **held: Sequence[BundleItem]) -> ImportBundle:
    return bundle([], datasets=[BundleDataset(name, v, held.get(v, ())) for v in versions])


def test_versions_of_one_dataset_overlap(store, bundle, add):
    ingest(store, _versions(bundle, "qa", "", "1", "2"), actor="t")
    add(other=["a"], QA=["a"])
    assert _found(store) == [
        ("qa", "qa (1)", "versions", None),
        ("qa", "qa (2)", "versions", None),
        ("qa (1)", "qa (2)", "versions", None),
    ]
    assert _said(store, "qa@1", "other", "qa@2") == [("qa (1)", "qa (2)", "versions", "")]
    delete(store, "dataset", "qa@2", actor="t")
    assert _found(store) == [("qa", "qa (1)", "versions", None)]


def test_versions_say_nothing_where_more_is_known(store, bundle):
    names = [BundleItem(key) for key in _words(0, 12)]
    content = [BundleItem("a", content_hash="1" * 64)]
    made = _versions(bundle, "qa", "1", "2", "3", "4", **{"1": names, "2": names})
    ingest(store, made, actor="t")
    ingest(store, _versions(bundle, "qa", "3", "4", **{"3": content, "4": content}), actor="t")
    kinds = {o[:2]: o[2:] for o in _found(store)}
    assert kinds["qa (1)", "qa (2)"] == ("same-names", 12)
    assert kinds["qa (3)", "qa (4)"] == ("shared-items", 1)
    assert len(kinds) == len(_found(store)) == 6
    assert [kind for _, _, kind, _ in _found(store)][2:] == ["versions"] * 4


def test_versions_say_nothing_where_an_overlap_is_declared(store, bundle, add):
    ingest(store, _versions(bundle, "qa", "1"), actor="t")
    add([BundleOverlap("qa", "noisy", "transform", "typos")], noisy=[])
    ingest(store, _versions(bundle, "qa", "2"), actor="t")
    add([BundleOverlap("qa", "noisy", "contains", "a half")])  # of the newest version
    assert _said(store) == [
        ("noisy", "qa (2)", "contains", "a half"),
        ("qa (1)", "noisy", "transform", "typos"),
        ("qa (1)", "qa (2)", "contains", "through noisy"),
    ]
    assert _said(store, "qa@1", "qa@2") == [("qa (1)", "qa (2)", "contains", "through noisy")]
    assert _said(store, "qa@2", "noisy") == [("noisy", "qa (2)", "contains", "a half")]


def test_a_note_names_the_version_that_carries_an_overlap(store, bundle, add):
    ingest(store, _versions(bundle, "qa", "1"), actor="t")
    add([BundleOverlap("a", "qa", "transform"), BundleOverlap("qa", "b", "contains")], a=[], b=[])
    assert _said(store, "a", "b") == [("a", "b", "contains", "through qa (1)")]


def test_transforms_of_the_same_dataset_are_transforms_of_each_other(store, add):
    declared = [BundleOverlap("plain", noisy, "transform", "typos") for noisy in ("n1", "n2")]
    add([*declared, BundleOverlap("n2", "n3", "transform")], plain=[], n1=[], n2=[], n3=[], z=[])
    assert _said(store, "n1", "n2") == [("n1", "n2", "transform", "through plain")]
    assert _said(store, "n1", "n3", "z") == [("n1", "n3", "transform", "through plain and n2")]
    assert _said(store) == [
        ("n2", "n3", "transform", ""),
        ("plain", "n1", "transform", "typos"),
        ("plain", "n2", "transform", "typos"),
        ("n1", "n2", "transform", "through plain"),
        ("n1", "n3", "transform", "through plain and n2"),
        ("plain", "n3", "transform", "through n2"),
    ]


def test_other_overlaps_pass_through_transforms_on_both_sides(store, add):
    declared = [
        BundleOverlap("all", "part", "contains", "a half"),
        BundleOverlap("all", "all-noisy", "transform"),
        BundleOverlap("part-noisy", "part", "transform"),
    ]
    add(declared, **dict.fromkeys(["all", "part", "all-noisy", "part-noisy"], ()))
    assert _said(store, "all-noisy", "part") == [("part", "all-noisy", "contains", "through all")]
    assert _said(store, "all", "part-noisy") == [("all", "part-noisy", "contains", "through part")]
    assert _said(store, "all-noisy", "part-noisy") == [
        ("all-noisy", "part-noisy", "contains", "through all and part")
    ]
    assert _said(store, "all", "part") == [("all", "part", "contains", "a half")]
    assert len(_said(store)) == 6


def test_other_overlaps_pass_through_nothing_but_transforms(store, add):
    declared = [BundleOverlap("a", "b", "contains"), BundleOverlap("b", "c", "shared-items")]
    add(declared, a=[], b=[], c=[])
    assert _said(store, "a", "c") == []
    assert len(_said(store)) == 2


def test_found_overlaps_do_not_pass_through_transforms(store, add):
    add([BundleOverlap("b", "c", "transform")], a=_words(0, 20), b=_words(0, 20), c=["1"])
    assert _said(store) == [("b", "c", "transform", ""), ("a", "b", "same-names", "")]


def test_overlaps_do_not_pass_through_a_deleted_dataset(store, add):
    declared = [BundleOverlap("plain", noisy, "transform") for noisy in ("n1", "n2")]
    add(declared, plain=[], n1=[], n2=[])
    uids = _uids(store, "n1", "n2", "plain")
    delete(store, "dataset", "plain", actor="t")
    assert list_overlaps(store, uids) == []
    restore(store, "dataset", uids[2], actor="t")
    assert len(list_overlaps(store, uids)) == 3


def test_an_overlap_that_passes_through_goes_before_what_is_found(store, add):
    declared = [BundleOverlap("plain", noisy, "transform") for noisy in ("n1", "n2")]
    same = dict.fromkeys(_words(0, 20), "1")
    add(declared, plain=[], n1=same, n2=same)
    [overlap] = list_overlaps(store, _uids(store, "n1", "n2"))
    assert (overlap.kind, overlap.note, overlap.n_shared) == ("transform", "through plain", None)


def test_the_nearest_declaration_passes_through_and_ones_own_before_it():
    declared = {
        (1, 2): "transform",
        (2, 3): "transform",
        (3, 9): "contains",
        (2, 8): "shared-items",
        (8, 9): "transform",
        (1, 3): "contains",
    }
    carried = pass_through_transforms(declared, range(1, 10))
    assert carried[1, 9] == Carried("contains", (3,))  # two transforms away, as by 2 and 8
    assert carried[1, 8] == Carried("shared-items", (2,))
    assert carried[2, 9] == Carried("contains", (3,))
    assert carried[3, 9] == Carried("contains", ())
    assert carried[1, 3] == Carried("transform", (2,))  # whatever else is declared of them
    assert len(carried) == 3 + 1 + 6


def test_passing_through_agrees_with_plain_sets():
    rng = np.random.default_rng(20261121)
    for _ in range(200):
        pairs = [pair for pair in combinations(range(12), 2) if rng.random() < 0.12]
        kinds = rng.choice(["transform", "contains", "shared-items"], len(pairs), p=[0.5, 0.2, 0.3])
        declared = dict(zip(pairs, kinds.tolist(), strict=True))
        wanted = set(rng.choice(12, 7, replace=False).tolist())
        same = [{i} for i in range(12)]
        for (a, b), kind in declared.items():
            if kind == "transform" and same[a] is not same[b]:
                same[a] |= same[b]
                for i in same[b]:
                    same[i] = same[a]
        expected = {}
        for a, b in combinations(sorted(wanted), 2):
            across = {
                declared[min(x, y), max(x, y)]
                for x in same[a]
                for y in same[b]
                if (min(x, y), max(x, y)) in declared
            }
            if same[a] is same[b]:
                expected[a, b] = {"transform"}
            elif across:
                expected[a, b] = {declared[a, b]} if (a, b) in declared else across
        carried = pass_through_transforms(declared, wanted)
        assert carried.keys() == expected.keys()
        assert all(kind in expected[pair] for pair, (kind, _) in carried.items())
        for (a, b), (kind, through) in carried.items():
            assert (declared.get((a, b)) == kind) == (not through)
            assert not {a, b} & set(through)
            assert set(through) <= same[a] | same[b]


def test_shared_items_have_equal_numbers(store, add):
    add(one=[*_words(0, 12), "only1x"], two=["only2x", *_words(2, 12)])
    first, second = _numbers(store, "one", "two")
    assert first == list(range(13))
    assert second == [13, *range(3, 13)]


def test_shared_items_by_content_whatever_their_names(store, add):
    add(one={"a": "1", "b": "2", "c": "2"}, two={"x": "3", "y": "2"})
    assert _numbers(store, "one", "two") == [[0, 1, 1], [2, 1]]
    assert _numbers(store, "two", "one", "two") == [[0, 1], [2, 1, 1], [0, 1]]


def test_shared_items_of_a_transform_go_by_any_name(store, add):
    declared = [BundleOverlap("plain", "noisy", "transform")]
    add(declared, plain={"1": "1", "2": "2"}, noisy={"2": "3", "1": "4"}, other=["1", "2"])
    assert _numbers(store, "plain", "noisy", "other") == [[0, 1], [0, 1], [2, 3]]


def test_shared_items_of_a_declared_part_go_by_names_that_do_not_count(store, add):
    overlaps = [BundleOverlap("all", part, "contains") for part in ("ids", "rows", "changed")]
    add(
        overlaps,
        all={"1": "1", "2": "2", "3": "3"},
        ids=["1", "3"],
        rows=["1", "2"],
        changed={"3": "3", "1": "9"},
    )
    numbers = _numbers(store, "all", "ids", "rows", "changed")
    assert numbers == [[0, 1, 2], [0, 2], [3, 4], [5, 2]]


def test_shared_items_reach_through_a_third_dataset(store, add):
    a, b, c = _words(0, 15), _words(0, 30), _words(10, 40)
    add(a=a, b=b, c=c)
    assert {o[:2] for o in _found(store)} == {("a", "b"), ("b", "c")}
    numbers = _numbers(store, "a", "b", "c")
    assert numbers[2][:5] == numbers[0][10:]
    assert _numbers(store, "a", "c") == [list(range(15)), list(range(15, 45))]


def test_shared_items_reach_through_a_transform_that_is_left_out(store, add):
    declared = [BundleOverlap("plain", noisy, "transform") for noisy in ("n1", "n2")]
    declared += [BundleOverlap("all", "plain", "contains")]
    add(
        declared,
        plain=["1", "4", "2"],
        n1={"2": "1", "1": "2", "9": "3"},
        n2={"1": "4", "2": "5", "9": "6"},
        all=["0", "1", "2"],
    )
    assert _numbers(store, "n2", "n1", "all") == [[0, 1, 2], [0, 1, 3], [4, 0, 1]]
    assert _numbers(store, "n1", "all") == [[0, 1, 2], [3, 0, 1]]
    delete(store, "dataset", "plain", actor="t")
    assert _numbers(store, "n1", "n2") == [[0, 1, 2], [3, 4, 5]]


def test_shared_items_agree_with_plain_python(store, add):
    rng = np.random.default_rng(7)
    pool = np.array(_words(0, 50))
    held = {f"d{i}": pool[np.sort(rng.choice(50, 12, replace=False))].tolist() for i in range(8)}
    add(**held)
    linked = {frozenset(o[:2]) for o in _found(store)}
    places = [(name, key) for name, keys in held.items() for key in keys]
    root = {place: place for place in places}
    changed = True
    while changed:
        changed = False
        for (d, key), (e, other) in combinations(places, 2):
            same = key == other and frozenset((d, e)) in linked
            if same and root[d, key] != root[e, other]:
                root[e, other] = root[d, key] = min(root[d, key], root[e, other])
                changed = True
    numbers = dict(zip(places, np.concatenate(load_shared_items(store, list(held))), strict=True))
    for one, two in combinations(places, 2):
        assert (numbers[one] == numbers[two]) == (root[one] == root[two])
    assert sorted(set(numbers.values())) == list(range(len(set(root.values()))))


def test_shared_items_of_nothing(store, add):
    add(empty=[], one=["a"])
    assert _numbers(store) == []
    assert _numbers(store, "empty", "one") == [[], [0]]
    with pytest.raises(NotFoundError, match="elsewhere"):
        load_shared_items(store, ["elsewhere"])


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a seeded generator."""
    return np.random.default_rng(7)


@pytest.fixture
def add_scored(store: Store, bundle: Callable[..., ImportBundle]) -> Callable[..., None]:
    """Return a function that adds a dataset with the scores of three systems, (3, n_items)."""

    def add(name: str, keys: Sequence[str], scores: np.ndarray) -> None:
        made = BundleDataset(name, items=[BundleItem(key) for key in keys])
        runs = [
            BundleRun(system, 0, scores=[BundleScores(0, values[:, None])])
            for system, values in zip("ABC", scores, strict=True)
        ]
        ingest(store, bundle(runs, datasets=[made]), actor="t")

    return add


def _counted(n: int) -> list[str]:
    return [f"q{k}" for k in range(n)]


def test_copies_show_in_the_scores_of_several_systems(
    store: Store, add_scored: Callable[..., None], rng: np.random.Generator
) -> None:
    scores = rng.integers(0, 2, (3, 60)).astype(float)
    add_scored("whole", _counted(60), scores)
    add_scored("copy", _counted(60), scores)
    add_scored("renamed", [f"r{k}" for k in range(60)], scores)
    add_scored("part", _counted(60)[:30], scores[:, :30])
    shuffled = rng.permutation(60)
    add_scored("shuffled", [f"q{k}" for k in shuffled], scores[:, shuffled])
    add_scored("other", _counted(60), rng.integers(0, 2, (3, 60)).astype(float))
    overlaps = {(o.dataset_a, o.dataset_b): (o.kind, o.n_shared) for o in list_overlaps(store)}
    assert overlaps["whole", "copy"] == overlaps["whole", "renamed"] == ("same-scores", 60)
    assert overlaps["whole", "shuffled"] == ("same-scores", 60)
    assert overlaps["whole", "part"] == ("same-scores", 30)
    assert not [pair for pair in overlaps if "other" in pair]
    whole, part, other = _numbers(store, "whole", "part", "other")
    assert part == whole[:30]
    assert not set(other) & set(whole)
    relations = relate_datasets(store)
    assert {frozenset((u.dataset_a, u.dataset_b)) for u in relations.unknown} >= {
        frozenset(("other", name)) for name in ("whole", "copy", "part")
    }


def test_scores_that_agree_by_chance_prove_nothing(
    store: Store, add_scored: Callable[..., None], rng: np.random.Generator
) -> None:
    easy = np.ones((3, 200))
    for name in ("one", "two"):
        easy[:, rng.choice(200, 3)] = 0.0
        add_scored(f"easy {name}", _counted(200), easy)
        ordered = np.sort(rng.random((3, 200)) < 0.5, axis=1).astype(float)
        ordered[1] = ordered[0]  # one system twice is no second witness
        add_scored(f"sorted {name}", _counted(200), np.tile(ordered[0], (3, 1)))
    assert list_overlaps(store) == []


def test_a_declared_independence_yields_to_what_the_items_show(
    store: Store, add: Add, add_scored: Callable[..., None], rng: np.random.Generator
) -> None:
    said = [
        BundleOverlap("a", "b", "independent", "other sources"),
        BundleOverlap("c", "d", "independent"),
        BundleOverlap("e", "f", "independent"),
    ]
    scores = rng.integers(0, 2, (3, 60)).astype(float)
    for name in "ef":
        add_scored(name, _counted(60), scores)
    add(
        said,
        a=_words(0, 20),
        b=_words(0, 20),
        c={"x": "1", "y": "2"},
        d={"z": "1", "w": "3"},
    )
    assert {(o.dataset_a, o.dataset_b, o.kind) for o in list_overlaps(store)} == {
        ("c", "d", "shared-items"),
        ("e", "f", "same-scores"),
    }
    relations = relate_datasets(store, _uids(store, "a", "b"))
    assert relations == ([], [])
    assert len(relate_datasets(store, _uids(store, "a", "c")).unknown) == 1
