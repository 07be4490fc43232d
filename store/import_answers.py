"""Answers to questions of imports, kept for files that ask the same again."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from store.engine import Store
from store.errors import NotFoundError
from store.models import ImportAnswer


def remembered_answers(store: Store) -> dict[str, str]:
    """Return subject of a question -> what was answered."""
    query = sa.select(ImportAnswer.subject, ImportAnswer.answer).order_by(ImportAnswer.subject)
    with store.read() as connection:
        return {row.subject: row.answer for row in connection.execute(query)}


def remember_answers(store: Store, answers: Mapping[str, str], *, actor: str) -> None:
    """Keep answers; a new one to the same question replaces the old one."""
    known = remembered_answers(store)
    new = {subject: said for subject, said in answers.items() if known.get(subject) != said}
    if not new:
        return
    with store.write(actor) as change:
        for subject, said in new.items():
            change.session.execute(sa.delete(ImportAnswer).where(ImportAnswer.subject == subject))
            change.session.add(ImportAnswer(subject=subject, answer=said, actor=actor))
            change.record("answer", "import", subject=subject, answer=said)


def forget_answer(store: Store, subject: str, *, actor: str) -> None:
    """Forget the answer to a question, so that it is asked again.

    Raises
    ------
    NotFoundError
        No answer is kept for it.
    """
    with store.write(actor) as change:
        here = ImportAnswer.subject == subject
        if change.session.scalar(sa.select(ImportAnswer.id).where(here)) is None:
            raise NotFoundError(
                f"No answer is kept for '{subject}'. `tiebreak answers` lists them all."
            )
        change.session.execute(sa.delete(ImportAnswer).where(here))
        change.record("forget", "import", subject=subject)
