"""Which part of the paths of files names the system, the dataset or the seed: by all together.

``runs/bert/squad.csv`` beside ``runs/bert/nq.csv`` and ``runs/gpt/squad.csv`` has two levels that
vary. The level whose files share their items, other ones than those of the next, names datasets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from store.importers.bundle import PathNames, Question
from store.importers.file_names import (
    NO_PLACE,
    is_dated,
    is_of_tools,
    naming_folders,
    says_nothing,
)
from store.importers.known_metrics import KNOWN, lookup, normal_metric
from store.importers.known_names import share_of_systems
from store.importers.language_codes import are_languages
from store.importers.textfile import data_stem

_REPEAT = re.compile(r"(?:^|[-_., ])(seed|run|trial|rep|repeat)[-_=. ]?(\d+)(?=$|[-_., ])", re.I)
_SHARD = re.compile(
    r"(?:^|[-_. ])(part|shard|chunk|fold|batch|rank)[-_=. ]?\d+([-_.]?of[-_.]?\d+)?(?=$|[-_. ])",
    re.I,
)
STEP = re.compile(r"(global_?step|step|checkpoint|ckpt|iter|epoch)[-_]?\d+", re.IGNORECASE)
"""Names of what is kept while a model is trained."""
_PAIR = re.compile(r"(?<![^\W_])[a-z]{2,3}(-|2)[a-z]{2,3}(?![^\W_])")
"""Two languages, as of a translation."""
_WORD = re.compile(r"[^\W_]+")
_MARKS = ("__", "--", "_", "-", " ", ".")
_BY_LEVELS = "the names of the files and folders, taken together"
AFTER_METRICS = "the names of the folders; the files are called after metrics"
_SURE = 0.5

Identity = Callable[[Path], tuple[str, bool] | None]
"""What the items of a file are: a fingerprint, and whether it shows more than that they count."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The path of a file, without what only repeats it."""

    levels: tuple[str, ...]
    """Folders and name, the outermost first."""
    label: str
    seed: int | None


def names_together(paths: Sequence[Path], identity: Identity, answers: Mapping[str, str],
                   what: str) -> dict[Path, PathNames]:  # fmt: skip
    """Return what files of one kind are called after.

    Parameters
    ----------
    paths
        Files of one kind that name no system. Nothing is said of one that is called after it.
    identity
        Fingerprint of the items of a file; asked only where names do not suffice.
    answers
        What was said to earlier questions.
    what
        What to call files of the kind in a question, so that an answer holds for later ones.
    """
    named = {path: _place_of(path) for path in paths}
    if (places := _without_metrics(named)) is not named:
        of_folders = _by_places(places, identity, answers, what)
        return {path: replace(one, because=AFTER_METRICS) for path, one in of_folders.items()}
    return _by_places(named, identity, answers, what)


def _by_places(places: dict[Path, _Place], identity: Identity, answers: Mapping[str, str],
               what: str) -> dict[Path, PathNames]:  # fmt: skip
    """Return what files in such places are called after."""
    paths = list(places)
    places = _shortened(places)
    depths = {len(place.levels) for place in places.values()}
    if len(paths) == 1:
        stem = trimmed(data_stem(paths[0].name))
        stem = "" if is_of_tools(stem) else stem
        is_system = bool(stem) and lookup(stem) is None and share_of_systems([stem]) > -_SURE
        return {} if is_system and not _is_in_a_system(places) else _alone(places)
    if len(depths) != 1:
        return {}
    (depth,) = depths
    columns = [[place.levels[i] for place in places.values()] for i in range(depth)]
    several = [i for i, column in enumerate(columns) if len(set(column)) > 1]
    varying = _own(several, columns)
    if not varying:
        return _alone(places)
    factors = [columns[i] for i in varying]
    whole = factors
    if varying[-1] == depth - 1 and (len(factors) == 1 or _by_names(factors) is None):
        factors = [*factors[:-1], *_split(factors[-1], paths, identity)]
        if len(factors) > len(whole) and _are_both_of_data(factors, paths, identity):
            factors = whole
    factors = _with_steps(factors)
    dataset, question = _dataset_factor(factors, paths, identity, answers, what)
    constant = [columns[i][0] for i in range(depth) if i not in several]
    around = next(_telling(constant), None)
    found = {}
    for number, (path, place) in enumerate(places.items()):
        mine = [factor[number] for i, factor in enumerate(factors) if i != dataset]
        system = _of_model("/".join(mine), place.levels) or around
        named = factors[dataset][number] if dataset is not None else around
        found[path] = PathNames(
            system, named, place.label, place.seed, _BY_LEVELS, (question,) if question else ()
        )
    return found


