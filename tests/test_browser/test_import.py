"""A table with columns of its own goes in by choosing them, and out again: no YAML, no flag."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from store.engine import open_store
from store.runs import list_runs

pytestmark = pytest.mark.browser


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option as a person does who types."""
    page.get_by_role("combobox", name=label, exact=False).first.click()
    page.keyboard.type(option)
    page.keyboard.press("Enter")


def test_choose_columns_import_and_undo(
    page: Page,
    serve: Callable[[Path], str],
    settled: Callable[[Page], None],
    tmp_path: Path,
    clicks: list[str],
) -> None:
    rows = [f"{who},q{n},{int(n % 3 != k)}" for k, who in enumerate("AB") for n in range(12)]
    table, store = tmp_path / "quiz.csv", tmp_path / "journey.db"
    table.write_text("\n".join(["wer,frage,punkte", *rows]) + "\n", encoding="utf-8")
    open_store(store, create=True).close()

    page.goto(f"{serve(store)}/library?tab=imports")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(table)
    for label, column in (("System", "wer"), ("Item", "frage"), ("Score", "punkte")):
        settled(page)
        choose(page, label, column)
    settled(page)
    choose(page, "Which values of punkte are better?", "higher")
    expect(page.get_by_text("2 runs added")).to_be_visible()
    page.get_by_role("button", name="Import this").click()
    expect(page.get_by_role("link", name="This import")).to_be_visible()
    assert len(clicks) <= 5  # three columns, what is better, import
    page.get_by_role("link", name="This import").click()
    page.get_by_role("button", name="Undo this import").click()
    page.get_by_label("Why").fill("tried only")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("The import is undone.")).to_be_visible()
    assert len(clicks) <= 9  # the import, undo, why, undo
    with open_store(store, read_only=True) as left:
        assert not list_runs(left)
