"""``POST /api/v1/ingest``: files, records or the journal of a run into the store; and undo.

An import says what it made of everything, as the command does. What waits for an answer is asked
back; the same request with ``answers`` settles it. With an ``Idempotency-Key`` a request that is
sent again gets the answer it missed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from dashboard import data
from dashboard.api.answers import answer
from dashboard.api.import_settings import settings_of
from dashboard.api.problems import problem
from dashboard.pool.bodies import journal_of, records_apart
from dashboard.pool.reading import reader
from dashboard.uploads import MOST_MB, place_below
from store.console import current_actor
from store.errors import ImportFormatError, StoreError
from store.import_answers import remember_answers
from store.imports import undo
from store.ingest.files import ingest_files
from store.ingest.planned import Imported
from store.ingest.report import IngestReport, joined
from store.ingest.unnamed import folder_of_sent
from store.journal import put_in, require_names_of_items
from store.people import current_person, require_role
from store.repeated_requests import answered_once
from store.scratch import scratch_folder

AT_ONCE: Final = 2
"""Imports that are read at the same time; others wait."""
JOURNAL: Final = "application/x-ndjson"
_SMALLER: Final = "Send less at once, or import it on the server with `tiebreak ingest FILE`."

_places: anyio.CapacityLimiter | None = None


async def ingest(request: Request) -> Response:
    """Bring what the body holds into the store.

    It goes to the disk as it comes. What a sender sizes is worked on in threads, and parsed in the
    process that reads files: pages and ``/health`` answer meanwhile.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    put = _PUTS.get(kind)
    if put is None:
        return problem(415, f"Send {', '.join(_PUTS)}, not '{kind}'.")
    async with _scratch() as folder:
        if kind == "multipart/form-data":
            given = await _files(request, folder)
        else:
            await _body(request, folder / "body")
            given = dict(request.query_params) if kind == JOURNAL else {}
        return await _once(request, folder, given, lambda: put(folder, given))


async def take_back(request: Request) -> Response:
    """Undo an import: of the same token, whole, or not at all."""
    return await _in_thread(lambda: _undo(request.path_params["uid"], dict(request.query_params)))


@asynccontextmanager
async def _scratch() -> AsyncIterator[Path]:
    made = scratch_folder()
    folder = await run_in_threadpool(made.__enter__)
    try:
        yield folder_of_sent(folder)
    finally:
        with anyio.CancelScope(shield=True):
            await run_in_threadpool(made.__exit__, None, None, None)


async def _body(request: Request, path: Path) -> None:
    with path.open("wb") as file:
        async for part in request.stream():
            await run_in_threadpool(file.write, part)


