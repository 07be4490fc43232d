"""Who gives the scores of a metric: a program, people, or a model that judges."""

import pytest

from store.engine import open_store
from store.errors import ConflictError, ImportFormatError
from store.ingest import ingest
from store.metrics import list_metrics

TABLE = "system,dataset,item,adequacy\nA,d,1,4\nA,d,2,5\n"


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "t.db", create=True)
    yield opened
    opened.close()


def source_of(store):
    (metric,) = list_metrics(store)
    return metric.source


@pytest.mark.parametrize("source", ["human", "model", "automatic"])
def test_a_yaml_file_says_it(read, store, source):
    bundle = read(TABLE, yaml=f"metrics: {{adequacy: {{source: {source}}}}}")
    assert bundle.metrics[0].source == source
    ingest(store, bundle, actor="t")
    assert source_of(store) == source


def test_without_a_word_it_is_automatic(read, store):
    ingest(store, read(TABLE), actor="t")
    assert source_of(store) == "automatic"


def test_an_unknown_source_is_refused(read):
    with pytest.raises(ImportFormatError, match="people"):
        read(TABLE, yaml="metrics: {adequacy: {source: people}}")


def test_it_can_be_said_later(read, store):
    ingest(store, read(TABLE), actor="t")
    said = read(TABLE, yaml="metrics: {adequacy: {source: human}}")
    ingest(store, said, actor="t")
    assert source_of(store) == "human"
    revision = store.revision()
    ingest(store, said, actor="t")
    ingest(store, read(TABLE, name="again/scores.csv"), actor="t")
    assert (source_of(store), store.revision()) == ("human", revision), "a silent file says nothing"


def test_it_cannot_be_two(read, store):
    ingest(store, read(TABLE, yaml="metrics: {adequacy: {source: human}}"), actor="t")
    other = read(TABLE, yaml="metrics: {adequacy: {source: model}}")
    with pytest.raises(ConflictError, match="as given by a human"):
        ingest(store, other, actor="t")
