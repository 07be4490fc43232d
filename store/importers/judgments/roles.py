"""Which column of a table of judgments plays which role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.importers.columns import JUDGMENT_ROLES, ROLE_NAMES, find_roles, normal_name

BASELINES = (
    "baseline", "baseline_model", "baseline_system", "baseline_name", "reference_model",
    "reference_system", "opponent", "opponent_model", "compared_to", "compared_with", "versus",
    "vs",
)  # fmt: skip
"""What the column of the second system of a pair is called beside one that is called `system`."""


def judgment_roles(columns: Sequence[str], stated: Mapping[str, str], shown: str) -> dict[str, str]:
    """Return role -> column of a table of judgments.

    A column ``baseline`` beside ``system``, in a table of choices, is the other side of each pair.

    Raises
    ------
    ImportFormatError
        A stated role or column does not exist.
    """
    roles = find_roles(columns, stated, JUDGMENT_ROLES, shown)
    is_of_choices = not roles.keys().isdisjoint({"choice", "strength"})
    if not is_of_choices or not roles.keys().isdisjoint({"first", "second"}):
        return roles
    by_name = {normal_name(column): column for column in reversed(columns)}
    system = next((by_name[name] for name in ROLE_NAMES["system"] if name in by_name), None)
    baseline = next((by_name[name] for name in BASELINES if name in by_name), None)
    are_free = stated.keys().isdisjoint({"system", "first", "second"})
    if are_free and system is not None and baseline is not None:
        roles = {role: column for role, column in roles.items() if role != "system"}
        roles |= {"first": system, "second": baseline}
    return roles
