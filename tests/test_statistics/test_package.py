import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import analysis.statistics
import analysis.statistics.all_pairs

MODULES = [
    f"analysis.statistics.{module.name}"
    for module in pkgutil.iter_modules(analysis.statistics.__path__)
]

ALL_PAIRS = [
    f"analysis.statistics.all_pairs.{module.name}"
    for module in pkgutil.iter_modules(analysis.statistics.all_pairs.__path__)
]

IMPORT_ALL = """
import importlib, sys
for name in {modules!r}:
    importlib.import_module(name)
print("\\n".join(sorted({{name.partition(".")[0] for name in sys.modules}})))
"""


def test_statistics_import_neither_database_nor_pages_nor_tables():
    loaded = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL.format(modules=MODULES)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {"numpy", "scipy", "analysis"} <= set(loaded)
    forbidden = {"store", "dashboard", "sqlalchemy", "alembic", "streamlit", "pandas", "altair"}
    assert not forbidden & set(loaded)
    assert not {"statsmodels", "numba", "hypothesis", "pytest"} & set(loaded)


@pytest.mark.parametrize("name", [*MODULES, *ALL_PAIRS])
def test_docstring_examples_hold(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


def test_all_names_exist_once():
    names = analysis.statistics.__all__
    assert all(hasattr(analysis.statistics, name) for name in names)
    assert len(set(names)) == len(names)
