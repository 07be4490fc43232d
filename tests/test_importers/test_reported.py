"""Figures that papers state, in every form."""

from datetime import UTC, datetime

import pytest

from store.errors import ImportFormatError, UnknownFormatError


def figures(bundle):
    """Return (system, dataset, metric) -> (value, cell as printed)."""
    return {
        (
            one.system,
            bundle.datasets[one.dataset].name,
            bundle.metrics[one.metric].name,
        ): (one.value, one.printed)
        for one in bundle.reported_scores
    }


def pvalues(bundle):
    """Return (A, B, dataset) -> (p, cell as printed)."""
    return {
        (one.system_a, one.system_b, bundle.datasets[one.dataset].name): (one.pvalue, one.printed)
        for one in bundle.reported_comparisons
    }


def test_long_scores(read) -> None:
    bundle = read(
        "system,dataset,metric,value,n_items,stderr,date,source\n"
        "A,d,acc,90.7,500,0.2,2020-01-02,Paper 1\nB,d,acc,91,500,,,\nA,e,acc,N/A,,,,\n"
    )
    assert bundle.format == "reported"
    assert figures(bundle) == {("A", "d", "acc"): (90.7, "90.7"), ("B", "d", "acc"): (91.0, "91")}
    first, second = bundle.reported_scores
    assert (first.n_items, first.stderr, first.source) == (500, 0.2, "Paper 1")
    assert first.reported_on == datetime(2020, 1, 2, tzinfo=UTC)
    assert (second.stderr, second.reported_on, second.source) == (None, None, "scores.csv")
    assert bundle.datasets[0].n_items_stated == 500
    assert (bundle.datasets[0].items, bundle.runs, first.run) == ((), (), None)


def test_rows_under_the_word_name_are_systems(read) -> None:
    bundle = read(
        "name,win_rate,output_length,link\nNet A,50.5,1200,x\nNet B,40,900,\n",
        "arena.csv",
    )
    found = {(system, metric): value for (system, _, metric), value in figures(bundle).items()}
    assert found == {
        ("Net A", "win_rate"): (50.5, "50.5"),
        ("Net B", "win_rate"): (40.0, "40"),
    }


def test_long_pvalues(read) -> None:
    bundle = read(
        "system_a,system_b,dataset,metric,p-value,test,sidedness\n"
        "A,B,d,acc,0.03,t test,two-sided\nA,B,e,acc,< .001,,\n",
        yaml="comparisons: {test: Wilcoxon, sidedness: greater}\nsource: S\n",
    )
    assert pvalues(bundle) == {("A", "B", "d"): (0.03, "0.03"), ("A", "B", "e"): (0.001, "< .001")}
    first, second = bundle.reported_comparisons
    assert (first.test, first.sidedness, first.source) == ("t test", "two-sided", "S")
    assert (second.test, second.sidedness) == ("Wilcoxon", "greater")
    assert bundle.warnings == [
        "line 3, A against B on e: '< .001' is an upper bound; 0.001 is used."
    ]


@pytest.mark.parametrize(("n_bounds", "n_said"), [(10, 10), (11, 4)])
def test_many_warnings_of_one_kind_are_counted(read, n_bounds, n_said) -> None:
    rows = "".join(f"A,B,d{i},acc,< .001\n" for i in range(n_bounds))
    bundle = read(f"system_a,system_b,dataset,metric,p\n{rows}A,B,e,acc,0\n")
    assert len(bundle.warnings) == n_said + 1
    assert "printed as '0', a rounded figure" in bundle.warnings[-1]
    if n_bounds > n_said:
        assert bundle.warnings[3] == (
            "8 more p-values of the file are such, as '< .001' is an upper bound; 0.001 is used."
        )


def test_size_of_a_dataset_may_stand_in_the_yaml(read) -> None:
    table = "system,dataset,metric,value\nA,d,acc,0.9\nA,e,acc,0.8\n"
    bundle = read(table, yaml="datasets: {d: {n_items: 8862, task: qa}}\n")
    assert [(one.name, one.n_items_stated) for one in bundle.datasets] == [("d", 8862), ("e", None)]
    with pytest.raises(ImportFormatError, match=r"n_items.*must be at least 1, got 0"):
        read(table, yaml="datasets: {d: {n_items: 0}}\n")
    with pytest.raises(ImportFormatError, match=r"n_items.*must be a whole number"):
        read(table, yaml="dataset: {name: d, n_items: many}\n")


