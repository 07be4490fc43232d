"""Files of formats that recipes describe, of our own making and of a few items each."""

import json
import struct
import zlib

import numpy as np
import pytest

from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths


@pytest.fixture
def put(tmp_path):
    """Return a function that writes text, bytes or JSON into a file below the folder."""

    def make(content, name):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return make


@pytest.fixture
def read(tmp_path):
    """Return a function that reads the whole folder: bundles and what was left out."""

    def make(folder="", **options):
        return read_paths(
            [tmp_path / folder], options=ReadOptions(**options), root=tmp_path, whole=True
        )

    return make


def scores_of(bundles):
    """Return (system, dataset, metric, trial) -> {item: score, ``None`` where missing}."""
    found = {}
    for bundle in bundles:
        for run in bundle.runs:
            dataset = bundle.datasets[run.dataset]
            for scores in run.scores:
                key = (run.system, dataset.name, bundle.metrics[scores.metric].name, scores.trial)
                assert key not in found
                values = [None if np.isnan(v) else v for v in scores.values[:, 0].tolist()]
                found[key] = dict(zip((i.key for i in dataset.items), values, strict=True))
    return found


def figures_of(bundles):
    """Return (system, dataset, metric with signature) -> the values that are stated."""
    found = {}
    for bundle in bundles:
        for one in bundle.reported_scores:
            metric = bundle.metrics[one.metric]
            name = f"{metric.name} {metric.signature}".strip()
            key = (one.system, bundle.datasets[one.dataset].name, name)
            found.setdefault(key, []).append(one.value)
    return found


def zipped(members, method=93):
    """Return a zip file of JSON members, compressed by Zstandard, which zipfile cannot write."""
    import pyarrow as pa

    body, directory = b"", b""
    for name, content in members:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        packed = pa.compress(data, "zstd", asbytes=True) if method == 93 else data
        about = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(data), len(packed),
                            len(data), len(name), 0)  # fmt: skip
        directory += struct.pack("<4sH", b"PK\x01\x02", 20) + about
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + about + name.encode() + packed
    n = len(members)
    return (
        body
        + directory
        + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, n, n, len(directory), len(body), 0)
    )
