"""What the server loads while it listens already."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard import warm_up
from dashboard.places import tabs


def test_pages_libraries_are_imported_and_nothing_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "only_here.py").write_text("")
    script = tmp_path / "page.py"
    script.write_text("import only_here\n\nraise RuntimeError('drawn')\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        warm_up._import_as(script)
    assert sys.modules.pop("only_here")


def test_what_is_loaded_is_kept_out_of_the_search_for_garbage() -> None:
    kept = gc.get_freeze_count()
    try:
        warm_up._keep_what_is_loaded()
        assert gc.get_freeze_count() > kept
        assert not any(each is warm_up.__dict__ for each in gc.get_objects())
    finally:
        gc.unfreeze()


def test_tab_that_somebody_waits_for_comes_next_and_pages_go_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []
    scripts = [tab.script for _, tab in tabs()]
    monkeypatch.setattr(warm_up, "_FRAME", ())
    monkeypatch.setattr(warm_up, "_keep_what_is_loaded", lambda: None)
    monkeypatch.setattr(warm_up, "_start_pool", lambda: True)
    monkeypatch.setattr(warm_up, "_import_as", lambda script: loaded.append(script.stem))
    ours = warm_up.WarmUp()
    with ours.page():
        ours.begin()
        ours.wait_for_frame()
        assert not loaded
        ours.wait_for(scripts[-1])
        assert loaded == [scripts[-1]]
    ours.wait_for(scripts[0])
    assert loaded[:2] == [scripts[-1], scripts[0]]


def test_script_that_cannot_be_imported_keeps_no_page_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(script: Path) -> None:
        raise ImportError(script)

    monkeypatch.setattr(warm_up, "_FRAME", ("no.such.module",))
    monkeypatch.setattr(warm_up, "_keep_what_is_loaded", lambda: None)
    monkeypatch.setattr(warm_up, "_start_pool", lambda: True)
    monkeypatch.setattr(warm_up, "_import_as", fail)
    ours = warm_up.WarmUp()
    ours.begin()
    ours.wait_for_frame()
    for _, tab in tabs():
        ours.wait_for(tab.script)
    assert ours.is_done


def test_server_imports_no_database_and_no_tables_before_it_listens() -> None:
    script = "import sys, streamlit_app; print(*sys.modules)"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "dashboard.server" in loaded
    assert not loaded & {"sqlalchemy", "pandas", "scipy", "altair", "dashboard.app"}
