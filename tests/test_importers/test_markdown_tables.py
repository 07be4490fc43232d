"""Pages in Markdown with boards, in files of our own making."""

from datetime import UTC, datetime

import pytest

from store.errors import UnknownFormatError
from store.importers.detect import read_paths
from store.importers.markdown_tables import read_tables

PAGE = """
# Parsing

## Treebank

Gold tags:

| Model | UAS | LAS | Params | Paper / Source | Code |
| --- | :-: | --- | --- | --- | --- |
| **Net** (Li et al., 2019)* | 95.1 | **93.0** | 24M | [A net](http://a.org/1) | [x](http://c.org) |
| Old \\| bar (Wu, 2016) | - | 91 (single) | 2M | | |

Predicted tags:

| Model | LAS | Paper |
| --- | --- | --- |
| Net (Li et al., 2019) | 90.0 | [A net](http://a.org/1) |

## Notes

| Word | Tag |
| --- | --- |
| a | 1 |

```
| Model | LAS |
| --- | --- |
| none | 1 |
```
"""


def stated(bundle):
    return {
        (s.system, bundle.datasets[s.dataset].name, bundle.metrics[s.metric].name): s.value
        for s in bundle.reported_scores
    }


def direction(bundle, name):
    return next(m.higher_is_better for m in bundle.metrics if m.name == name)


def test_figures_of_a_page(read):
    bundle = read(PAGE, "parsing.md")
    assert bundle.format == "markdown"
    net, old = "Net (Li et al., 2019)", "Old | bar (Wu, 2016)"
    gold, predicted = "Parsing/Treebank/Gold tags", "Parsing/Treebank/Predicted tags"
    assert stated(bundle) == {
        (net, gold, "UAS"): 95.1,
        (net, gold, "LAS"): 93.0,
        (old, gold, "LAS"): 91.0,
        (net, predicted, "LAS"): 90.0,
    }
    first = bundle.reported_scores[0]
    assert (first.source, first.source_url) == ("A net", "http://a.org/1")
    assert first.reported_on == datetime(2019, 1, 1, tzinfo=UTC)
    assert bundle.datasets[0].task == "Parsing"
    assert any(guess.value == "1 January" for guess in bundle.guesses)


def test_the_line_of_a_cell_without_a_number_is_told(read):
    bundle = read("| Model | F1 |\n|---|---|\n| A | 1 |\n| B | 2/3 |\n| C | 3 |\n", "b.md")
    assert len(bundle.reported_scores) == 2
    assert "line 4" in bundle.warnings[0]


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        ("Odd", [3, 2, 1], True),  # best first
        ("Odd", [1, 2, 3], None),  # best first, or best last
        ("Odd", [1, 3, 2], None),
        ("Odd | F1", ["1 | 5", "2 | 6", "3 | 7"], True),  # best last, as F1 says
        ("Odd | F1", ["1 | 7", "2 | 6", "3 | 5"], False),
        ("Odd | F1", ["1 | 7", "2 | 9", "3 | 5"], None),
        ("F1 (easy)", [1], True),
        ("Odd (easy)", [1], None),
    ],
)
def test_direction_from_the_order_of_a_board(read, columns, rows, expected):
    head = f"| Model | {columns} | Paper |\n|{'---|' * (columns.count('|') + 3)}\n"
    lines = "".join(f"| s{i} | {row} | p |\n" for i, row in enumerate(rows))
    bundle = read(head + lines, "board.md")
    assert direction(bundle, columns.split(" | ")[0]) is expected


def test_one_metric_on_two_scales_is_brought_to_percent(read):
    page = "# A\n| Model | Acc |\n|---|---|\n| x | 91.5 |\n| y | 0.9 |\n"
    bundle = read(page + "# B\n| Model | Acc |\n|---|---|\n| x | 0.5 |\n", "b.md")
    assert [s.value for s in bundle.reported_scores] == [91.5, 0.9, 50.0]
    assert [s.printed for s in bundle.reported_scores] == ["91.5", "0.9", "0.5"]
    assert bundle.guesses[0].subject == "metric Acc: scale"


def test_entries_without_a_name_and_twice_stated_are_told(read):
    rows = "| - | 1 |\n| a | 2 |\n| a | 3 |\n| b | 4 |\n| b | 4 |\n"
    bundle = read("| Model | F1 |\n|---|---|\n" + rows, "b.md")
    assert [(s.system, s.value) for s in bundle.reported_scores] == [("a", 2.0), ("b", 4.0)]
    assert "2 in line 4 is kept, 3 left out" in bundle.warnings[0]
    assert any("without a name" in told for told in bundle.understood)


def test_a_readme_in_a_folder_is_no_board(write, tmp_path):
    write("| Model | F1 |\n|---|---|\n| A | 1 |\n", "r/README.md")
    (left_out,) = read_paths([tmp_path / "r"]).left_out
    assert not left_out.is_fault
    assert "name the page itself" in left_out.reason


def test_a_readme_that_is_named_is_read_where_it_has_a_known_metric(read):
    bundle = read("| Model | F1 |\n|---|---|\n| A | 1 |\n", "README.md")
    assert [(one.system, one.value) for one in bundle.reported_scores] == [("A", 1.0)]
    for text in ("| Model | Licence |\n|---|---|\n| A | 1 |\n", "# Notes\n"):
        with pytest.raises(UnknownFormatError, match="without a table of a known metric"):
            read(text, "README.md")


def test_a_text_is_no_page(read):
    with pytest.raises(UnknownFormatError):
        read("| Model | F1 |\n|---|---|\n| A | 1 |\n", "notes.txt")


def test_headings_and_lines():
    gold, predicted, notes = read_tables(PAGE)
    assert list(gold.headings) == ["Parsing", "Treebank"]
    assert gold.lines == [10, 11]
    assert (gold.caption, predicted.caption, notes.caption) == ("Gold tags", "Predicted tags", "")
