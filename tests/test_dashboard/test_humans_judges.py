"""The page of annotators where people and models judged the same, and systems by choices."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from analysis.studies.humans.agreement import tables as agreement
from analysis.studies.humans.agreement.study import study_agreement
from analysis.studies.humans.judges import tables as judges
from analysis.studies.humans.judges.study import study_judges
from dashboard import human_data
from dashboard.ui.annotators import outputs_in_question
from dashboard.ui.notes import without_commands
from store.engine import open_store
from store.importers.bundle import (
    AnnotatorKind,
    BundleCriterion,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundlePreference,
    BundleRating,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest
from store.judgments import list_criteria
from tests.test_dashboard.tables import tables_of

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
N = 60
N_PEOPLE = 20
"""Items that people judged; the models judged all."""
SYSTEMS = [f"system {k}" for k in range(4)]
PEOPLE = ["person 0", "person 1"]
MODELS = ["gpt", "llama"]
KINDS: dict[str, AnnotatorKind] = {
    **dict.fromkeys(PEOPLE, "human"),  # type: ignore[dict-item]
    **dict.fromkeys(MODELS, "model"),  # type: ignore[dict-item]
}


def bundle(name: str, criterion: BundleCriterion, **judgments: object) -> ImportBundle:
    rng = np.random.default_rng(1)
    runs = [
        BundleRun(system, 0, "", [
            BundleScores(0, k + rng.normal(0, 1, (N, 1))), BundleScores(1, np.zeros((N, 1)))
        ])
        for k, system in enumerate(SYSTEMS)
    ]  # fmt: skip
    return ImportBundle(
        format="test",
        datasets=[BundleDataset(name, items=[BundleItem(f"i {k}") for k in range(N)])],
        metrics=[BundleMetric("close", "v1", True), BundleMetric("flat", "v1", True)],
        runs=runs,
        criteria=[criterion],
        annotators=KINDS,
        **judgments,  # type: ignore[arg-type]
    )


def preferences(models: list[str]) -> ImportBundle:
    """Later systems are better; models prefer what is shown first, and what is longer."""
    rng = np.random.default_rng(2)
    said = []
    for item in range(N):
        for a, b in combinations(range(4), 2):
            for who in [*(PEOPLE if item < N_PEOPLE else []), *models]:
                first, second = (a, b) if rng.random() < 0.5 else (b, a)
                lengths = (int(rng.integers(50, 100)), int(rng.integers(50, 100)))
                lead = first - second + rng.normal(0, 1.5)
                if who in MODELS:
                    lead += 1.5 + 2 * math.log(lengths[0] / lengths[1])
                said.append(
                    BundlePreference(
                        0, who, item, SYSTEMS[first], SYSTEMS[second],
                        "first" if lead > 0 else "second", order_known=True,
                        first_length=lengths[0], second_length=lengths[1],
                    )
                )  # fmt: skip
    criterion = BundleCriterion("better", 0, "preference")
    return bundle("answers", criterion, preferences=said)


def ratings() -> ImportBundle:
    rng = np.random.default_rng(3)
    said = []
    for item in range(N):
        for k, system in enumerate(SYSTEMS):
            for who in [*(PEOPLE if item < N_PEOPLE else []), *MODELS]:
                higher = who in MODELS
                value = round(float(np.clip(k + higher + rng.normal(0, 0.8), 0, 5)))
                said.append(BundleRating(0, who, item, system, float(value)))
    criterion = BundleCriterion("fluency", 0, "rating", "interval", lower=0, upper=5)
    return bundle("texts", criterion, ratings=said)


def write_store(path: Path) -> None:
    store = open_store(path, create=True)
    for one in (preferences(MODELS[:1]), ratings()):
        ingest(store, one, actor="tests")
    store.close()


@pytest.fixture(scope="module")
def judged_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store where models judged what people judged some of."""
    path = tmp_path_factory.mktemp("judges") / "judges.db"
    write_store(path)
    return path


