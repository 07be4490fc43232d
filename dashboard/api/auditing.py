"""``GET /api/v1/audit``: recorded changes, as the command ``tiebreak audit`` lists them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from analysis.setting import Setting, build
from dashboard import data
from dashboard.api.answers import answer
from dashboard.api.asking import values_of_query
from store.history import MEDIA_TYPES, LogFormat, Wanted, find_events, log_of, moment_of
from store.people import require_datasets

MOST: Final = 10_000
"""Changes of one answer; a file has them all."""
_FORMATS: Final[dict[str, LogFormat]] = {media: form for form, media in MEDIA_TYPES.items()}


@dataclass(frozen=True, slots=True)
class Asked:
    """The parameters."""

    name: ClassVar[str] = "audit"

    find: Annotated[str, Setting("Words that stand anywhere in a change.")] = ""
    who: Annotated[tuple[str, ...], Setting("Only of these people.")] = ()
    action: Annotated[tuple[str, ...], Setting("Only these kinds of changes, as rename.")] = ()
    kind: Annotated[tuple[str, ...], Setting("Only of these, as system.")] = ()
    since: Annotated[str, Setting("From this day on, as 2026-11-21.")] = ""
    until: Annotated[str, Setting("Up to the end of this day.")] = ""
    limit: Annotated[int, Setting("So many, the latest; of JSON alone.", low=1, high=MOST)] = 100
    format: Annotated[
        Literal["json", "jsonl", "csv"],
        Setting("jsonl or csv: all of them as a file, as `Accept` may say too."),
    ] = "json"

    def wanted(self) -> Wanted:
        """Return which changes are asked for."""
        return Wanted(
            find=self.find,
            who=self.who,
            actions=self.action,
            kinds=self.kind,
            since=moment_of(self.since) if self.since else None,
            until=moment_of(self.until, is_end=True) if self.until else None,
        )


async def audit(request: Request) -> Response:
    """Answer with the changes; as a file where one is asked for."""
    asked = await run_in_threadpool(_asked, request.query_params.multi_items())
    require_datasets(None)
    accepted = request.headers.get("accept", "").split(",")[0].split(";")[0].strip()
    form = _FORMATS.get(accepted) if asked.format == "json" else asked.format
    wanted = asked.wanted()
    if form is None:
        return await run_in_threadpool(_answer, wanted, asked.limit)
    store = await run_in_threadpool(data.current_store)
    lines = iterate_in_threadpool(log_of(store, wanted, form))
    name = f'attachment; filename="audit_log.{form}"'
    return StreamingResponse(
        lines, media_type=MEDIA_TYPES[form], headers={"Content-Disposition": name}
    )


def _asked(given: Iterable[tuple[str, str]]) -> Asked:
    return build(Asked, values_of_query(Asked, given))


def _answer(wanted: Wanted, limit: int) -> Response:
    store = data.current_store()
    found = find_events(store, wanted, limit=limit)
    result = {
        "rows": [event.to_dict() for event in found.events],
        "n_found": found.n_found,
        "n_all": found.n_all,
    }
    return answer("audit", result, store_revision=store.revision(), signature="GET /api/v1/audit")
