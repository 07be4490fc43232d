"""What a reader can choose about a plan: what is measured, what is looked for, its numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import streamlit as st

from analysis.question import Question
from analysis.studies.power.planned import (
    AccuracyGap,
    AccuracyItems,
    AccuracyPower,
    CorpusPlan,
    DifferencePlan,
    RatingsPlan,
)
from analysis.studies.power.plans import PowerPlan
from analysis.studies.power.plans_accuracy import AGREEMENTS
from analysis.studies.power.preferences import PreferencesPlan
from analysis.studies.power.ratings_file import FittedRatings, fit_ratings_file
from dashboard import address
from dashboard.ui import ask, filters
from store.importers.guard import files_up_to
from store.scratch import scratch_folder


class _Kind(NamedTuple):
    """One kind of measurement."""

    words: str
    questions: dict[str, type[Question[PowerPlan]]]
    """By what is looked for."""
    found: dict[str, str]
    """By what is looked for: the setting that it leaves open."""
    first: dict[str, Any]
    """What the page begins with."""


LOOKED_FOR: Final = {
    "power": "power",
    "mde": "smallest difference",
    "n": "items needed",
    "workers": "workers needed",
}
KINDS: Final = {
    "accuracy": _Kind(
        "accuracy",
        {"power": AccuracyPower, "mde": AccuracyGap, "n": AccuracyItems},
        {"power": "power", "mde": "gap", "n": "n"},
        {"n": 500, "accuracy": 0.8, "gap": 0.02, "power": 0.8, "variant": "score"},
    ),
    "t": _Kind(
        "any metric",
        dict.fromkeys(("power", "mde", "n"), DifferencePlan),
        {"power": "power", "mde": "mean", "n": "n"},
        {"n": 500, "mean": 0.02, "sd": 0.25, "power": 0.8},
    ),
    "bleu": _Kind(
        "BLEU",
        dict.fromkeys(("power", "mde", "n"), CorpusPlan),
        {"power": "power", "mde": "delta", "n": "n"},
        {"n": 2_000, "delta": 1.0, "power": 0.8},
    ),
    "ratings": _Kind(
        "human ratings",
        dict.fromkeys(LOOKED_FOR, RatingsPlan),
        {"power": "power", "mde": "effect", "n": "items", "workers": "workers"},
        {"workers": 10, "items": 100, "effect": 0.2, "power": 0.8},
    ),
    "preferences": _Kind(
        "votes for one of two",
        dict.fromkeys(("power", "mde", "n"), PreferencesPlan),
        {"power": "power", "mde": "preferred", "n": "n"},
        {"n": 200, "preferred": 0.6, "power": 0.8},
    ),
}
_SHARES: Final = ("0.7", "0.8", "0.9", "0.95")
_MOST_MB: Final = 20
"""Of a file of ratings, packed and unpacked."""
_BEFORE: Final = "plan_"
"""With which parameters of earlier releases began; those below counted in percent."""
_IN_PERCENT: Final = ("accuracy", "gap", "power", "share")


def choose() -> tuple[Question[PowerPlan], dict[str, str]]:
    """Draw the choices; return what they ask, and the parameters that say which kind it is."""
    _renew()
    with st.container(horizontal=True, gap="small"):
        kind = filters.choose_part(
            "What is measured",
            list(KINDS),
            key="plan",
            name=lambda one: KINDS[one].words,
            is_labelled=True,
        )
        about = KINDS[kind]
        wanted = filters.choose_part(
            "What is looked for",
            list(about.questions),
            key="plan_for",
            name=LOOKED_FOR.__getitem__,
            is_labelled=True,
        )
    shares = [*_SHARES, *(s for s in address.values("agreement") if _is_share(s, _SHARES))]
    with filters.filter_row("plan_filters"):
        question = ask.choose(
            about.questions[wanted],
            {},
            among={"agreement": [*AGREEMENTS, *shares]} if kind == "accuracy" else None,
            hidden=(about.found[wanted],),
            first=about.first,
        )
    if isinstance(question, RatingsPlan) and (fitted := _upload()):
        question = replace(question, fitted=fitted)
    return question, {"plan": kind, "plan_for": wanted}


def _is_share(text: str, known: tuple[str, ...]) -> bool:
    try:
        return text not in known and 0 <= float(text) <= 1
    except ValueError:
        return False


def _renew() -> None:
    """Replace an address of an earlier release, which had other names, and percent for shares."""
    old = {n: address.value(n) or "" for n in st.query_params if n.startswith(_BEFORE)}
    old.pop("plan_for", None)
    if not old:
        return
    by_words = {words: name for name, words in AGREEMENTS.items()}
    new = {n: address.value(n) for n in st.query_params if n not in old}
    for name, text in ((n.removeprefix(_BEFORE), text) for n, text in old.items()):
        if name == "agreement":
            new[name] = by_words.get(text, new.get(name))
        elif name == "test":
            new["published"] = "yes" if text == "published" else "no"
        elif name == "variance":
            new[name] = text if text in ("high", "low") else None
        else:
            told = {"share": "agreement", "each": "ratings_per_item"}.get(name, name)
            new[told] = _as_share(text) if name in _IN_PERCENT else text
    address.redirect("", {name: text for name, text in new.items() if text})
    st.stop()


def _as_share(percent: str) -> str:
    try:
        return f"{float(percent) / 100:.12g}"
    except ValueError:
        return percent  # told by the widget


def _upload() -> FittedRatings | None:
    found = st.file_uploader(
        "Ratings of your own, instead of the published variance: worker, item, system, rating",
        type=["csv", "tsv", "jsonl", "parquet"],
        max_upload_size=_MOST_MB,
        help="One rating in each line, of two systems. Nothing is stored.",
    )
    return None if found is None else _fitted(found.name, found.getvalue())


@st.cache_resource(max_entries=8, show_spinner=False)
def _fitted(name: str, content: bytes) -> FittedRatings:
    with scratch_folder() as folder:
        path = folder / Path(name).name
        path.write_bytes(content)
        with files_up_to(_MOST_MB * 1_000_000, "Use `tiebreak power ratings` instead."):
            return fit_ratings_file(path, shown=name)
