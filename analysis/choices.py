"""Settings that several questions share. See `analysis.setting`."""

from __future__ import annotations

import math
from typing import Annotated, Final

from analysis import glossary
from analysis.setting import Setting
from analysis.statistics.description.evaluation_units import UnitStatistic
from store import kept_settings

MOST_DRAWS: Final = 10_000_000
"""More would change no digit that matters."""

LEVELS: Final = (0.05, 0.01, 0.1, 0.001)
"""Levels that pages list, the usual one first."""

DatasetName = Annotated[str, Setting("Name, name@version or uid.", label="Dataset")]
CommonMetric = Annotated[
    str | None, Setting("By default the one on most datasets.", label="Metric")
]
DatasetNames = Annotated[
    tuple[str, ...] | None,
    Setting("Names, separated by commas; by default all.", label="Datasets"),
]
MetricName = Annotated[str | None, Setting("By default the one most used.", label="Metric")]
SystemName = Annotated[str, Setting("Name, alias or uid.", label="System")]
SystemNames = Annotated[
    tuple[str, ...] | None,
    Setting("Names, separated by commas; by default all.", label="Systems"),
]

Level = Annotated[
    float,
    Setting(
        "Bound on the probability of a false claim.",
        label="α",
        low=0,
        high=1,
        open_ends=True,
        offered=LEVELS,
        main=True,
    ),
]
MARGIN: Final = Setting(
    glossary.help("margin"),
    label="Margin",
    low=0.0,
    high=math.inf,
    open_ends=True,
)
Margin = Annotated[float | None, MARGIN]
DRAWS: Final = Setting(
    "Resamples, where no exact way is short.",
    label="Resamples",
    low=1,
    high=MOST_DRAWS,
    offered=(9_999, 999, 99_999),
    formerly="resamples",
)
Draws = Annotated[int, DRAWS]
ItemDraws = Annotated[
    int, DRAWS.but("Bootstrap draws of the items of each dataset.", offered=(1_999, 199, 9_999))
]
Seed = Annotated[int, Setting("Seed of all random draws; 0 is a seed.", low=0)]

Clusters = Annotated[
    bool | None,
    Setting(
        "Whether groups of items are the units; by default where they join items.",
        label="Units",
        words={"auto": "as the dataset says", "no": "items", "yes": "groups"},
        flags="--clusters/--no-clusters",
        formerly="units",
    ),
]
UnitSize = Annotated[int, Setting("Items per evaluation unit.", label="Items per unit", low=1)]
UnitScore = Annotated[
    UnitStatistic,
    Setting("Score of an evaluation unit.", label="Score of an evaluation unit"),
]
ShuffleSeed = Annotated[
    int | None,
    Setting(
        "Shuffle items by this seed before cutting units.",
        label="Seed of the shuffle before units are cut",
        low=0,
    ),
]

Failures = Annotated[
    kept_settings.Failures | None,
    Setting(
        "What attempts that failed count as; by default as the dataset says.",
        label="Failed attempts",
        words={
            "auto": "as the dataset says",
            "source": "as the source scores them",
            "missing": "missing",
            "wrong": "wrong",
        },
    ),
]

POWER: Final = Setting(
    glossary.help("power"),
    label="Power",
    low=0,
    high=1,
    open_ends=True,
    offered=(0.8, 0.9, 0.95, 0.5),
    formerly="target",
    main=True,
)
Power = Annotated[float, POWER]
