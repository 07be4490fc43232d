"""Words by which the names of systems and of datasets are told apart."""

from __future__ import annotations

import re
from collections.abc import Collection

from store.importers.metric_registry import words_of

_SYSTEM = re.compile(
    r"(chat)?gpt.*|claude.*|gemini.*|gemma.*|palm.*|bard|llama.*|alpaca|vicuna|mi[sx]tral.*|qwen.*|"
    r"phi\d*|deepseek.*|falcon|bloomz?|opt|pythia|olmo.*|grok.*|command|cohere|yi|o[134]|"
    r"\w*(bert|roberta|electra)\w*|xlnet|xlm\w*|m?t5\w*|ul2|bart|m?bart\w*|pegasus|led|longformer|"
    r"nllb|marian\w*|opusmt|whisper.*|wav2vec.*|hubert.*|(bi)?lstm\w*|rnn|gru|naive_?bayes|randomforest|xgboost|cnn|mlp|svm|logreg|"
    r"transformer\w*|seq2seq|crf|ngram|bm25|dpr|colbert\w*|splade|contriever|e5|bge|gte|sbert|"
    r"fasttext|sklearn|xgboost|lightgbm|catboost|baselines?|majority|random|human|ours?|lead\d?|oracle|textrank|zeroshot|fewshot|lora|"
    r"finetuned|dspy|react|swe-?agent|openhands|google|deepl|azure|systems?|models?|\d+[bm]"
)
_DATASET = re.compile(
    r"squad.*|nq|naturalquestions|trivia_?qa|hotpot\w*|gsm\w*|math\d*|mathqa|svamp|mmlu.*|gpqa.*|"
    r"arc[ec]?|hellaswag|winogrande|wino\w*|piqa|siqa|boolq|copa|rte|[mqwx]nli|anli|s?nli|sst\d?|"
    r"mrpc|qqp|cola|stsb?|glue|superglue|wic|wsc|multirc|record|cb|wmt\w*|flores\w*|conll\w*|"
    r"ontonotes|wnut\w*|xsum|cnndm|dailymail|samsum|newsroom|gigaword|imdb|yelp|amazon|agnews|"
    r"humaneval\w*|mbpp\w*|apps|bbh|bigbench|truthfulqa|toxigen|drop|race|obqa|openbookqa|csqa|"
    r"commonsenseqa|socialiqa|swag|hans|paws\w*|librispeech|commonvoice|voxpopuli|fleurs|ted\w*|"
    r"iwslt\w*|multi30k|beir|msmarco|scifact|fiqa|trec\w*|hover|fever|nfcorpus|quora|dbpedia|"
    r"ifeval|mtbench|alpacaeval|aime\w*|lambada|logiqa|sciq|pubmedqa|medqa|medmcqa|simpleqa|"
    r"tydiqa|mlqa|xquad|webq\w*|popqa|strategyqa|coqa|quac|narrativeqa|qasper|scrolls|ptb|wikitext|"
    r"[a-z]{2,3}(-|_|2)[a-z]{2,3}"
)

LANGUAGES = words_of(
    """arabic armenian basque bengali bulgarian catalan chinese croatian czech danish dutch estonian
    finnish french galician german greek gujarati hebrew hindi hungarian icelandic indonesian irish
    italian japanese kannada kazakh korean latvian lithuanian malay malayalam marathi mongolian
    nepali norwegian persian polish portuguese punjabi romanian russian serbian sinhala slovak
    slovene slovenian spanish swahili swedish tamil telugu thai turkish ukrainian urdu vietnamese
    welsh"""
)
"""Names of languages, without that in which most data is."""

JUDGE_WORDS = frozenset(
    ["judge", "judges", "annotator", "rater", "evaluator", "grader", "scorer", "critic", "labeler"]
)
"""Words in the names of columns that name who judged, not what was judged."""

_LANGUAGE_MODEL = re.compile(
    r"(?:^|[^a-z])(?:(?:chat)?gpt|claude|gemini|gemma|palm|llama|mi[sx]tral|mixtral|qwen|deepseek|"
    r"grok|command-?r|prometheus|phi-?\d|o[134](?![a-z0-9])|glm|kimi|olmo)",
    re.IGNORECASE,
)


def are_language_models(names: Collection[str]) -> bool:
    """Return whether all names are those of language models; a lone Claude may be a person."""
    numbered = any(re.search(r"\d|gpt", name, re.IGNORECASE) for name in names)
    return numbered and all(map(_LANGUAGE_MODEL.search, names))


def share_of_systems(names: list[str]) -> float:
    """Return how much more of the names are like those of systems than of datasets, -1 to 1."""
    return sum(map(_leans, names)) / max(len(names), 1)


def is_like_dataset(name: str) -> bool:
    """Return whether a name is like that of a dataset, and not like that of a system."""
    return _leans(name) < 0


def _leans(name: str) -> int:
    lower = name.lower()
    words = [lower, *re.findall(r"[^\W_]+", lower)]
    is_system = any(_SYSTEM.fullmatch(word) for word in words)
    is_dataset = any(_DATASET.fullmatch(word) for word in words)
    return is_system - is_dataset
