"""How p-values go with the number of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from analysis.choices import Seed
from analysis.columns import Column
from analysis.question import Progress, Question
from analysis.report import Report, Table
from analysis.setting import Setting
from analysis.statistics.planning.sample_size_simulation import (
    DEFAULT_SIZES,
    Distribution,
    PvaluesBySize,
    simulate_pvalues_by_size,
)
from analysis.studies.power.by_size import Test, whole_numbers
from analysis.studies.study import Study, count
from analysis.studies.test_names import IN_WORDS, in_public_words, to_statistics
from store.engine import Store
from store.errors import StoreError


@dataclass(frozen=True, slots=True, eq=False)
class PvaluesStudy(Study):
    """The p-values of repeated comparisons."""

    result: PvaluesBySize

    def report(self) -> Report:
        """Return the range of the p-values by number of items."""
        found = self.result
        rows = [
            [int(size), *map(float, pvalues)]
            for size, *pvalues in zip(found.sizes, found.low, found.mean, found.high, strict=True)
        ]
        ends = (Column(title, "pvalue") for title in ("smallest", "mean", "largest"))
        return Report(
            title="P-values by number of items",
            sentences=(self.sentence,),
            tables=(Table(("items", *ends), rows, caption="P-values"),),
            signature=self.signature,
            warnings=self.warnings,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the simulation's values, and the sentence."""
        return self.result.to_dict() | {"sentence": self.sentence}


@dataclass(frozen=True)
class SimulatedPvalues(Question[PvaluesStudy]):
    """Repeat figure 5 of NLPStatTest: p-values against the number of items."""

    name: ClassVar[str] = "simulate pvalues"
    needs_store: ClassVar[bool] = False

    distribution: Annotated[Distribution, Setting("Of the items' scores.")]
    different: Annotated[
        bool, Setting("Whether the first system is better.", flags="--different/--same")
    ] = True
    test: Annotated[Literal["auto", Test], Setting("auto: t for normal, wilcoxon for beta.")] = (
        "auto"
    )
    sizes: Annotated[
        str | None, Setting("Numbers of items, separated by commas; by default 30 to 25,000.")
    ] = None
    iterations: Annotated[int, Setting("Simulated comparisons per size.", low=1, high=100_000)] = 20
    seed: Seed = 0

    def answer(self, store: Store, progress: Progress | None = None) -> PvaluesStudy:
        """Return the simulation.

        Raises
        ------
        StoreError
            A number is out of range.
        """
        try:
            found = simulate_pvalues_by_size(
                self.distribution,
                different=self.different,
                test=None if self.test == "auto" else to_statistics(self.test),
                n_iterations=self.iterations,
                rng=self.seed,
                sizes=DEFAULT_SIZES if self.sizes is None else whole_numbers(self.sizes),
            )
        except ValueError as error:
            raise StoreError(in_public_words(str(error))) from error
        n, last = int(found.sizes[-1]), found.pvalue[-1]
        systems = "two systems that differ" if self.different else "two systems that are the same"
        return PvaluesStudy(
            sentence=(
                f"Of {systems}, with {self.distribution} scores, the {IN_WORDS[found.test]} gives "
                f"p below 0.05 in {int((last < 0.05).sum()):,} of "
                f"{count(last.size, 'comparison')} with {count(n, 'item')}."
            ),
            signature=found.signature,
            warnings=(),
            store_revision=0,
            result=found,
        )
