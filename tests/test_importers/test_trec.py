"""Runs and judgments of retrieval, and what trec_eval prints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from store.importers.detect import read_paths
from store.importers.trec.measures import measured

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d 1\n3 0 e 1\n"
RUN = "1 Q0 b 1 3.0 net\n1 Q0 c 2 2.0 net\n1 Q0 a 3 1.0 net\n2 Q0 a 1 9 net\n2 Q0 x 2 8 net\n"
OTHER = "1 Q0 a 1 2.0 old\n2 Q0 x 1 0,5 old\n9 Q0 a 1 1 old\n"
PRINTED = """runid                 	all	net
num_q                 	all	2
map                   	1	0.5000
P_10                  	1	0.2000
map                   	2	0.2500
P_10                  	2	0.1000
map                   	all	0.3750
P_10                  	all	0.1500
"""


@pytest.fixture
def found(write, tmp_path):
    """Return a function that writes files below a folder and imports the folder."""

    def make(files):
        for name, text in files.items():
            write(text, f"quiz/{name}")
        return read_paths([tmp_path / "quiz"], root=tmp_path)

    return make


def test_measures_of_a_ranking_worked_out_by_hand() -> None:
    values = measured(["b", "c", "a"], {"a": 1, "b": 0, "c": 2, "z": -1})
    assert values["map"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert values["recip_rank"] == 0.5
    assert values["P_10"] == 0.2
    assert values["recall_100"] == 1.0
    gained, ideal = 2 / math.log2(3) + 1 / math.log2(4), 2 + 1 / math.log2(3)
    assert values["ndcg_cut_10"] == pytest.approx(gained / ideal)
    assert set(measured(["a"], {"b": 0}).values()) == {0.0}


def test_runs_are_scored_by_the_judgments_beside_them(found) -> None:
    (bundle,) = found({"qrels/quiz.txt": QRELS, "runs/n.run": RUN, "runs/o.run": OTHER}).bundles
    assert bundle.format == "trec"
    (dataset,) = bundle.datasets
    assert [item.key for item in dataset.items] == ["1", "2", "3"]
    values = {run.system: run.scores[0].values[:, 0] for run in bundle.runs}
    np.testing.assert_allclose(values["net"], [(1 / 2 + 2 / 3) / 2, 0.5, np.nan])
    np.testing.assert_allclose(values["old"], [0.5, 0.0, np.nan])
    assert any("1 topics are not judged" in told for told in bundle.understood)


def test_runs_with_one_tag_are_called_after_their_files(found) -> None:
    files = {"qrels.txt": QRELS, "bm25.txt": RUN.replace("net", "STANDARD")}
    files["rm3.txt"] = OTHER.replace("old", "STANDARD")
    (bundle,) = found(files).bundles
    assert [run.system for run in bundle.runs] == ["bm25", "rm3"]
    assert bundle.datasets[0].name == "quiz"


def test_equal_documents_are_ordered_by_their_names_from_the_end(found) -> None:
    run = "1 Q0 a 1 1.0 net\n1 Q0 c 2 1.0 net\n"
    (bundle,) = found({"q.qrels": QRELS, "net.run": run}).bundles
    assert bundle.runs[0].scores[2].values[0, 0] == 1.0  # c is first, and relevant
    assert bundle.runs[0].scores[1].values[0, 0] == pytest.approx(1.0)


def test_judgments_as_beir_keeps_them(found) -> None:
    lines = [line.split() for line in QRELS.splitlines()]
    table = "\n".join("\t".join((t, d, r)) for t, _, d, r in lines)
    files = {"qrels/test.tsv": "query-id\tcorpus-id\tscore\n" + table, "net.run": RUN}
    (bundle,) = found(files).bundles
    assert bundle.runs[0].scores[0].values[1, 0] == 0.5


def test_of_several_judgments_those_called_alike_are_taken(found) -> None:
    other = QRELS.replace("1 0 c 2", "1 0 c 0")
    files = {"qrels.old": other, "qrels.test": QRELS, "results.test": RUN}
    (bundle,) = found(files).bundles
    assert bundle.runs[0].scores[3].values[0, 0] == 0.2
    assert [one.path for one in bundle.left_out] == ["quiz/qrels.old"]


def test_what_trec_eval_printed(found) -> None:
    (bundle,) = found({"out.txt": PRINTED}).bundles
    assert [metric.name for metric in bundle.metrics] == ["map", "P_10"]
    (run,) = bundle.runs
    assert run.system == "net"
    assert run.scores[0].values[:, 0].tolist() == [0.5, 0.25]
    assert [(s.value, s.n_items) for s in bundle.reported_scores] == [(0.375, 2), (0.15, 2)]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"net.run": RUN}, "no judgments of relevance"),
        ({"net.run": RUN, "q.qrels": "8 0 a 1\n"}, "no topic of it is judged"),
        ({"net.run": RUN + RUN, "q.qrels": QRELS}, "document 'b' stands twice in topic '1'"),
        ({"q.qrels": QRELS}, "without runs"),
    ],
)
def test_what_cannot_be_scored_is_told(found, files, reason) -> None:
    result = found(files)
    assert not result.bundles
    assert any(reason in one.reason for one in result.left_out)
