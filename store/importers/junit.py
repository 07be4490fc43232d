"""Test reports in JUnit's XML, as pytest, Surefire and most test runners write them.

A test case is an item: passed 1, failed 0. An error of the test itself and a skipped test are
missing, with their status.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import (
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    Guess,
    ImportBundle,
    Provenance,
    ReadOptions,
    Status,
)
from store.importers.cells import CellError, parse_date, parse_number
from store.importers.places import folder_name, own_name
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_suffix, read_bytes

if TYPE_CHECKING:
    from lxml.etree import _Element

NAME = "junit"
DESCRIPTION = "test report in JUnit's XML: passed, failed, error, skipped"
_METRICS = (
    BundleMetric("passed", higher_is_better=True, lower=0.0, upper=1.0, unit="proportion"),
    BundleMetric("time", higher_is_better=False, lower=0.0),
)
_OUTCOMES = {
    "skipped": (None, Status.NOT_ATTEMPTED),
    "error": (None, Status.ERROR),
    "failure": (0.0, Status.OK),
}
_ROOTS = ("testsuites", "testsuite")
_OF_PROMPT = re.compile(r"\[(.+)\] prompt (\d+)", re.DOTALL)

MOST_TRIALS: Final = 1_000
"""Of one test: all others get as many, which are missing."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is XML with test suites, or a report of coverage beside them."""
    if data_suffix(path) != ".xml":
        return False
    try:
        return _root(path, path.name)[0].tag in (*_ROOTS, "coverage")
    except ImportFormatError:
        return False


def _root(path: Path, shown: str) -> tuple[_Element, str]:
    """Return the root of an XML file, without its entities, and the digest of the file."""
    from lxml import etree

    content = read_bytes(path, shown)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(content.data, parser), content.sha256
    except etree.XMLSyntaxError as error:
        line, _ = error.position
        raise ImportFormatError(f"not XML: {error.msg}.", path=shown, line=line or None) from None


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    of_class: str
    suite: str
    score: float | None
    status: Status
    seconds: float | None


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read a test report; a test that ran several times has several trials.

    Raises
    ------
    NoResultsError
        A report of coverage, or one without test cases.
    ImportFormatError
        Not XML, or a test case without a name.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    root, sha256 = _root(path, settings.shown)
    if root.tag not in _ROOTS:
        reason = "a report of coverage; it holds no results of tests."
        raise NoResultsError(reason, path=settings.shown)
    cases = [_case(element, settings.shown) for element in root.iter("testcase")]
    if not cases:
        raise NoResultsError("the report holds no test case.", path=settings.shown)
    system, dataset, guesses = _named(settings)
    by_system = _by_system(root, cases) or {system: cases}
    if system not in by_system:
        guesses = [guess for guess in guesses if guess.subject != "system"]
    names = _names(cases) if len(by_system) == 1 else [case.name for case in cases]
    of_case = {id(case): name for case, name in zip(cases, names, strict=True)}
    items = {of_case[id(case)]: case.of_class for case in cases}
    items = items if len(by_system) == 1 else dict.fromkeys(items, "")
    suites = [root] if root.tag == "testsuite" else list(root.iter("testsuite"))
    stamp = next((s.get("timestamp") for s in suites if s.get("timestamp")), None)
    runs = []
    for name, of_system in by_system.items():
        held = _Held(items, {item: [] for item in items})
        for case in of_system:
            held.cases[of_case[id(case)]].append(case)
        scores, statuses = held.vectors(settings.shown)
        runs.append(
            BundleRun(
                settings.canonical(settings.system or name),
                0,
                settings.run_label or stamp or "",
                scores,
                statuses,
                provenance=_provenance(settings, stamp),
            )
        )
    n = {word: sum(case.status is Status[word] for case in cases) for word in Status.__members__}
    told = [
        f"{len(cases):,} test cases: {sum(case.score == 1 for case in cases):,} passed, "
        f"{sum(case.score == 0 for case in cases):,} failed, {n['ERROR']:,} with an error, "
        f"{n['NOT_ATTEMPTED']:,} skipped."
    ]
    return ImportBundle(
        NAME,
        settings.files(sha256),
        datasets=[settings.dataset_of(dataset, _items(items))],
        metrics=_METRICS,
        runs=runs,
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        understood=told,
        guesses=guesses,
        warnings=_counted(suites, cases),
    )


def _items(items: Mapping[str, str]) -> tuple[BundleItem, ...]:
    return tuple(BundleItem(name, of_class or None) for name, of_class in items.items())


