"""Pages on a store with a damaged score vector."""

import sqlite3

from store import damage


def test_a_page_says_which_scores_are_damaged(open_page, example_copy, text_of, monkeypatch):
    monkeypatch.setattr(damage, "_seen", {})
    path = example_copy().path
    with sqlite3.connect(path) as connection:
        query = (
            "SELECT min(v.id), d.name FROM score_vector v JOIN run r ON r.id = v.run_id "
            "JOIN dataset d ON d.id = r.dataset_id WHERE r.deleted_at IS NULL GROUP BY d.id LIMIT 1"
        )
        vector, dataset = connection.execute(query).fetchone()
        connection.execute("DELETE FROM analysis_result")
        spoil = "UPDATE score_vector SET data = zeroblob(length(data)) WHERE id = ?"
        connection.execute(spoil, (vector,))
    connection.close()
    app = open_page("leaderboard", path, dataset=dataset)
    assert not app.exception
    assert "not what was written" in text_of(app)
