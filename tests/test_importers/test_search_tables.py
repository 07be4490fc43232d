"""Tables of a search for settings, in files of our own making."""


def figures(bundle):
    return {
        (one.system, bundle.metrics[one.metric].name, one.source): one.value
        for one in bundle.reported_scores
    }


def test_splits_of_scikit_learn_are_repeats(read) -> None:
    text = (
        ",mean_fit_time,param_C,param_k,params,split0_test_f1,split1_test_f1,mean_test_f1,"
        "std_test_f1,rank_test_f1\n"
        "0,0.1,1,rbf,\"{'C': 1}\",0.8,0.9,0.85,0.05,1\n"
        "1,0.1,10,rbf,\"{'C': 10}\",0.7,0.8,0.75,0.05,2\n"
    )
    bundle = read(text, "svm/cv_results.csv")
    assert bundle.format == "search"
    assert figures(bundle) == {
        ("svm (param_C=1)", "test_f1", "cv_results.csv, split 0"): 0.8,
        ("svm (param_C=1)", "test_f1", "cv_results.csv, split 1"): 0.9,
        ("svm (param_C=10)", "test_f1", "cv_results.csv, split 0"): 0.7,
        ("svm (param_C=10)", "test_f1", "cv_results.csv, split 1"): 0.8,
    }
    assert bundle.metrics[0].higher_is_better


def test_trials_of_optuna_that_ended(read) -> None:
    head = "number,value,datetime_start,datetime_complete,duration,params_lr,state\n"
    rows = "0,0.5,,,,0.1,COMPLETE\n1,0.2,,,,0.2,PRUNED\n2,0.6,,,,0.3,COMPLETE\n"
    bundle = read(head + rows, "net/study.csv")
    assert [one.system for one in bundle.reported_scores] == [
        "study (params_lr=0.1)",
        "study (params_lr=0.3)",
    ]
    assert bundle.metrics[0].higher_is_better is None
    assert any("1 trials that did not end" in told for told in bundle.understood)


def test_a_sweep_names_its_settings(read) -> None:
    text = "rank,alpha,f1,training_time_sec\n4,16,0.5,10\n8,16,0.6,11\n"
    bundle = read(text, "ner/grid_search_results.csv")
    assert {place[:2] for place in figures(bundle)} == {
        (f"grid_search (rank={rank})", metric)
        for rank in (4, 8)
        for metric in ("f1", "training_time_sec")
    }


def test_seeds_folds_and_boards_are_none(read) -> None:
    for text in (
        "seed,accuracy,f1\n1,0.5,0.4\n2,0.6,0.5\n",
        "model,lr,accuracy\nA,0.1,0.5\nB,0.2,0.6\n",
    ):
        assert read(text, "net/results.csv").format != "search"
