"""Model cards of Hugging Face: the results under ``model-index`` in the YAML above the text.

A card states figures without items. Its format is described in the Hub's documentation of model
cards: ``model-index[].results[]`` with a task, a dataset and metrics.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems, SourceFile
from store.importers.figures import Figure, Figures
from store.importers.settings import load_settings
from store.importers.textfile import data_suffix, peek_text, read_text
from store.importers.yaml_nodes import YamlValue, parse_yaml

NAME = "model_card"
DESCRIPTION = "model card of Hugging Face with a model-index"
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_INDEX = re.compile(r"^model[-_]index[ \t]*:", re.MULTILINE)
_USUAL = ("", "default", "plain_text")
"""Configurations of a dataset that say nothing."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether YAML with a model-index stands above the text of a Markdown file."""
    if data_suffix(path) not in (".md", ".markdown"):
        return False
    try:
        text = peek_text(path)
    except ImportFormatError:
        return False
    front = _FRONT.match(text)
    return front is not None and _INDEX.search(front[1]) is not None


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Join sound cards, so that models of one name are told apart; a damaged card stays alone."""
    sound, damaged = [], []
    for path in paths:
        try:
            _read_card(path, path.name)
            sound.append(path)
        except ImportFormatError:
            damaged.append([path])
    return [sound, *damaged] if sound else damaged


@dataclass(frozen=True, slots=True)
class _Card:
    path: Path
    shown: str
    sha256: str
    figures: Sequence[tuple[str, Figure]]
    """The name of the model in the card, and a figure without its system."""


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the figures of model cards; two cards that name one model are two systems.

    Raises
    ------
    NoResultsError
        The model-index is empty.
    ImportFormatError
        The YAML is damaged, or a figure lies outside its bounds and the import is strict.
    """
    cards = [_read_card(path, shown[path]) for path in paths]
    settings = load_settings(paths[0], shown[paths[0]], options)
    names = Counter(name for card in cards for name in {name for name, _ in card.figures})
    figures = Figures(settings, RowProblems(options.lenient))
    guesses = []
    places = _places([card.path for card in cards])
    for card in cards:
        for name in dict.fromkeys(name for name, _ in card.figures):
            system = settings.system or name
            if names[name] > 1 and not settings.system:
                system = f"{name} ({places[card.path]})"
                because = f"{names[name]} cards name their model '{name}'"
                guesses.append(Guess(f"system in {card.shown}", system, because))
            for of_model, figure in card.figures:
                if of_model == name:
                    figures.add(replace(figure, system=system))
    if not figures.figures:
        raise NoResultsError("the model-index holds no figure.", path=shown[paths[0]])
    files = [SourceFile(card.shown, card.sha256) for card in cards]
    mapping = settings.mapping.source_file
    told = [f"{len(cards)} model cards: a system is the model that a card names."]
    return figures.bundle(NAME, [*files, *([mapping] if mapping else [])], told, guesses)


def _read_card(path: Path, shown: str) -> _Card:
    text, sha256 = read_text(path, shown)
    front = _FRONT.match(text)
    # A line above stands for the "---", so that messages name the line of the file.
    root = parse_yaml("\n" + front[1], shown) if front else None
    keys = root.entries() if root else {}
    models = keys.get("model-index") or keys.get("model_index")
    found = []
    for model in _several(models):
        entries = model.entries()
        name = entries["name"].text() if "name" in entries else _name_of(path)
        for result in _several(entries.get("results")):
            found += [(name, figure) for figure in _figures_of(result, name, shown)]
    return _Card(path, shown, sha256, found)


def _figures_of(result: YamlValue, model: str, shown: str) -> list[Figure]:
    """Return the figures of one result: metrics on a dataset."""
    parts = result.entries()
    dataset, revision = _dataset(parts.get("dataset"))
    task = _text(parts.get("task"), "type") or _text(parts.get("task"), "name")
    stated = [m for m in _several(parts.get("metrics") or parts.get("metric")) if m.is_mapping]
    types = Counter(_text(metric, "type") for metric in stated)
    figures = []
    for metric in stated:
        kind, own = _text(metric, "type"), _text(metric, "name")
        value = metric.entries().get("value")
        name = own if own and (not kind or types[kind] > 1) else kind
        if value is None or not name:
            continue
        figures.append(
            Figure(
                "",
                dataset or f"not stated by {model}",
                name,
                value.plain(),
                line=value.line,
                column=name,
                table=f"{shown}:{result.line}",
                version=revision[:8],
                source=shown,
                source_url=_text(parts.get("source"), "url") or None,
                task=task or None,
                shown=shown,
            )
        )
    return figures


def _dataset(node: YamlValue | None) -> tuple[str, str]:
    """Return name and revision of a dataset; configuration and split belong to the name."""
    name = _text(node, "name") or _text(node, "type")
    for key in ("config", "args", "split"):
        more = _text(node, key)
        if more.lower() not in _USUAL and not re.search(rf"\b{re.escape(more)}\b", name):
            name += f"/{more}" if name else more
    return name, _text(node, "revision")


def _text(node: YamlValue | None, key: str) -> str:
    """Return a plain value below a mapping; empty where there is none."""
    value = node.entries().get(key) if node is not None and node.is_mapping else None
    plain = value.plain() if value is not None else None
    return "" if plain is None or isinstance(plain, (list, dict)) else str(plain).strip()


def _several(node: YamlValue | None) -> list[YamlValue]:
    """Return the values of a list, or the one that stands without a list, as old cards have it."""
    if node is None or node.plain() is None:
        return []
    return [node] if node.is_mapping else node.values()


def _places(paths: Sequence[Path]) -> dict[Path, str]:
    """Return what each card is called, with the folders around where that does not suffice."""
    own = {path: _name_of(path) for path in paths}
    if len(set(own.values())) == len(paths):
        return own
    folders = {path: path.resolve().parent for path in paths}
    around = Path(os.path.commonpath(folders.values()))
    return {
        path: "/".join((*folder.relative_to(around).parts[:-1], own[path]))
        for path, folder in folders.items()
    }


def _name_of(path: Path) -> str:
    """Return what the file or, of a README.md, the folder is called."""
    stem = path.name.rpartition(".")[0]
    own = re.sub(r"[-_.]?readme$", "", stem, flags=re.IGNORECASE)
    return own or path.resolve().parent.name