def _without_metrics(places: dict[Path, _Place]) -> dict[Path, _Place]:
    """Return the places without the names of files, where half of these or more are metrics.

    ``model_a/rouge_l.txt`` beside ``model_a/chrf.txt`` is of model_a.
    """
    names = {place.levels[-1] for place in places.values() if len(place.levels) > 1}
    n_known = sum(is_metric_name(name) for name in names)
    is_folder_left = all(len(place.levels) > 1 for place in places.values())
    if len(names) < 2 or 2 * n_known < len(names) or not is_folder_left:
        return places
    return {path: replace(place, levels=place.levels[:-1]) for path, place in places.items()}


def is_metric_name(name: str) -> bool:
    """Return whether a name begins as that of a known metric: ``rouge_l``, but not ``bert_f1``."""
    first = next(iter(_WORD.findall(name)), "")
    return lookup(name) is not None and (lookup(first) is not None or normal_metric(name) in KNOWN)


def _with_steps(factors: Sequence[list[str]]) -> list[list[str]]:
    """Return the factors with steps of training at the models around: ``bert@checkpoint-500``."""
    found: list[list[str]] = []
    for factor in factors:
        if found and all(map(STEP.fullmatch, factor)):
            found[-1] = [f"{model}@{step}" for model, step in zip(found[-1], factor, strict=True)]
        else:
            found.append(factor)
    return found


def _of_model(system: str, levels: Sequence[str]) -> str:
    """Return a step of training with its model, the folder around: ``bert@checkpoint-500``."""
    if not STEP.fullmatch(system) or system not in levels[1:]:
        return system
    return f"{levels[levels.index(system, 1) - 1]}@{system}"


def _own(varying: list[int], columns: Sequence[list[str]]) -> list[int]:
    """Return the levels without those that number or repeat what a later one says."""
    return [
        i for i in varying if not any(_repeats(columns[i], columns[j]) for j in varying if j > i)
    ]


def _repeats(outer: list[str], inner: list[str]) -> bool:
    pairs = set(zip(outer, inner, strict=True))
    if len(pairs) != len(set(outer)) or len(pairs) != len(set(inner)):
        return False
    return all(
        name.isdigit() or name in below or below in name or is_dated(below, name)
        for name, below in pairs
    )


def _alone(places: Mapping[Path, _Place]) -> dict[Path, PathNames]:
    """Return the names of one file, or of files that differ in their seed or run alone."""
    found = {}
    for path, place in places.items():
        levels = list(_telling(place.levels))
        levels = [*levels[:1], *(one for one in levels[1:] if not is_dated(levels[0], one))]
        if levels and (share_of_systems(levels[:1]) <= -_SURE or _is_in_a_system({path: place})):
            dataset, system = levels[0], levels[1] if len(levels) > 1 else None
        else:
            system, dataset, *_ = [*levels, None, None]
        found[path] = PathNames(system, dataset or system, place.label, place.seed, _BY_LEVELS)
    return found


def _is_in_a_system(places: Mapping[Path, _Place]) -> bool:
    """Return whether a file is not called like a system, and its folder is."""
    levels = [list(_telling(place.levels))[:2] for place in places.values()]
    return all(
        len(one) > 1 and share_of_systems(one[:1]) <= 0 and share_of_systems(one[1:]) >= _SURE
        for one in levels
    )


def _place_of(path: Path) -> _Place:
    levels: list[str] = []
    label, seed = "", None
    folders = reversed(naming_folders(path.absolute()))
    parts = [*(folder.name for folder in folders if folder.name), data_stem(path.name)]
    for i, part in enumerate(parts):
        bare = part
        if i >= len(parts) - 4:
            bare, of_part, own_seed = without_repeats(part)
            label = f"{label} {of_part}".strip()
            seed = own_seed if own_seed is not None else seed
        levels.append("" if is_of_tools(bare) else bare)
    kept = [name for name in levels if name]
    return _Place(tuple(kept), label, seed)


def without_repeats(name: str) -> tuple[str, str, int | None]:
    """Return a name without seeds, runs and shards in it, what tells the repeat, and its seed."""
    label, seed = "", None
    for kind, number in _REPEAT.findall(name):
        word = kind.lower()
        label = f"{label} {word}={int(number)}".strip()
        seed = int(number) if word == "seed" else seed
    return _SHARD.sub("", _REPEAT.sub("", name)).strip("-_. "), label, seed


def trimmed(name: str) -> str:
    """Return a name without words at its ends that say nothing: ``bert`` of ``bert_results``."""
    words = list(_WORD.finditer(name))
    while words and _is_idle(words[0][0]):
        words.pop(0)
    while words and _is_idle(words[-1][0]):
        words.pop()
    return name[words[0].start() : words[-1].end()] if words else ""


