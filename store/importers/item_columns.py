"""The column that names the items of a table, where no column has one of the usual names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import as_text, is_missing
from store.importers.columns import fields_of, normal_name, role_cells
from store.importers.known_metrics import is_quality
from store.importers.metric_registry import words_of
from store.importers.tables import Table, read_table

_FILES = words_of(
    """utt utt_id utterance_id uttid audio_id audio audio_path audio_file audio_filepath wav
    wav_path
    image image_id image_path img img_path video_id file file_name filename filepath path"""
)
_TEXTS = words_of(
    "sentence text utterance title query claim premise statement passage source_text src src_text"
)
_SUBJECTS = words_of(
    """brief briefs scenario case test_case testcase use_case essay story article ticket puzzle
    problem exercise question query prompt_name clip song recording patient"""
)
"""What a column is called whose words name what each system was given, in each repeat again."""
_REPEATS = words_of("run trial seed fold repeat repetition attempt replica epoch")
_NO_ITEMS = words_of("run model system annotator worker rater user config experiment paper session")
"""Words in the names of columns of ids that are not those of items."""
_PLACE = re.compile(
    r"(sentence|sent|utterance|utt|sample|question|example|item|segment|seg|prompt|clip|image|doc|"
    r"document|query|passage|pair|row|case|test)_(idx|index|no|nr|num|number)"
)
"""What a column is called that tells the place of an item."""
_PROMPTS = words_of("prompt instruction user_prompt")
"""What a column is called that holds texts of items, or a few ways of asking the same items."""
_FEWEST_WORDS = 3
"""Words of a text that is one; fewer are the name of a prompt."""
_NUMBERED = words_of("day level chapter lesson stage puzzle_no challenge_no")
"""What numbers the items of a table whose rows say yes or no of each."""
_COUNTED = words_of(
    """idx index no nr num number row line sample case entry record guid uuid position pos
    prompt_id"""
) | {""}
"""What numbers rows: the items, where each system has the same numbers."""
_TESTS = words_of(
    "test_name testname test_case_name testcase_name case_name check_name scenario_name"
)
"""What names the items of such a table."""
_DOCUMENTS = words_of("doc_id document_id docid document passage_id source_id")
_FEW = 2
"""Rows of a system from which a table with places, texts or files of items is one of items."""
_FEWEST = 10
"""Rows of a system from which a table with such a column is one of items."""


def item_column(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column of ids, files or texts that are others in each row of a system."""
    if len(table) < 1:
        return None
    taken = {name for column in roles.values() for name in fields_of(column, table.columns)}
    taken -= (
        {roles.get("prompt_variant", "")} if _counts(roles.get("prompt_variant", "")) else set()
    )
    free = [column for column in table.columns if column not in taken]
    named = [roles[role] for role in ("system", "dataset") if role in roles]
    keys: list[list[str]] = []
    repeats = [c for c in table.columns if normal_name(c) in _REPEATS]
    counts = [table.cells[column] for column in repeats]
    kinds = [_is_subject, is_id, _is_file, _is_text, _is_place]
    is_told = _says_outcomes(table)
    kinds += [_is_numbered, _is_test] if is_told else []
    for is_fit in kinds:
        for column in free:
            if not is_fit(column) or column in repeats:
                continue
            cells = table.cells[column]
            if any(isinstance(cell, (list, dict)) or is_missing(cell) for cell in cells):
                continue
            keys = keys or [list(map(as_text, role_cells(table, column))) for column in named]
            told = [*keys, *(counts if is_fit is _is_subject else ()), list(map(as_text, cells))]
            is_again = is_fit is not _is_subject or is_told
            is_again = is_again or len(set(map(str, cells))) < len(table)
            if is_again and len(set(zip(*told, strict=True))) == len(table):
                return column
    return _shared_count(table, free, keys_of_groups(table, named))


def keys_of_groups(table: Table, named: Sequence[str]) -> list[list[str]]:
    """Return the names of the systems and datasets of all rows, a list for each column."""
    return [list(map(as_text, role_cells(table, column))) for column in named]


def _shared_count(table: Table, free: Sequence[str], keys: Sequence[list[str]]) -> str | None:
    """Return the column that numbers the rows of each system, all of them by the same numbers."""
    if not keys:
        return None
    for column in filter(_counts, free):
        numbers: dict[tuple[str, ...], list[str]] = {}
        for *group, cell in zip(*keys, table.cells[column], strict=True):
            numbers.setdefault(tuple(group), []).append(str(cell))
        (first, *others) = map(set, numbers.values())
        is_each_once = all(len(set(found)) == len(found) for found in numbers.values())
        if (
            others
            and is_each_once
            and len(first) >= _FEWEST
            and all(first == one for one in others)
        ):
            return column
    return None


