"""``GET /api/v1/<question>``: the settings of a question in, the JSON of its command out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from analysis.card import picture
from analysis.question import Question
from analysis.questions import QUESTIONS
from analysis.setting import build, fields_of, names, values_of
from dashboard import data
from dashboard.api.answers import answer
from store.datasets import get_dataset
from store.errors import ForbiddenError, NotFoundError, StoreError
from store.lookup import did_you_mean
from store.people import current_person

AT_ONCE: Final = 4
"""Questions that are worked on at the same time; others wait. The pages keep their processors."""
REPORTS: Final = {
    "text/plain": "as_text",
    "text/markdown": "as_markdown",
    "text/x-latex": "as_latex",
}
"""What ``Accept`` may name instead of JSON -> how a report is written."""

PICTURES: Final = {"card.svg": "card", "badge.svg": "badge"}
"""Ends of an address that ask for a picture of the answer, to embed."""

_places: anyio.CapacityLimiter | None = None


async def question(request: Request) -> Response:
    """Answer a question, in a thread of its own."""
    global _places
    _places = _places or anyio.CapacityLimiter(AT_ONCE)  # it belongs to the running loop
    place, _, end = request.path_params["question"].rpartition("/")
    kind = question_at(place if end in PICTURES else request.path_params["question"])
    wanted = request.headers.get("accept", "").split(",")[0].split(";")[0].strip()
    return await anyio.to_thread.run_sync(
        _answered,
        kind,
        request.query_params.multi_items(),
        PICTURES.get(end, wanted),
        limiter=_places,
    )


def question_at(place: str) -> type[Question[Any]]:
    """Return the question below ``/api/v1``: ``pairs``, ``power/dataset``.

    Raises
    ------
    NotFoundError
        There is none; the message names the nearest.
    """
    name = place.strip("/").replace("/", " ")
    if name not in QUESTIONS:
        near = did_you_mean(name, list(QUESTIONS))
        raise NotFoundError(f"There is no question '{name}' here.{near} /api/v1/docs lists all.")
    return QUESTIONS[name]


def values_of_query(kind: type[Any], given: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the settings that a query states, checked; `kind` declares them and has a name.

    Raises
    ------
    StoreError
        One is unknown, missing, given twice, or has no such value.
    """
    known = {each.name: each for each in fields_of(kind)}
    values: dict[str, Any] = {}
    for name, text in given:
        if name not in known:
            raise StoreError(
                f"`{kind.name}` has no parameter `{name}`.{did_you_mean(name, list(known))}"
            )
        field = known[name]
        if field.kind == "names":
            values[name] = (*values.get(name, ()), *(names(text) or ()))
        elif name in values:
            raise StoreError(f"`{name}` is given twice.")
        else:
            values[name] = field.read(text)
    for name, field in known.items():
        if field.required and name not in values:
            raise StoreError(f"`{name}` is missing. {field.setting.help}")
        if field.kind == "names" and values.get(name) == ():
            raise StoreError(f"`{name}` names nothing. Leave it out, or give names.")
    return values


def _require_dataset(asked: Question[Any]) -> None:
    """Raise `ForbiddenError` where a token is for another dataset than what is asked about."""
    own = current_person().dataset
    if own is None:
        return
    wanted = values_of(asked).get("dataset")
    store = data.current_store()
    if not wanted or get_dataset(store, wanted).uid != get_dataset(store, own).uid:
        raise ForbiddenError(
            f"This token is for the dataset '{own}' alone: ask with dataset={own}."
        )


def _answered(kind: type[Question[Any]], given: Iterable[tuple[str, str]], wanted: str) -> Response:
    values = values_of_query(kind, given)
    asked = build(kind, {**data.defaults_of(kind, values), **values})
    _require_dataset(asked)
    study = data.ask(asked, progress=lambda _done, _total: None)
    if wanted in PICTURES.values():
        return Response(
            picture(study, wanted),
            media_type="image/svg+xml",
            headers={"Cache-Control": "no-cache"},
        )
    if wanted in REPORTS and asked.has_report:
        report = getattr(study.report(), REPORTS[wanted])()
        return PlainTextResponse(f"{report.rstrip()}\n", media_type=wanted)
    return answer(
        asked.name,
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=(*study.warnings, *asked.notes),
    )
