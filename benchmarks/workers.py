"""Tests in several processes that are forked once all tests have been read: `--workers auto`.

A plugin of pytest, `-p benchmarks.workers`. Reading the tests takes longer than any file of them,
and each process of pytest-xdist reads them anew. A process takes the next file when it has done
one; what it reports, the first process counts and prints as if it had run the tests itself.
"""

from __future__ import annotations

import itertools
import os
import signal
import traceback
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

WORKER: Final = "TIEBREAK_TESTS_WORKER"
"""Holds the number of a worker, from 0, in its process and in those that it starts."""
_FORK: Final = get_context("fork")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--workers",
        default="0",
        metavar="N",
        help="run the tests in N processes; auto: one for each processor; 0: in this one",
    )


def pytest_configure(config: pytest.Config) -> None:
    asked = config.getoption("--workers")
    number = len(os.sched_getaffinity(0)) if asked == "auto" else int(asked)
    if number > 0:
        config.pluginmanager.register(_Head(number))


class _Head:
    """Hands out files of tests, and tells what workers report."""

    def __init__(self, number: int) -> None:
        self._number = number

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all tests; give way to pytest where there is nothing to run."""
        wrong = session.testsfailed and not session.config.option.continue_on_collection_errors
        if wrong or session.config.option.collectonly or not session.items:
            return None
        by_file = itertools.groupby(session.items, key=lambda item: item.path)
        files = [[*items] for _, items in by_file]
        taken = _FORK.Value("i", 0)
        folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # pytest has no public way
        children: dict[Connection, int] = {}
        for number in range(min(self._number, len(files))):
            here, there = _FORK.Pipe(duplex=False)
            pid = os.fork()
            if pid == 0:
                _work(session, number, files, taken, there, folder / f"worker{number}")
            there.close()
            children[here] = pid
        try:
            self._listen(session, children)
        finally:
            for pid in children.values():
                os.kill(pid, signal.SIGTERM)
        return True

    def _listen(self, session: pytest.Session, children: dict[Connection, int]) -> None:
        hook = session.config.hook
        at = dict.fromkeys(children, "")
        while children:
            for connection in wait([*children]):
                assert isinstance(connection, Connection)
                try:
                    kind, told = connection.recv()
                except EOFError:
                    kind, told = "ends", None
                if kind == "ends":
                    _, status = os.waitpid(children.pop(connection), 0)
                    if status:
                        code = os.waitstatus_to_exitcode(status)
                        session.shouldfail = f"a worker ended with {code} in {at[connection]}"
                        raise session.Failed(session.shouldfail)
                    continue
                if kind == "begins":
                    at[connection] = told
                    continue
                report = hook.pytest_report_from_serializable(config=session.config, data=told)
                hook.pytest_runtest_logreport(report=report)
                if report.when == "teardown":
                    hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)


class _Reporter:
    """Sends what a worker's tests report."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config, self._connection = config, connection

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._connection.send(("begins", nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        data = hook.pytest_report_to_serializable(config=self._config, report=report)
        self._connection.send(("report", data))


def _work(
    session: pytest.Session,
    number: int,
    files: list[list[pytest.Item]],
    taken: Any,
    connection: Connection,
    folder: Path,
) -> NoReturn:
    """Run what is left for a worker, which is this process, and end it."""
    status = 1
    try:
        _settle(session.config, number, folder)
        session.config.pluginmanager.register(_Reporter(session.config, connection))
        mine = _taken(files, taken)
        item = next(mine, None)
        while item is not None:
            following = next(mine, None)
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            item = following
        status = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        connection.close()
        os._exit(status)


def _settle(config: pytest.Config, number: int, folder: Path) -> None:
    """Give a worker its number, its folder, its own captured output, and no terminal."""
    os.environ[WORKER] = str(number)
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    config.pluginmanager.getplugin("terminalreporter")._tw._file = open(os.devnull, "w")  # noqa: SIM115
    folder.mkdir(mode=0o700)
    config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]  # pytest has no public way


def _taken(files: list[list[pytest.Item]], taken: Any) -> Iterator[pytest.Item]:
    """Yield the tests of the next file that nobody has taken, until there is none."""
    while True:
        with taken.get_lock():
            index = taken.value
            taken.value += 1
        if index >= len(files):
            return
        yield from files[index]