def _counts(column: str) -> bool:
    return bool(column) and normal_name(column) in _COUNTED


def own_id(table: Table, column: str) -> str | None:
    """Return the column ``id`` beside one of documents, where it is another in each row.

    Of ``id`` and ``doc_id`` the second names the document of a question.
    """
    own = next((one for one in table.columns if normal_name(one) == "id"), None)
    if own is None or normal_name(column) not in _DOCUMENTS:
        return None
    cells = table.cells[own]
    is_plain = not any(isinstance(cell, (list, dict)) or is_missing(cell) for cell in cells)
    return own if is_plain and len(set(map(as_text, cells))) == len(table) else None


def may_name_items(column: str) -> bool:
    """Return whether a column is called after ids, files or places of items."""
    return is_id(column) or _is_file(column) or _is_place(column)


def are_items_unsaid(path: Path, roles: Mapping[str, str]) -> bool:
    """Return whether a table with a column of systems has many rows of each, one for each item.

    Where the column holds texts, files or places of items, or outcomes, a few rows of each suffice.
    """
    try:
        table = read_table(path, path.name, RowProblems(lenient=True))
        named = [roles[role] for role in ("system", "dataset") if role in roles]
        keys = [list(map(as_text, role_cells(table, column))) for column in named]
        n_groups = len(set(zip(*keys, strict=True)))
        column = item_column(table, roles)
    except (ImportFormatError, OSError, ValueError, TypeError):
        return False
    if column is None:
        return False
    is_numbered = (is_id(column) and not _says_outcomes(table)) or _counts(column)
    fewest = _FEWEST if is_numbered else _FEW
    return len(table) >= fewest * n_groups and len(table) > _FEW


def names_subjects(path: Path, roles: Mapping[str, str]) -> bool:
    """Return whether a table has a column such as ``brief`` that names items in each repeat."""
    try:
        table = read_table(path, path.name, RowProblems(lenient=True))
        column = item_column(table, roles)
    except (ImportFormatError, OSError, ValueError, TypeError):
        return False
    return column is not None and normal_name(column) in _SUBJECTS


def holds_prompts(path: Path) -> bool:
    """Return whether a table has prompts that are what was asked, not a few ways of asking.

    Then they are many texts, or what came of each was right or wrong.
    """
    try:
        table = read_table(path, path.name, RowProblems(lenient=True))
    except (ImportFormatError, OSError):
        return False
    prompts = [c for c in table.columns if normal_name(c) in _PROMPTS]
    texts = {str(cell).strip() for column in prompts[:1] for cell in table.cells[column]}
    are_texts = all(len(text.split()) >= _FEWEST_WORDS for text in texts)
    if not prompts or not are_texts:
        return False
    return len(texts) >= _FEWEST or (len(texts) > 1 and _are_right_or_wrong(table))


def _are_right_or_wrong(table: Table) -> bool:
    """Return whether all columns of a quality hold 1 and 0 and nothing else."""
    told = [cells for column, cells in table.cells.items() if is_quality(column)]
    words = {as_text(cell).lower() for cells in told for cell in cells if not is_missing(cell)}
    return bool(words) and words <= {"0", "1", "0.0", "1.0", "true", "false"}


def _is_subject(column: str) -> bool:
    return normal_name(column) in _SUBJECTS


def _is_place(column: str) -> bool:
    return _PLACE.fullmatch(normal_name(column)) is not None


def _is_numbered(column: str) -> bool:
    return normal_name(column) in _NUMBERED


def _is_test(column: str) -> bool:
    return normal_name(column) in _TESTS


def _says_outcomes(table: Table) -> bool:
    """Return whether a column says in words of yes and no what was right."""
    return any(
        is_quality(column) and {str(cell).lower() for cell in cells} <= {"true", "false"}
        for column, cells in table.cells.items()
    )


def is_id(column: str) -> bool:
    """Return whether a column is called after ids, and not those of systems, people or runs."""
    words = normal_name(column).split("_")
    return (words[-1] in ("id", "uid", "key") or words[0] == "id") and _NO_ITEMS.isdisjoint(words)


def _is_file(column: str) -> bool:
    return normal_name(column) in _FILES


def _is_text(column: str) -> bool:
    return normal_name(column) in _TEXTS
