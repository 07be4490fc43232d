"""Where a run comes from, as far as its own process knows."""

from __future__ import annotations

import importlib.metadata
import math
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from store.importers.bundle import Provenance

GIT_WAITS_S = 5.0


def provenance_here(config: Mapping[str, Any] | None, seed: int | None = None) -> Provenance:
    """Return command, git commit, packages in use and host of this process, and the time.

    `config` is what the script says of itself; the host is added to it under ``"host"``. Of values
    that JSON has no form for (paths, devices, NaN) the text is kept.
    """
    commit = _git("rev-parse", "HEAD")
    return Provenance(
        evaluated_on=datetime.now(UTC).replace(microsecond=0),
        seed=seed,
        command=None if _is_notebook() else shlex.join(sys.orig_argv),
        git_origin=_without_password(_git("config", "--get", "remote.origin.url")),
        git_commit=commit,
        git_dirty=None if commit is None else bool(_git("status", "--porcelain", "-uno")),
        packages=packages_in_use(),
        config={"host": platform.node()} | _plain(config or {}),
    )


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)


def packages_in_use() -> dict[str, str]:
    """Return the version of Python and of every package that is imported."""
    versions = {"python": platform.python_version()}
    tops = {name for name in sys.modules if "." not in name and not name.startswith("_")}
    for name in sorted(tops - sys.stdlib_module_names):
        try:
            versions[name] = importlib.metadata.version(name)
        except (importlib.metadata.PackageNotFoundError, ValueError):
            stated = getattr(sys.modules[name], "__version__", None)  # sklearn, yaml …
            if isinstance(stated, str):
                versions[name] = stated
    return versions


def _git(*words: str) -> str | None:
    """Return what git says of the working folder; ``None`` outside of a repository."""
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, text=True, timeout=GIT_WAITS_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _without_password(origin: str | None) -> str | None:
    """Return an address without the user and the token that may stand in it."""
    if origin is None or "://" not in origin:
        return origin or None
    parts = urlsplit(origin)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _is_notebook() -> bool:
    return "ipykernel" in sys.modules
