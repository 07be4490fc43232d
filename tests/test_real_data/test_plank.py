"""Plank et al. 2015 from its files to its figures: parses and choices in, correlations out.

The files lie beside the checkout and are never copied; without them these tests are skipped.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.studies.humans.agreement.study import study_agreement
from analysis.studies.humans.correlations.settings import CorrelationSettings, Test
from analysis.studies.humans.correlations.study import CorrelationsStudy, study_correlations
from analysis.studies.humans.evidence import load_evidence
from analysis.studies.humans.over_datasets.study import study_correlations_over
from store.arrays import load_matrix
from store.engine import Store, open_store
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.ingest import ingest_all

pytestmark = pytest.mark.shared

VERBS = {"en": "VERB", "es": "VERB", "da": "VA,VE", "de": "VERB", "hr": "V"}
CONTENT = {
    "da": ("AN,NC,NP,VA,VE", "AC,AO,CC,CS,PC,PD,PI,PO,PP,PT,RG,SP,U"),
    "hr": ("A,N,V", "C,Q,M,P,R,S"),
}
UD_CONTENT = ("ADJ,NOUN,PROPN,VERB", "ADP,ADV,AUX,CONJ,DET,PART,PRON,SCONJ")
CHOICES = {"criterion": "better parse", "blue": "Malt", "red": "MST"}
SETTINGS = CorrelationSettings(test="williams", n_resamples=199, reference="LAS")


@pytest.fixture(scope="module")
def parses(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a store with the five languages: trees of two parsers, and who preferred which."""
    place = tmp_path_factory.mktemp("plank")
    store = open_store(place / "plank.db", create=True)
    for language, verbs in VERBS.items():
        folder = shared_folder / "data" / "plank_conll2015" / language
        here = place / language
        here.mkdir()
        for name in ("gold", "parser1", "parser2"):
            shutil.copyfile(folder / f"{name}.conll", here / f"{name}.conll")
        (here / "tiebreak.yaml").write_text(
            "aliases: {Malt: [parser1], MST: [parser2]}\n", encoding="utf-8"
        )
        content, function = CONTENT.get(language, UD_CONTENT)
        options = {
            "punctuation": "drop",
            "subtypes": "keep",
            "verbs": verbs,
            "pos": "yes",
            "content": content,
            "function": function,
        }
        read = read_paths(here, options=ReadOptions(dataset=language, choices=options))
        judged = read_paths(
            folder / "annotated.csv",
            format="judgments",
            options=ReadOptions(dataset=language, choices=CHOICES),
        )
        ingest_all(store, [*read.bundles, *judged.bundles], actor="test")
    yield store
    store.close()


def _study(parses: Store, language: str, *metrics: str) -> CorrelationsStudy:
    return study_correlations(
        parses,
        language,
        "better parse",
        metrics=metrics or ("LAS", "UAS"),
        settings=SETTINGS,
        consensus="mace",
    )


@pytest.mark.parametrize(("language", "printed"), [("en", 0.547), ("hr", 0.540)])
def test_table_4_where_las_has_no_ties(parses: Store, language: str, printed: float) -> None:
    study = _study(parses, language)
    las = next(row for row in study.rows if row.metric == "LAS")
    units = load_evidence(parses, language, "better parse", metrics=["LAS"])
    assert not (units.scores == 0).any()
    assert round(las.coefficient, 3) == printed


def test_table_4_german_holds_for_the_label_file_as_it_was_read(
    parses: Store, shared_folder: Path
) -> None:
    """Its line 95 holds the word "root": both annotators said blue, the authors read it as red."""
    study = _study(parses, "de")
    las = next(row for row in study.rows if row.metric == "LAS")
    assert las.coefficient == pytest.approx(0.4575, abs=5e-5)
    labels = read_paths(
        shared_folder / "data" / "plank_conll2015" / "de" / "prediction",
        format="judgments",
        options=ReadOptions(
            dataset="de",
            choices={
                **CHOICES,
                "criterion": "labels",
                "root": "MST",
                "header": "no",
                "annotators": "published",
            },
        ),
    )
    ingest_all(parses, labels.bundles, actor="test")
    study = study_correlations(parses, "de", "labels", metrics=["LAS"], settings=SETTINGS)
    assert round(study.rows[0].coefficient, 3) == 0.466


