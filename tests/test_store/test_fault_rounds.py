"""The rounds of `make faults` see what they look for."""

import sqlite3

from benchmarks.faults import Rounds, contents, wrong_with


def test_a_round_sees_damage_and_loss(tmp_path) -> None:
    rounds = Rounds(tmp_path, seed=0)
    before = contents(rounds.template)
    assert wrong_with(rounds.fresh("ingest"), before) == ""
    spoiled = rounds.fresh("ingest")
    with sqlite3.connect(spoiled) as connection:
        connection.execute("UPDATE score_vector SET data = zeroblob(length(data)) WHERE id = 1")
    connection.close()
    assert "not what was written" in wrong_with(spoiled, before)
    gone = rounds.fresh("ingest")
    gone.unlink()
    assert wrong_with(gone, before) == "the store is gone"
    assert before.count("'A'") == before.count("'B'") == 1