def test_one_row_for_each_dataset_with_a_plain_p_column(read) -> None:
    bundle = read(
        "Language,M,C→T,$p$-value\nKazakh,83.95,83.64,0.0944\nTamil*,81.55,**84.97**,1.1e-08\n",
        metric="acc",
    )
    assert figures(bundle)["C→T", "Tamil", "acc"] == (84.97, "**84.97**")
    assert pvalues(bundle) == {
        ("M", "C→T", "Kazakh"): (0.0944, "0.0944"),
        ("M", "C→T", "Tamil"): (1.1e-8, "1.1e-08"),
    }
    told = " ".join(bundle.understood)
    assert "'$p$-value' is M against C→T" in told
    assert "'Tamil*' as 'Tamil'" in told


def test_one_row_for_each_dataset_with_named_pairs(read) -> None:
    bundle = read(
        'dataset,A,B,x/y,"p(A,B)",p-val (b vs. x/y),n\nd,1,2,3,(10^-4),0.0,"2,000"\n',
        metric="acc",
    )
    assert pvalues(bundle) == {
        ("A", "B", "d"): (1e-4, "(10^-4)"),
        ("B", "x/y", "d"): (0.0, "0.0"),
    }
    assert bundle.datasets[0].n_items_stated == 2000
    assert "printed as '0.0', a rounded figure" in bundle.warnings[0]


def test_one_row_for_each_system_with_rows_of_pvalues(read) -> None:
    bundle = read(
        "Model \\ Data,BC,BN\nMate,90.73,90.82\nSpaCy,89.05,89.31\n"
        '"p-val (Mate,SpaCy)",( $10^{-4}$ ),(0.0)\n',
        metric="UAS",
    )
    assert figures(bundle)["Mate", "BN", "UAS"] == (90.82, "90.82")
    assert pvalues(bundle) == {
        ("Mate", "SpaCy", "BC"): (1e-4, "( $10^{-4}$ )"),
        ("Mate", "SpaCy", "BN"): (0.0, "(0.0)"),
    }


def test_rows_of_pvalues_show_that_rows_are_systems(read) -> None:
    bundle = read('who,BC\nM,90\nS,89\n"p(M,S)",.01\n', metric="UAS", format="reported")
    assert pvalues(bundle) == {("M", "S", "BC"): (0.01, ".01")}


def test_one_row_for_each_system_columns_are_metrics(read) -> None:
    bundle = read("model,bleu,ter,note\nA,30.1,50,x\nB,,51,y\n", dataset="d")
    assert figures(bundle) == {
        ("A", "d", "bleu"): (30.1, "30.1"),
        ("A", "d", "ter"): (50.0, "50"),
        ("B", "d", "ter"): (51.0, "51"),
    }
    assert "Columns not read: note." in bundle.understood


def test_system_and_dataset_columns_with_one_column_for_each_metric(read) -> None:
    bundle = read("language_pair,system,UNI,UNI+\nde-cs,A,1,2\nde-en,A,3,\n")
    assert figures(bundle) == {
        ("A", "de-cs", "UNI"): (1.0, "1"),
        ("A", "de-cs", "UNI+"): (2.0, "2"),
        ("A", "de-en", "UNI"): (3.0, "3"),
    }


def test_only_the_metric_asked_for_is_read(read) -> None:
    table = "language_pair,system,bleu,ter\nde-cs,A,1,2\n"
    assert set(figures(read(table, metric="ter"))) == {("A", "de-cs", "ter")}
    with pytest.raises(ImportFormatError, match="no column is called 'chrf'"):
        read(table, metric="chrf")


def test_a_source_made_of_the_date_keeps_the_date(read) -> None:
    table = "system,dataset,acc,date\nA,d,0.5,2024-01-02\nA,d,0.6,2024-03-04\n"
    bundle = read(table, columns={"source": "board of {date}"})
    assert [(one.source, str(one.reported_on.date())) for one in bundle.reported_scores] == [
        ("board of 2024-01-02", "2024-01-02"),
        ("board of 2024-03-04", "2024-03-04"),
    ]


