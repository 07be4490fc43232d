"""Questions of an import: asked on a terminal, written to a file, read from one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer
import yaml
from rich.console import Console

from store.errors import ImportFormatError
from store.importers.bundle import Question

QUESTIONS_FILE = "tiebreak-questions.yaml"
_HEAD = (
    "# Questions of `tiebreak ingest`. Change `answer` where the guess is wrong, and repeat the\n"
    f"# command with --answers {QUESTIONS_FILE}\n"
)


def can_ask() -> bool:
    """Return whether a person sits at the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(questions: Iterable[tuple[str, Question]], console: Console) -> dict[str, str]:
    """Ask on one screen; Enter takes the guess. Return subject -> answer."""
    answers: dict[str, str] = {}
    for file, question in questions:
        if question.subject in answers:
            continue
        choices = f" ({', '.join(question.choices)})" if question.choices else ""
        console.print(f"{file}: {question.subject}{choices}: {question.because}", markup=False)
        while True:
            said = typer.prompt("  answer", default=question.guess, err=True).strip()
            if not question.choices or said in question.choices:
                break
            console.print(f"  write one of {', '.join(question.choices)}", markup=False)
        answers[question.subject] = said
    return answers


_FORM = (
    "Write each entry as `- ask: QUESTION` with `answer: WORD` below it; put a text with a colon "
    "into quotes."
)


def write_questions(questions: Iterable[tuple[str, Question]], path: Path) -> None:
    """Write questions with their guesses to a file that `read_answers` reads."""
    entries: dict[str, dict[str, object]] = {}
    for file, question in questions:
        entries.setdefault(
            question.subject,
            {
                "ask": question.subject,
                "file": file,
                "because": question.because,
                "choices": list(question.choices),
                "answer": question.guess,
            },
        )
    text = yaml.safe_dump(list(entries.values()), allow_unicode=True, sort_keys=False)
    path.write_text(_HEAD + text, encoding="utf-8")


def read_answers(path: Path) -> Mapping[str, str]:
    """Return subject -> answer of a file of questions.

    Raises
    ------
    ImportFormatError
        It is no such file, or an answer is none of the choices.
    """
    shown = path.as_posix()
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ImportFormatError(f"cannot be read: {error.strerror}.", path=shown) from None
    except UnicodeDecodeError:
        reason = "its text is not UTF-8. Save it as UTF-8."
        raise ImportFormatError(reason, path=shown) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        reason = f"no YAML: {error.problem}. {_FORM}"
        raise ImportFormatError(reason, path=shown, line=line) from None
    except (yaml.YAMLError, RecursionError) as error:
        reason = f"no YAML: {str(error).splitlines()[0]}. {_FORM}"
        raise ImportFormatError(reason, path=shown) from None
    if not isinstance(entries, list):
        raise ImportFormatError(f"no list of questions. {_FORM}", path=shown)
    answers: dict[str, str] = {}
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or not {"ask", "answer"} <= entry.keys():
            reason = f"entry {number} lacks `ask` or `answer`. {_FORM}"
            raise ImportFormatError(reason, path=shown)
        subject, said = str(entry["ask"]), str(entry["answer"])
        choices = [str(choice) for choice in entry.get("choices") or ()]
        if choices and said not in choices:
            raise ImportFormatError(
                f"'{said}' is no answer: write {' or '.join(choices)}.", path=shown, field=subject
            )
        answers[subject] = said
    return answers
