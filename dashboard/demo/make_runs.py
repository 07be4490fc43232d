"""Make the evaluation runs that ship with Tiebreak: classifiers really trained and scored.

Every system is trained three times on every dataset. The items of a dataset are one fixed test
split; a seed chooses which four fifths of the training part a system sees and is its
`random_state`. So the seeds are repeated experiments on the same items.

The data are those bundled in scikit-learn, and the docstrings of the installed packages. Of a
docstring only its qualified name is written, never its text.

    python dashboard/demo/make_runs.py            # every dataset, about three minutes
    python dashboard/demo/make_runs.py iris wine  # some of them

With the same versions of Python and of the packages the files come out byte for byte the same.
"""

from __future__ import annotations

import ast
import gzip
import re
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import sklearn
import yaml
from sklearn import datasets as bundled
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.ensemble import HistGradientBoostingClassifier as Boosting
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

RUNS = Path(__file__).parent / "runs"
SEEDS, SPLIT_SEED = (0, 1, 2), 20261121
LIBRARIES = "mypy numpy pandas scipy sklearn sqlalchemy statsmodels streamlit"
SLOW_SYSTEM, SLOW_DATASET = "Gaussian process", "docstrings-library"
SLOW_ITEMS, SLOW_SEEDS = 200, (0,)
"""Its cost grows with the cube of the data: here it gets so many items and these seeds only."""

_APART = "Images, docstrings, flowers and wines."
OVERLAPS: Final = {
    "digits": [
        (["digits-4x4"], "transform", "The same images, reduced from 8x8 to 4x4 pixels."),
        (["docstrings-library", "iris", "wine"], "independent", _APART),
    ],
    "digits-4x4": [(["docstrings-library", "iris", "wine"], "independent", _APART)],
}


@dataclass(frozen=True, slots=True)
class Task:
    """A classification dataset: what is classified, into what, and what is said about it."""

    name: str
    about: dict[str, str]
    keys: npt.NDArray[Any]
    inputs: npt.NDArray[Any]
    labels: npt.NDArray[Any]
    groups: npt.NDArray[Any] | None = None
    """The module that a text stands in; ``None`` where the inputs are features."""


@dataclass(frozen=True, slots=True)
class Docstring:
    """The first paragraph of a public definition's docstring."""

    key: str
    module: str
    kind: str
    text: str
    label: str


def definitions(node: Any, path: str, module: str, label: str) -> Iterator[Docstring]:
    """Yield the documented public functions, classes and methods below a syntax node."""
    for child in node.body:
        documented = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if not documented or child.name.startswith("_"):
            continue
        key = f"{path}.{child.name}"
        is_class = isinstance(child, ast.ClassDef)
        kind = "class" if is_class else "method" if isinstance(node, ast.ClassDef) else "function"
        text = " ".join((ast.get_docstring(child) or "").split("\n\n")[0].lower().split())
        if len(text) >= 30:
            yield Docstring(key, module, kind, text, label)
        if is_class:
            yield from definitions(child, key, module, label)


def docstrings(root: str, modules: str, label: str, count: int) -> list[Docstring]:
    """Draw `count` docstrings with distinct texts from the source files of some modules."""
    found: dict[str, Docstring] = {}
    for name in modules.split():
        for file in [Path(root, f"{name}.py"), *sorted(Path(root, name).rglob("*.py"))]:
            parts = file.relative_to(root).with_suffix("").parts
            if not file.is_file() or any(re.match(r"tests?$|test_|idle_test", p) for p in parts):
                continue
            module = ".".join(parts).removesuffix(".__init__")
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for doc in definitions(tree, module, module, label):
                found.setdefault(doc.text, doc)
    docs = sorted({doc.key: doc for doc in found.values()}.values(), key=lambda doc: doc.key)
    chosen = np.random.default_rng(SPLIT_SEED).permutation(len(docs))[:count]
    return [docs[i] for i in sorted(chosen)]


