"""Numeric columns that are no scores: ids, settings, times, flags, positions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from store.importers.cells import TRUTH_WORDS, is_missing, looks_numeric, read_numbers
from store.importers.columnar import Coded, FloatArray, Numbers
from store.importers.known_metrics import is_share, lookup, normal_metric
from store.importers.metric_registry import SETTINGS, words_of

_ID = re.compile(
    r"(.*_)?id_?(\d+|left|right|a|b|source|target|src|tgt|query|doc|gold|pred|true)|(.*_)?(id|ids|uid|uuid|guid|idx|index|key|hash|checksum|line|line_no|lineno|row|row_no|page|page_no|sentence|segment|turn|offset|pid|"
    r"serial|ordinal|position|pos_in_file)|unnamed(_\d+)?|level_\d+|column_1|"
)
_TIME = re.compile(
    r"(.*_)?(timestamp|time_stamp|tstamp|datetime|date|year|month|day|hour|minute|weekday|epoch_time|"
    r"unix_time|created|updated|started|ended|finished|start_time|end_time|retrieved|modified)(_at|_on|_ts)?"
)
_SETTING = re.compile(
    r"(.+_)?(params?|configs?|cfgs?|hparams?|args?|kwargs|hyperparameters?|settings?|specs?)_.+|"
    r".+_(layers?|heads|hidden|dims?|units|kernel_size|batch_size|learning_rate|lr|dropout)"
)
_ANSWER = re.compile(
    r"(.*_)?(answer|label|gold|target|truth|prediction|pred|predicted|choice|expected|guess)"
    r"(_(idx|index|id|label|class|number|text|string|str))?|y_(true|pred)|(true|gold|pred|predicted)_[a-z]+"
)
"""What a number of that name is where it is whole: the answer given, or the one that is right."""
_GIVEN = re.compile(r"(predicted|gold|correct|true|model|expected|final|extracted|parsed)_answer")
"""What holds the answer itself, whatever kind of number it is."""
_RANK = re.compile(
    r"(rank|ranking)(_(by|on|in|of|for|overall|global|avg|mean|accuracy|acc|em|f1|macro_f1|wer|cer|bleu|auc)(_.+)?)?|"
    r"place|placement|position"
)
_REPEAT = re.compile(
    r"(attempt|iteration|iter|rep|round|replicate|rollout|repeat|fold|draw|try)"
    r"(_?(no|nr|num|number|idx|index|id))?"
)
_COUNT = re.compile(
    r"(n|num|number_of|nb|count|total|len|length|avg_len|avg_length)(_.+)?|.+_(count|counts|total|length|len)|gen_len|n|count|size|support|(.+_)?votes|(.+_)?samples|tests|items|examples|instances|utterances|rows|runs|repeats|"
    r"tp|tn|true_positives|true_negatives|attempted|answered|(.+_)?(cases|attempts|questions|tasks|problems|prompts|trials|episodes|records)"
)
_OF_SPLIT = re.compile(
    r"(train|training|val|valid|validation|dev|test|eval)_(samples|examples|size|rows|items|pairs|n)"
)
"""How many there are of a split."""
_SPREAD = re.compile(
    r"(std|stdev|stddev|stderr|sem(?!_sim)|standard_error|standard_deviation)_.+|minimum|maximum|min|max|(.+_)?(std|stderr|standard_error|standard_deviation|sem|stdev|stddev|variance|pvalue|p_value)|.+_(var|ci)|"
    r"(.+_)?ci(_?\d+)?_(lower|upper|low|high|lo|hi|min|max|width|half_width)|(.+_)?(lower|upper)_(ci|bound)(_?\d+)?|"
    r".+(_|\d)q(0_)?(005|025|050|950|975|995)"
)
_PERCENTILE = re.compile(r"p(25|50|75|80|90|95|99|999|99_9)")
"""Of something that the name does not say."""
_WORTH = re.compile(
    r"(max|maximum|full|possible|available)_(possible_)?(points|marks)|(points|marks|score)_(possible|available|max)|"
    r"(max|maximum)_possible_(score|grade)|out_of|((task|item|question|test|case)_)?weight"
)
"""What an answer can be given at most."""
_MAYBE_WORTH = re.compile(r"(max|maximum)_(score|grade)")
"""The same where it is whole; else it may be the best of several."""
_OF_FIT = re.compile(r"coefs?|coefficients?|intercept|slope")
_DESCRIPTION = re.compile(
    r"(.*_)?(role|type|kind|category|split|subset|language|lang|domain|genre|topic|difficulty|source|url|"
    r"link|comment|comments|note|notes|version|batch|group|document|doc)"
)
A_TIME = "a time"
AN_ID = "an id or a place"
"""What a column is that numbers the rows, or names them by a number."""
A_REPEAT = "the number of a repeat"
_COUNTED_GOOD = words_of("correct passed solved resolved succeeded successes successful matched")
_FLAG = re.compile(r"(is|has)_.+")
A_WORTH = "what can be reached"
CALLED_A_FLAG = "a flag by its name"
"""What a column of 0 and 1 is; beside nothing else it may be what was measured."""
_FEWEST_COUNTS = 3
"""Rows from which whole numbers under any name are counts beside a share."""
_FEWEST = 8
"""Rows from which the values of a column say what it is."""


def no_metric_by_name(name: str) -> str | None:
    """Return why a column of that name holds no scores, in words; ``None`` where it may."""
    key = normal_metric(name)
    if key in SETTINGS or _SETTING.fullmatch(key):
        return "a setting"
    if _ID.fullmatch(key) or _RANK.fullmatch(key):
        return AN_ID
    if _TIME.fullmatch(key):
        return A_TIME
    if _REPEAT.fullmatch(key):
        return A_REPEAT
    if _GIVEN.fullmatch(key):
        return "an answer"
    if _SPREAD.fullmatch(key):
        return "a spread"
    if _PERCENTILE.fullmatch(key) or _OF_FIT.fullmatch(key):
        return "a percentile" if key[0] == "p" else "a part of a fit"
    if _WORTH.fullmatch(key):
        return A_WORTH
    last = normal_metric(re.split(r"[./]", name)[-1])
    is_called = any(_COUNT.fullmatch(one) or _OF_SPLIT.fullmatch(one) for one in (key, last))
    is_count = is_called and lookup(name) is None
    return "a count" if is_count else None


def counts_beside(figures: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the figures that are counts, not shares: whole numbers above 1 beside their share.

    Those called ``correct`` and the like are beside any share, or what says of how many, and
    ``success`` is beside ``success_rate``; others that no name explains are so in a table of some
    rows, beside a share that lies in 0 to 1.
    """
    shares = [c for c in figures if is_share(c) and normal_metric(c) not in _COUNTED_GOOD]
    totals = [c for c in figures if no_metric_by_name(c) == "a count"]
    names = set(map(normal_metric, figures))
    lie_in_0_1 = any(
        max(figures[c], default=2.0) <= 1 and not all(map(_is_whole, figures[c])) for c in shares
    )
    whole = [column for column, values in figures.items() if values and all(map(_is_whole, values))]

    def is_count(column: str) -> bool:
        if (name := normal_metric(column)) in _COUNTED_GOOD:
            return bool(shares or totals)
        is_unknown = lookup(column) is None and len(figures[column]) >= _FEWEST_COUNTS
        return f"{name}_rate" in names or (is_unknown and lie_in_0_1)

    found = [column for column in whole if max(figures[column]) > 1 and is_count(column)]
    others = [c for c in whole if lookup(c) is None and not any(figures[c])]
    return [*found, *others] if found else []  # none of a kind, such as no wrong answer


