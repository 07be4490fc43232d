"""A store behind a server: asked and filled over HTTP, with ``$TIEBREAK_TOKEN``.

A request that a server or the network drops is sent again, with the same key, so that nothing
comes in twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from store.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    StoreError,
    UnreachableError,
)
from store.ingest.report import IngestReport
from store.journal import push_from, read_journal

if TYPE_CHECKING:
    import requests

TRIES: Final = 5
"""How often a request is sent again, after 0, 1, 2, 4 and 8 seconds, or as the server says."""
CONNECTS_S: Final = 10
ANSWERS_S: Final = 600
"""How long an answer may be computed."""
_JOURNAL: Final = {"Content-Type": "application/x-ndjson"}
_ERRORS: Final[Mapping[int, type[StoreError]]] = {
    401: ForbiddenError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
}


class Remote:
    """A server at an address."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.username or parts.password:
            raise StoreError("Put the token into $TIEBREAK_TOKEN, not into the address.")
        self.address = address.rstrip("/").removesuffix("/api/v1")
        self._session: requests.Session | None = None

    @property
    def folder(self) -> Path:
        """Where journals wait until the server has them: beside the script."""
        return Path("tiebreak.journals") / urlsplit(self.address).netloc.replace(":", "_")

    def ask(self, question: str, settings: Mapping[str, str | list[str]]) -> dict[str, Any]:
        """Return the JSON object of a command that answers a question."""
        found: dict[str, Any] = self._ask(question, settings, "application/json").json()
        return found

    def report(
        self, question: str, settings: Mapping[str, str | list[str]], media_type: str
    ) -> str:
        """Return the answer to a question as a text: text/plain, text/markdown, text/x-latex."""
        return self._ask(question, settings, media_type).text

    def send_files(
        self, files: Sequence[tuple[str, Path]], settings: Mapping[str, str]
    ) -> dict[str, Any]:
        """Bring files under these names; return the JSON object of `tiebreak ingest`."""
        parts = [("files", (name, path.read_bytes())) for name, path in files]
        found: dict[str, Any] = self._post("ingest", files=parts, data=settings).json()
        return found

    def send_journal(self, path: Path, *, replace: bool = False) -> IngestReport:
        """Bring a run that was logged; return what came in."""
        told = {"replace": "yes"} if replace else {}
        answer = self._post("ingest", data=path.read_bytes(), headers=_JOURNAL, params=told)
        said = answer.json()
        return IngestReport.from_dict(said["result"] | {"files": [path.name]})

    def undo(self, uid: str, *, dry_run: bool = False) -> dict[str, Any]:
        """Take back an import that this token brought; return the JSON object of `undo`."""
        told = {"dry_run": "yes"} if dry_run else {}
        found: dict[str, Any] = self._post(f"imports/{uid}/undo", params=told).json()
        return found

    def push(self) -> list[IngestReport]:
        """Bring the runs that wait here, and remove their journals; see `store.journal.push`."""

        def put(path: Path) -> IngestReport:
            read_journal(path)  # what is none stays here, a link to anything else too
            return self.send_journal(path)

        return push_from(self.folder, put)

    def _ask(
        self, question: str, settings: Mapping[str, str | list[str]], media_type: str
    ) -> requests.Response:
        given = {name: _listed(value) for name, value in settings.items()}
        place = question.replace(" ", "/")
        return self._request("GET", place, params=given, headers={"Accept": media_type})

    def _post(
        self, place: str, *, headers: Mapping[str, str] | None = None, **body: Any
    ) -> requests.Response:
        key = {"Idempotency-Key": uuid4().hex}
        return self._request("POST", place, headers={**(headers or {}), **key}, **body)

    def _request(self, method: str, place: str, **what: Any) -> requests.Response:
        import requests

        session = self._session = self._session or _session()
        try:
            answer = session.request(
                method, f"{self.address}/api/v1/{place}", timeout=(CONNECTS_S, ANSWERS_S), **what
            )
        except requests.RequestException as error:
            raise UnreachableError(
                f"{self.address} does not answer ({type(error).__name__}). Is the address right, "
                "and the server running?"
            ) from None
        if not answer.ok:
            raise _error(self.address, answer)
        return answer


def _listed(value: str | list[str]) -> str | list[str]:
    """Return names so that a comma in one does not part it."""
    if isinstance(value, str):
        return value
    return ['"' + name.replace('"', '""') + '"' for name in value]


def _session() -> requests.Session:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    class Bearer(requests.auth.AuthBase):
        def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
            if token := os.environ.get("TIEBREAK_TOKEN"):
                request.headers["Authorization"] = f"Bearer {token}"
            return request

    retry = Retry(
        TRIES,
        backoff_factor=0.5,
        status_forcelist=(429, 502, 503, 504),
        allowed_methods=None,  # every request has a key
        raise_on_status=False,
    )
    session = requests.Session()
    session.auth = Bearer()  # stated, so that no .netrc decides
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    return session


def _error(address: str, answer: requests.Response) -> StoreError:
    try:
        told = answer.json()
        detail = str(told["detail"])
    except (ValueError, KeyError, TypeError):
        if answer.status_code >= 500:
            return UnreachableError(f"{address} fails ({answer.status_code}). Try again later.")
        return StoreError(f"{address} is no Tiebreak server: it answers {answer.status_code}.")
    if answer.status_code == 401 and not os.environ.get("TIEBREAK_TOKEN"):
        detail += " Put it into $TIEBREAK_TOKEN."
    if answer.status_code in (429, 502, 503, 504):
        return UnreachableError(f"{address}: {detail}")
    return _ERRORS.get(answer.status_code, StoreError)(detail)
