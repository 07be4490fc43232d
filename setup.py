"""The wheel's form: every folder of the repository goes into it under the one name `tiebreak`.

In the repository `store`, `analysis`, `dashboard` and `migrations` stand at the top. In a wheel
they are `tiebreak.store`, … with their imports rewritten: an environment sees no other name of ours
(docs/decisions/0021-one-name-in-an-environment.md). An editable installation stays as it is.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

NAME = "tiebreak"
INSIDE = ("store", "analysis", "dashboard", "migrations")
BESIDE = ("streamlit_app.py", ".streamlit/config.toml")


def rewritten(source: str, shown: str) -> str:
    """Return a module whose imports of our folders go through `NAME`; every other byte stays.

    Raises
    ------
    ValueError
        For `import store.x`, which binds the name `store`: only `from store.x import y` moves.
    """
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source, shown)):
        if isinstance(node, ast.Import):
            if any(alias.name.split(".")[0] in INSIDE for alias in node.names):
                raise ValueError(f"{shown}, line {node.lineno}: write `from … import …` instead")
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            if module.split(".")[0] in INSIDE:
                head, found, rest = lines[node.lineno - 1].partition(f"from {module}")
                if not found:
                    raise ValueError(f"{shown}, line {node.lineno}: write it on one line")
                lines[node.lineno - 1] = f"{head}from {NAME}.{module}{rest}"
    return "\n".join(lines)


class GatherModules(build_py):
    """Build as always, then move everything under the one name."""

    def run(self) -> None:
        """Build; in an editable installation that is all."""
        if self.editable_mode:
            super().run()
            return
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what is gone must not come back
        super().run()
        top = Path(self.build_lib) / NAME
        for name in INSIDE:
            shutil.move(Path(self.build_lib) / name, top / name)
        for name in BESIDE:
            (top / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(name, top / name)
        for path in top.rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            path.write_text(rewritten(source, str(path)), encoding="utf-8")


class NameOne(egg_info):
    """The metadata name what the wheel claims."""

    def run(self) -> None:
        """Write the metadata as always, and the one name."""
        super().run()
        Path(self.egg_info, "top_level.txt").write_text(f"{NAME}\n", encoding="utf-8")


setup(cmdclass={"build_py": GatherModules, "egg_info": NameOne})
