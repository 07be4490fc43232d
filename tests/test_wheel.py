"""The wheel: one name in an environment, whatever folders a project has."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest

from store.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
OURS = ("store", "analysis", "dashboard", "migrations")
OLD_IMPORT = re.compile(
    r"^ *(?:from|import) (?:store|analysis|dashboard|migrations)\b", re.MULTILINE
)
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"

# What a project of somebody else's does: its own packages, and ours beside them.
BESIDE = """
import sys
import tiebreak
import analysis, store
assert (analysis.MINE, store.MINE) == ("analysis", "store")
from tiebreak.store.engine import open_store
with open_store("tiebreak.db", read_only=True) as opened:
    print(tiebreak.__version__, opened.revision() > 0)
report = tiebreak.log_run(system="C", dataset="d", metric="accuracy", scores={"q1": 1})
assert report.n("run", "added") == 1
taken = [name for name in sys.modules if name.split(".")[0] in ("dashboard", "migrations")]
assert not taken, taken
assert not hasattr(store, "engine")
"""

PAGE = """
import sys
from pathlib import Path
import tiebreak
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
top = Path(tiebreak.__file__).parent
app = AppTest.from_file(str(top / "streamlit_app.py"), default_timeout=60)
app._page_hash = calc_hash("library")
app.run()
assert not app.exception, app.exception
print(app.title[0].value)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel, built from a copy: building leaves its traces beside the sources."""
    copy = tmp_path_factory.mktemp("source")
    for name in (*OURS, "tiebreak", ".streamlit"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "streamlit_app.py"):
        shutil.copyfile(ROOT / name, copy / name)
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-c", BUILD, str(out)]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty environment with the wheel in it; what it needs is borrowed from ours."""
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run(
        [uv, "venv", "-q", "--no-project", "--python", sys.executable, folder, "--clear"]
    )
    python = folder / "bin" / "python"
    install = [uv, "pip", "install", "-q", "--offline", "--no-deps", "--python", python, wheel]
    subprocess.run(install, check=True)
    [site] = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a project with packages called as ours are."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("analysis", "store"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f'MINE = "{name}"\n', encoding="utf-8")
    return folder


def run(environment: Path, project: Path, *words: str) -> str:
    """Return what a program of the environment prints, started in the project."""
    variables = {
        k: v for k, v in os.environ.items() if not k.startswith(("TIEBREAK", "PYTHON", "VIRTUAL"))
    }
    done = subprocess.run(
        [environment / "bin" / words[0], *words[1:]],
        cwd=project,
        env=variables | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_wheel_claims_one_name_and_holds_what_a_page_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        tops = {name.split("/")[0] for name in names}
        information = f"tiebreak-{VERSION}.dist-info"
        assert tops == {"tiebreak", information}
        assert archive.read(f"{information}/top_level.txt").split() == [b"tiebreak"]
        for name in filter(lambda name: name.endswith(".py"), names):
            assert not OLD_IMPORT.search(archive.read(name).decode()), name
    inside = {name.removeprefix("tiebreak/") for name in names}
    listed = subprocess.run(
        ["git", "ls-files", *OURS, "tiebreak", "streamlit_app.py", ".streamlit"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    expected = {name.removeprefix("tiebreak/") for name in listed.stdout.split()}
    assert expected <= inside, sorted(expected - inside)


@pytest.mark.slow
def test_environment_runs_the_product_beside_foreign_folders(
    environment: Path, project: Path
) -> None:
    assert run(environment, project, "tiebreak", "--version") == f"tiebreak {VERSION}\n"
    rows = "system,dataset,item,accuracy\nA,d,q1,1\nA,d,q2,0\nB,d,q1,1\nB,d,q2,1\n"
    (project / "scores.csv").write_text(rows, encoding="utf-8")
    run(environment, project, "tiebreak", "ingest", "scores.csv")
    assert (project / "tiebreak.db").exists()
    listed = json.loads(run(environment, project, "tiebreak", "ls", "systems", "--json"))
    assert [row["name"] for row in listed["result"]["rows"]] == ["A", "B"]
    assert run(environment, project, "python", "-c", BESIDE).split() == [VERSION, "True"]


@pytest.mark.slow
def test_environment_has_the_example_and_the_pages(
    environment: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    run(environment, empty, "tiebreak", "demo")
    assert [path.name for path in empty.iterdir()] == ["tiebreak.db"]
    assert run(environment, empty, "python", "-c", PAGE).strip() == "Systems"


@pytest.mark.slow
def test_environment_serves_from_an_empty_folder(
    environment: Path, tmp_path: Path, unused_port: int
) -> None:
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("TIEBREAK", "PYTHON"))}
    server = subprocess.Popen(
        [environment / "bin" / "tiebreak", "serve", "--port", str(unused_port)],
        cwd=tmp_path,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        page = answered(f"http://127.0.0.1:{unused_port}/", server)
        assert "<title>" in page
        assert answered(f"http://127.0.0.1:{unused_port}/_stcore/health", server) == "ok"
    finally:
        server.terminate()
        server.communicate(timeout=20)


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def answered(address: str, server: subprocess.Popen[bytes]) -> str:
    """Return what a server answers once it is up."""
    end = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5) as reply:
                return str(reply.read().decode())
        except OSError:
            assert server.poll() is None, server.communicate()[0].decode()
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.2)


def test_build_rewrites_imports_only_and_refuses_what_it_cannot_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("setuptools.setup", lambda **_: None)
    rewritten = runpy.run_path(str(ROOT / "setup.py"))["rewritten"]
    source = (
        'from store.engine import (\n    Store,\n)\nfrom storefront import x\nx = "from store"\n'
    )
    moved = rewritten(source, "m.py")
    assert moved == source.replace("from store.engine import", "from tiebreak.store.engine import")
    with pytest.raises(ValueError, match=r"m\.py, line 2"):
        rewritten("import json\nimport store.engine\n", "m.py")
