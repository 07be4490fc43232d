"""Inflected forms, in files of our own making."""

import pytest

from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

GOLD = "ev\tevler\tN;NOM;PL\nev\tevde\tN;LOC;SG\ngit\tgitti\tV;PST;3;SG\n"
FILES = {
    "gold/tur.gold": GOLD,
    "gold/kat.gold": GOLD.replace("ev", "sakh"),
    "predictions/A/tur_large.test": GOLD.replace("evler", "evlar"),
    "predictions/A/tur_small.test": GOLD,
    "predictions/B/tur_large.test": GOLD.replace("gitti", " gitti").replace("evde", ""),
    "predictions/B/kat_large.test": GOLD.replace("ev", "sakh"),
}


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes files and reads the folder."""

    def make(files, **options):
        for name, content in files.items():
            write(content, name)
        return read_paths(
            [tmp_path], options=ReadOptions(**options), root=tmp_path, whole=True
        ).bundles

    return make


def test_languages_and_sizes_are_datasets_and_teams_are_systems(folder):
    bundles = folder(FILES)
    found = {
        (bundle.datasets[run.dataset].name, run.system): [
            one.values[:, 0].tolist() for one in run.scores
        ]
        for bundle in bundles
        for run in bundle.runs
    }
    assert found == {
        ("tur large", "A"): [[0, 1, 1], [1, 0, 0]],
        ("tur large", "B"): [[1, 0, 1], [0, 4, 1]],
        ("tur small", "A"): [[1, 1, 1], [0, 0, 0]],
        ("kat large", "B"): [[1, 1, 1], [0, 0, 0]],
    }
    (metric, distance) = bundles[0].metrics
    assert (metric.name, distance.name, distance.higher_is_better) == (
        "exact_match",
        "edit_distance",
        False,
    )
    assert bundles[0].datasets[0].items[2].metadata == {"part of speech": "V"}


def test_features_may_stand_before_the_form(folder):
    text = "ev\tN;NOM;PL\tevler\nev\tN;LOC;SG\tevde\n"
    (bundle,) = folder({"tur.gold": text, "tur.team.out": text.replace("evde", "evte")})
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        (GOLD[:20], ImportFormatError, "2: 'ev' is not lemma, form and features"),
        (GOLD.split("\n")[0] + "\n", AlignmentError, "line 2: 1 lines here, 3 in"),
        ("\n".join(reversed(GOLD.split("\n")[:3])) + "\n", AlignmentError, "other features than"),
    ],
)
def test_other_lines_than_the_gold(folder, text, error, reason):
    with pytest.raises(error, match=reason):
        folder(FILES | {"predictions/A/tur_large.test": text})


def test_without_gold(read):
    with pytest.raises(UnknownFormatError, match="--gold FILE"):
        read(GOLD, "tur.test")