def table(app: AppTest, column: str) -> pd.DataFrame:
    """Return the first table that has a column of that name."""
    return next(frame for frame in tables_of(app) if column in frame.columns)


def headings(app: AppTest) -> list[str]:
    return [block.value.replace("\\", "") for block in [*app.header, *app.subheader]]


def test_a_model_beside_people_on_choices(
    open_page: OpenPage, text_of: TextOf, judged_path: Path
) -> None:
    app = open_page("annotators", judged_path, dataset="answers")
    assert not app.exception
    found = headings(app)
    for heading in (
        "Which systems do annotators choose?",
        "A model as judge",
        "Agreement with people",
        "Systems, put right by people's judgments",
        "Does the place of an output matter?",
        "Does the length of an output matter?",
    ):
        assert heading in found
    text = text_of(app)
    assert "gpt agrees with people on" in text
    assert "gpt prefers the output shown first" in text
    systems = table(app, "corrected")
    assert systems["system"].iloc[0] == "system 3"
    assert (systems["n_judged_only"] == 3 * (N - N_PEOPLE)).all()
    assert list(table(app, "balanced")["who"]) == ["gpt", "2 people"]
    assert table(app, "odds")["odds"].iloc[0] > 1
    assert "llama" not in text
    assert not any("tiebreak " in block.value for block in app.markdown)


def test_one_of_several_models_is_chosen(
    open_page: OpenPage, text_of: TextOf, judged_path: Path
) -> None:
    app = open_page("annotators", judged_path, dataset="texts", judge="llama")
    assert not app.exception
    assert app.selectbox(key="judge").options == ["gpt", "llama"]
    assert app.selectbox(key="judge").value == "llama"
    text = text_of(app)
    assert "llama agrees with people on" in text
    found = headings(app)
    assert "Does the place of an output matter?" not in found
    assert "Does the length of an output matter?" not in found
    assert "Which systems do annotators choose?" not in found
    assert table(app, "bias")["bias"].median() > 0.5


def test_an_unknown_judge_is_told(open_page: OpenPage, text_of: TextOf, judged_path: Path) -> None:
    app = open_page("annotators", judged_path, dataset="texts", judge="nobody")
    assert not app.exception
    assert "The link asks for 'nobody' as Judge" in text_of(app)


def test_models_alone_are_no_judges(open_page: OpenPage, text_of: TextOf, tmp_path: Path) -> None:
    path = tmp_path / "models.db"
    store = open_store(path, create=True)
    alone = preferences(MODELS)
    alone.preferences[:] = [one for one in alone.preferences if "person" not in one.annotator]
    ingest(store, alone, actor="tests")
    store.close()
    app = open_page("annotators", path)
    assert not app.exception
    assert "A model as judge" not in headings(app)
    text = text_of(app)
    assert "Do annotators agree with each other more than with a metric?" in text
    assert "umans agree" not in text


def test_a_metric_without_a_coefficient_takes_no_row_of_a_picture(
    open_page: OpenPage, text_of: TextOf, judged_path: Path
) -> None:
    app = open_page("metrics_humans", judged_path, dataset="answers")
    assert not app.exception
    assert "1 of 2 metrics has no coefficient" in text_of(app)
    assert list(table(app, "pvalue_vs_best")["name"]) == ["close", "flat"]
    assert "Do metrics follow each other?" not in headings(app)


def test_commands_are_left_out_of_warnings() -> None:
    told = "Two are left out: they are models. `--annotators all` takes all."
    assert without_commands(told) == "Two are left out: they are models."
    assert without_commands("`tiebreak gold` makes one.") == "`tiebreak gold` makes one."


