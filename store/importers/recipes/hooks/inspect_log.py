"""Inspect logs: `.eval` archives and JSON, whole or broken off, of every version of the format.

Read are the header and the summaries of the samples; the samples themselves only for texts, and
where a log broke off before its last summaries were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from store.errors import ImportFormatError
from store.importers.known_metrics import is_cost, lookup
from store.importers.recipes.archive import Archive
from store.importers.recipes.documents import Document, parse_tree
from store.importers.textfile import decode

_FINGERPRINT: Final = 200
"""Characters of an input that tell items apart: summaries hold the beginning of a long one."""
_LETTERS: Final = frozenset("CIPN")
_VALUES: Final = ("accuracy", "mean")
"""Aggregates that are the mean of the items' scores."""
_TIMES: Final = ("time", "working")
"""Limits of a sample that are spans of time."""
_OWN: Final = "own"
"""What else a scorer's own metric states of all samples."""
_ABOUT_VALUES: Final = re.compile(
    r"(bootstrap_)?(std|stderr|var|variance|sem|ci|n|count|min|max|median)(_\w+)?\d*|\w+_(stderr|std)"
)
"""Statistics beside the mean, which are no figures of their own."""


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{header, samples, aggregates}``; each sample has its scores in a flat list."""
    content = document.content
    if isinstance(content, Archive):
        header, samples = _of_archive(content, with_text)
    else:
        header, samples = content, content.get("samples") or []
    evaluation = header.get("eval")
    if not isinstance(evaluation, dict) or not isinstance(evaluation.get("dataset", {}), dict):
        raise ImportFormatError(
            "no header that is known: the log may be of a newer version. Convert it with "
            "`inspect log convert --to json`.",
            path=document.shown,
        )
    results = header.get("results") or {}
    stated = _aggregates(results)
    trusted = {one["metric"] for one in stated if one["kind"] == "accuracy"}
    config = evaluation.get("config")
    on_error = isinstance(config, dict) and config.get("score_on_error") is True
    found = [
        {**_sample(one, results, trusted), **_outcome(one, on_error=on_error)}
        for one in samples
        if isinstance(one, dict)
    ]
    if not any(one["scores"] for one in found):  # all crashed: nothing was scored
        scorers = evaluation.get("scorers")
        names = [one.get("name") for one in scorers or [] if isinstance(one, dict)]
        empty = [{"name": name, "value": None, "better": None} for name in names if name]
        found = [{**one, "scores": empty} for one in found]
    is_whole = header.get("status") == "success"
    return {
        "header": {**header, "model": _model(evaluation)},
        "version": evaluation.get("task_version") or None,
        "complete": is_whole and not header.get("invalidated"),
        "samples": [*found, *([] if is_whole else _never_run(evaluation, found))],
        "aggregates": [one for one in stated if one["kind"] in (*_VALUES, _OWN)],
    }


def _of_archive(archive: Archive, with_text: bool) -> tuple[dict[str, Any], list[Any]]:
    names = set(archive.names)
    header = _json(archive, "header.json" if "header.json" in names else "_journal/start.json")
    if "summaries.json" in names:
        samples = _json(archive, "summaries.json")
    else:
        parts = sorted(
            archive.matching("_journal/summaries/*.json"),
            key=lambda name: int("0" + "".join(filter(str.isdigit, name.rpartition("/")[2]))),
        )
        samples = [one for part in parts for one in _json(archive, part)]
    whole = [n for n in dict.fromkeys(archive.matching("samples/*.json")) if n.count("/") == 1]
    if not isinstance(header, dict) or not isinstance(samples, list):
        raise ImportFormatError("no header that is known.", path=archive.shown)
    keys = {(str(one.get("id")), one.get("epoch")) for one in samples if isinstance(one, dict)}
    if with_text or len(whole) > len(keys):
        samples = [_json(archive, name) for name in whole] or samples
    return header, samples


def _json(archive: Archive, name: str) -> Any:
    if name not in archive.names:
        return []
    place = f"{archive.shown}:{name}"
    return parse_tree(decode(archive.read(name), place), place)


def _model(evaluation: Mapping[str, Any]) -> str | None:
    """Return the model, or the models by their roles where no single one was evaluated."""
    model = evaluation.get("model")
    if isinstance(model, str) and model.strip("/ ") and model not in ("none", "none/none"):
        return model
    roles = evaluation.get("model_roles")
    if not isinstance(roles, dict):
        return None
    named = {k: v.get("model") if isinstance(v, dict) else v for k, v in roles.items()}
    return ", ".join(f"{role}={name}" for role, name in named.items() if name) or None


def _sample(
    sample: Mapping[str, Any], results: Mapping[str, Any], trusted: set[str]
) -> dict[str, Any]:
    scores = sample.get("scores")
    if not isinstance(scores, dict):  # version 1 has one scorer, named in the results
        name = (results.get("scorer") or {}).get("name") or "score"
        scores = {name: sample["score"]} if sample.get("score") else {}
    text, target = _text(sample.get("input")), sample.get("target")
    usage = sample.get("model_usage") or {}
    tokens = [u.get("total_tokens") for u in usage.values() if isinstance(u, dict)]
    return {
        "id": sample.get("id"),
        "epoch": sample.get("epoch", 1),
        "input": text,
        "fingerprint": text[:_FINGERPRINT] if text else None,
        "target": "\n".join(map(str, target)) if isinstance(target, list) else target,
        "output": _answer(sample.get("output")),
        "metadata": sample.get("metadata"),
        "total_time": sample.get("total_time"),
        "total_tokens": sum(n for n in tokens if isinstance(n, int)) or None,
        "scores": [
            {"name": name, "value": value, "better": _is_better(value, name, trusted)}
            for scorer, score in scores.items()
            for name, value in _values(scorer, score)
        ],
    }


def _outcome(sample: Mapping[str, Any], *, on_error: bool) -> dict[str, Any]:
    """Return the outcome of a sample, and whether Inspect counts its scores all the same."""
    if sample.get("error"):
        return {"state": "crashed", "counts": on_error}
    limit = sample.get("limit")  # in summaries its kind alone
    kind = limit.get("type") if isinstance(limit, dict) else limit
    is_late = kind in _TIMES and not _is_right(sample)
    return {"state": "timed out" if is_late else None, "counts": True}


def _is_right(sample: Mapping[str, Any]) -> bool:
    """Return whether a scorer found the answer right, as it stood when the time was over."""
    scores = sample.get("scores")
    values = scores.items() if isinstance(scores, dict) else ()
    return any(one in ("C", 1) for name, score in values for _, one in _values(name, score))


def _values(scorer: str, score: Any) -> Iterator[tuple[str, Any]]:
    """Yield the scores of a scorer: one, or one for each key of a mapping or place of a list."""
    value = score.get("value") if isinstance(score, dict) else score
    if isinstance(value, dict):
        yield from ((f"{scorer}/{key}", one) for key, one in value.items())
    elif isinstance(value, list):
        yield from ((f"{scorer}/{n}", one) for n, one in enumerate(value))
    else:
        yield scorer, value


def _is_better(value: Any, name: str, trusted: set[str]) -> bool | None:
    """Return whether higher is known to be better: letters are grades, accuracy is a share.

    What a scorer says of steps, tokens, time or money is no grade, whatever stands beside it, nor
    is a share of what is better low, as of attacks that succeed.
    """
    if _is_low(name):
        return None
    is_grade = isinstance(value, str) and value in _LETTERS
    return True if is_grade or not trusted.isdisjoint((name, name.partition("/")[0])) else None


def _is_low(name: str | None) -> bool:
    """Return whether the table of known metrics says that lower is better."""
    known = lookup(name) if name else None
    return known is not None and (is_cost(known.name) or not known.higher_is_better)


def _never_run(evaluation: Mapping[str, Any], found: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield the items that a log names and that it broke off before."""
    have = {(str(one["id"]), one["epoch"]) for one in found}
    epochs = (evaluation.get("config") or {}).get("epochs") or 1
    for epoch in range(1, epochs + 1 if isinstance(epochs, int) else 2):
        for key in evaluation["dataset"].get("sample_ids") or [] if have else []:
            if (str(key), epoch) not in have:
                yield {"id": key, "epoch": epoch, "state": "not attempted"}


