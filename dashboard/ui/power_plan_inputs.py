"""What a reader can choose about a plan: one row of numbers for each kind of measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import streamlit as st

from analysis.choices import LEVELS
from analysis.statistics import Alternative
from analysis.studies.power.plans_accuracy import AGREEMENTS
from dashboard.ui import filters

Kind = Literal["accuracy", "t", "bleu", "ratings"]
Parameters = dict[str, str | None]
Settings = dict[str, Any]

KINDS: Final[dict[str, Kind]] = {
    "accuracy": "accuracy",
    "any metric": "t",
    "BLEU": "bleu",
    "human ratings": "ratings",
}
POWER, SMALLEST, ITEMS, WORKERS = "power", "smallest difference", "items needed", "workers needed"
ALTERNATIVES: Final[tuple[Alternative, ...]] = ("two-sided", "greater", "less")
UNKNOWN: Final = "not known"
SHARE: Final = "a share"
BOTH: Final = "high and low"
FILE: Final = "from a file"
MOST_MB: Final = 20
"""Of a file of ratings, packed and unpacked."""
_WIDTH: Final = 135
_SLACK: Final = 1e-9


class Asked(NamedTuple):
    """What is asked of a study, and the URL parameters that ask for it."""

    kind: Kind
    settings: Settings
    parameters: Parameters
    problem: str = ""
    """Why the choices do not go together; empty where they do."""


def ask() -> Asked:
    """Draw the choices."""
    label = _one_of("What is measured", list(KINDS), "plan")
    kind = KINDS[label]
    choices = [POWER, SMALLEST, ITEMS, *([WORKERS] if kind == "ratings" else [])]
    looked_for = _one_of("What is looked for", choices, "plan_for")
    given: Parameters = {"plan": label, "plan_for": looked_for}
    ask_kind: dict[Kind, Callable[[str, Parameters], Settings]] = {
        "accuracy": _ask_accuracy,
        "t": _ask_t,
        "bleu": _ask_bleu,
        "ratings": _ask_ratings,
    }
    with filters.filter_row("plan_numbers"):
        settings = ask_kind[kind](looked_for, given)
        settings |= _ask_common(looked_for, given)
    problem = _beyond_accuracies(settings) if kind == "accuracy" else ""
    return Asked(kind, settings, given, problem)


def _beyond_accuracies(settings: Settings) -> str:
    """Say in percent what the study would say in shares."""
    accuracy, gap = settings["accuracy"], settings["gap"] or 0.0
    if -_SLACK <= accuracy + gap <= 1 + _SLACK:
        return ""
    return (
        f"A gap of {100 * gap:g} points takes the accuracy from {100 * accuracy:g} % to "
        f"{100 * (accuracy + gap):g} %. Choose one that leaves it between 0 % and 100 %."
    )


def _one_of(label: str, options: list[str], key: str) -> str:
    return filters.choose_part(label, options, key=key, is_labelled=True)


def _number(
    given: Parameters,
    key: str,
    label: str,
    default: float | None,
    *,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    help: str | None = None,
    whole: bool = False,
) -> float | None:
    """Ask for a number and note it down for the link."""
    value = filters.choose_number(
        label,
        key=key,
        default=default,
        least=low,
        most=high,
        step=step,
        is_whole=whole,
        help=help,
        width=_WIDTH,
    )
    given[key] = None if value is None else f"{value:.10g}"
    return value


def _whole(given: Parameters, key: str, label: str, default: int, **more: Any) -> int:
    low = more.pop("low", 2)
    return int(_number(given, key, label, default, low=low, whole=True, **more) or default)


def _ask_common(looked_for: str, given: Parameters) -> Settings:
    power = None
    if looked_for != POWER:
        percent = filters.choose_percent("Power", 50, 99, 80, key="plan_power", width=_WIDTH)
        power, given["plan_power"] = percent / 100, str(percent)
    with st.popover("Level"):
        alpha = filters.choose_one("α", LEVELS, key="plan_alpha") or LEVELS[0]
        alternative = filters.choose_one("Test", ALTERNATIVES, key="plan_alternative")
    given |= {"plan_alpha": f"{alpha:g}", "plan_alternative": alternative}
    return {"power": power, "alpha": alpha, "alternative": alternative or "two-sided"}


def _ask_accuracy(looked_for: str, given: Parameters) -> Settings:
    n = gap = None
    if looked_for != ITEMS:
        n = _whole(given, "plan_n", "Items", 500, low=1, step=50)
    percent = filters.choose_percent(
        "Accuracy of the baseline", 0.0, 100.0, 80.0, key="plan_accuracy", width=190
    )
    given["plan_accuracy"] = f"{percent:g}"
    if looked_for != SMALLEST:
        gap = _number(given, "plan_gap", "Gap, points", 2.0, low=-100, high=100, step=0.5)
    agreement: Any = filters.choose_one(
        "Agreement",
        [UNKNOWN, *AGREEMENTS.values(), SHARE],
        key="plan_agreement",
        width=190,
        help="Share of items that both systems get right or both wrong. Where it is not known, "
        "the whole range is shown.",
    )
    given["plan_agreement"] = agreement
    by_name = {name: key for key, name in AGREEMENTS.items()}
    agreement = by_name.get(agreement, None if agreement != SHARE else SHARE)
    if agreement == SHARE:
        share = _number(given, "plan_share", "Agreement, %", 90.0, low=0, high=100, step=1)
        agreement = _shared(share or 0.0)
    return {
        "n": n,
        "accuracy": _shared(percent),
        "gap": None if gap is None else _shared(gap),
        "agreement": agreement,
    }


def _shared(percent: float) -> float:
    """Return a percentage as the share that a person would write."""
    return float(f"{percent / 100:.12g}")


def _ask_t(looked_for: str, given: Parameters) -> Settings:
    n = mean = None
    if looked_for != ITEMS:
        n = _whole(given, "plan_n", "Items", 500, step=50)
    if looked_for != SMALLEST:
        mean = _number(given, "plan_mean", "Mean difference", 0.02)
    sd = _number(
        given,
        "plan_sd",
        "Standard deviation",
        0.25,
        low=0,
        help="Of the differences per item, not of the scores.",
    )
    return {
        "n": n,
        "mean": mean,
        "sd": sd,
    }


def _ask_bleu(looked_for: str, given: Parameters) -> Settings:
    n = delta = None
    if looked_for != ITEMS:
        n = _whole(given, "plan_n", "Items", 2_000, step=100)
    if looked_for != SMALLEST:
        delta = _number(given, "plan_delta", "Difference, BLEU", 1.0, step=0.1)
    p0 = _number(
        given,
        "plan_p0",
        "P0",
        None,
        low=0,
        high=1,
        help="Share of items whose exchange changes nothing. Empty: the published values.",
    )
    b0 = _number(
        given,
        "plan_b0",
        "b0",
        None,
        low=0,
        help="Laplace scale of the other items' effects, times the number of items.",
    )
    return {
        "n": n,
        "delta": delta,
        "p0": p0,
        "b0": b0,
    }


def _ask_ratings(looked_for: str, given: Parameters) -> Settings:
    workers = items = effect = None
    if looked_for != WORKERS:
        workers = _whole(given, "plan_workers", "Workers", 10)
    if looked_for != ITEMS:
        items = _whole(given, "plan_items", "Items", 100, step=10)
    if looked_for != SMALLEST:
        effect = _number(given, "plan_effect", "Difference", 0.2, help="Of the systems' means.")
    each = _whole(given, "plan_each", "Ratings each", 1, low=1)
    options = [BOTH, "high", "low", FILE]
    variance = filters.choose_one("Variance", options, key="plan_variance", width=140)
    test = filters.choose_one("Critical value", ["calibrated", "published"], key="plan_test")
    given |= {"plan_variance": variance, "plan_test": test}
    ratings = _upload() if variance == FILE else None
    if variance == FILE and ratings is None:
        st.caption("Until a file is here, this is what the published studies give.")
    return {
        "workers": workers,
        "items": items,
        "effect": effect,
        "variance": variance if variance in ("high", "low") else None,
        "ratings": ratings,
        "ratings_per_item": each,
        "published": test == "published",
    }


def _upload() -> tuple[str, bytes] | None:
    found = st.file_uploader(
        "Ratings: worker, item, system, rating",
        type=["csv", "tsv", "jsonl", "parquet"],
        max_upload_size=MOST_MB,
        help="One rating in each line, of two systems. Nothing is stored.",
    )
    return None if found is None else (found.name, found.getvalue())
