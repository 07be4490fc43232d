"""The command that compiles all loops."""

import time

import typer

from analysis.statistics.warm_up import compile_loops

app = typer.Typer()


@app.command("warm-up")
def warm_up() -> None:
    """Compile all loops once after an installation, so that no answer waits for it."""
    begun = time.monotonic()
    n_compiled = compile_loops(n_processes=2)
    took = time.monotonic() - begun
    typer.echo(f"Compiled loops in {took:.0f} s." if n_compiled else "All loops are compiled.")
