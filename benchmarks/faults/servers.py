"""Rounds on stores of a PostgreSQL server: its connections are cut, it is killed, its disk is full.

A full disk is a small file system in memory, which only root can mount; elsewhere these rounds are
left out, and the page says so.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from benchmarks.faults.rounds import Rounds
from benchmarks.faults.work import WORK, Place, Tally, contents, ended, in_child
from benchmarks.postgresql import Server
from store import schema
from store.copying import copy_store
from store.engine import make_engines, open_store

DISK_MB: Final = 64
_LEAST_KB: Final = 64
"""Room that work is taken to need where it fits into what a table has left over."""


class ServerRounds(Rounds):
    """Each round has a database of its own, made from a template."""

    goes_on = ("upgrade", "restore")
    unlike = ("upgrade", "restore")

    def __init__(self, folder: Path, seed: int, server: Server) -> None:
        super().__init__(folder, seed)
        self.server = server
        self.disk = ""
        server.psql("CREATE DATABASE template")
        with open_store(self.template) as store:
            copy_store(store, server.address("template"))
        server.psql("CREATE DATABASE older")
        self._fill_older(server.address("older"))

    def _fill_older(self, location: str) -> None:
        """Make a store of the revision before: tables by its migrations, rows from its file."""
        writer, reader = make_engines(location)
        schema._migrate(writer, self.older.stem)
        there = sa.MetaData()
        plain, file = sa.create_engine(location), sa.create_engine(f"sqlite:///{self.older}")
        there.reflect(plain)
        with file.connect() as source, writer.begin() as target:
            for table in there.sorted_tables:
                target.execute(sa.delete(table))
                flags = {one.name for one in table.columns if isinstance(one.type, sa.Boolean)}
                for row in source.exec_driver_sql(f'SELECT * FROM "{table.name}"').mappings():
                    values = dict(row)
                    values |= {k: bool(v) for k, v in row.items() if k in flags and v is not None}
                    target.execute(sa.insert(table).values(values))
            schema.keep_counting_from(target, schema.last_ids(source))
        for engine in (writer, reader, plain, file):
            engine.dispose()

    def fresh(self, name: str) -> Place:
        """Return another database; an empty one for a restore."""
        database = f"round_{self.n_made}"
        folder = self.folder / database
        self.n_made += 1
        folder.mkdir()
        shutil.copy(self.template, folder / "backup.db")
        template = {"upgrade": "older", "restore": "template0"}.get(name, "template")
        self.server.psql(f"CREATE DATABASE {database} TEMPLATE {template} {self.disk}")
        return Place(self.server.address(database), folder)

    def away_with(self, place: Place) -> None:
        """Drop the database."""
        self.server.psql(f"DROP DATABASE {place.folder.name} WITH (FORCE)")
        shutil.rmtree(place.folder)

    def cut(self, name: str, n_rounds: int) -> Tally:
        """Have the server end all connections of the work at any moment."""
        tally = Tally(f"connection lost in {name}")

        def end(_child: int, place: Place) -> None:
            self.server.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                f"WHERE datname = '{place.folder.name}'"
            )

        self.stop(tally, name, n_rounds, end, codes=(0, 2))
        return tally

    def crash(self, name: str, n_rounds: int) -> Tally:
        """Kill the server at any moment, and start it again."""
        tally = Tally(f"server killed in {name}")

        def end(child: int, _place: Place) -> None:
            self.server.stop(at_once=True)
            time.sleep(0.1)
            self.server.start()

        self.stop(tally, name, n_rounds, end, codes=(0, 2))
        return tally

    @contextlib.contextmanager
    def small_disk(self) -> Iterator[Path | None]:
        """Have databases lie on a disk of `DISK_MB`; None where that cannot be had."""
        where = self.server.folder / "small"
        where.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(where)]
        if subprocess.run(mount, capture_output=True).returncode:
            yield None
            return
        try:
            inside = where / "data"
            inside.mkdir()
            shutil.chown(inside, "nobody")
            self.server.psql(f"CREATE TABLESPACE small LOCATION '{inside}'")
            self.disk = "TABLESPACE small"
            yield where
        finally:
            self.disk = ""
            with contextlib.suppress(Exception):
                self.server.psql("DROP TABLESPACE small")
            subprocess.run(["umount", "-l", str(where)], check=True)

    def fill(self, name: str, n_rounds: int, disk: Path) -> Tally:
        """Leave the server's disk little room while the work is done."""
        tally, work = Tally(f"no room in {name}"), WORK[name]
        place = self.fresh(name)
        used = shutil.disk_usage(disk).used
        if ended(in_child(lambda: work(place))) != 0:
            tally.wrong.append("it fails by itself")
        needed = max(shutil.disk_usage(disk).used - used, _LEAST_KB * 1024)
        after = "" if name == "upgrade" else contents(place.location)
        self.away_with(place)
        filler = disk / "filler"
        for number in range(n_rounds):
            place = self.fresh(name)
            before = "" if name in self.unlike else contents(place.location)
            free = int(needed * number / n_rounds)
            with filler.open("wb") as out:
                room = shutil.disk_usage(disk).free - free
                out.write(bytes(max(0, room)))
            tally.n += 1
            code = ended(in_child(lambda place=place: work(place)))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            filler.unlink()
            tally.n_stopped += code != 0
            if code not in (0, 2):
                tally.wrong.append(f"ended with {code}, not in words")
            self.judge(tally, name, place, before, after)
            self.away_with(place)
        return tally