def _by_system(root: _Element, cases: Sequence[_Case]) -> dict[str, list[_Case]]:
    """Return the cases of each provider and prompt where promptfoo wrote the report, else nothing.

    Its test cases are of the class ``[openai:gpt-4o] prompt 2``.
    """
    found = [_OF_PROMPT.fullmatch(case.of_class) for case in cases]
    heads = [(match[1], match[2]) for match in found if match is not None]
    if root.get("name") != "promptfoo" or len(heads) < len(cases):
        return {}
    is_one_prompt = len({prompt for _, prompt in heads}) == 1
    by_system: dict[str, list[_Case]] = {}
    for (provider, prompt), case in zip(heads, cases, strict=True):
        name = provider if is_one_prompt else f"{provider} (prompt {prompt})"
        by_system.setdefault(name, []).append(case)
    return by_system


def _case(element: _Element, shown: str) -> _Case:
    name = element.get("name")
    if not name:
        line = element.sourceline
        raise ImportFormatError("the test case has no name.", path=shown, line=line, field="name")
    found = {child.tag for child in element}
    score, status = next((_OUTCOMES[tag] for tag in _OUTCOMES if tag in found), (1.0, Status.OK))
    parent = element.getparent()
    suite = "" if parent is None else str(parent.get("name") or "")
    seconds = element.get("time")
    try:
        duration = parse_number(seconds)[0] if seconds else None
    except CellError as error:
        place = {"line": element.sourceline, "field": "time"}
        raise ImportFormatError(f"{error}.", path=shown, **place) from None
    ran = status is Status.OK
    return _Case(
        name,
        str(element.get("classname") or ""),
        suite,
        score,
        status,
        duration if ran else None,
    )


def _names(cases: Sequence[_Case]) -> list[str]:
    """Return a name for each test: class and name, with the suite where two suites have one."""
    plain = [f"{case.of_class}::{case.name}" if case.of_class else case.name for case in cases]
    suites: dict[str, set[str]] = {}
    for case, name in zip(cases, plain, strict=True):
        suites.setdefault(name, set()).add(case.suite)
    return [
        f"{case.suite}/{name}" if len(suites[name]) > 1 else name
        for case, name in zip(cases, plain, strict=True)
    ]


@dataclass(slots=True)
class _Held:
    items: Mapping[str, str]
    """Name -> class."""
    cases: dict[str, list[_Case]]

    def vectors(self, shown: str) -> tuple[list[BundleScores], dict[int, np.ndarray]]:
        """Return scores and statuses by trial."""
        scores, statuses = [], {}
        n_trials = max(map(len, self.cases.values()))
        if n_trials > MOST_TRIALS:
            name = max(self.cases, key=lambda one: len(self.cases[one]))
            raise ImportFormatError(
                f"{n_trials:,} test cases are called '{name[:100]}', more than {MOST_TRIALS:,}. A "
                "name stands for one test; cases of one name are taken for its repeats.",
                path=shown,
            )
        for trial in range(n_trials):
            values = np.full((2, len(self.items), 1), np.nan)
            status = np.full(len(self.items), Status.NOT_ATTEMPTED, np.uint8)
            for row, cases in enumerate(self.cases.values()):
                if trial < len(cases):
                    case = cases[trial]
                    status[row] = case.status
                    values[0, row] = np.nan if case.score is None else case.score
                    values[1, row] = np.nan if case.seconds is None else case.seconds
            statuses[trial] = status
            scores += [BundleScores(n, values[n], trial) for n in range(2)]
        timed = [n for n in range(2) if any(np.isfinite(s.values).any() for s in scores[n::2])]
        return [one for one in scores if one.metric in timed], statuses


def _named(settings: Settings) -> tuple[str, str, list[Guess]]:
    """Return system and dataset; the report names neither, so file and folder are taken."""
    own, folder = own_name(settings.path), folder_name(settings.path)
    system, dataset = settings.system or own, settings.dataset or f"tests of {folder}"
    guesses = []
    if not settings.system:
        guesses.append(
            Guess("system", system, "the report names none; file or folder is called so")
        )
    if not settings.dataset:
        guesses.append(Guess("dataset", dataset, "the name of the folder"))
    return system, dataset, guesses


def _provenance(settings: Settings, stamp: str | None) -> Provenance:
    stated = settings.provenance
    if stated.evaluated_on is not None or not stamp:
        return stated
    try:
        moment, assumed = parse_date(stamp)
    except CellError:
        return stated
    return replace(stated, evaluated_on=moment, tz_assumed=assumed)


def _counted(suites: Sequence[_Element], cases: Sequence[_Case]) -> list[str]:
    """Return a warning where the suites count their tests otherwise than the cases do."""
    stated = [int(s.get("tests", "")) for s in suites if s.get("tests", "").isdigit()]
    is_nested = any(child.tag == "testsuite" for suite in suites for child in suite)
    if is_nested or len(stated) < len(suites) or sum(stated) == len(cases):
        return []
    return [f"The suites count {sum(stated):,} tests, the report shows {len(cases):,}."]
