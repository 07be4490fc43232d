"""The page Import: preview, commit, the same again, and what cannot be read."""

from __future__ import annotations

import gzip
import io
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analysis.studies.adhoc import Adhoc
from analysis.studies.adhoc_session import write_session
from analysis.studies.pair_analysis import PairSettings
from dashboard import adhoc_input
from dashboard.ui.mapping import for_the_page
from dashboard.uploads import MOST_MB
from store.engine import open_store
from store.import_answers import remembered_answers
from store.runs import list_runs

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]

ROOT = Path(__file__).resolve().parents[2]
GOOD = b"system,dataset,item,metric,score\nA,news,q1,accuracy,1\nA,news,q2,accuracy,0\n"


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    """Drop a file on the page."""
    return app.file_uploader[0].upload(name, content, "text/csv").run()


def test_upload_is_previewed_and_then_committed(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    app = upload(open_page("import_results", path), "good.csv", GOOD)
    assert not app.exception
    assert "1 run added, 2 items added, 2 scores added" in text_of(app)
    assert not path.exists()  # a preview leaves nothing behind
    app.button[0].click().run()
    assert not app.exception
    assert "Done: 1 run and 0 reported figures came into the store." in text_of(app)
    assert "What would happen" not in text_of(app)
    store = open_store(path)
    assert [run.system for run in list_runs(store)] == ["A"]
    store.close()


def test_what_no_file_names_is_asked_for_and_never_the_folder_of_the_server(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    content = b"item,accuracy\nq1,1\nq2,0\n"
    app = upload(open_page("import_results", path), "results.csv", content)
    assert [box.label for box in app.text_input if box.label.startswith("Name of")] == [
        "Name of the system?",
        "Name of the dataset?",
    ]
    told = text_of(app)
    assert "nothing of it goes in before that is answered" in told
    assert "scratch" not in told
    assert "unnamed" not in told
    app.text_input(key="answer_name of the system").set_value("net").run()
    app.text_input(key="answer_name of the dataset").set_value("qa").run()
    assert not app.exception
    next(one for one in app.button if one.label == "Import this").click().run()
    with open_store(path, read_only=True) as store:
        assert [(run.system, run.dataset) for run in list_runs(store)] == [("net", "qa")]
        assert not remembered_answers(store)  # another results.csv is asked about again


def test_unknown_columns_are_chosen_on_the_page(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    odd = b"who,where,nr,points_given\nA,qa,1,0.5\nA,qa,2,0.75\nB,qa,1,1\nB,qa,2,0.25\n"
    app = upload(open_page("import_results", path), "odd.csv", odd)
    assert "Say what its columns mean under 'Columns of …'" in text_of(app)
    (columns,) = [one for one in app.expander if one.label.startswith("Columns of")]
    assert columns.proto.expanded
    app.selectbox(key="role_odd.csv_system").set_value("who").run()
    assert "fill in 'Metric' under 'What the files do not say'" in text_of(app)
    assert "--" not in text_of(app)
    for role, column in {
        "system": "who", "dataset": "where", "item": "nr", "score": "points_given"
    }.items():  # fmt: skip
        app.selectbox(key=f"role_odd.csv_{role}").set_value(column)
    next(box for box in app.text_input if box.label == "Metric").set_value("points").run()
    assert "2 runs added, 2 items added, 4 scores added" in text_of(app)
    next(button for button in app.button if button.label == "Import this").click().run()
    assert not app.exception
    with open_store(path, read_only=True) as store:
        assert sorted(run.system for run in list_runs(store)) == ["A", "B"]


def test_errors_name_what_can_be_chosen_on_the_page() -> None:
    told = for_the_page("fill in this or --column system=NAME.")
    assert told == "fill in this or choose 'System' under 'Columns of …'."
    told = for_the_page("Missing: what the items are called: give --column item=NAME.")
    assert told == "Missing: what the items are called: choose 'Item' under 'Columns of …'."


def test_what_is_asked_is_answered_by_choosing(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    odd = GOOD.replace(b"accuracy", b"zorkness") + b"a,news,q1,zorkness,1\na,news,q2,zorkness,1\n"
    app = upload(open_page("import_results", path), "odd.csv", odd)
    assert "What only you can say" in text_of(app)
    assert not [button for button in app.button if button.label == "Import this"]
    boxes = {box.label.replace("\\", ""): box for box in app.selectbox}
    boxes["Which values of zorkness are better?"].set_value("higher").run()
    open_ones = [box for box in app.selectbox if str(box.key).startswith("answer_")]
    for box in open_ones:
        if box.value is None:
            box.set_value(box.options[0]).run()
    assert not app.exception
    next(button for button in app.button if button.label == "Import this").click().run()
    assert "Done: " in text_of(app)
    with open_store(path, read_only=True) as store:
        assert remembered_answers(store)["metric zorkness: direction"] == "higher"


def test_ids_that_look_alike_are_joined_by_choosing(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    upload(open_page("import_results", path), "a.csv", GOOD).button[0].click().run()
    other = GOOD.replace(b"A,", b"B,").replace(b"q", b"Q")
    app = upload(open_page("import_results", path), "b.csv", other)
    assert "0 of 2 items known" in text_of(app)
    (box,) = (box for box in app.selectbox if str(box.key).startswith("answer_"))
    assert "0 of 2 items are known; 2 if capitals are ignored" in box.help.replace("\\", "")
    box.set_value("same").run()
    assert "2 of 2 items known" in text_of(app)
    next(button for button in app.button if button.label == "Import this").click().run()
    with open_store(path, read_only=True) as store:
        assert remembered_answers(store) == {"dataset news: items whose ids look alike": "same"}


def test_an_archive_goes_through_the_same_plan(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("runs/good.csv", GOOD)
        archive.writestr("runs/notes.txt", "we were tired")
        archive.writestr("runs/broken.csv", GOOD.replace(b"q2,accuracy,0", b"q2,accuracy,zero"))
    path = tmp_path / "new.db"
    app = upload(open_page("import_results", path), "all.zip", packed.getvalue())
    assert not app.exception
    assert "1 run added, 2 items added, 2 scores added" in text_of(app)
    assert "broken.csv" in text_of(app)
    app.button[0].click().run()
    assert "Done: 1 run" in text_of(app)


def test_same_file_again_is_nothing_new(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    app = upload(open_page("import_results", path), "good.csv", GOOD)
    app.button[0].click().run()
    app = upload(open_page("import_results", path), "again.csv", GOOD)
    assert "Nothing new: the store holds all of this already." in text_of(app)
    assert not app.button


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (GOOD.replace(b"q2,accuracy,0", b"q2,accuracy,zero"), "line 3"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "upload.csv"),
        (b"", "upload.csv"),
    ],
)
def test_what_cannot_be_read_is_said_and_leaves_nothing(
    content: bytes, said: str, open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    app = upload(open_page("import_results", path), "upload.csv", content)
    assert not app.exception
    assert "This cannot be imported as it stands." in text_of(app)
    assert said in text_of(app)
    assert not app.button
    assert not path.exists()


@pytest.mark.parametrize(
    ("page", "most", "instead"),
    [
        ("import_results", MOST_MB, "tiebreak ingest"),
        ("adhoc", adhoc_input.MOST_MB, "tiebreak adhoc"),
    ],
)
def test_upload_that_unpacks_to_too_much_is_refused(
    page: str, most: int, instead: str, open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    packed = gzip.compress(b"\0" * (most * 1_000_000 + 1), 1)
    app = upload(open_page(page, tmp_path / "new.db"), "scores.csv.gz", packed)
    assert not app.exception
    assert f"scores.csv.gz: holds more than {most} MB" in text_of(app)
    assert instead in text_of(app)


def test_a_session_of_the_ad_hoc_page_is_restored(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    columns = adhoc_input.example().scores
    settings = PairSettings(test="wilcoxon", alpha=0.01)
    kept = Adhoc(settings, ("mine, new", "theirs"), lower_is_better=True, columns=columns)
    content = write_session(kept).encode()
    app = upload(open_page("adhoc", tmp_path / "new.db"), "kept.json", content)
    assert not app.exception
    study = kept.answer(None)  # type: ignore[arg-type]
    assert study.sentence in text_of(app).replace("\\", "")
    assert study.signature in text_of(app).replace("\\", "")
    assert app.query_params["test"] == "wilcoxon"
    app.file_uploader[0].upload("half.json", content[:90], "application/json").run()
    assert "no whole session" in text_of(app)


def test_browser_sends_no_more_than_the_page_reads() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] == MOST_MB


def test_mapping_alone_is_told_to_need_its_table(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    page = open_page("import_results", tmp_path / "new.db")
    app = upload(page, "table.tiebreak.yaml", b"format: generic")
    assert "a mapping describes a table: drop both." in text_of(app)


def test_read_only_dashboard_offers_no_upload(
    open_page: OpenPage,
    text_of: TextOf,
    filled_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TIEBREAK_READ_ONLY", "1")
    app = open_page("import_results", filled_path)
    assert "This dashboard is read-only." in text_of(app)
    assert not app.file_uploader