def test_settings_and_spreads_are_no_figures_of_a_metric(read) -> None:
    bundle = read(
        "model,dropout,n_params,val/loss_mean,val/loss_std\nA,0.2,9,1.5,0.1\n", dataset="d"
    )
    assert figures(bundle) == {("A", "d", "val/loss_mean"): (1.5, "1.5")}


def test_a_column_called_as_the_metric_goes_before_one_called_score(read) -> None:
    table = "system,dataset,score,bleu,n\nA,d,1,32.5,10\n"
    bundle = read(table, metric="bleu")
    assert figures(bundle) == {("A", "d", "bleu"): (32.5, "32.5")}
    own = read("dataset,bleu,ter\nd,32.5,50\n", metric="bleu", system="A")
    assert figures(own) == {("A", "d", "bleu"): (32.5, "32.5")}
    with pytest.raises(ImportFormatError, match="do not say their system"):
        read("dataset,bleu,ter\nd,32.5,50\n", metric="bleu")


def test_dataset_from_several_columns(read) -> None:
    bundle = read(
        "model,task,split,main_score\nA,t,dev,0.5\nA,t,test,0.4\n",
        metric="m",
        columns={"dataset": "{task}/{split}", "score": "main_score"},
    )
    assert set(figures(bundle)) == {("A", "t/dev", "m"), ("A", "t/test", "m")}


def test_aliases_join_spellings(read) -> None:
    bundle = read(
        'dataset,MIMICK,CHAR→TAG,"p(MIMICK,Char-Tag)"\nd,1,2,.5\n',
        metric="acc",
        yaml='aliases: {"Char→Tag": ["CHAR→TAG", "Char-Tag"]}',
    )
    assert set(pvalues(bundle)) == {("MIMICK", "Char→Tag", "d")}