def _is_whole(value: float) -> bool:
    return isinstance(value, int) or value.is_integer()


def is_answer(name: str) -> bool:
    """Return whether a column is called as an answer is, or as what is right."""
    return _ANSWER.fullmatch(normal_metric(name)) is not None


def no_metric(name: str, cells: Sequence[Any]) -> str | None:
    """Return why a numeric column holds no scores, in words; ``None`` where it may.

    A well-known metric is one whatever its values are. Otherwise its name tells, and where the
    table is long enough its values: one value in all rows, or another whole number in each.
    """
    reason = no_metric_by_name(name)
    if (reason is not None and reason != A_REPEAT) or lookup(name) is not None:
        return reason
    numbers, n_filled, n_truths = _filled(cells)
    if reason == A_REPEAT and not np.nanmax(np.abs(numbers - np.round(numbers)), initial=0):
        return reason  # "Rep" with fractions is what a replication found
    is_called_so = _FLAG.fullmatch(normal_metric(name)) and np.isin(numbers, (0, 1)).all()
    if n_filled and 2 * n_truths >= n_filled:
        return "a flag"
    if n_filled and len(numbers) and np.isnan(numbers).any() and is_answer(name):
        return "an answer"  # some are numbers, others are words
    if n_filled and is_called_so:
        return CALLED_A_FLAG
    if n_filled < _FEWEST:
        return None
    if np.isnan(numbers).any():
        return None
    if _MAYBE_WORTH.fullmatch(normal_metric(name)) and (numbers == np.round(numbers)).all():
        return A_WORTH
    if is_answer(name) and (numbers == np.round(numbers)).all():
        return "an answer"
    distinct = np.unique(numbers)
    if len(distinct) == 1:
        return "the same in all rows"
    if len(distinct) == n_filled and (numbers == np.round(numbers)).all():
        return "another whole number in each row"
    return None


def _filled(cells: Sequence[Any]) -> tuple[FloatArray, int, int]:
    """Return the numbers of the cells that hold something, how many these are, and truth words.

    The numbers of equal cells may be given once.
    """
    if isinstance(cells, Numbers):
        is_filled = ~np.isnan(cells.numbers)
        is_filled[list(cells.odd)] = True
        n_truths = sum(map(_is_truth, cells.odd.values()))
        return read_numbers(cells).values[is_filled], int(is_filled.sum()), n_truths
    if isinstance(cells, Coded):
        times = np.bincount(cells.codes, minlength=len(cells.values)).tolist()
    else:
        times = [1] * len(cells)
    values = cells.values if isinstance(cells, Coded) else cells
    filled = [(cell, n) for cell, n in zip(values, times, strict=True) if not is_missing(cell)]
    numbers = read_numbers([cell for cell, _ in filled]).values
    return numbers, sum(n for _, n in filled), sum(n for cell, n in filled if _is_truth(cell))


def describes(name: str, cells: Sequence[Any], others: Sequence[Sequence[Any]]) -> bool:
    """Return whether a column says what a line is about, and is no annotator's.

    Its name says so (``role``, ``summarizer_type``), or it holds one word in all lines that none
    of the `others` holds.
    """
    if _DESCRIPTION.fullmatch(normal_metric(name)) or no_metric_by_name(name) is not None:
        return True
    filled = [cell for cell in cells if not is_missing(cell)]
    said = set(map(str, filled))
    if len(filled) < _FEWEST or len(said) > 1 or looks_numeric(filled):
        return False
    return not any(str(cell) in said for other in others for cell in other)


def _is_truth(cell: Any) -> bool:
    return isinstance(cell, bool) or (isinstance(cell, str) and cell.strip().lower() in TRUTH_WORDS)
