"""Boards in HTML, in files of our own making."""

import pytest

from store.errors import ImportFormatError, NoResultsError

PAGE = """<html><head><title>Boards</title><script>var x = "<table>";</script></head><body>
<h1>Reading</h1>
<table>
<tr><th rowspan="2">Model</th><th colspan="2">Scores</th><th rowspan="2">Date</th></tr>
<tr><th>EM</th><th>F1</th></tr>
<tr><td><a href="http://a.org">Net</a> <b>(single)</b></td><td>80.1</td><td>90.5%</td>
<td>2019-05-04</td></tr>
<tr><td>Old</td><td>70</td><td>-</td><td>2018-01-02</td></tr>
</table>
<table><tr><th>File</th><th>Lines</th></tr><tr><td>a.py</td><td>10</td></tr></table>
</body></html>"""


def test_figures_of_a_page(read):
    bundle = read(PAGE, "board.html")
    assert bundle.format == "html"
    found = [(s.system, bundle.metrics[s.metric].name, s.value) for s in bundle.reported_scores]
    assert found == [("Net (single)", "EM", 80.1), ("Net (single)", "F1", 90.5), ("Old", "EM", 70)]
    first = bundle.reported_scores[0]
    assert first.reported_on.date().isoformat() == "2019-05-04"
    assert first.source_url == "http://a.org"
    assert bundle.datasets[0].name == "Reading"


@pytest.mark.parametrize("content", ["<p>no table</p>", "<table><tr><td>1</td></tr></table>", "x"])
def test_a_page_without_boards_has_no_results(read, content):
    with pytest.raises(NoResultsError):
        read(content, "report.html")


def test_what_cells_say_to_span_has_an_end(read):
    board = "<table><tr><th>Model<th>F1</tr><tr><td>Net<td>1</tr><tr><td>Old{}</tr></table>"
    assert len(read(board.format("<td colspan=²>1"), "board.html").reported_scores) == 2
    with pytest.raises(ImportFormatError, match=r"line 1: .*span more than 1,000,000 places"):
        read(board.format(f"<td colspan={'9' * 5_000}>1" * 1_100), "board.html")