def test_percent_signs_and_thousands(read) -> None:
    bundle = read("system,dataset,score\nA,d,74.4%\nB,d,80 %\n", metric="acc")
    assert bundle.metrics[0].unit == "percent"
    bundle = read('system,dataset,score\nA,d,"1,234"\n', "b.csv", metric="elo")
    assert figures(bundle)["A", "d", "elo"] == (1234.0, "1,234")
    assert "Commas were read as thousands in 1 numbers." in bundle.understood


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            "system,x,y\nA,1,2\n",
            {},
            r"\(x, y\) may be datasets or metrics. If they are datasets, give --metric NAME",
        ),
        ("dataset,A,B,p\nd,1,2,.1\n", {}, r"do not say their metric. .*Give --metric NAME"),
        ("system,value\nA,1\n", {}, r"do not say their dataset and metric"),
        (
            "dataset,A,B,C,p\nd,1,2,3,.1\n",
            {"metric": "m"},
            r"say in the header which two are compared",
        ),
        (
            'dataset,A,B,"p(A,BB)"\nd,1,2,.1\n',
            {"metric": "m"},
            r"field 'p\(A,BB\)': the p-value names the system 'BB'. Did you mean 'B'",
        ),
        (
            'system,d\nA,1\nB,2\n"p(A,C)",.1\n',
            {"metric": "m"},
            r"line 4, .*the p-value names the system 'C'. Known: A, B",
        ),
        (
            "dataset,A,B,p\nd,1,2,1.2\n",
            {"metric": "m"},
            r"line 2, field 'p': 1.2 is no p-value; it must lie in 0..1",
        ),
        ("dataset,A,B,p\nd,1,2,5%\n", {"metric": "m"}, r"5% is no p-value"),
        (
            "dataset,A,B,p\nd,1,2,> .05\n",
            {"metric": "m"},
            r"field 'p': '> .05' states only that the value is larger",
        ),
        (
            "dataset,A,B,p\nd,1,< 2,.1\n",
            {"metric": "m"},
            r"field 'B': '< 2' is a bound, not a score",
        ),
        (
            "system,dataset,score\nA,d,1\nA,d,2\n",
            {"metric": "m"},
            r"line 3, field 'score': line 2 states the same figure of the same source\. If each",
        ),
        (
            "system_a,system_b,dataset,p\nA,A,d,.1\n",
            {"metric": "m"},
            r"line 2, field 'p': compares 'A' with itself",
        ),
        (
            "system,dataset,score\nA,d,74%\nB,d,0.7\n",
            {"metric": "m"},
            r"line 3, field 'score': has no % sign",
        ),
        ("system,dataset,score,n\nA,d,1,2.5\n", {"metric": "m"}, r"'2.5' is no number of items"),
        ("system,dataset,score,stderr\nA,d,1,-1\n", {"metric": "m"}, r"'-1' is no standard error"),
        ("system,dataset,score,date\nA,d,1,May\n", {"metric": "m"}, r"'May' is no date"),
        (
            "system_a,system_b,dataset,p,sidedness\nA,B,d,.1,one\n",
            {"metric": "m"},
            r"field 'sidedness': 'one' must be one of two-sided",
        ),
        ("system,dataset,score\nA,d,\n", {"metric": "m"}, r"holds no figure: every cell is empty"),
        (
            "dataset,metric,A,B\nd,acc,1,2\ne,f1,1,2\n",
            {},
            r"the rows name several metrics, the columns several systems",
        ),
    ],
)
def test_faulty_tables_are_said(read, content, options, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(content, **options)


def test_percentage_in_a_proportion_metric_is_refused(read) -> None:
    with pytest.raises(ImportFormatError, match=r"74.4 is outside 0..1; is it a percentage\?"):
        read(
            "system,dataset,score\nA,d,74.4\n",
            metric="acc",
            yaml="metrics: {acc: {unit: proportion}}",
        )


def test_lenient_import_lists_each_cell(read) -> None:
    bundle = read(
        "dataset,A,B,p\nd,1,x,.1\ne,1,2,3\n",
        metric="m",
        format="reported",
        lenient=True,
    )
    assert {(row.line, row.field) for row in bundle.skipped} == {(2, "B"), (3, "p")}
    assert len(bundle.reported_scores) == 3


def test_a_table_without_figures_is_of_unknown_format(read) -> None:
    with pytest.raises(
        UnknownFormatError, match="no figures that a paper states: columns model, link"
    ):
        read("model,link\nA,x\n")


def test_item_scores_are_not_taken_for_figures(read) -> None:
    bundle = read("model,question_id,acc\nA,1,1\nA,2,0\n", dataset="d")
    assert bundle.format == "generic"


def test_releases_of_a_board_are_versions_of_its_datasets(read) -> None:
    board = "model,maths,code task\nA,48.5,\nB,49,57.692\n"
    bundle = read(board, metric="score", dataset_version="2026-03", higher_is_better=True)
    assert [(d.name, d.version) for d in bundle.datasets] == [
        ("maths", "2026-03"),
        ("code task", "2026-03"),
    ]
    found = [(one.system, one.dataset, one.value) for one in bundle.reported_scores]
    assert found == [("A", 0, 48.5), ("B", 0, 49.0), ("B", 1, 57.692)]


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("table_2024_06_24.csv", "2024-06-24"),
        ("board-2024-06.csv", "2024-06"),
        ("20240624.csv", "2024-06-24"),
        ("release_v5.csv", "v5"),
        ("table_123456.csv", ""),
        ("table.csv", ""),
    ],
)
def test_a_release_in_the_name_of_a_board_is_the_version_of_its_datasets(
    read, name, release
) -> None:
    bundle = read("model,maths\nA,48.5\n", name, metric="score")
    assert [(d.name, d.version) for d in bundle.datasets] == [("maths", release)]
    assert any("other questions" in told for told in bundle.understood) == bool(release)
    together = read("model,maths\nA,48.5\n", name, metric="score", dataset_version="all")
    assert [d.version for d in together.datasets] == ["all"]
    one = read("model,acc\nA,48.5\n", name, dataset="maths")
    assert [d.version for d in one.datasets] == [""], "its questions may well be the same"


def test_a_column_of_releases_is_the_version_of_the_datasets(read) -> None:
    table = "system,dataset,release,acc\nA,d,r1,0.5\nA,d,r2,0.25\n"
    bundle = read(table)
    assert [(d.name, d.version) for d in bundle.datasets] == [("d", "r1"), ("d", "r2")]
    assert [(one.dataset, one.value) for one in bundle.reported_scores] == [(0, 0.5), (1, 0.25)]