def test_marks_of_metrics_go_by_the_verdict(judged_path: Path) -> None:
    store = open_store(judged_path)
    study = study_agreement(store, "answers", n_resamples=199)
    frame = agreement.metrics(study).frame().set_index("name")
    by_name = {row.name: row for row in study.metrics}
    assert set(frame.index) == {"close", "flat"}
    for name, row in by_name.items():
        assert frame.loc[name, "mark"] == row.verdict
    assert frame["agreement"].is_monotonic_decreasing


def test_strengths_have_a_row_per_system_and_name_the_pair_in_question(judged_path: Path) -> None:
    store = open_store(judged_path)
    study = study_agreement(store, "answers", n_resamples=199)
    frame = agreement.strengths(study).frame()
    assert list(frame["system"]) == SYSTEMS[::-1]
    assert (frame["rank_low"] <= frame["rank_high"]).all()
    worst = study.disagreements[0].what
    assert outputs_in_question(study, worst) == {"pair": worst}
    assert outputs_in_question(study, "unknown") == {}
    rated = study_agreement(store, "texts", n_resamples=199)
    assert outputs_in_question(rated, "system 1") == {"a": "system 1"}


def test_rows_of_a_judge(judged_path: Path) -> None:
    store = open_store(judged_path)
    study = study_judges(store, "answers", n_resamples=199)
    assert study.ceiling is not None
    frame = judges.ceiling(study).frame()
    assert list(frame["name"]) == ["the 2 people", "gpt"]
    told = frame["mark"].iloc[1]
    significant = study.ceiling.pvalue <= study.alpha
    assert told == (
        "undecided" if not significant else "less" if study.ceiling.difference > 0 else "more"
    )
    rated = judges.systems(study_judges(store, "texts", judge="gpt", n_resamples=199)).frame()
    narrower = rated["corrected_high"] - rated["corrected_low"]
    wider = rated["human_high"] - rated["human_low"]
    assert narrower.sum() < wider.sum()


def test_judges_are_models_beside_people(judged_path: Path) -> None:
    store = open_store(judged_path)
    found = {c.name: human_data._model_judges(store, c) for c in list_criteria(store)}
    assert found == {"better": ["gpt"], "fluency": ["gpt", "llama"]}


def both_rate(path: Path) -> Path:
    """Store ratings where the model rates what people rate and no more, two systems turned."""
    one = ratings()
    turned = {SYSTEMS[0]: 5.0, SYSTEMS[3]: 0.0}
    one.ratings[:] = [
        dataclasses.replace(r, value=turned.get(str(r.system), r.value))
        if r.annotator == "gpt"
        else r
        for r in one.ratings
        if r.annotator != "llama" and r.item < N_PEOPLE
    ]
    store = open_store(path, create=True)
    ingest(store, one, actor="tests")
    store.close()
    return path


def test_a_judge_that_judged_no_more_than_people_corrects_nothing(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    app = open_page("annotators", both_rate(tmp_path / "both.db"))
    assert not app.exception
    found = headings(app)
    assert "Systems, by people and the judge" in found
    assert "Systems, put right by people's judgments" not in found
    systems = table(app, "bias")
    assert not {"corrected", "effective_n", "n_judged_only"} & set(systems.columns)
    assert {"human", "judge", "bias"} <= set(systems.columns)
    pairs = table(app, "judge_says")
    assert list(pairs.iloc[0][["first", "second"]]) == [SYSTEMS[0], SYSTEMS[1]]
    assert pairs["judge_says"].iloc[0] != pairs["better"].iloc[0]
    text = text_of(app)
    assert "people tell 6 apart; the judge alone has 5 of these the other way round" in text


def test_pairs_of_which_the_judge_is_right_stand_behind(judged_path: Path) -> None:
    store = open_store(judged_path)
    study = study_judges(store, "texts", judge="gpt", n_resamples=199)
    frame = judges.pairs(study).frame()
    assert not frame["misled"].any()
    assert list(frame["judge_says"]) == list(frame["second"])
    told = [(row.first, row.second) for row in study.pairs]
    assert list(zip(frame["first"], frame["second"], strict=True)) == told
