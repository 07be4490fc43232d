"""Where sign-in by OpenID Connect is set: the section `[auth]` of `.streamlit/secrets.toml`."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from store.errors import StoreError

SECRETS: Final = "TIEBREAK_SECRETS"
"""Environment: the file that names the providers."""
_NEEDED: Final = ("client_id", "client_secret", "server_metadata_url")
_SHORTEST_SECRET: Final = 32


def is_on() -> bool:
    """Return whether people sign in by OpenID Connect."""
    return bool(os.environ.get(SECRETS))


def read_providers(path: Path) -> tuple[str, ...]:
    """Return the names of the providers in a file of secrets; none where it has no `[auth]`.

    Raises
    ------
    StoreError
        The section is not complete, or not safe; the message says what is missing.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StoreError(f"{path}: {error}.") from None
    auth = told.get("auth")
    if auth is None:
        return ()
    if not isinstance(auth, dict):
        raise StoreError(f"{path}: 'auth' is no section. Write `[auth]` above its settings.")
    if importlib.util.find_spec("authlib") is None:
        raise StoreError(f"{path} asks for sign-in. Install it: `pip install 'tiebreak[auth]'`.")
    _require_safe(auth, path)
    named = {name: one for name, one in auth.items() if isinstance(one, dict) and "_" not in name}
    providers = {"default": auth, **named} if "client_id" in auth else named
    for name, provider in (providers or {"default": auth}).items():
        if missing := [key for key in _NEEDED if not provider.get(key)]:
            section = "auth" if name == "default" else f"auth.{name}"
            raise StoreError(f"{path}: [{section}] lacks {', '.join(missing)}.")
    return tuple(providers)


def _require_safe(auth: Mapping[str, Any], path: Path) -> None:
    address = urlsplit(str(auth.get("redirect_uri", "")))
    is_here = address.hostname in ("localhost", "127.0.0.1", "::1")
    if address.path != "/oauth2callback" or not (address.scheme == "https" or is_here):
        raise StoreError(
            f"{path}: write redirect_uri as `https://ADDRESS/oauth2callback`; plain http is for "
            "localhost."
        )
    if len(str(auth.get("cookie_secret", ""))) < _SHORTEST_SECRET:
        raise StoreError(
            f"{path}: cookie_secret takes {_SHORTEST_SECRET} characters or more. Make one with "
            "`python -c 'import secrets; print(secrets.token_urlsafe(32))'`."
        )