def text_task() -> Task:
    """Classify docstrings; an item's key is its qualified name, its group the module."""
    site = sysconfig.get_path("purelib")
    docs = [doc for name in LIBRARIES.split() for doc in docstrings(site, name, name, 300)]
    about = {"task": "text classification", "language": "English", "domain": "software manuals"}
    texts = np.array([doc.text for doc in docs], dtype=object)
    keys, groups = np.array([doc.key for doc in docs]), np.array([doc.module for doc in docs])
    labels = np.array([doc.label for doc in docs])
    return Task("docstrings-library", about, keys, texts, labels, groups)


def table_task(name: str, kind: str, domain: str, inputs: Any, labels: Any) -> Task:
    """Classify the rows of a table; an item's key is its row number in the bundled file."""
    keys, matrix = np.arange(len(labels)), np.asarray(inputs, dtype=float)
    about = {"task": f"{kind} classification", "domain": domain}
    return Task(name, about, keys, matrix, np.asarray(labels).astype(int))


def table_tasks() -> Iterator[Task]:
    """Yield the datasets that scikit-learn bundles."""
    yield table_task("iris", "tabular", "botany", *bundled.load_iris(return_X_y=True))
    yield table_task("wine", "tabular", "chemistry", *bundled.load_wine(return_X_y=True))
    pixels, digit = bundled.load_digits(return_X_y=True)
    quarters = pixels.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    yield table_task("digits-4x4", "image", "handwriting", quarters, digit)
    yield table_task("digits", "image", "handwriting", pixels, digit)


calibrated = partial(CalibratedClassifierCV, cv=3, ensemble=False)
"""Give probabilities to a classifier that has none."""
SPARSE: dict[str, Callable[[int], Any]] = {
    "Majority class": lambda seed: DummyClassifier(strategy="prior"),
    "Logistic regression": lambda seed: LogisticRegression(C=3.0, max_iter=2000),
    "Ridge (calibrated)": lambda seed: calibrated(RidgeClassifier()),
    "Linear SVM (calibrated)": lambda seed: calibrated(LinearSVC(C=0.5, random_state=seed)),
    "RBF SVM (calibrated)": lambda seed: calibrated(SVC(C=3.0, random_state=seed)),
    "k-NN 5": lambda seed: KNeighborsClassifier(5),
}
"""Systems that read the TF-IDF weights of a text as they are."""
DENSE: dict[str, Callable[[int], Any]] = {
    "LDA": lambda seed: LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "Decision tree": lambda seed: DecisionTreeClassifier(min_samples_leaf=3, random_state=seed),
    "Random forest 100": lambda seed: RandomForestClassifier(100, random_state=seed, n_jobs=1),
    "Extra trees 100": lambda seed: ExtraTreesClassifier(100, random_state=seed, n_jobs=1),
    "AdaBoost": lambda seed: AdaBoostClassifier(n_estimators=100, random_state=seed),
    "Gradient boosting": lambda seed: Boosting(max_iter=60, min_samples_leaf=5, random_state=seed),
    "MLP 64": lambda seed: MLPClassifier((64,), alpha=0.01, max_iter=300, random_state=seed),
    "Gaussian process": lambda seed: GaussianProcessClassifier(9.0 * RBF(5.0), optimizer=None),
}
"""Systems that read a text as a vector of 100 numbers."""


def features(task: Task, train: Any, test: Any, seed: int) -> tuple[tuple[Any, Any], ...]:
    """Return (train, test) as the sparse systems read them, and as the dense ones do."""
    if task.groups is None:
        scaler = StandardScaler()
        scaled = scaler.fit_transform(train), scaler.transform(test)
        return scaled, scaled
    weights = {"sublinear_tf": True, "min_df": 2}
    tfidf = make_union(
        TfidfVectorizer(ngram_range=(1, 2), **weights),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), **weights),
    )
    sparse = tfidf.fit_transform(train), tfidf.transform(test)
    reducer = make_pipeline(TruncatedSVD(100, random_state=seed), StandardScaler())
    return sparse, (reducer.fit_transform(sparse[0]), reducer.transform(sparse[1]))


