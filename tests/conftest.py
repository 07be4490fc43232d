"""Options and fixtures that several layers' tests use.

The process that only hands out tests reads this file too: fixtures import what is slow to import.
"""

from __future__ import annotations

import fcntl
import functools
import gc
import os
import pickle
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from benchmarks.postgresql import NoPostgreSQLError, Server, programs, server
from benchmarks.suite import SHARED
from benchmarks.workers import WORKER

if TYPE_CHECKING:
    import sqlalchemy as sa

    from dashboard.demo import DemoReport

# Same examples on every machine and on every run; a slow machine is no failure. `make fuzz` draws
# new and many more.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("fuzz", deadline=None, max_examples=3_000, print_blob=True)
settings.load_profile("suite")

ROOT = Path(__file__).parents[1]
SLOW = Path(__file__).with_name("slow.txt")


def function_of(nodeid: str) -> str:
    """Return what a test is called without its parameters."""
    return nodeid.split("[", 1)[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="run what is marked so too, and repeat each simulated analysis 10,000 times",
    )
    parser.addoption(
        "--fast",
        action="store_true",
        help="leave out the browser, simulations, others' files, and what tests/slow.txt lists",
    )
    parser.addoption(
        "--postgres",
        action="store_true",
        help="let the tests of the store use PostgreSQL wherever they need no file",
    )
    parser.addoption(
        "--record-golden",
        action="store_true",
        help="record anew what the tests of named formats read, as `make golden` does",
    )
    parser.addoption(
        "--list-slow",
        type=float,
        metavar="SECONDS",
        help="write tests/slow.txt anew: the tests that take more processor time than this",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Mark what simulates; leave out what `make test` or `make test-fast` leave out."""
    unwanted = set() if config.getoption("--full") else {"full"}
    slow: set[str] = set()
    if config.getoption("--fast"):
        unwanted |= {"browser", "calibration", "shared", "slow"}
        slow = set(SLOW.read_text(encoding="utf-8").split())
    left, kept = [], []
    for item in items:
        if "calibration" in item.path.name or "calibrate_repetitions" in item.fixturenames:
            item.add_marker("calibration")
        marks = {mark.name for mark in item.iter_markers()}
        out = marks & unwanted or function_of(item.nodeid) in slow
        (left if out else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_configure(config: pytest.Config) -> None:
    """Watch the processor where slow tests are to be listed; draw the same examples everywhere."""
    if config.getoption("--hypothesis-profile") is None:
        # Numbers of the modules that a worker has loaded are no examples: reading takes seconds.
        providers._get_local_constants = providers.Constants
    if config.getoption("--list-slow"):
        config.pluginmanager.register(_Clock(config.getoption("--list-slow")))


class _Clock:
    """Tells what tests cost, as a worker, and writes down the slow ones, as their head."""

    def __init__(self, most: float) -> None:
        self.most = most
        self.slow: set[str] = set()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        item.user_properties.append(("began", sum(os.times()[:4])))
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        try:
            return (yield)
        finally:
            item.user_properties.append(("ended", sum(os.times()[:4])))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = dict(report.user_properties)
        if report.when == "teardown" and told["ended"] - told["began"] > self.most:
            self.slow.add(function_of(report.nodeid))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        SLOW.write_text("".join(f"{name}\n" for name in sorted(self.slow)), encoding="utf-8")


_seen = set(os.listdir(ROOT))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail where a test leaves a file beside the code: it belongs into `tmp_path`."""
    try:
        return (yield)
    finally:
        left = {name for name in os.listdir(ROOT) if name not in _seen and name[0] not in "._"}
        left = {name for name in left if not name.startswith("pytest-cache-files-")}
        _seen.update(left)
        if left:
            pytest.fail(f"{item.nodeid}, or a test beside it, left {sorted(left)} in {ROOT}")


def pytest_collection_finish() -> None:
    """Spare the collector of garbage millions of objects that live as long as the process."""
    gc.collect()
    gc.set_threshold(100_000, 50, 100)  # a few per cent of the time of all tests
    gc.freeze()


@pytest.fixture(scope="session")
def calibrate_repetitions(request: pytest.FixtureRequest) -> int:
    """Return how often a calibration repeats an analysis."""
    return 10_000 if request.config.getoption("--full") else 100


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """Return the folder of real files beside the checkout; skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of real files is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def built_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, Callable[[Path], None]], Path]:
    """Return a function that has a folder filled once for all workers of this run.

    Whoever comes first fills it, the others wait. What is in it is to be read or copied only.
    """
    root = tmp_path_factory.getbasetemp()
    if SHARED in os.environ:
        root = Path(os.environ[SHARED])
    elif WORKER in os.environ:
        root = root.parent

    def folder_of(name: str, fill: Callable[[Path], None]) -> Path:
        folder, draft = root / f"built-{name}", root / f"draft-{name}"
        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir()
                fill(draft)
                draft.rename(folder)
        return folder

    return folder_of


@pytest.fixture(scope="session", autouse=True)
def _new_stores_are_copies(
    built_once: Callable[[str, Callable[[Path], None]], Path],
) -> Iterator[None]:
    """Copy what one new store is made like, instead of 0.08 seconds of migrations for each.

    Commands in processes of their own make theirs in full.
    """
    from store import schema
    from store.engine import open_store

    def fill(folder: Path) -> None:
        open_store(folder / "new.db", create=True).close()

    folder = built_once("new", fill)
    create = schema.create

    def copy(engine: sa.Engine) -> None:
        if engine.dialect.name != "sqlite":
            return create(engine)
        with engine.connect() as connection, closing(sqlite3.connect(folder / "new.db")) as new:
            target = connection.connection.driver_connection
            assert isinstance(target, sqlite3.Connection)
            new.backup(target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "create", copy)
        yield


@pytest.fixture(scope="session", autouse=True)
def _statements_are_compiled_once() -> Iterator[None]:
    """Let all stores of SQLite share what SQLAlchemy keeps for each: statements made into SQL.

    A test opens a store of its own, and each statement would be compiled for it anew.
    """
    import sqlalchemy as sa

    from store.backends.sqlite import read_json

    create = sa.create_engine
    first = create("sqlite://", json_deserializer=read_json)
    first.connect().close()  # a dialect learns from its first connection

    def shared(*args: Any, **options: Any) -> sa.Engine:
        engine = create(*args, **options)
        if engine.dialect.name == "sqlite":
            engine.dialect = engine.pool._dialect = first.dialect
            engine._compiled_cache = first._compiled_cache
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sa, "create_engine", shared)
        yield
    first.dispose()


@pytest.fixture(scope="session", autouse=True)
def _commands_are_built_once() -> Iterator[None]:
    """Keep the tree of commands, which each call of one would build anew."""
    from typer import main

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "get_group", functools.cache(main.get_group))
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Return a PostgreSQL server that this worker has for itself."""
    try:
        programs()
    except NoPostgreSQLError as error:
        pytest.skip(str(error))
    with server() as started:
        yield started


@pytest.fixture(scope="session")
def new_empty(postgres: Server) -> Callable[[str], str]:
    """Return a function that makes a database; it gives the address."""
    numbers = count()

    def make(template: str = "template0") -> str:
        name = f"store_{next(numbers)}"
        postgres.psql(f"CREATE DATABASE {name} TEMPLATE {template}")
        return postgres.address(name)

    return make


@pytest.fixture(scope="session")
def new_address(postgres: Server, new_empty: Callable[[str], str]) -> Callable[[], str]:
    """Return a function that makes another database with an empty store; it gives the address."""
    from store.engine import open_store

    postgres.psql("CREATE DATABASE template")
    open_store(postgres.address("template"), create=True).close()
    return lambda: new_empty("template")


class Example(NamedTuple):
    """The example content, loaded into a store."""

    path: Path
    """A file of this worker's own."""
    report: DemoReport
    """What loading it did."""


@pytest.fixture(scope="session")
def example_copy(
    built_once: Callable[[str, Callable[[Path], None]], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[], Example]:
    """Return a function that copies the store with the example content, built once a run."""
    from analysis.studies.leads import find_leads, list_boards
    from dashboard.demo import load_demo
    from store.engine import open_store

    def fill(folder: Path) -> None:
        with open_store(folder / "example.db", create=True) as store:
            report = load_demo(store, actor="tests")
            find_leads(store, [board.dataset_uid for board in list_boards(store)])  # are kept
        (folder / "report.pickle").write_bytes(pickle.dumps(report))

    folder = built_once("example", fill)
    report = pickle.loads((folder / "report.pickle").read_bytes())

    def copy() -> Example:
        path = tmp_path_factory.mktemp("example") / "example.db"
        shutil.copy(folder / "example.db", path)
        return Example(path, report)

    return copy
