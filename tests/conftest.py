"""Options and fixtures that several layers' tests use."""

import fcntl
import gc
import pickle
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
import sqlalchemy as sa
from hypothesis import settings

from dashboard.demo import DemoReport, load_demo
from store import schema
from store.engine import open_store

# Same examples on every machine and on every run; a slow machine is no failure. `make fuzz` draws
# new and many more.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("fuzz", deadline=None, max_examples=3_000, print_blob=True)
settings.load_profile("suite")

_REPETITIONS = {"reduced": 600, "full": 10_000}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--calibrate",
        choices=tuple(_REPETITIONS),
        default="reduced",
        help="how often the calibration tests repeat each simulated analysis",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Mark what simulates; leave cells of a grid that are marked `full` to `--calibrate=full`."""
    for item in items:
        if "calibration" in item.path.name or "calibrate_repetitions" in item.fixturenames:
            item.add_marker("calibration")
    if config.getoption("--calibrate") == "reduced":
        left = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


def pytest_collection_finish() -> None:
    """Spare the collector of garbage millions of objects that live as long as the process."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def calibrate_repetitions(request: pytest.FixtureRequest) -> int:
    """Return how often a calibration repeats an analysis."""
    return _REPETITIONS[request.config.getoption("--calibrate")]


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """Return the folder of real files beside the checkout; skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of real files is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def built_once(
    tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Callable[[str, Callable[[Path], None]], Path]:
    """Return a function that has a folder filled once for all workers of this run.

    Whoever comes first fills it, the others wait. What is in it is to be read or copied only.
    """
    root = tmp_path_factory.getbasetemp()
    if worker_id != "master":
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

    def fill(folder: Path) -> None:
        open_store(folder / "new.db", create=True).close()

    folder = built_once("new", fill)

    def copy(engine: sa.Engine) -> None:
        with engine.connect() as connection, closing(sqlite3.connect(folder / "new.db")) as new:
            target = connection.connection.driver_connection
            assert isinstance(target, sqlite3.Connection)
            new.backup(target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "create", copy)
        yield


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

    def fill(folder: Path) -> None:
        store = open_store(folder / "example.db", create=True)
        report = load_demo(store, actor="tests")
        store.close()
        (folder / "report.pickle").write_bytes(pickle.dumps(report))

    folder = built_once("example", fill)
    report = pickle.loads((folder / "report.pickle").read_bytes())

    def copy() -> Example:
        path = tmp_path_factory.mktemp("example") / "example.db"
        shutil.copy(folder / "example.db", path)
        return Example(path, report)

    return copy
