"""Tables of pages in which rows or columns name datasets."""

import pytest

from store.importers.detect import read_paths


@pytest.fixture
def figures(tmp_path):
    """Return a function that reads a page and returns system, dataset, metric, value."""

    def make(text: str, name: str = "board.md") -> set[tuple[str, str, str, float]]:
        path = tmp_path / "evals" / name
        path.parent.mkdir()
        path.write_text(text)
        return {
            (one.system, bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name,
             one.value)
            for bundle in read_paths(path.parent).bundles
            for one in bundle.reported_scores
        }  # fmt: skip

    return make


_ON_TWO = {
    ("gpt-4o", "squad", "F1", 0.75),
    ("gpt-4o", "hotpotqa", "F1", 0.5),
    ("t5-base", "squad", "F1", 0.25),
    ("t5-base", "hotpotqa", "F1", 0.125),
}


def test_a_column_of_datasets(figures) -> None:
    rows = "".join(f"| {s} | {d} | {v} |\n" for s, d, _, v in sorted(_ON_TWO))
    assert figures(f"# Results\n\n| Model | Dataset | F1 |\n|---|---|---|\n{rows}") == _ON_TWO


def test_an_empty_cell_is_the_system_above(figures) -> None:
    rows = "| gpt-4o | squad | 0.75 |\n| | hotpotqa | 0.5 |\n"
    rows += "| t5-base | squad | 0.25 |\n| | hotpotqa | 0.125 |\n"
    assert figures(f"| Model | Dataset | F1 |\n|---|---|---|\n{rows}") == _ON_TWO


def test_cells_of_html_that_span_rows(figures) -> None:
    page = (
        "<table><tr><th>Model</th><th>Dataset</th><th>F1</th></tr>"
        "<tr><td rowspan=2>gpt-4o</td><td>squad</td><td>0.75</td></tr>"
        "<tr><td>hotpotqa</td><td>0.5</td></tr>"
        "<tr><td rowspan=2>t5-base</td><td>squad</td><td>0.25</td></tr>"
        "<tr><td>hotpotqa</td><td>0.125</td></tr></table>"
    )
    assert figures(page, "board.html") == _ON_TWO


def test_columns_are_datasets_below_a_heading_of_their_metric(figures) -> None:
    rows = "| gpt-4o | 0.75 | 0.5 | 0.625 |\n| t5-base | 0.25 | 0.125 | 0.1875 |\n"
    head = "| Model | squad | hotpotqa | Average |\n|---|---|---|---|\n"
    assert figures(f"# Results\n\n## F1\n\n{head}{rows}") == _ON_TWO


def test_headings_that_say_nothing_are_no_part_of_datasets(figures) -> None:
    parts = [
        f"## {name}\n\n| Model | F1 |\n|---|---|\n"
        + "".join(f"| {s} | {v} |\n" for s, d, _, v in sorted(_ON_TWO) if d == name)
        for name in ("squad", "hotpotqa")
    ]
    assert figures("# Results\n\n" + "\n".join(parts)) == _ON_TWO


def test_a_table_of_items_states_no_figures(figures) -> None:
    rows = "".join(f"| {s} | q{n} | {n}.5 |\n" for s in ("gpt-4o", "t5-base") for n in range(9))
    assert not figures(f"| Model | Question ID | F1 |\n|---|---|---|\n{rows}")


_ACCURACY = {(s, d, "accuracy", v) for s, d, _, v in _ON_TWO}


@pytest.mark.parametrize("corner", ["Dataset", "", "Benchmark"])
@pytest.mark.parametrize("last", ["", "Average,0.625,0.1875\n"])
def test_datasets_by_systems_in_a_file_called_after_its_metric(figures, corner, last) -> None:
    rows = "squad,0.75,0.25\nhotpotqa,0.5,0.125\n"
    assert figures(f"{corner},gpt-4o,t5-base\n{rows}{last}", "accuracy.csv") == _ACCURACY


def test_datasets_by_systems_of_a_metric_that_nothing_names(figures) -> None:
    found = figures("Dataset,gpt-4o,t5-base\nsquad,0.75,0.25\nhotpotqa,0.5,0.125\n", "results.csv")
    assert found == {(s, d, "score", v) for s, d, _, v in _ON_TWO}


def test_a_long_table_is_of_the_dataset_of_its_file(figures) -> None:
    rows = "gpt-4o,f1,0.75\ngpt-4o,accuracy,0.5\nt5-base,f1,0.25\n"
    assert figures(f"model,metric,value\n{rows}", "squad_results.csv") == {
        ("gpt-4o", "squad", "f1", 0.75),
        ("gpt-4o", "squad", "accuracy", 0.5),
        ("t5-base", "squad", "f1", 0.25),
    }


def test_items_below_a_corner_without_a_name_stay_items(tmp_path) -> None:
    rows = "".join(f"q{n},1,0\n" for n in range(9))
    (tmp_path / "accuracy.csv").write_text(f",gpt-4o,t5-base\n{rows}")
    (bundle,) = read_paths(tmp_path).bundles
    assert {run.system for run in bundle.runs} == {"gpt-4o", "t5-base"}
