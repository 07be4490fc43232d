"""Make the history that ships with Tiebreak: what releases of encoding detectors get right.

Old and new releases of chardet and charset-normalizer are installed into folders that are thrown
away, each evaluated today on one test set of our own, and dated by the day that the package
registry received them. An item is a text in one encoding; it is right when decoding it with the
encoding that the detector names gives back the text.

    python dashboard/demo/make_history.py              # every release, about two minutes
    python dashboard/demo/make_history.py --items      # only write what the items are

Needs the package registry, `uv`, and for releases that do not run under Python 3 `python2.7`.
With the same releases the scores come out the same.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
SENTENCES = FOLDER / "history" / "sentences.yaml"
NAME, METRIC = "encodings", "exact_match"
SHORT = 24
"""So many characters of a text, in whole words, make the short cut."""

RELEASES = {
    "chardet": (
        "1.0 1.1 2.1.1 2.2.1 2.3.0 3.0.0 4.0.0 5.0.0 5.1.0 5.2.0 6.0.0 "
        "7.0.0 7.1.0 7.2.0 7.3.0 7.4.0.post1 7.5.0 7.6.0 7.7.0"
    ),
    "charset-normalizer": (
        "0.3.0 1.0.0 1.1.0 1.2.0 1.3.0 1.4.0 2.0.0 2.1.0 3.0.0 3.1.0 3.2.0 3.3.0 3.4.0 3.5.0"
    ),
}
"""The first release of every minor version that the registry still has, since there is `detect`."""

PYTHON_2_ONLY = ("chardet 1.0", "chardet 1.1", "chardet 2.1.1")

PROBE = """
import base64, json, os, sys
folder = os.path.abspath(sys.argv[1])
sys.path.insert(0, folder)
detector = __import__(sys.argv[2])
assert os.path.abspath(detector.__file__).startswith(folder), detector.__file__
names = []
for line in sys.stdin:
    try:
        names.append(detector.detect(base64.b64decode(line.strip()))["encoding"])
    except Exception as error:
        names.append("crashed: " + type(error).__name__)