def score(task: Task, items: npt.NDArray[Any], model: Any, inputs: Any) -> dict[str, Any]:
    """Score a trained system on some items, by the probabilities that it gives to the classes."""
    chances = model.predict_proba(inputs)
    gold = np.searchsorted(model.classes_, task.labels[items])
    correct, probability = chances.argmax(axis=1) == gold, chances[range(len(gold)), gold]
    return {"accuracy": correct.astype(int), "gold_probability": probability.round(3)}


def evaluate(task: Task) -> Iterator[pd.DataFrame]:
    """Train every system with every seed; yield its scores on the test items."""
    rows, share = np.arange(len(task.labels)), 0.5 if task.groups is None else 0.35
    split = {"test_size": share, "stratify": task.labels, "random_state": SPLIT_SEED}
    train, test = train_test_split(rows, **split)
    few = np.sort(np.random.default_rng(SPLIT_SEED).permutation(len(test))[:SLOW_ITEMS])
    for seed in SEEDS:
        split = {"train_size": 0.8, "stratify": task.labels[train], "random_state": seed}
        part, _ = train_test_split(train, **split)
        sparse, dense = features(task, task.inputs[part], task.inputs[test], seed)
        bayes = GaussianNB(var_smoothing=1e-2) if task.groups is None else MultinomialNB(alpha=0.1)
        systems = [("Naive Bayes", bayes, sparse)]
        systems += [(name, build(seed), sparse) for name, build in SPARSE.items()]
        systems += [(name, build(seed), dense) for name, build in DENSE.items()]
        for name, model, (seen, unseen) in systems:
            limited = name == SLOW_SYSTEM and task.name == SLOW_DATASET
            if limited and seed not in SLOW_SEEDS:
                continue
            at = few if limited else np.arange(len(test))
            items = test[at]
            group = {} if task.groups is None else {"group": task.groups[items]}
            scores = score(task, items, model.fit(seen, task.labels[part]), unseen[at])
            about = {"system": name, "item": task.keys[items], **group, "seed": seed}
            yield pd.DataFrame({**about, **scores}, index=items)


def description(task: Task) -> dict[str, Any]:
    """Say what the scores mean, for the importer."""
    metric = {"higher_is_better": True, "unit": "proportion", "lower": 0, "upper": 1}
    about: dict[str, Any] = {
        "format": "generic",
        "dataset": {"name": task.name, **task.about},
        "metrics": {"accuracy": dict(metric), "gold_probability": dict(metric)},
        "run": {
            "harness": "scikit-learn",
            "harness_version": sklearn.__version__,
            "command": "python dashboard/demo/make_runs.py",
            "evaluated_on": datetime(2026, 11, 21, tzinfo=UTC),
        },
    }
    if task.name in OVERLAPS:
        about["overlaps"] = [
            {"datasets": [task.name, *others], "kind": kind, "note": note}
            for others, kind, note in OVERLAPS[task.name]
        ]
    return about


def make(task: Task) -> None:
    """Write the runs of one dataset and their description."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        rows = pd.concat(list(evaluate(task)))
    # The rows of an item stand together: so the long names of items compress well.
    text = rows.sort_index(kind="stable").to_csv(index=False, lineterminator="\n")
    path = RUNS / f"{task.name}.csv.gz"
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    about = yaml.safe_dump(description(task), sort_keys=False, allow_unicode=True, width=100)
    (RUNS / f"{task.name}.tiebreak.yaml").write_text(about, encoding="utf-8")
    print(f"{path.name}: {len(rows):,} rows, {path.stat().st_size:,} bytes")


def main(wanted: Sequence[str]) -> None:
    """Make the runs of the wanted datasets, or of all."""
    for task in (*table_tasks(), text_task()):
        if not wanted or task.name in wanted:
            make(task)


if __name__ == "__main__":
    main(sys.argv[1:])