def test_table_4_where_ties_decide_the_rule_is_told(parses: Store) -> None:
    study = _study(parses, "da")
    las = next(row for row in study.rows if row.metric == "LAS")
    assert las.coefficient == pytest.approx(0.298, abs=5e-4)  # printed: .297
    assert any("scores alike count as 0" in text and "LAS 23" in text for text in study.warnings)
    spanish = _study(parses, "es")
    las = next(row for row in spanish.rows if row.metric == "LAS")
    assert 0.47 < las.coefficient < 0.52  # printed: .478, reached by no rule for its three ties


@pytest.mark.parametrize(
    ("language", "printed"),
    [("en", 0.728), ("es", 0.601), ("da", 0.768), ("de", 0.670), ("hr", 0.800)],
)
def test_the_human_column_of_table_5(parses: Store, language: str, printed: float) -> None:
    study = study_agreement(parses, language, gold="better parse", metrics=["LAS"], n_resamples=199)
    assert round(study.mean_agreement, 3) == printed


def test_table_5_las_where_it_reproduces(parses: Store) -> None:
    printed = {"en": 0.715, "de": 0.710, "hr": 0.755}
    for language, value in printed.items():
        study = study_agreement(
            parses, language, gold="better parse", metrics=["LAS"], n_resamples=199
        )
        (row,) = study.metrics
        assert round(row.agreement, 3) == value


@pytest.mark.parametrize("language", ["en", "es", "da", "hr"])
def test_the_consensus_is_the_one_of_the_authors(
    parses: Store, shared_folder: Path, language: str
) -> None:
    evidence = load_evidence(parses, language, "better parse", metrics=["LAS"], consensus="mace")
    shipped = (
        (shared_folder / "data" / "plank_conll2015" / language / "prediction").read_text().split()
    )
    colours = ["blue" if value > 0 else "red" for value in evidence.gold[0]]
    assert evidence.units is not None
    assert evidence.units.systems[0] == "Malt"
    assert colours == shipped


def test_content_words_matter_more_than_function_words_in_english(parses: Store) -> None:
    study = _study(parses, "en", "LAS", "LAS (content)", "LAS (function)")
    values = {row.metric: row.coefficient for row in study.rows}
    assert values["LAS (content)"] == pytest.approx(0.522, abs=0.05)  # printed without tie rule
    # Printed: .175, which no tie rule of ours reaches; that content words come first does hold.
    assert values["LAS (content)"] > values["LAS (function)"] + 0.1


def test_a_test_for_dependent_correlations_finds_what_fishers_z_does_not(parses: Store) -> None:
    def marks(test: Test) -> dict[str, list[int]]:
        over = study_correlations_over(
            parses,
            "better parse",
            metrics=["LAS", "UAS", "LCP"],
            settings=replace(SETTINGS, test=test),
            consensus="mace",
        )
        assert over.dataset_labels == ("da", "de", "en", "es", "hr")
        assert over.mean[over.metrics.index("LAS")] == pytest.approx(0.46, abs=0.02)
        return dict(zip(over.metrics, over.differs.tolist(), strict=True))

    independent = marks("fisher-z")
    assert independent["UAS"] == [0, 0, 0, 0, 0]  # table 4 has no star at UAS either
    # Table 4 has stars at LCP in all but Danish; with ties as 0 and Holm, German has none.
    assert independent["LCP"] == [0, 0, -1, -1, -1]
    dependent = marks("williams")
    assert dependent["UAS"] == [1, 0, 0, 0, -1]
    assert dependent["LCP"] == [0, 0, -1, -1, -1]


def test_las_of_the_store_is_table_2(parses: Store) -> None:
    printed = {
        "en": (79.17, 78.30),
        "es": (78.72, 79.51),
        "da": (79.28, 82.75),
        "de": (69.09, 72.07),
        "hr": (63.21, 65.98),
    }
    for language, (malt, mst) in printed.items():
        matrix = load_matrix(parses, language, "LAS", systems=["Malt", "MST"])
        sums = matrix.scores.sum(axis=1)
        found = tuple(round(float(100 * a / b), 2) for a, b in sums)
        assert found == (malt, mst)
