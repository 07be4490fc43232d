"""`tiebreak serve`: the dashboard. No database is loaded here: the server does that, listening."""

from __future__ import annotations

import errno
import os
import socket
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from dashboard import logs, oidc_settings, sign_in
from dashboard.commands.several import LOOPBACK, configuration, run_all, say
from dashboard.server_names import ANY, NAMES
from store.console import exits_in_words
from store.errors import StoreError
from store.location import absolute_location, resolve_location, without_password

ENTRY = Path(__file__).resolve().parents[2] / "streamlit_app.py"
FIRST_PORT = 8501

app = typer.Typer()


@app.command()
@exits_in_words
def serve(
    context: typer.Context,
    port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65535, help="Port to listen on; otherwise the first free one from 8501."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "localhost",
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Nobody can change anything from a page.")
    ] = False,
    sign_in_header: Annotated[
        str | None,
        typer.Option(help="Header in which a proxy says who is signed in, as X-Forwarded-Email."),
    ] = None,
    roles: Annotated[
        Path | None,
        typer.Option(help="TOML file: who is admin, contributor, viewer; with a sign-in."),
    ] = None,
    proxy: Annotated[
        str, typer.Option(help="Addresses of that proxy, with commas; this machine's always are.")
    ] = "",
    names: Annotated[
        str,
        typer.Option(
            help="Names, with commas, that browsers may call this server by; localhost always."
        ),
    ] = "",
    log_format: Annotated[
        Literal["text", "json"],
        typer.Option(help="What is written down: text, or a line of JSON for each thing."),
    ] = "text",
    workers: Annotated[
        int,
        typer.Option(min=1, max=64, help="Servers, on the ports after this one; see --balancer."),
    ] = 1,
    balancer: Annotated[
        Path, typer.Option(help="With several servers: where to write HAProxy's configuration.")
    ] = Path("haproxy.cfg"),
) -> None:
    """Open the dashboard on the store."""
    secrets = Path(".streamlit/secrets.toml").absolute()
    has_sign_in = bool(sign_in_header) or bool(oidc_settings.read_providers(secrets))
    if has_sign_in and roles is None:
        raise StoreError("Say who may do what: --roles roles.toml goes with a sign-in.")
    if roles is not None and not has_sign_in:
        raise StoreError(
            f"--roles takes a sign-in: --sign-in-header, or a section [auth] in {secrets}."
        )
    if not (sign_in.is_loopback(host) or read_only or has_sign_in):
        raise StoreError(
            f"On {host} everybody who reaches it could change the store. Let people sign "
            "in (docs/people_and_machines.md), or add --read-only."
        )
    port = _free_port(host, port)
    location = absolute_location(resolve_location(context.obj))
    environment = os.environ | {
        "TIEBREAK_STORE": location,
        # A request keeps the address that it comes from, whatever its headers say.
        "FORWARDED_ALLOW_IPS": "",
    }
    if roles is not None:
        sign_in.read_roles(roles, 0)
        environment[sign_in.ROLES_FILE] = str(roles.absolute())
    if sign_in_header:
        environment[sign_in.HEADER] = sign_in_header
        environment[sign_in.PROXY] = proxy.replace(" ", "")
    elif has_sign_in:
        environment[oidc_settings.SECRETS] = str(secrets)
    if read_only:
        environment["TIEBREAK_READ_ONLY"] = "1"
    # Who may reach it from elsewhere comes by a name that is not known here.
    is_open = has_sign_in or not sign_in.is_loopback(host)
    environment[NAMES] = names.replace(" ", "") or (ANY if is_open else "")
    if log_format == logs.JSON:
        environment[logs.FORMAT] = os.environ[logs.FORMAT] = logs.JSON
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Streamlit greets there, in no JSON
    shown = without_password(location)
    if workers > 1:
        ports = range(port + 1, port + 1 + workers)
        told = configuration(
            host,
            port,
            ports,
            header=sign_in_header or "",
            proxies=proxy.replace(" ", "").split(","),
        )
        balancer.write_text(told, encoding="utf-8")
        say(
            f"{workers} servers of {shown}. Start `haproxy -f {balancer}` beside them: it answers "
            f"on http://{host}:{port}."
        )
        commands = [_command(LOOPBACK, one, secrets) for one in ports]
        raise typer.Exit(run_all(commands, ENTRY.parent, environment))
    say(f"Dashboard on {shown}: http://{host}:{port}")
    # The server takes this process's place: whoever ends the one ends the other.
    os.chdir(ENTRY.parent)
    os.execve(sys.executable, _command(host, port, secrets), environment)


def _is_taken(host: str, port: int) -> bool:
    """Return whether another program listens there."""
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False


def _free_port(host: str, asked: int | None) -> int:
    """Return the port asked for, or the first from 8501 that nobody listens on.

    Raises:
        StoreError: That port, or all ten from 8501, are taken.
    """
    ports = [asked] if asked else range(FIRST_PORT, FIRST_PORT + 10)
    for port in ports:
        if not _is_taken(host, port):
            return port
    raise StoreError(
        f"Another program listens on port {ports[0]} of {host}"
        + (f", and on the next {len(ports) - 1}" if len(ports) > 1 else "")
        + ". Name a free one with --port."
    )


def _command(host: str, port: int, secrets: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "streamlit", "run", str(ENTRY)),
        f"--server.port={port}",
        f"--server.address={host}",
        "--server.headless=true",
        "--server.fileWatcherType=none",  # it costs each page a third of its time
        "--runner.postScriptGC=false",  # with many sessions it takes most of a page's time
        f"--secrets.files={secrets}",
    ]