def _shortened(places: dict[Path, _Place]) -> dict[Path, _Place]:
    """Return the places without what the names of all files end or begin with, and mean nothing.

    ``bert_results`` beside ``gpt_results`` is ``bert``; so is ``bert_f1`` beside ``gpt_em``.
    """
    if len({len(place.levels) for place in places.values()}) != 1:
        return places
    for level in range(-min((len(place.levels) for place in places.values()), default=0), 0):
        cut = _cut({place.levels[level] for place in places.values()})
        places = {
            path: replace(
                place,
                levels=tuple(
                    cut.get(name, name) if i == len(place.levels) + level else name
                    for i, name in enumerate(place.levels)
                ),
            )
            for path, place in places.items()
        }
    return places


def _cut(names: set[str]) -> dict[str, str]:
    """Return name -> what is left of it without idle words that all names share at an end."""
    cut = {name: name for name in names}
    while len(names) > 1 and all(len(_WORD.findall(name)) > 1 for name in cut.values()):
        words = {name: list(_WORD.finditer(rest)) for name, rest in cut.items()}
        first, last = {one[0][0] for one in words.values()}, {one[-1][0] for one in words.values()}
        if len(first) == 1 and _is_idle(*first):
            rests = {name: rest[words[name][1].start() :] for name, rest in cut.items()}
            if any(rest.isdigit() for rest in rests.values()):  # of model-1 the number says nothing
                break
            cut = rests
        elif (len(last) == 1 and _is_idle(*last)) or all(map(_is_metric, last)):
            cut = {name: rest[: words[name][-2].end()] for name, rest in cut.items()}
        else:
            break
    return cut


def _is_metric(word: str) -> bool:
    return lookup(word) is not None


def _is_idle(word: str) -> bool:
    return says_nothing(word) and not word.isdigit()


def _telling(levels: Sequence[str]) -> Iterator[str]:
    """Yield the levels that say something, the innermost first, up to a person's folders."""
    for name in reversed(levels):
        if NO_PLACE.fullmatch(name):
            return
        if lookup(name) is None:
            yield name


def _split(stems: list[str], paths: Sequence[Path], identity: Identity) -> list[list[str]]:
    """Return the names of files as two factors where one of them surely is a dataset."""
    distinct = dict.fromkeys(stems)
    if len(distinct) > 1 and (of_one := _of_only_system(stems)):
        return of_one
    for mark in _MARKS:
        is_in_pair = mark == "-" and any(_PAIR.search(stem) for stem in distinct)
        if is_in_pair or not all(mark in stem for stem in distinct):
            continue
        for cut in (str.rpartition, str.partition):
            halves = [cut(stem, mark) for stem in stems]
            first, last = [half[0] for half in halves], [half[2] for half in halves]
            n_each = len(set(first)), len(set(last))
            same = next((side for side, n in zip((first, last), n_each, strict=True) if n == 1), [])
            is_of_languages = bool(same) and are_languages({*first, *last} - set(same))
            other = last if same is first else first
            is_of_system = share_of_systems(same[:1]) >= _SURE and _all_differ(
                other, paths, identity
            )
            if share_of_systems(same[:1]) <= -_SURE or is_of_languages or is_of_system:
                return [first, last]
            if same is last and len(distinct) > 1:  # of a_s0_t8 and b_s1_t8, s0 may be a dataset
                inner = _split(first, paths, identity)
                if len(inner) > 1 and _is_of_output(same[0]):
                    return inner
                if len(inner) > 1:
                    end = int(share_of_systems(list(set(inner[1]))) >= _SURE)
                    inner[end] = [f"{name}{mark}{same[0]}" for name in inner[end]]
                    return inner
            if same or not is_crossed(first, last):
                continue
            factors = [first, last]
            is_named = n_each[0] * n_each[1] == len(distinct) and _by_names(factors) is not None
            if is_named or _by_items(factors, paths, identity) is not None:
                return factors
    return [stems]


def _of_only_system(stems: list[str]) -> list[list[str]]:
    """Return the names as system and datasets, where all begin or end with the same system."""
    found: list[list[list[str]]] = []
    for mark in _MARKS:
        for cut in (str.rpartition, str.partition):
            halves = [cut(stem, mark) for stem in stems]
            for side, other in ((0, 2), (2, 0)):
                systems, datasets = [h[side] for h in halves], [h[other] for h in halves]
                is_system = len(set(systems)) == 1 and share_of_systems(systems[:1]) >= _SURE
                if is_system and share_of_systems(list(dict.fromkeys(datasets))) <= -_SURE:
                    found.append([systems, datasets])
    return max(found, key=lambda one: len(one[0][0].strip("-_. ")), default=[])


