"""What may be expected on a new dataset, in sentences."""

from __future__ import annotations

import math

from analysis import numbers
from analysis.studies.dependence import count_as_one, sample_notes
from analysis.studies.dependent_datasets import DatasetSample
from analysis.studies.replicability_result import ReplicabilityResult
from analysis.studies.study import count


def new_datasets_notes(sample: DatasetSample) -> list[str]:
    """Say what the datasets are as a sample of datasets, where they are fewer than they look."""
    if sample.is_whole:
        return []
    n_datasets = count(len(sample.own), "dataset")
    if len(sample.blocks) == 1:
        why = count_as_one(n_datasets, sample.relations, sample.dependent)
        return [f"A new dataset cannot be judged: {why}."]
    notes = sample_notes(
        sample.relations, sample.dependent, len(sample.blocks), is_known=sample.is_known
    )
    return [f"On a new dataset: {note}" for note in notes]


def new_datasets_in_words(study: ReplicabilityResult) -> list[str]:
    """Say, sentence by sentence, what the datasets as a sample tell about others like them."""
    found = study.new_datasets
    if found is None:
        return []
    over, a, b = found.over_datasets, study.system_a, study.system_b
    ties = f", {count(over.ties, 'tie')}" if over.ties else ""
    lines = [
        f"{a} scores better on {over.wins} and {b} on {over.losses} of "
        f"{count(over.n_datasets, 'dataset')}{ties}: Wilcoxon over datasets "
        f"p {numbers.relation(over.pvalue_wilcoxon)}, t {numbers.relation(over.pvalue_t)}, "
        f"sign test {numbers.relation(over.pvalue_sign)}."
    ]
    effects = found.random_effects
    if effects is not None and math.isfinite(effects.ci.low):
        places = numbers.decimals(half_width=(effects.ci.high - effects.ci.low) / 2)
        line = (
            f"On datasets of this kind the difference is "
            f"{numbers.fixed(effects.mean, places, signed=True)} on average "
            f"({numbers.interval(effects.ci.low, effects.ci.high, signed=True)})"
        )
        new = effects.prediction_interval
        if math.isfinite(new.low):
            line += f"; on a new one {numbers.interval(new.low, new.high, signed=True)}"
        lines.append(
            f"{line}, at {numbers.confidence(study.alpha)} confidence; higher is better for {a}."
        )
        if effects.n_without_error:
            lines.append(
                f"On {count(effects.n_without_error, 'dataset')} all items differ by the same "
                "amount, or nearly so beside the others, which says nothing of their error: they "
                "are given that of the others."
            )
    bayesian = found.bayesian
    line = (
        f"Probability over datasets (Bayesian signed-rank): {a} better "
        f"{numbers.probability(bayesian.probability_right)}, {b} better "
        f"{numbers.probability(bayesian.probability_left)}"
    )
    if found.margin:
        within = numbers.probability(bayesian.probability_rope)
        line += f", less than {found.margin:g} either way {within}"
    lines.append(line + ".")
    return lines
