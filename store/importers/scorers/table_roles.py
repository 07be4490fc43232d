"""Which columns of a table hold what a system gave, what is right, and the name of the item."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.importers.columns import ROLE_NAMES, normal_name
from store.importers.known_metrics import is_quality
from store.importers.known_names import share_of_systems
from store.importers.metric_registry import words_of

_OUTPUT = tuple(
    """parsed_output parsed_answer parsed_prediction parsed_response extracted_answer
    extracted_prediction prediction predictions predicted pred preds prediction_text predicted_text
    predicted_answer
    predicted_label pred_label pred_answer model_prediction y_pred yhat y_hat hypothesis hyp hypo
    model_output system_output output outputs generated_answer generated_text generated generation
    completion model_response model_answer response responses llm_output transcription transcript
    asr mt system_translation machine_translation translation summary
    generated_summary""".split()  # noqa: SIM905
)
"""Normalised names, the surest first."""
_GOLD = tuple(
    """gold gold_answer gold_answers gold_label gold_text reference references ref refs
    reference_answer reference_answers reference_text reference_summary reference_translation
    ground_truth groundtruth ground_truths truth true_label true_labels true_class y_true y_test
    human_label gold_class correct_label correct_answer expected
    expected_output expected_answer target targets actual label answers answer
    sentence""".split()  # noqa: SIM905
)
_INPUT = ["prompt", "question", "input", "query", "instruction", "text", "source", "src", "context"]
"""Beside a text a column called source says where something comes from."""
_ITEM = (*ROLE_NAMES["item"], "audio_id", "utt_id", "utterance_id", "question_uid", "idx", "index")
_FILES = ("file", "file_name", "filename", "path", "audio", "audio_file", "audio_path", "wav")
"""What names the items beside answers in columns called like systems."""
_SPEECH = words_of(
    """transcription transcript asr audio audio_id utterance utterance_id utt_id wav audio_path
    audio_file audio_filepath wav_path wav_file audio_duration audio_duration_sec rtf"""
)
_TRANSLATION = words_of(
    "mt translation system_translation machine_translation reference_translation src"
)
_OTHER_GOLD = words_of("label answers answer sentence actual target targets")
"""Names that mean the gold only beside an output of a sure name."""
_OF_SYSTEM = re.compile(
    r"(?:pred|prediction|predicted|output|response|hyp)_(?P<last>.+)|"
    r"(?P<first>.+)_(?:pred|prediction|predicted|output|response|hyp)"
)
_FEWEST_SYSTEMS = 2
_ANSWER = re.compile(r"(.+)[ _.-](?:answers?|responses?|labels?|choices?)", re.IGNORECASE)
_ABOUT_OUTPUTS = words_of(
    """changed change prob probs proba probability probabilities confidence conf score scores logit
    logits correct match matches error time latency length len tokens cost source status type count
    rank id idx index date reason explanation raw_score entropy margin"""
)
"""What ``prediction_…`` or ``…_pred`` is about where it names no system."""
_SURE_OUTPUTS = frozenset(_OUTPUT[: _OUTPUT.index("output")]) | words_of("transcription transcript")


@dataclass(frozen=True, slots=True)
class TableRoles:
    """Columns by what they hold; ``None`` where there is none."""

    output: str | None
    gold: str | None
    item: str | None
    input: str | None
    system: str | None
    is_speech: bool
    is_translation: bool
    outputs: Mapping[str, str]
    """System -> its column, where several columns hold outputs and are called after systems."""
    has_scores: bool
    """Whether some column is a metric that is known, so that the table has been scored."""


def roles_of(columns: Sequence[str], stated: Mapping[str, str]) -> TableRoles:
    """Return which column is what, by ``--column ROLE=NAME`` and by their names."""
    by_name = {normal_name(column): column for column in reversed(columns)}

    def first(role: str, names: Sequence[str], taken: Sequence[str | None] = ()) -> str | None:
        if role in stated:
            return stated[role] if stated[role] in columns else None
        found = (by_name[name] for name in names if name in by_name)
        return next((column for column in found if column not in taken), None)

    output = first("output", _OUTPUT)
    gold = first("reference", _GOLD, [output])
    if output is None and gold is not None and normal_name(gold) != "answer":
        output = by_name.get("answer")  # as ragas has it: question, answer, ground_truth
    if gold is not None and "reference" not in stated and normal_name(gold) in _OTHER_GOLD:
        is_sure = output is not None and normal_name(output) in _SURE_OUTPUTS
        gold = gold if is_sure or "output" in stated else None
    outputs = {} if output is not None else _of_systems(by_name)
    if outputs and gold is None:
        gold = first("reference", _GOLD)
    output = next(iter(outputs.values()), output)
    item = first("item", _ITEM, [output, gold])
    shown = first("input", _INPUT, [output, gold, item])
    if output is None and "output" not in stated:
        right = gold or first("reference", _GOLD, [item, shown])
        item = item or first("item", _FILES, [right])
        outputs = _called_like_systems([c for c in columns if c not in (right, item, shown)])
        gold = right if outputs else gold
        output = next(iter(outputs.values()), None)
    names = set(by_name)
    rest = [c for c in columns if c not in (output, gold, item, shown, *outputs.values())]
    return TableRoles(
        output,
        gold,
        item,
        shown,
        first("system", ROLE_NAMES["system"], [output, gold]),
        is_speech=bool(names & _SPEECH),
        is_translation=bool(names & _TRANSLATION) and not names & _SPEECH,
        outputs=outputs,
        has_scores="score" in names or any(map(is_quality, rest)),
    )


def _called_like_systems(columns: Sequence[str]) -> dict[str, str]:
    """Return system -> its column, where all columns are called like systems."""
    if len(columns) < _FEWEST_SYSTEMS or share_of_systems(list(columns)) < 1:
        return {}
    found = [_ANSWER.fullmatch(column) for column in columns]
    return {one[1] if one and all(found) else c: c for one, c in zip(found, columns, strict=True)}


def _of_systems(by_name: Mapping[str, str]) -> dict[str, str]:
    """Return system -> column of columns such as ``pred_bert`` and ``pred_gpt``."""
    found = {}
    for name, column in by_name.items():
        match = _OF_SYSTEM.fullmatch(name)
        own = (match["last"] or match["first"]) if match is not None else ""
        if own and _ABOUT_OUTPUTS.isdisjoint(own.split("_")):
            place = name.find(own)
            is_plain = len(column) == len(name)
            found[column[place : place + len(own)] if is_plain else own] = column
    return dict(reversed(found.items())) if len(found) > 1 else {}
