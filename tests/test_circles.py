"""No module needs a module that needs it, not even for a type."""

import ast
from collections.abc import Container, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOTS = ("store", "analysis", "dashboard", "tiebreak")


def modules() -> dict[str, Path]:
    found = {}
    for root in ROOTS:
        for path in (ROOT / root).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(body: list[ast.stmt], known: Container[str]) -> Iterator[str]:
    """Yield the modules that are needed when a module is read, or only for its types."""
    for node in body:
        if isinstance(node, ast.If):
            yield from imported(node.body, known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                module = f"{node.module}.{name.name}"
                yield module if module in known else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_modules_stand_in_a_row() -> None:
    known = modules()
    needs = {
        name: {
            one
            for one in imported(ast.parse(path.read_text(encoding="utf-8")).body, known)
            if one in known and one != name
        }
        for name, path in known.items()
    }
    TopologicalSorter(needs).prepare()  # CycleError names the circle
