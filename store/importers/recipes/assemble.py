"""From the records of a file to datasets, runs, scores and reported figures."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    Guess,
    ImportBundle,
    LeftOut,
    Provenance,
    RowProblems,
    SourceFile,
    Status,
)
from store.importers.identity import ROLES, Identity, identity_of
from store.importers.kinds import FAILED
from store.importers.recipes.held import HeldDataset, HeldRun
from store.importers.recipes.paths import Place, as_words, getter, says_something
from store.importers.recipes.recipe import MetricRule, Recipe, ReportedRule
from store.importers.recipes.values import (
    are_alike,
    direction_at,
    finite_or_none,
    is_among,
    is_property,
    moment_of,
    number_of,
)
from store.importers.settings import Settings


class Assembler:
    """Takes records one by one; `bundle` returns what they amount to."""

    def __init__(
        self, recipe: Recipe, settings: Settings, problems: RowProblems, *, with_text: bool
    ) -> None:
        self.recipe = recipe
        self.settings = settings
        self.problems = problems
        self.with_text = with_text
        self._datasets: dict[tuple[str, str], HeldDataset] = {}
        self._metrics: dict[tuple[str, str], BundleMetric] = {}
        self._runs: dict[tuple[Identity, int, str], HeldRun] = {}
        self._reported: list[tuple[Identity, BundleReportedScore]] = []
        self._guesses: dict[tuple[str, str], str] = {}
        self._no_numbers: dict[str, int] = {}
        self._n_left_out = 0
        self._fields = {role: getter(path) for role, path in recipe.fields.items()}
        self._n_repeated = 0
        self._rules = [(rule, getter(rule.value), getter(rule.name)) for rule in recipe.metrics]
        self._properties = {name: getter(path) for name, path in recipe.properties.items()}

    def add(self, place: Place, line: int | None) -> None:
        """Add a record: an item of a run with its scores."""
        if not self._is_wanted(place):
            self._n_left_out += 1
            return
        key = as_words(self._value("item", place))
        if key is None:
            self.problems.report(self.settings.shown, line, "item", "the record names no item.")
            return
        run = self._run(place)
        dataset = list(self._datasets.values())[run.dataset]
        position = dataset.position.setdefault(key, len(dataset.position))
        if position == len(dataset.facts):
            dataset.facts.append({})
        self._learn(dataset.facts[position], place, key, line)
        trial = self._trial(run, position, place)
        status, counts = self._status(place)
        is_repeat = position in run.statuses.setdefault(trial, {})
        before = run.statuses[trial].setdefault(position, status)
        scores = self._scores(place, counts=counts)
        known = {
            metric: values[trial][position]
            for metric, values in run.scores.items()
            if position in values.get(trial, {})
        }
        if is_repeat:
            if before is not status or not are_alike(known, scores):
                reason = f"the item '{key}' of '{run.identity.name()}' comes twice, not alike."
                self.problems.report(self.settings.shown, line, "item", reason)
            else:
                self._n_repeated += 1
            return
        for metric, number in scores.items():
            run.scores.setdefault(metric, {}).setdefault(trial, {})[position] = number
        output = as_words(self._value("output", place)) if self.with_text else None
        if output is not None:
            run.outputs.setdefault(trial, {})[position] = output

    def report(self, rule: ReportedRule, place: Place) -> None:
        """Add a stated aggregate."""
        name = as_words(getter(rule.metric)(place))
        if name is None or not is_among(name, rule.only, rule.without):
            return
        value = number_of(getter(rule.value)(place), rule.values)
        if value is None or math.isnan(value):
            return
        better = direction_at(rule.higher_is_better, place)
        identity, dataset = self._identity(place, rule.fields), self._dataset(place, rule.fields)
        signature = as_words(getter(rule.signature)(place)) if rule.signature else ""
        lower, upper, stderr, n_items = (
            finite_or_none(getter(one)(place)) if one else None
            for one in (rule.lower, rule.upper, rule.stderr, rule.n_items)
        )
        metric = self._metric(name, signature or "", better, lower, upper, rule)
        provenance = self._provenance(place)
        if "run" in self._fields:
            self._run_of(identity, dataset, place)
        self._reported.append(
            (
                identity,
                BundleReportedScore(
                    "",
                    dataset,
                    metric,
                    value,
                    None if stderr is None or stderr < 0 else stderr,
                    int(n_items) if n_items is not None and n_items >= 1 else None,
                    self.settings.reported_on or provenance.evaluated_on,
                    self.settings.mapping.source or self.settings.path.name,
                    self.settings.mapping.source_url,
                    printed=repr(value),
                ),
            )
        )

    def bundle(self, files: Sequence[SourceFile], left_out: Sequence[LeftOut]) -> ImportBundle:
        """Return everything as a bundle."""
        models: dict[str, set[str]] = {}
        for identity in [run.identity for run in self._runs.values()] + [
            one for one, _ in self._reported
        ]:
            models.setdefault(identity.model, set()).add(identity.revision)

        def name_of(identity: Identity) -> str:
            several = len(models[identity.model]) > 1
            return self.settings.canonical(identity.name(has_several=several))

        datasets = list(self._datasets.values())
        runs = [
            run.built(name_of(run.identity), len(datasets[run.dataset].position))
            for run in self._runs.values()
        ]
        identities = {
            name_of(one): one.stated
            for one in dict.fromkeys(
                [run.identity for run in self._runs.values()] + [one for one, _ in self._reported]
            )
            if one.stated
        }
        mapping = self.settings.mapping
        return ImportBundle(
            self.recipe.name,
            [*files, *([mapping.source_file] if mapping.source_file else [])],
            [one.built(self.settings, with_text=self.with_text) for one in datasets],
            list(self._metrics.values()),
            runs,
            [self._with_run(score, name_of(identity), runs) for identity, score in self._reported],
            overlaps=mapping.overlaps,
            identities=identities,
            aliases=mapping.aliases,
            skipped=self.problems.raise_if_any(),
            understood=self._told(),
            guesses=[
                Guess(role, value, because) for (role, value), because in self._guesses.items()
            ],
            left_out=left_out,
        )

    @property
    def is_empty(self) -> bool:
        """Whether no record and no aggregate brought a number, and no attempt failed."""
        return not self._reported and not any(
            math.isfinite(value) or any(one.get(item) in FAILED for one in run.statuses.values())
            for run in self._runs.values()
            for by_trial in run.scores.values()
            for values in by_trial.values()
            for item, value in values.items()
        )

    def _told(self) -> list[str]:
        told = []
        if self._n_left_out:
            told.append(f"{self._n_left_out:,} records are left out, as the recipe says.")
        if self._n_repeated:
            told.append(f"{self._n_repeated:,} records stand twice and alike; each counts once.")
        if self._no_numbers:
            names = ", ".join(f"{name} ({n:,})" for name, n in self._no_numbers.items())
            told.append(f"Values that are no numbers are no scores: {names}.")
        return told

    def _value(self, role: str, place: Place) -> Any:
        found = self._fields.get(role)
        return None if found is None else found(place)

    def _is_wanted(self, place: Place) -> bool:
        recipe = self.recipe
        return all(
            is_among(as_words(getter(path)(place)) or "", patterns, ())
            for path, patterns in recipe.where.items()
        ) and not any(
            is_among(as_words(getter(path)(place)) or "", patterns, ())
            for path, patterns in recipe.unless.items()
        )

    def _named(self, role: str, given: str | None, place: Place, other: Mapping[str, str]) -> str:
        """Return a name that is given, stated, or guessed."""
        if given:
            return given
        found = getter(other[role])(place) if role in other else self._value(role, place)
        name = as_words(found)
        if name is None:
            raise ImportFormatError(
                f"nothing says which {role} this is. Give --{role} NAME.",
                path=self.settings.shown,
                field=role,
            )
        if role in self.recipe.guesses:
            self._guesses[(role, name)] = self.recipe.guesses[role]
        return name

    def _identity(self, place: Place, other: Mapping[str, str]) -> Identity:
        model = self._named("system", self.settings.system, place, other)
        if self.settings.system:
            return Identity(model)
        stated = {role: as_words(self._value(role, place)) or "" for role in ROLES}
        return identity_of(model, stated)

    def _dataset(self, place: Place, other: Mapping[str, str]) -> int:
        name = self._named("dataset", self.settings.dataset, place, other)
        version = as_words(
            getter(other["version"])(place) if "version" in other else self._value("version", place)
        )
        key = (name, version or "")
        if key not in self._datasets:
            size = finite_or_none(self._value("size", place))
            self._datasets[key] = HeldDataset(
                *key,
                int(size) if size is not None and size >= 1 else None,
                as_words(self._value("task", place)),
                as_words(self._value("language", place)),
            )
        return list(self._datasets).index(key)

    def _run(self, place: Place) -> HeldRun:
        return self._run_of(self._identity(place, {}), self._dataset(place, {}), place)

    def _run_of(self, identity: Identity, dataset: int, place: Place) -> HeldRun:
        label = self.settings.run_label or as_words(self._value("run", place)) or ""
        key = (identity, dataset, label)
        run = self._runs.get(key)
        if run is None:
            complete = self._value("complete", place)
            run = self._runs[key] = HeldRun(
                identity, dataset, label, self._provenance(place), complete is not False
            )
        return run

    def _trial(self, run: HeldRun, position: int, place: Place) -> int:
        if "trial" in self._fields:
            stated = finite_or_none(self._value("trial", place))
            return 0 if stated is None else int(stated)
        if self.recipe.repeats == "trials":
            run.times[position] = run.times.get(position, -1) + 1
            return run.times[position]
        return 0

    def _status(self, place: Place) -> tuple[Status, bool]:
        """Return the outcome of a record, and whether its scores count."""
        for rule in self.recipe.status:
            word = as_words(getter(rule.value)(place))
            if word is not None:
                status = rule.values.get(word, rule.values.get("*", Status.OK))
                if status is not Status.OK:
                    counts = bool(rule.counts) and getter(rule.counts)(place) is True
                    return status, counts or status is Status.SCORED_BY_RULE
        return Status.OK, True

    def _learn(self, facts: dict[str, Any], place: Place, key: str, line: int | None) -> None:
        """Note what a record says about its item; what must not change is compared."""
        text = as_words(self._value("input", place))
        content = as_words(self._value("fingerprint", place)) or text
        if content is not None:
            held = hashlib.sha256(content.encode()).hexdigest()
            if facts.setdefault("content", held) != held:
                reason = f"the item '{key}' has another input than before."
                self.problems.report(self.settings.shown, line, "input", reason)
        if self.with_text and text is not None:
            facts.setdefault("text", text)
        found = {role: as_words(self._value(role, place)) for role in ("group", "reference")}
        for name, find in self._properties.items():
            value = find(place)
            several = value.items() if name == "*" and isinstance(value, dict) else ((name, value),)
            found |= {f"property {n}": v for n, v in several if is_property(v)}
        for name, value in found.items():
            if value is not None and facts.setdefault(name, value) != value:
                facts[name] = None

    def _scores(self, place: Place, *, counts: bool) -> dict[int, float]:
        """Return metric -> score of a record; NaN for all where they do not count."""
        found: dict[int, float] = {}
        for rule, value_of, name_of in self._rules:
            for one in place.down(rule.each) if rule.each else (place,):
                name = as_words(name_of(one)) if rule.each else rule.name
                if name is None or not is_among(name, rule.only, rule.without):
                    continue
                value = value_of(one)
                if value is None and not rule.each:
                    continue
                number = number_of(value, rule.values)
                if number is None:
                    self._no_numbers[name] = self._no_numbers.get(name, 0) + 1
                    continue
                signature = as_words(getter(rule.signature)(one)) if rule.signature else ""
                metric = self._metric(
                    name,
                    signature or "",
                    direction_at(rule.higher_is_better, one),
                    rule.lower,
                    rule.upper,
                    rule,
                )
                found.setdefault(metric, number if counts else math.nan)
        return found

    def _metric(
        self,
        name: str,
        signature: str,
        better: bool | None,
        lower: float | None,
        upper: float | None,
        rule: MetricRule | ReportedRule,
    ) -> int:
        key = (name, signature)
        if key not in self._metrics:
            aggregation = rule.aggregation if isinstance(rule, MetricRule) else "mean"
            metric = self.settings.metric_of(name, aggregation, is_percent=False, is_only=False)
            self._metrics[key] = replace(
                metric,
                signature=signature or metric.signature,
                higher_is_better=self.settings.direction_of(name, better, is_only=False),
                unit=metric.unit or rule.unit,
                source=rule.source
                if metric.source == "automatic" and isinstance(rule, MetricRule)
                else metric.source,
                lower=lower if metric.lower is None else metric.lower,
                upper=upper if metric.upper is None else metric.upper,
            )
        elif better is not None and self._metrics[key].higher_is_better is None:
            self._metrics[key] = replace(self._metrics[key], higher_is_better=better)
        return list(self._metrics).index(key)

    def _provenance(self, place: Place) -> Provenance:
        """Return what the file states; the flags and the YAML beside it go before."""
        stated: dict[str, Any] = {}
        for name, path in self.recipe.provenance.items():
            value = getter(path)(place)
            if name == "evaluated_on":
                moment = moment_of(value)
                if moment is not None:
                    stated["evaluated_on"], stated["tz_assumed"] = moment
            elif name == "seed":
                stated[name] = value if isinstance(value, int) else None
            else:
                stated[name] = as_words(value)
        config = {name: getter(path)(place) for name, path in self.recipe.config.items()}
        stated["config"] = {k: v for k, v in config.items() if says_something(v)} or None
        given = self.settings.provenance
        for name in Provenance.__dataclass_fields__:
            value = getattr(given, name)
            if value not in (None, False):
                stated[name] = value
        return Provenance(**stated)

    def _with_run(
        self, score: BundleReportedScore, system: str, runs: Sequence[BundleRun]
    ) -> BundleReportedScore:
        own = [
            i for i, run in enumerate(runs) if run.system == system and run.dataset == score.dataset
        ]
        return replace(score, system=system, run=own[0] if len(own) == 1 else None)
