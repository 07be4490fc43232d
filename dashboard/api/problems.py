"""Every error of the API: in the words of the commands, as RFC 9457 has it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from dashboard import data
from store.damage import blamed
from store.errors import (
    ConflictError,
    ForbiddenError,
    ImportFormatError,
    NotFoundError,
    ReadOnlyError,
    SchemaVersionError,
    StorageError,
    StoreError,
    UnreachableError,
)

MEDIA_TYPE: Final = "application/problem+json"
_STATUS: Final[tuple[tuple[type[StoreError], int], ...]] = (
    (NotFoundError, 404),
    (ConflictError, 409),
    (ReadOnlyError, 403),
    (ForbiddenError, 403),
    (SchemaVersionError, 503),
    (StorageError, 503),
    (UnreachableError, 503),
    (ImportFormatError, 422),
    (StoreError, 400),
)


def problem(
    status: int, detail: str, *, headers: dict[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return an error as the answer to a request."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **more,
    }
    return JSONResponse(body, status, headers=headers, media_type=MEDIA_TYPE)


def of_store(_request: Request, error: Exception) -> JSONResponse:
    """Return what the store says, with file, line and field where a file is meant."""
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    more: dict[str, Any] = {}
    if not isinstance(error, StorageError) and (damaged := data.damage_seen()):
        more["damaged"] = list(map(str, damaged))  # a name that is not found may be there
    if isinstance(error, ImportFormatError):
        more |= {"path": error.path, "line": error.line, "field": error.field}
    later = {"Retry-After": "1"} if isinstance(error, UnreachableError) else None
    return problem(status, str(error), headers=later, **more)


def of_http(request: Request, error: Exception) -> JSONResponse:
    """Return what the server itself refuses: no such address, another method."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    detail = error.detail
    if error.status_code == 405:
        detail = f"{request.method} is not taken here; use {headers.get('Allow', 'GET')}."
    return problem(error.status_code, detail, headers=headers)


def of_unforeseen(request: Request, _error: Exception) -> JSONResponse:
    """Return a fault of ours, without its insides; or the damage that it may come of."""
    if (damaged := blamed(data.damage_seen())) is not None:
        return of_store(request, damaged)
    return problem(500, "A fault of Tiebreak; the server's log says more. Nothing was written.")