print(json.dumps(names))
"""
"""Runs under every Python: bytes from the standard input, names of encodings to the output."""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A text in one encoding."""

    sentence: str
    language: str
    encoding: str
    cut: str
    text: str
    data: bytes

    @property
    def key(self) -> str:
        """Name the item."""
        return f"{self.sentence} {self.encoding} {self.cut}"


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A release of a detector."""

    package: str
    version: str
    released_on: date

    @property
    def system(self) -> str:
        """Name the release."""
        return f"{self.package} {self.version}"


def short_cut(text: str) -> str:
    """Return some words of a text, from the first one on that has a character beyond ASCII."""
    words = text.split(" ")
    start = next(i for i, word in enumerate(words) if not word.isascii())
    kept = words[start]
    for word in words[start + 1 :]:
        if len(kept) >= SHORT:
            break
        kept = f"{kept} {word}"
    is_without_blanks = len(kept) > 2 * SHORT
    return kept[: SHORT // 2] if is_without_blanks or len(words) == 1 else kept


def read_items() -> list[Item]:
    """Return every text, long and short, in every encoding of its language and in Unicode's.

    Encodings that give a text the same bytes are one item, named after the first.
    """
    items, seen = [], set()
    for language, about in yaml.safe_load(SENTENCES.read_text(encoding="utf-8")).items():
        for number, whole in enumerate(about["texts"]):
            unicode = ("utf-8", *(("utf-16",), ("utf-16-le",), ())[number])
            for encoding in (*about["encodings"], *unicode):
                for cut, text in (("long", whole), ("short", short_cut(whole))):
                    data = text.encode(encoding)
                    if data.decode(encoding) != text:
                        raise ValueError(f"{encoding} does not give back {text!r}")
                    if data not in seen:
                        sentence = f"{language} {number + 1}"
                        items.append(Item(sentence, language, encoding, cut, text, data))
                    seen.add(data)
    return items


def is_right(item: Item, name: str | None) -> bool:
    """Return whether decoding with the named encoding gives back the text."""
    try:
        return name is not None and item.data.decode(name).removeprefix("\ufeff") == item.text
    except (LookupError, UnicodeError):
        return False


def tool(name: str) -> str:
    """Return the path of a program, or say that it is needed."""
    path = shutil.which(name)
    if path is None:
        sys.exit(f"`{name}` is needed to make the history and is not on the PATH.")
    return path


def release_day(package: str, version: str) -> date:
    """Return the day on which the registry received the first file of a release."""
    command = [tool("uv"), "pip", "compile", "-", "--quiet", "--no-deps", "--format=pylock.toml"]
    wanted = f"{package}=={version}"
    told = subprocess.run(command, input=wanted, capture_output=True, text=True, check=True)
    (found,) = tomllib.loads(told.stdout)["packages"]
    files = [*found.get("wheels", []), *([found["sdist"]] if "sdist" in found else [])]
    first: datetime = min(file["upload-time"] for file in files)
    return first.astimezone(UTC).date()


def releases() -> list[Release]:
    """Return the releases, the oldest first."""
    found = [
        Release(package, version, release_day(package, version))
        for package, versions in RELEASES.items()
        for version in versions.split()
    ]
    return sorted(found, key=lambda release: (release.released_on, release.system))


def install(release: Release, folder: Path) -> str:
    """Install a release into a folder of its own; return the Python that it runs under."""
    wanted = f"{release.package}=={release.version}"
    if release.system in PYTHON_2_ONLY:
        python = tool("python2.7")
        command = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
    else:
        python = sys.executable
        command = [tool("uv"), "pip", "install", "--quiet", "--python", python]
        # charset-normalizer needed other packages until 2.0
        needs_others = release.package == "charset-normalizer" and release.version[0] in "01"
        command += [] if needs_others else ["--no-deps"]
    told = subprocess.run([*command, "--target", folder, wanted], capture_output=True, text=True)
    if told.returncode:
        sys.exit(f"{release.system} cannot be installed: {told.stderr.strip()}")
    return python


def detect(release: Release, items: Sequence[Item]) -> list[str | None]:
    """Return the encodings that a release names, in a process that sees no other package."""
    lines = "".join(base64.b64encode(item.data).decode() + "\n" for item in items)
    with tempfile.TemporaryDirectory() as folder:
        python = install(release, Path(folder))
        module = release.package.replace("-", "_")
        command = [python, "-E", "-s", "-S", "-c", PROBE, folder, module]
        told = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    names: list[str | None] = json.loads(told.stdout.splitlines()[-1])
    if len(names) != len(items):
        raise ValueError(f"{release.system} answered {len(names)} of {len(items)} items")
    return names


def describe_items(items: Sequence[Item]) -> Iterator[dict[str, str]]:
    """Yield what is said of the items beside their scores."""
    for item in items:
        about = {"item": item.key, "group": item.sentence, "language": item.language}
        yield about | {"encoding": item.encoding, "cut": item.cut}


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as a CSV text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def description(today: date) -> dict[str, Any]:
    """Say what the scores mean, for the importer."""
    metric = {"higher_is_better": True, "unit": "proportion", "lower": 0, "upper": 1}
    about = {"task": "encoding detection", "language": "28 languages", "domain": "everyday texts"}
    return {
        "format": "generic",
        "dataset": {"name": NAME, **about},
        "metric": METRIC,
        "metrics": {METRIC: metric},
        "run": {
            "command": "python dashboard/demo/make_history.py",
            "evaluated_on": datetime(today.year, today.month, today.day, tzinfo=UTC),
        },
    }


def write(items: Sequence[Item], scored: dict[Release, list[int]], today: date) -> None:
    """Write the scores, their description, and one dated claim for each release."""
    rows: list[dict[str, Any]] = list(describe_items(items))
    claims = []
    for release, scores in scored.items():
        for row, score in zip(rows, scores, strict=True):
            row[release.system] = score
        claims.append(
            {
                "date": release.released_on.isoformat(),
                "system": release.system,
                "dataset": NAME,
                "metric": METRIC,
                "value": f"{sum(scores) / len(scores):.4f}",
                "source": f"release of {release.system} on {release.released_on}, "
                f"evaluated by us on {today}",
                "source_url": f"https://pypi.org/project/{release.package}/{release.version}/",
            }
        )
    data = gzip.compress(as_csv(rows).encode(), compresslevel=9, mtime=0)
    (FOLDER / "runs" / f"{NAME}.csv.gz").write_bytes(data)
    about = yaml.safe_dump(description(today), sort_keys=False, allow_unicode=True, width=100)
    (FOLDER / "runs" / f"{NAME}.tiebreak.yaml").write_text(about, encoding="utf-8")
    (FOLDER / "claims").mkdir(exist_ok=True)
    (FOLDER / "claims" / f"{NAME}.csv").write_text(as_csv(claims), encoding="utf-8")
    print(f"{len(items)} items, {len(scored)} releases, {len(data):,} bytes of scores")


def main(arguments: Sequence[str]) -> None:
    """Make the history, or list the items."""
    items = read_items()
    if "--items" in arguments:
        print(as_csv(list(describe_items(items))), end="")
        return
    scored = {}
    for release in releases():
        names = detect(release, items)
        scored[release] = [int(is_right(*pair)) for pair in zip(items, names, strict=True)]
        crashes = sum(str(name).startswith("crashed: ") for name in names)
        told = f", {crashes} crashes" if crashes else ""
        print(f"{release.released_on} {release.system}: {sum(scored[release])}{told}", flush=True)
    write(items, scored, datetime.now(UTC).date())


if __name__ == "__main__":
    main(sys.argv[1:])