def _aggregates(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the aggregates of every scorer; group and reducer of epochs are their signature."""
    stated = results.get("scores")
    if not isinstance(stated, list):
        scorer = (results.get("scorer") or {}).get("name")
        metrics = results.get("metrics")
        stated = [{"name": scorer, "metrics": metrics}] if scorer and metrics else []
    found: list[dict[str, Any]] = []
    for one in stated:
        if not isinstance(one, dict) or not isinstance(one.get("metrics"), dict):
            continue
        found += _of_scorer(one, results)
    return found


def _of_scorer(one: Mapping[str, Any], results: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what one scorer states: of groups, by metrics of its own, and of all samples."""
    reducer, scorer, name = one.get("reducer"), one.get("scorer"), one.get("name")
    metric = name if scorer in (None, name) else f"{scorer}/{name}"
    signature = f"reducer:{reducer}" if reducer not in (None, "mean") else None
    shared = {"metric": metric, "scorer": scorer or name, "signature": signature}
    figures: dict[str, Any] = {}
    for key, figure in one["metrics"].items():
        value = figure.get("value") if isinstance(figure, dict) else figure
        kind, group = _kind_and_group(key, figure)
        if group:
            told = f"{group}|{signature}" if signature else group
            better = _is_better_stated(kind, metric)
            yield {**shared, "kind": kind, "value": value, "signature": told, "better": better}
            continue
        figures[kind] = value
        if kind not in _VALUES and _ABOUT_VALUES.fullmatch(kind) is None:
            yield {**shared, "metric": f"{metric}/{kind}", "kind": _OWN, "value": value}
    kind = next((value for value in _VALUES if value in figures), "other")
    yield {
        **shared,
        "kind": kind,
        "value": figures.get(kind),
        "stderr": figures.get("stderr"),
        "n_items": one.get("scored_samples") or results.get("completed_samples"),
        "better": _is_better_stated(kind, metric),
    }


def _kind_and_group(key: str, stated: Any) -> tuple[str, str]:
    """Return which metric a scorer states, and of which group of samples: ``level=easy``.

    The group is empty where the metric is of all samples, one by one, also beside groups.
    """
    params = stated.get("params") if isinstance(stated, dict) else None
    if not isinstance(params, dict):
        return key, ""
    by, of_group = params.get("group_key"), params.get("metric")
    if not isinstance(by, str) or not isinstance(of_group, dict):
        return key, ""
    kind = str(of_group.get("name")).rpartition("/")[2]
    is_of_all = key == params.get("all_label", "all") and params.get("all") != "groups"
    return kind, "" if is_of_all else f"{by}={key}"


def _is_better_stated(kind: str, metric: str | None) -> bool | None:
    return True if kind == "accuracy" and not _is_low(metric) else None


def _text(value: Any) -> str | None:
    """Return the text of an input: a text, or messages with their contents."""
    if isinstance(value, str):
        return value or None
    if not isinstance(value, list):
        return None
    parts = [one.get("content", one.get("text")) for one in value if isinstance(one, dict)]
    texts = [part if isinstance(part, str) else _text(part) for part in parts]
    return "\n".join(text for text in texts if text) or None


def _answer(output: Any) -> str | None:
    choices = output.get("choices") if isinstance(output, dict) else None
    if not choices or not isinstance(choices[0], dict):
        return None
    content = (choices[0].get("message") or {}).get("content")
    return content if isinstance(content, str) else _text(content)
