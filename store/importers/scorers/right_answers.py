"""What is right, as the gold files of answers say it.

SQuAD's own file, its records as Hugging Face writes them, or ``{question: [answers]}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.scorers.answers import normalised
from store.importers.tables import read_json_objects
from store.importers.textfile import data_suffix, read_json, read_text

Kind = Literal["squad", "records", "lists", "texts", "other"]
"""SQuAD's file or its records, several right answers by question, one, anything else."""
_FEWEST = 2
"""Questions below which an object is not taken for answers."""


@dataclass(frozen=True, slots=True)
class Key:
    """What is right."""

    answers: dict[str, tuple[str, ...]]
    questions: dict[str, str]
    passages: dict[str, str]
    is_squad: bool


def read_answers(path: Path, shown: str) -> tuple[Any, str]:
    """Return the content of a file, a list of records of JSON lines, and its fingerprint.

    Raises
    ------
    ImportFormatError
        It is damaged.
    """
    if data_suffix(path) != ".jsonl":
        return read_json(path, shown)
    text, sha256 = read_text(path, shown)
    problems = RowProblems(lenient=False)
    rows, _ = read_json_objects(text, shown, problems)
    problems.raise_if_any()
    return rows, sha256


def kind_of(content: Any) -> Kind:
    """Return what a JSON value, or a list of records, holds."""
    if isinstance(content, list):
        return "records" if content and all(map(_is_record, content)) else "other"
    if not isinstance(content, dict) or not content:
        return "other"
    data = content.get("data")
    if isinstance(data, list) and data and isinstance(data[0], dict) and "paragraphs" in data[0]:
        return "squad"
    values = list(content.values())
    if len(values) < _FEWEST:
        return "other"
    if all(isinstance(value, str) for value in values):
        return "texts" if _are_questions(content) else "other"
    are_lists = all(
        isinstance(value, list) and all(isinstance(one, str) for one in value) for value in values
    )
    return "lists" if are_lists and _are_questions(content) else "other"


def _are_questions(content: Mapping[str, Any]) -> bool:
    """Return whether the keys are ids, alike in form, and not the fields of one record."""
    keys = list(content)
    return sum(any(c.isdigit() for c in key) for key in keys) > 0.9 * len(keys)


def _is_record(row: Any) -> bool:
    if not isinstance(row, dict) or "id" not in row or not isinstance(row.get("answers"), dict):
        return False
    texts = row["answers"].get("text")
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts)


def key_of(content: Any, shown: str) -> Key:
    """Return what a gold file says is right.

    Raises
    ------
    ImportFormatError
        It is none.
    """
    kind = kind_of(content)
    if kind == "squad":
        return _squad(content["data"], shown)
    if kind == "records":
        found = Key({}, {}, {}, is_squad=True)
        for row in content:
            passage = " ".join(str(row.get(name, "")) for name in ("title", "context"))
            _add(found, row, row["answers"]["text"], passage)
        return found
    if kind == "other":
        reason = "not the gold of answers: SQuAD's own file, or {question: [answers]}."
        raise ImportFormatError(reason, path=shown)
    right = {
        key: tuple(value) or ("",) if isinstance(value, list) else (value,)
        for key, value in content.items()
    }
    return Key(right, {}, {}, is_squad=False)


def _squad(data: Sequence[Any], shown: str) -> Key:
    """Read SQuAD's file: articles of passages of questions, each with its answers.

    A question without an answer is answered right by an empty text (Rajpurkar et al. 2018).
    """
    found = Key({}, {}, {}, is_squad=True)
    try:
        for number, article in enumerate(data, start=1):
            for place, passage in enumerate(article["paragraphs"], start=1):
                for question in passage["qas"]:
                    texts = [str(one["text"]) for one in question.get("answers", [])]
                    passage_name = f"{article.get('title', number)}, passage {place}"
                    _add(found, question, texts, passage_name)
    except (KeyError, TypeError) as error:
        reason = f"not as SQuAD has it: {error} is missing or of another kind."
        raise ImportFormatError(reason, path=shown) from None
    return found


def _add(found: Key, question: Mapping[str, Any], texts: Sequence[str], passage: str) -> None:
    key = str(question["id"])
    right = [text for text in texts if normalised(text)]
    found.answers[key] = tuple(dict.fromkeys(right)) or ("",)
    found.questions[key] = str(question.get("question", ""))
    found.passages[key] = passage
