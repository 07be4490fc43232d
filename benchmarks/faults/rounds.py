"""Rounds that both back-ends go through: kill -9, no room, a clock that goes back, a crowd."""

from __future__ import annotations

import os
import random
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Final

from benchmarks.faults.work import (
    OVER_HTTP,
    WORK,
    Place,
    Tally,
    bundle,
    contents,
    ended,
    how_ended,
    in_child,
)
from benchmarks.faults.work import wrong_with as wrong_with
from store import damage, model_base, models, schema, seals
from store.arrays import load_matrix
from store.backup import upgrade_store
from store.engine import open_store
from store.errors import StoreError
from store.ingest import ingest

ROOT: Final = Path(__file__).resolve().parents[2]
N_WRITERS, N_READERS = 8, 20
FIRST_WITH_SEALS: Final = "0013"
LONGEST_START_S: Final = 120.0


class Rounds(ABC):
    """Makes the stores that rounds begin with, and counts what came of them."""

    goes_on: tuple[str, ...] = ("upgrade",)
    """Work that is begun again where it stopped, before anything is looked at."""
    unlike: tuple[str, ...] = ("upgrade",)
    """Work that begins with a store of another revision, or none: there is no state before."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.rng = random.Random(seed)
        self.n_made = 0
        self.template = str(folder / "template.db")
        with open_store(self.template, create=True) as store:
            ingest(store, bundle("A"), actor="f")
            ingest(store, bundle("B", seed=1), actor="f")
        assets = (ROOT / "tests/test_migrations/assets").glob("*.db")
        self.older = max(one for one in assets if one.stem < schema.head_revision())

    @abstractmethod
    def fresh(self, name: str) -> Place:
        """Return a store to do something to, in a folder of its own."""

    @abstractmethod
    def away_with(self, place: Place) -> None:
        """Remove what a round has made."""

    def kill(self, name: str, n_rounds: int) -> Tally:
        """Kill the work at a moment anywhere between its beginning and its end."""
        tally = Tally(f"kill -9 in {name}")
        self.stop(tally, name, n_rounds, lambda child, _place: os.kill(child, signal.SIGKILL))
        return tally

    def stop(
        self,
        tally: Tally,
        name: str,
        n_rounds: int,
        how: Callable[[int, Place], None],
        codes: tuple[int, ...] = (0, 2, -signal.SIGKILL),
    ) -> None:
        """Have something happen to the work at a random moment, `n_rounds` times."""
        work = WORK[name]
        place = self.fresh(name)
        began = time.monotonic()
        done = ended(in_child(lambda: work(place)))
        lasts = time.monotonic() - began
        if done != 0:
            tally.wrong.append(f"it fails by itself ({done})")
        after = "" if name == "upgrade" else contents(place.location)
        self.away_with(place)
        for _ in range(n_rounds):
            place = self.fresh(name)
            before = "" if name in self.unlike else contents(place.location)
            child = in_child(lambda place=place: work(place))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            time.sleep(self.rng.random() * lasts)
            how(child, place)
            tally.n += 1
            code = ended(child)
            tally.n_stopped += code != 0
            if code not in codes:
                tally.wrong.append(f"ended with {code}, not in words")
            self.judge(tally, name, place, before, after)
            self.away_with(place)

    def judge(self, tally: Tally, name: str, place: Place, before: str, after: str) -> None:
        """Look at what a round has left."""
        path = place.location
        is_there = "://" in path or Path(path).exists()
        if name in self.goes_on:
            again = ended(in_child(lambda: WORK[name](place)))
            if again != 0 and name not in self.unlike:
                tally.wrong.append("it does not go on where it stopped")
        if name != "upgrade" and is_there and (found := contents(path)) not in (before, after):
            is_half = name != "delete and purge" or "'A'" in found
            if is_half:
                tally.wrong.append("neither the state before nor the one after")
        written = place.folder / "written.db"
        if written.exists() and (said := wrong_with(str(written), before)):
            tally.wrong.append(f"the backup: {said}")
        if said := wrong_with(path, before, may_be_gone=name == "restore"):
            tally.wrong.append(said)

    def turn_back(self, n_rounds: int) -> Tally:
        """Import while the clock goes back by days."""
        tally = Tally("clock goes back")
        place = self.fresh("ingest")
        now = model_base.utc_now
        for number in range(n_rounds):

            def work(number: int = number) -> None:
                earlier = timedelta(days=number)
                for module in (model_base, models):
                    module.utc_now = lambda: now() - earlier  # type: ignore[assignment]  # put in place of ours, in a child
                with open_store(place.location) as store:
                    ingest(store, bundle(f"S{number}", seed=number), actor="f")

            tally.n += 1
            if ended(in_child(work)) != 0:
                tally.wrong.append("an import failed")
        if contents(place.location).count("'S") != n_rounds or wrong_with(place.location, ""):
            tally.wrong.append("an import is lost")
        self.away_with(place)
        return tally

    def crowd(self, n_imports: int) -> Tally:
        """Let eight write and twenty read at the same time."""
        tally = Tally(f"{N_WRITERS} writers and {N_READERS} readers at once")
        place = self.fresh("ingest")

        def write(number: int) -> None:
            for one in range(n_imports):
                with open_store(place.location) as store:
                    ingest(store, bundle(f"W{number}.{one}", seed=number), actor="f")

        def read() -> None:
            for _ in range(3 * n_imports):
                with open_store(place.location, read_only=True) as store:
                    load_matrix(store, "qa", "score")
                if damage.seen_anywhere():
                    os._exit(5)

        children = [in_child(lambda k=k: write(k)) for k in range(N_WRITERS)]  # type: ignore[misc]  # mypy cannot infer a lambda with a default
        children += [in_child(read) for _ in range(N_READERS)]
        endings = [how_ended(child) for child in children]
        tally.n = N_WRITERS * n_imports + N_READERS * 3 * n_imports
        tally.wrong += [f"a process ended with {code}: {words}" for code, words in endings if code]
        if contents(place.location).count("'W") != N_WRITERS * n_imports:
            tally.wrong.append("an import is lost")
        if said := wrong_with(place.location, ""):
            tally.wrong.append(said)
        self.away_with(place)
        return tally

    def two_versions(self, n_rounds: int) -> Tally:
        """Upgrade while a process of the revision before reads and writes, and goes on after."""
        tally = Tally("upgrade while the version before reads and writes")
        for _ in range(n_rounds):
            place = self.fresh("upgrade")
            told = place.folder / "written"

            def work(place: Place = place, told: Path = told) -> None:
                older = self.older.stem
                schema.head_revision = lambda: older
                if older < FIRST_WITH_SEALS:
                    seals.renew = lambda *_: None  # type: ignore[assignment]  # put in place of ours, in a child
                with told.open("w") as out:
                    for number in range(400):
                        try:
                            with open_store(place.location) as store:
                                ingest(store, bundle(f"O{number}", seed=number), actor="f")
                                load_matrix(store, "qa", "score", systems=[f"O{number}"])
                        except StoreError:
                            return  # in words: the store is of another revision now
                        print(f"O{number}", file=out, flush=True)

            child = in_child(work)
            began = time.monotonic()
            while not told.exists() or not told.read_text():
                time.sleep(0.01)
                if time.monotonic() - began > LONGEST_START_S:
                    raise RuntimeError("the version before writes nothing")
            time.sleep(self.rng.random() / 4)
            upgraded = upgrade_store(place.location)
            tally.n += 1
            tally.n_stopped += 1
            code = ended(child)
            if code != 0 or upgraded.after != schema.head_revision():
                tally.wrong.append(f"the version before ended with {code}")
            here = contents(place.location)
            lost = [one for one in told.read_text().split() if f"'{one}'" not in here]
            if lost or (said := wrong_with(place.location, "")):
                tally.wrong.append(f"{len(lost)} imports are lost" if lost else said)
            self.away_with(place)
        return tally


def rounds_of(n_rounds: int, name: str) -> int:
    """Return how often a kind of work is stopped: a server over HTTP takes a second to begin."""
    return max(2, n_rounds // 4) if name == OVER_HTTP else n_rounds
