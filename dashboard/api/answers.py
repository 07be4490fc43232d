"""Every answer of the API: what the command says, with what is damaged in the store of now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from dashboard import data
from store.console import envelope, json_of


def answer(
    command: str,
    result: dict[str, Any],
    *,
    store_revision: int,
    signature: str,
    warnings: Sequence[str] = (),
) -> Response:
    """Return an answer in the envelope of commands, as JSON."""
    said = envelope(
        command,
        result,
        store_revision=store_revision,
        signature=signature,
        warnings=[*warnings, *map(str, data.damage_seen())],
    )
    return Response(json_of(said), media_type="application/json")
