import doctest
import importlib
import pkgutil
import subprocess
import sys

import analysis.statistics

MODULES = [
    module.name
    for module in pkgutil.walk_packages(analysis.statistics.__path__, "analysis.statistics.")
]
# Compiled loops are imported when they are needed: that takes longer than a small comparison.
COMPILED = [name for name in MODULES if name.endswith("kernels") or ".all_pairs." in name]

IMPORT_ALL = """
import importlib, sys
for name in {modules!r}:
    importlib.import_module(name)
LATE = {{"scipy.special", "scipy.stats", "scipy.optimize"}}
loaded = {{name.partition(".")[0] for name in sys.modules}} | LATE & {{*sys.modules}}
print("\\n".join(sorted(loaded)))
"""


def test_statistics_import_neither_database_nor_pages_nor_tables():
    loaded = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL.format(modules=sorted({*MODULES} - {*COMPILED}))],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {"numpy", "scipy", "analysis"} <= set(loaded)
    forbidden = {"store", "dashboard", "sqlalchemy", "alembic", "streamlit", "pandas", "altair"}
    assert not forbidden & set(loaded)
    # Parts of scipy take longer to load than most answers to compute: asked for, they load.
    assert not {"scipy.special", "scipy.stats", "scipy.optimize"} & set(loaded)
    assert not {"statsmodels", "numba", "hypothesis", "pytest"} & set(loaded)


def test_docstring_examples_hold():
    outcomes = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
    assert not [name for name, outcome in outcomes.items() if outcome.failed]
    assert sum(outcome.attempted for outcome in outcomes.values()) > 100
