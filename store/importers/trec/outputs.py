"""What trec_eval printed: measures of each topic, and over all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from store.errors import NoResultsError
from store.importers.bundle import (
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    Guess,
    ImportBundle,
    ReadOptions,
)
from store.importers.places import folder_name
from store.importers.settings import load_settings
from store.importers.trec.lines import kind_of, read_output
from store.importers.trec.names import stem_of

NAME = "trec_eval"
DESCRIPTION = "what trec_eval printed: measures over all topics, and of each (-q)"
_ALL = "all"
_COUNTS = re.compile(r"num_.+|relstring|runid|.*(zscore|utility).*")


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is output of trec_eval."""
    return kind_of(path) == "output"


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the measures: of topics as scores of items, over all topics as stated figures.

    Raises
    ------
    ImportFormatError
        A line is no measure, topic and value.
    NoResultsError
        Nothing but counts is printed.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    output = read_output(path, settings.shown)
    over_all = output.values.get(_ALL, {})
    measures = [
        measure
        for measure in dict.fromkeys(m for found in output.values.values() for m in found)
        if not _COUNTS.fullmatch(measure)
    ]
    if not measures:
        raise NoResultsError("trec_eval printed nothing but counts.", path=settings.shown)
    topics = [topic for topic in output.values if topic != _ALL]
    name = settings.dataset or folder_name(path)
    system = settings.canonical(settings.system or output.run or stem_of(path))
    scores = []
    for number, measure in enumerate(measures):
        column = [output.values[topic].get(measure, np.nan) for topic in topics]
        if not np.isnan(column).all():
            scores.append(BundleScores(number, np.array(column)[:, np.newaxis]))
    n_topics = int(over_all.get("num_q", 0)) or None
    runs = [BundleRun(system, 0, settings.run_label or "", scores)] if scores else []
    reported = [
        BundleReportedScore(
            system, 0, number, over_all[measure], None, n_topics, None, settings.shown
        )
        for number, measure in enumerate(measures)
        if measure in over_all
    ]
    guesses = []
    if settings.dataset is None:
        guesses.append(Guess("dataset", name, "the name of the folder"))
    if settings.system is None:
        because = "the runid that trec_eval printed" if output.run else "the name of the file"
        guesses.append(Guess("system", system, because))
    return ImportBundle(
        NAME,
        settings.files(output.sha256),
        [settings.dataset_of(name, tuple(map(BundleItem, topics)))],
        [BundleMetric(measure, higher_is_better=True, lower=0.0) for measure in measures],
        runs,
        reported,
        understood=[f"{len(measures)} measures of {len(topics)} topics; counts are not read."],
        guesses=guesses,
    )