async def _once(
    request: Request, folder: Path, given: dict[str, Any], work: Callable[[], Response]
) -> Response:
    """Do the work, or give the answer that the same key got before."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return await _in_thread(work)
    return await _in_thread(lambda: _answered_once(key, _digest(folder, given), work))


def _answered_once(key: str, digest: str, work: Callable[[], Response]) -> Response:
    token = require_role("contributor", "Bringing results").token
    response: Response | None = None

    def body() -> str | None:
        nonlocal response
        response = work()
        return bytes(response.body).decode() if response.status_code == 200 else None

    known = answered_once(data.current_store(), token, key, digest, body)
    return response or Response(known, media_type="application/json")


async def _in_thread(work: Callable[[], Response]) -> Response:
    global _places
    _places = _places or anyio.CapacityLimiter(AT_ONCE)  # it belongs to the running loop
    return await anyio.to_thread.run_sync(work, limiter=_places)


async def _files(request: Request, folder: Path) -> dict[str, Any]:
    """Put the files of a form into a folder; return its fields."""
    async with request.form(max_files=2_000) as form:
        return await run_in_threadpool(_saved, form.multi_items(), folder)


def _saved(parts: Iterable[tuple[str, UploadFile | str]], folder: Path) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, part in parts:
        if isinstance(part, str):
            if name in given:
                raise StoreError(f"`{name}` is given twice.")
            given[name] = part
            continue
        path = folder / place_below(part.filename or "")
        if path.exists():
            raise ImportFormatError("it is sent twice.", path=str(part.filename))
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            shutil.copyfileobj(part.file, file)
    if not any(folder.iterdir()):
        raise StoreError("There is no file: send each as a part `files` of the form.")
    return given


def _read(work: Callable[..., Any], path: Path, **given: Any) -> Any:
    """Have a file read elsewhere."""
    return reader(MOST_MB * 1_000_000, _SMALLER, work=work)(path, **given)


def _put_records(folder: Path, _: dict[str, Any]) -> Response:
    given = _read(records_apart, folder / "body", to=folder / "records.jsonl")
    (folder / "body").unlink()
    return _put_files(folder, given)


def _put_files(folder: Path, given: dict[str, Any]) -> Response:
    settings = settings_of(given)
    store = data.current_store()
    paths = (
        [folder] if any(path.is_dir() for path in folder.iterdir()) else sorted(folder.iterdir())
    )
    done = ingest_files(
        store,
        paths,
        actor=current_actor(),
        format=settings.format,
        options=settings.options(),
        take_guesses=settings.yes,
        replace=settings.replace,
        dry_run=settings.dry_run,
        root=folder,
        read=reader(MOST_MB * 1_000_000, _SMALLER),
    )
    if not done.reports or (settings.strict and done.plan.questions):
        return _nothing(done)
    if not settings.dry_run and current_person().dataset is None:  # answers count for all
        remember_answers(store, done.plan.answers, actor=current_actor())
    more = {"plan": done.plan.to_dict(), "questions": _questions(done)}
    return _told(done.reports, **more)


def _put_journal(folder: Path, given: dict[str, Any]) -> Response:
    settings = settings_of(given)
    store = data.current_store()
    run, file = _read(journal_of, (folder / "body").rename(folder / "run.jsonl"))
    require_names_of_items(store, run)
    return _told([put_in(store, run, actor=current_actor(), file=file, replace=settings.replace)])


_PUTS: Final[dict[str, Callable[[Path, dict[str, Any]], Response]]] = {
    "multipart/form-data": _put_files,
    "application/json": _put_records,
    JOURNAL: _put_journal,
}
"""Kind of a body -> what brings it, from a folder and the fields of a form or an address."""


def _told(reports: list[IngestReport] | Any, **more: Any) -> Response:
    result = joined(reports)
    warnings = result.pop("warnings")
    return answer(
        "ingest",
        {"import": result["import_uid"], **result, **more},
        store_revision=data.current_store().revision(),
        signature="POST /api/v1/ingest",
        warnings=warnings,
    )


def _questions(done: Imported) -> list[dict[str, Any]]:
    return [
        {
            "about": question.subject,
            "file": entry.files[0] if entry.files else "",
            "because": question.because,
            "guess": question.guess,
            "choices": list(question.choices),
        }
        for entry, question in done.plan.questions
    ]


def _nothing(done: Imported) -> Response:
    """Return why nothing goes in, with what is asked."""
    asked = _questions(done)
    told = [
        f"{one['file']}: {one['about']}? {one['because']} (guess: {one['guess']})" for one in asked
    ]
    told += [f"{', '.join(one.files)}: {one.reason}" for one in done.plan.entries if one.reason]
    if asked:
        told.append("Send it again with `answers`, or with yes=yes to take every guess.")
    detail = "\n".join(told[:20]) or "None of these files is in a format that is known."
    return problem(422, detail, questions=asked, plan=done.plan.to_dict())


def _undo(uid: str, given: dict[str, Any]) -> Response:
    dry_run = settings_of(given).dry_run
    store = data.current_store()
    result = undo(store, uid, actor=current_actor(), dry_run=dry_run)
    return answer(
        "undo",
        result,
        store_revision=store.revision(),
        signature=f"POST /api/v1/imports/{uid}/undo",
    )


def _digest(folder: Path, given: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(given, sort_keys=True).encode())
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"\0{path.relative_to(folder).as_posix()}\0".encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
