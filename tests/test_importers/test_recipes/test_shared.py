"""Real results against figures computed here from the raw files: n, mean, missing."""

import csv
import gzip
import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from store.importers.detect import read_paths

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real files is not beside this"),
]
csv.field_size_limit(sys.maxsize)
VERDICTS = {"[PASS]": 1.0, "[FAIL]": 0.0, "[ERROR": None}


def summed(values):
    found = [v for v in values if v is not None]
    return len(found), round(sum(found) / len(found), 6) if found else None, len(values)


def ours(folder, *metrics):
    """Return the sorted (n, mean, items) of every run, for some metrics or all."""
    found = []
    for bundle in read_paths([DATA / folder]).bundles:
        for run in bundle.runs:
            for one in run.scores:
                if not metrics or bundle.metrics[one.metric].name in metrics:
                    values = [None if np.isnan(v) else v for v in one.values[:, 0].tolist()]
                    found.append(summed(values))
    return sorted(found)


def member(path, name):
    """Return a member of an archive that is compressed by Zstandard."""
    info, data = zipfile.ZipFile(path).getinfo(name), path.read_bytes()
    at = info.header_offset
    begins = at + 30 + sum(struct.unpack("<HH", data[at + 26 : at + 30]))
    packed = pa.BufferReader(data[begins : begins + info.compress_size])
    return json.loads(pa.CompressedInputStream(packed, "zstd").read())


def test_inspect():
    grades = {"C": 1.0, "P": 0.5, "I": 0.0}
    logs = (DATA / "inspect-civic-misinfo").rglob("*.eval")
    raw = []
    for log in logs:
        samples = member(log, "summaries.json")
        raw.append(summed([grades[s["scores"]["model_graded_qa"]["value"]] for s in samples]))
    assert ours("inspect-civic-misinfo", "model_graded_qa") == sorted(raw)


def test_helm():
    raw = []
    for path in (DATA / "helm-pythia-gpt2-runs").rglob("per_instance_stats.json"):
        items = json.loads(path.read_text())
        for name in ("exact_match", "f1_score", "inference_runtime"):
            means = [{s["name"]["name"]: s.get("mean") for s in item["stats"]} for item in items]
            if name in means[0]:
                raw.append(summed([one.get(name) for one in means]))
    assert ours("helm-pythia-gpt2-runs", "exact_match", "f1_score", "inference_runtime") == sorted(
        raw
    )


def test_promptfoo():
    raw = []
    for path in (DATA / "promptfoo-csv-llm-evals").rglob("results.csv"):
        with path.open() as file:
            head, *rows = csv.reader(file)
        for n in (n for n, name in enumerate(head) if name.startswith("[")):
            raw.append(summed([VERDICTS[row[n].strip()[:6]] for row in rows]))
    assert ours("promptfoo-csv-llm-evals", "pass") == sorted(raw)


def test_evalplus():
    raw = []
    for path in (DATA / "evalplus-llama3-exp").rglob("*_eval_results.json"):
        programs = [one for (one,) in json.loads(path.read_text())["eval"].values()]
        base = [one["base_status"] == "pass" for one in programs]
        plus = [one["plus_status"] == "pass" for one in programs]
        raw += [summed(base), summed([a and b for a, b in zip(base, plus, strict=True)])]
    assert ours("evalplus-llama3-exp") == sorted(raw)


def test_livecodebench():
    path = DATA / "livecodebench_generation" / "performances_generation.json.gz"
    raw = {}
    for one in json.loads(gzip.decompress(path.read_bytes()))["performances"]:
        raw.setdefault(one["model"], []).append(one["pass@1"])
    assert ours(path) == sorted(map(summed, raw.values()))


def test_mt_bench():
    raw = {}
    for path in (DATA / "mtbench-korean-judgments").rglob("single*/*.jsonl"):
        key = (path.name, path.parent.name, path.parts[-3])
        for line in path.read_text().splitlines():
            grades = [json.loads(line)[f"score_turn{turn}"] for turn in (1, 2)]
            raw.setdefault(key, []).extend(g if g >= 0 else None for g in grades)
    assert ours("mtbench-korean-judgments", "rating") == sorted(map(summed, raw.values()))


def test_figures_of_opencompass_and_lighteval():
    stated = {
        folder: sorted(
            one.value
            for bundle in read_paths([DATA / folder]).bundles
            for one in bundle.reported_scores
        )
        for folder in ("opencompass-mistral-quant", "lighteval-idk")
    }
    raw = [
        json.loads(path.read_text())["accuracy"]
        for path in (DATA / "opencompass-mistral-quant").rglob("results/*/*.json")
    ]
    assert stated["opencompass-mistral-quant"] == sorted(raw)
    tasks = [
        json.loads(path.read_text())["results"]["community|lexam-en-idk|0"]
        for path in (DATA / "lighteval-idk").rglob("results_*.json")
    ]
    raw = [v for task in tasks for name, v in task.items() if not name.endswith("_stderr")]
    assert stated["lighteval-idk"] == sorted(raw)