def _is_of_output(word: str) -> bool:
    """Return whether the end of all names says that the files are outputs, and no more."""
    return word in ("out", "hyp", "pred", "preds")


def _are_both_of_data(
    factors: Sequence[list[str]], paths: Sequence[Path], identity: Identity
) -> bool:
    """Return whether the items change with each of the two parts of a name, the other the same.

    ``idioms_en-cs`` has other items than ``plain_en-cs`` and than ``idioms_en-de``.
    """
    known = [identity(path) for path in paths]
    if any(one is None or not one[1] for one in known):
        return False
    return all(_all_apart(factors, one, known) for one in (len(factors) - 1, len(factors) - 2))


def _all_apart(
    factors: Sequence[list[str]], changing: int, known: Sequence[tuple[str, bool] | None]
) -> bool:
    """Return whether files that differ in one part of their names never share their items."""
    seen: dict[tuple[str, ...], list[tuple[str, bool] | None]] = {}
    for number, one in enumerate(known):
        rest = tuple(f[number] for i, f in enumerate(factors) if i != changing)
        seen.setdefault(rest, []).append(one)
    groups = [ones for ones in seen.values() if len(ones) > 1]
    return bool(groups) and all(len(set(ones)) == len(ones) for ones in groups)


def is_crossed(first: Sequence[str], last: Sequence[str]) -> bool:
    """Return whether every part is met with two of the other side, or with all of them."""
    pairs = set(zip(first, last, strict=True))
    n_each = len(set(first)), len(set(last))
    met = (*Counter(one for one, _ in pairs).values(), *Counter(one for _, one in pairs).values())
    return n_each[0] * n_each[1] == len(pairs) or min(met) > 1


def _dataset_factor(
    factors: Sequence[list[str]],
    paths: Sequence[Path],
    identity: Identity,
    answers: Mapping[str, str],
    what: str,
) -> tuple[int | None, Question | None]:
    """Return which factor names datasets, and what is asked where nothing shows it."""
    named = _by_names(factors)
    if named is not None:
        return named, None
    if len(factors) == 1:
        if share_of_systems(list(dict.fromkeys(factors[0]))) >= _SURE:
            return None, None
        return (0 if _all_differ(factors[0], paths, identity) else None), None
    found = _by_items(factors, paths, identity)
    if found is not None:
        return found, None
    known = [identity(path) for path in paths]
    if len(set(known)) == 1 and known[0] is not None and known[0][1]:
        return None, None  # the same items everywhere: all that varies is the system
    subject = f"{what} in folders: the files are"
    question = Question(
        subject,
        "datasets",
        ("datasets", "systems"),
        f"their folders ({_some(factors[0])}) and names ({_some(factors[-1])}) both vary, and "
        "neither looks like datasets",
    )
    return 0 if answers.get(subject) == "systems" else len(factors) - 1, question


def _by_names(factors: Sequence[list[str]]) -> int | None:
    """Return the factor whose names are those of datasets, unless another one's are too."""
    leans = [
        -1.0 if are_languages(set(factor)) else share_of_systems(list(dict.fromkeys(factor)))
        for factor in factors
    ]
    low = [i for i, lean in enumerate(leans) if lean <= -_SURE]
    if len(low) == 1:
        return low[0]
    high = [i for i, lean in enumerate(leans) if lean >= _SURE]
    return 1 - high[0] if len(factors) == 2 and len(high) == 1 and not low else None


def _by_items(
    factors: Sequence[list[str]], paths: Sequence[Path], identity: Identity
) -> int | None:
    """Return the factor whose files share their items, where the items of two values differ."""
    known = [identity(path) for path in paths]
    if None in known or len(set(known)) < 2:
        return None
    fitting = []
    for i, factor in enumerate(factors):
        of_value: dict[str, set[object]] = {}
        for value, one in zip(factor, known, strict=True):
            of_value.setdefault(value, set()).add(one)
        if all(len(ones) == 1 for ones in of_value.values()) and len(of_value) < len(paths):
            fitting.append(i)
    return fitting[0] if len(fitting) == 1 else None


def _all_differ(factor: list[str], paths: Sequence[Path], identity: Identity) -> bool:
    """Return whether the items of all files are others, as those of datasets are."""
    known = dict(zip(factor, map(identity, paths), strict=True))
    return None not in known.values() and len(set(known.values())) == len(known)


def _some(factor: list[str]) -> str:
    names = list(dict.fromkeys(factor))
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
