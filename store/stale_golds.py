"""Golds that do not follow the judgments: by which command each is made anew.

Medians, z-scores and the like are computed above the store, which knows of them only what their
signatures say.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from store.gold import MEAN_RULE, SHARE_RULE
from store.gold_metrics import SCALE_MARK
from store.models import Criterion, Dataset, Metric, Run, ScoreVector, System

RULES = {
    "mean of annotators": "mean",
    "median of annotators": "median",
    "majority of annotators": "majority",
    "mean of z-scores per annotator": "z-score",
    "likeliest label by MACE (variational Bayes)": "mace",
    "likeliest label by MACE (EM)": "mace-em",
}
"""What a signature says of a rule, and what `tiebreak gold --rule` calls it."""

_OF_PAIRS = "share of pairs won by "
_OWN_WEIGHTS = "weights "
_BOTH = "people and models"
_CERTAIN = re.compile(r"the most certain (\S+)")
_CONTROLS = re.compile(r"[\d,]+ control items?")


class StaleGold(NamedTuple):
    """A gold that was computed of what the judgments were before."""

    metric: str
    """The label."""
    uid: str
    command: str
    """What makes it anew; empty where the store cannot tell."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-safe values."""
        return self._asdict()

    def after(self, what: str) -> str:
        """Return a sentence for a person: what happened since, and what to do."""
        how = f"with `{self.command}`" if self.command else "as it was made"
        return f"'{self.metric}' was computed before {what}: compute it again {how}."


def stale_golds(
    connection: sa.Connection, criteria: Sequence[Criterion], *, by_weights: bool = False
) -> list[StaleGold]:
    """Return the golds by other rules of criteria of one dataset, which do not follow judgments.

    Parameters
    ----------
    connection
        To the store.
    criteria
        Whose judgments changed.
    by_weights
        Only the weights of errors did: golds by weights of their own stay as they are.
    """
    if not criteria:
        return []
    query = (
        sa.select(Metric.name, Metric.signature, Metric.uid, Dataset.name, Dataset.version)
        .join(ScoreVector, ScoreVector.metric_id == Metric.id)
        .join(Run, Run.id == ScoreVector.run_id)
        .join(System, System.id == Run.system_id)
        .join(Dataset, Dataset.id == Run.dataset_id)
        .where(
            Run.dataset_id == criteria[0].dataset_id,
            Run.deleted_at.is_(None),
            System.deleted_at.is_(None),
            Metric.source != "automatic",
            Metric.name.in_([row.name for row in criteria]),
        )
        .distinct()
        .order_by(Metric.name, Metric.signature)
    )
    found = []
    for name, signature, uid, dataset, version in connection.execute(query):
        source, separator, words = signature.partition(SCALE_MARK)[0].partition(": ")
        rule, *said = words.split("; ")
        if not separator or (rule in (MEAN_RULE, SHARE_RULE) and not said):
            continue
        if by_weights and any(one.startswith(_OWN_WEIGHTS) for one in said):
            continue
        place = f"{dataset}@{version}" if version else dataset
        command = _command(place, name, source, rule, said)
        found.append(StaleGold(f"{name} [{signature}]", uid, command))
    return found


def _command(dataset: str, criterion: str, source: str, rule: str, said: Sequence[str]) -> str:
    """Return the command that makes a gold; empty where its signature is not of one."""
    name = RULES.get(rule.removeprefix(_OF_PAIRS))
    if name is None:
        return ""
    words = ["tiebreak", "gold", dataset, criterion, "--rule", name]
    if source == "model" and _BOTH not in said:
        words += ["--annotators", "model"]
    for one in said:
        if one == _BOTH:
            words += ["--annotators", "all"]
        elif one.startswith(_OWN_WEIGHTS):
            words += ["--weights", one.removeprefix(_OWN_WEIGHTS).replace(", ", ",")]
        elif certain := _CERTAIN.fullmatch(one):
            words += ["--threshold", certain[1]]
        elif _CONTROLS.fullmatch(one):
            words += ["--controls", "FILE"]
        else:
            return ""
    return shlex.join(words)