def test_the_dataset_after_the_name_of_the_file(read) -> None:
    bundle = read("system,acc\nA,0.5\n", "squad.csv", columns={"dataset": "@file"})
    assert [dataset.name for dataset in bundle.datasets] == ["squad"]


def test_columns_that_tell_lines_apart_name_datasets_or_sources(read) -> None:
    lines = "".join(
        f"{model},{task},{split},{n},{acc}\n"
        for model in ("a", "b")
        for task in ("x", "y")
        for split in ("dev", "test")
        for n, acc in ((1, 0.5), (2, 0.75))
    )
    bundle = read("model,task,split,experiment,accuracy\n" + lines, "runs.csv")
    assert {dataset.name for dataset in bundle.datasets} == {"x/dev", "x/test", "y/dev", "y/test"}
    sources = {score.source for score in bundle.reported_scores}
    assert sources == {"runs.csv, experiment 1", "runs.csv, experiment 2"}
    assert len(bundle.reported_scores) == 16


def test_a_folder_for_each_entry_is_its_source(read) -> None:
    entries = [("A", "one"), ("A", "two"), ("B", "three")] * 2
    lines = "".join(
        f"{board},{system},{folder}{n},{n}.5\n"
        for board in ("Lite", "Full")
        for n, (system, folder) in enumerate(entries)
    )
    bundle = read("leaderboard,system,folder,accuracy\n" + lines, "swe/entries.csv")
    assert {dataset.name for dataset in bundle.datasets} == {"swe/Lite", "swe/Full"}
    assert len({score.source for score in bundle.reported_scores}) == 6


def test_the_index_of_a_data_frame_names_the_systems(read) -> None:
    bundle = read(",win_rate,n_total\nnet,71.5,805\nold,20.25,805\n", "board.csv")
    assert [(s.system, s.value) for s in bundle.reported_scores] == [("net", 71.5), ("old", 20.25)]


def test_a_date_that_is_not_known_is_none(read) -> None:
    text = "system,dataset,metric,value,date\nA,d,f1,90,Unknown\nB,d,f1,91,2025-01-02\nC,d,f1,9,?\n"
    dates = {one.system: one.reported_on for one in read(text).reported_scores}
    assert (dates["A"], dates["C"]) == (None, None)
    assert dates["B"].day == 2


def test_rows_of_metrics_under_columns_called_like_systems_are_read(read) -> None:
    bundle = read("Task,Metric,GPT-4,Llama-3\nSST-2,Acc,90,80\nCoLA,MCC,60,50\n")
    found = {
        (bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name, one.system): one.value
        for one in bundle.reported_scores
    }
    assert found[("CoLA", "MCC", "GPT-4")] == 60
    assert len(found) == 4


def test_parts_of_a_dataset_under_columns_called_like_systems_are_read(read) -> None:
    bundle = read("lang,gpt-4,llama-3\nde,0.5,0.25\nfr,0.75,0.5\n", "spam/t.csv")
    assert {one.system for one in bundle.reported_scores} == {"gpt-4", "llama-3"}
    assert [one.name for one in bundle.datasets] == ["t/de", "t/fr"]
    assert any(guess.subject == "metric" for guess in bundle.guesses)


def test_types_of_questions_are_parts_of_a_dataset(read) -> None:
    bundle = read("question_type,n,accuracy\nnumber,5,0.5\nother,6,0.25\n", "spam/t.csv")
    assert [one.name for one in bundle.datasets] == ["t/number", "t/other"]


def test_ids_of_runs_beside_their_settings_in_json_are_systems(read) -> None:
    config = '"{""lr"": 0.1, ""kind"": ""a b c d e f g""}"'
    rows = f"B01,base,0.5,0.4,{config}\nB02,base,0.25,0.2,{config}\n"
    bundle = read("id,stage,train_rmse,val_rmse,config_json\n" + rows, "spam/experiments.csv")
    assert {one.system for one in bundle.reported_scores} == {"B01", "B02"}


def test_a_file_may_be_called_after_a_metric_of_two_words(read) -> None:
    bundle = read("codec,de,fr\ndac,0.5,0.25\nsnac,0.25,0\n", "spam/exact_match_results.csv")
    assert [metric.name for metric in bundle.metrics] == ["exact_match"]
