"""Reports of sclite, in files of our own making."""

import pytest

from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

PRA = """

\t\tDUMP OF SYSTEM ALIGNMENT STRUCTURE

System name:   {title}

Speakers:
    0:  ann
    1:  bo

Speaker sentences   0:  ann   #utts: 2
id: (ann-1)
Scores: (#C #S #D #I) 2 1 1 0
REF:  the CAT SAT down
HYP:  the *** SET down
Eval:     D   S

id: (ann-2)
Scores: (#C #S #D #I) 1 0 0 1
REF:  **** yes
HYP:  WELL yes
Eval: I

Speaker sentences   1:  bo   #utts: 1
id: (bo-1)
Scores: (#C #S #D #I) 3 0 0 0
REF:  a b c
HYP:  a b c
Eval:

"""
SYS = """
                     SYSTEM SUMMARY PERCENTAGES by SPEAKER
      ,-----------------------------------------------------------------.
      |                             {title}                             |
      |-----------------------------------------------------------------|
      | SPKR   | # Snt  # Wrd | Corr    Sub    Del    Ins    Err  S.Err |
      |--------+--------------+-----------------------------------------|
      | ann    |    2       5 | 60.0   20.0   20.0   20.0   60.0  100.0 |
      |=================================================================|
      | Sum/Avg|    3       8 | 75.0   12.5   12.5   12.5   {err}   66.7 |
      |=================================================================|
      |  Mean  |  1.5     4.0 | 80.0   10.0   10.0   10.0   30.0   50.0 |
      `-----------------------------------------------------------------'
"""


@pytest.fixture
def read(write, tmp_path):
    def make(**files):
        for name, text in files.items():
            write(text, "asr/" + name.replace("__", "/").replace("_DOT_", "."))
        options = ReadOptions(with_text=True)
        return read_paths([tmp_path / "asr"], root=tmp_path, options=options)

    return make


def test_utterances_with_their_errors_and_the_sum(read) -> None:
    title = "/home/x/trn/net.txt"
    found = read(
        net__net_DOT_txt_DOT_pra=PRA.format(title=title),
        net__net_DOT_txt_DOT_sys=SYS.format(title=title, err="37.5"),
        net__net_DOT_txt_DOT_dtl="DETAILED OVERALL REPORT\n\nSENTENCE RECOGNITION PERFORMANCE\n",
    )
    (bundle,) = found.bundles
    (run,) = bundle.runs
    assert (bundle.format, run.system) == ("sclite", "net")
    assert run.scores[0].values.tolist() == [[2, 4], [1, 1], [0, 3]]
    assert [(i.key, i.group, i.reference_text) for i in bundle.datasets[0].items] == [
        ("ann-1", "ann", "the cat sat down"),
        ("ann-2", "ann", "yes"),
        ("bo-1", "bo", "a b c"),
    ]
    assert run.outputs[0] == ["the set down", "well yes", "a b c"]
    assert bundle.metrics[0].higher_is_better is False
    assert any("follows from the alignment" in told for told in bundle.understood)
    assert [one.path.rpartition(".")[2] for one in found.left_out] == ["dtl"]
    assert not found.faults


def test_another_sum_is_told(read) -> None:
    (bundle,) = read(
        a_DOT_pra=PRA.format(title="a.txt"), a_DOT_sys=SYS.format(title="a.txt", err="40.0")
    ).bundles
    assert any("states 40.0, the alignment gives 37.5" in told for told in bundle.understood)


def test_folders_name_system_and_dataset_where_the_title_says_nothing(read) -> None:
    title = "exp/net/decode_lm/test_clean/score_cer/hyp.trn"
    (bundle,) = read(result_DOT_txt=PRA.format(title=title)).bundles
    assert (bundle.runs[0].system, bundle.datasets[0].name) == ("decode_lm", "test_clean")
    assert bundle.metrics[0].name == "CER"


def test_a_sum_alone_is_a_stated_figure(read) -> None:
    (bundle,) = read(net_DOT_sys=SYS.format(title="net.txt", err="37.5")).bundles
    assert {
        bundle.metrics[one.metric].name: (one.value, one.n_items, one.printed)
        for one in bundle.reported_scores
    } == {"WER": (0.375, 3, "37.5"), "SER": (pytest.approx(0.667), 3, "66.7")}


def test_an_utterance_twice(write) -> None:
    text = PRA.format(title="a.txt").replace("(bo-1)", "(ann-1)")
    with pytest.raises(ImportFormatError, match="aligned twice"):
        read_paths([write(text, "a.pra")])
