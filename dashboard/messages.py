"""What a page may say to its server at once: within limits, or it is answered with what was wrong.

A page speaks in messages with the values of all of its widgets. One beyond a limit is not acted on:
the server is asked instead for the page that says so (`page_of_refusal`).
"""

from __future__ import annotations

import math
from typing import Any, Final

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf has no types
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg

TOO_MUCH: Final = "too_much"
"""The parameter of the page that says which limit was passed."""
MOST_BYTES: Final = 12_000_000
"""Of a message: 10 MB of pasted scores, and all else on the page."""
MOST_QUERY: Final = 60_000
"""Characters of an address: a browser could not come back by a longer one."""
MOST_WIDGETS: Final = 5_000
MOST_TEXT: Final = 100_000
"""Characters of a text that is typed."""
MOST_CHOSEN: Final = 20_000
"""Of one widget: ticked rows, chosen options, numbers."""
MOST_JSON: Final = 100_000
"""Characters of what a table or picture says."""
DEEPEST: Final = 50
"""Lists within lists of that."""
PASTED: Final = "pasted"
"""Key of the one widget that takes a text up to the limit of the message."""

WORDS: Final = {
    "message": f"The page sent more than {MOST_BYTES // 1_000_000} MB at once. Larger data go in "
    "as files, on Import or by `tiebreak ingest`.",
    "query": f"The address has more than {MOST_QUERY:,} characters. Choose fewer values, or use a "
    "shorter search.",
    "widgets": f"The page sent the values of more than {MOST_WIDGETS:,} fields at once.",
    "text": f"A text has more than {MOST_TEXT:,} characters. Shorten it.",
    "chosen": f"More than {MOST_CHOSEN:,} rows or values are chosen in one place. Choose fewer.",
    "json": "A table or picture sent more than a server takes. Load the page anew.",
    "number": "A number in a field is none: infinity, or not a number. Correct it.",
}
"""What passed its limit -> what to say."""

MOST_HELD: Final = 1_000_000_000
"""Bytes of uploads that a server holds in memory, of all pages that are open."""
_UPLOAD: Final = "/_stcore/upload_file/"


def no_room(method: str, path: str) -> str:
    """Return what to say to an upload for which no memory is left; "" where there is some."""
    if method not in ("PUT", "POST") or _UPLOAD not in path or not runtime.exists():
        return ""
    stats: dict[str, Any] = dict(runtime.get_instance().uploaded_file_mgr.get_stats())
    held = sum(one.byte_length for family in stats.values() for one in family)
    if held < MOST_HELD:
        return ""
    return (
        f"The server holds {held // 1_000_000:,} MB of uploads already. Close pages that are done, "
        "or import with `tiebreak ingest`."
    )


def passed(said: bytes) -> str:
    """Return which limit a message passes, one of `WORDS`; "" where it is within all."""
    if len(said) > MOST_BYTES:
        return "message"
    try:
        message = BackMsg.FromString(said)
    except DecodeError:
        return ""  # Streamlit closes the page
    state = message.rerun_script
    if len(state.query_string) > MOST_QUERY:
        return "query"
    widgets = state.widget_states.widgets
    if len(widgets) > MOST_WIDGETS:
        return "widgets"
    return next((wrong for one in widgets if (wrong := _passed_by(one))), "")


def _passed_by(widget: Any) -> str:
    kind = widget.WhichOneof("value")
    if kind is None:
        return ""
    value = getattr(widget, kind)
    if kind in ("json_value", "json_trigger_value"):
        return "json" if _is_odd_json(value) else ""
    if kind in ("arrow_value", "bytes_value"):  # no page has a widget with these
        return "json"
    if kind == "double_value":
        return "" if math.isfinite(value) else "number"
    if kind.endswith("_array_value"):
        values = value.data
        if len(values) > MOST_CHOSEN:
            return "chosen"
        if kind == "double_array_value":
            return "" if all(map(math.isfinite, values)) else "number"
        texts = values if kind == "string_array_value" else ()
        return "text" if sum(map(len, texts)) > MOST_BYTES // 4 else ""
    text = value if kind == "string_value" else getattr(value, "data", "")
    is_long = isinstance(text, str) and len(text) > MOST_TEXT
    return "text" if is_long and not widget.id.endswith(f"-{PASTED}") else ""


def _is_odd_json(text: str) -> bool:
    if len(text) > MOST_JSON:
        return True
    depth = 0
    for sign in text:
        depth += (sign in "[{") - (sign in "]}")
        if depth > DEEPEST:
            return True
    return False


def page_of_refusal(said: bytes, limit: str) -> bytes:
    """Return the message to hand on in place of one that passes a limit: ask for the page of words.

    The page stays where it is, unless the message is too large even to be read.
    """
    asked = BackMsg()
    asked.rerun_script.query_string = f"{TOO_MUCH}={limit}"
    if len(said) <= MOST_BYTES:
        before = BackMsg.FromString(said).rerun_script
        asked.rerun_script.page_script_hash = before.page_script_hash
        asked.rerun_script.page_name = before.page_name
    told: bytes = asked.SerializeToString()
    return told
