"""What a command can be about."""

from enum import StrEnum


class Target(StrEnum):
    """What can be tagged, noted on, deleted."""

    system = "system"
    dataset = "dataset"
    run = "run"
