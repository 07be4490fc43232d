"""The store's commands: ingest, recipes, ls, show, export, delete, restore, purge, tag, note, db.

Their modules are loaded when they are run; a test holds the lines of help here to theirs.
"""

from __future__ import annotations

import typer

from store.lazy_commands import add_commands

app = typer.Typer(no_args_is_help=True)
export = typer.Typer(no_args_is_help=True, help="Write scores or tables to a file.")
"""The analysis adds tables of its own."""
_tokens = typer.Typer(no_args_is_help=True, help="What programs show when they come over HTTP.")
_people = typer.Typer(no_args_is_help=True, help="Who changed the store.")
_set = typer.Typer(no_args_is_help=True, help="State facts about what is in the store.")
_db = typer.Typer(no_args_is_help=True, help="Look after the store's file.")

add_commands(
    app,
    "store.commands.ingest",
    {"ingest": "Read files into the store: all of a group of files, or nothing of it."},
)
add_commands(
    app,
    "store.commands.watch",
    {"watch": "Take in the files of a folder as they are finished, each of them once."},
)
add_commands(
    app,
    "store.commands.push",
    {"push": "Take in what scripts logged beside the store before they were stopped."},
)
add_commands(
    app,
    "store.commands.recipes",
    {
        "recipes": "List recipes; with a name show its YAML; with --on FILE say what it makes of "
        "the file."
    },
)
app.add_typer(_tokens, name="tokens")
add_commands(
    _tokens,
    "store.commands.tokens",
    {
        "add": "Make a token and show its secret, once.",
        "ls": "List tokens, with their last use; secrets are kept nowhere.",
        "revoke": "Close a token for good.",
    },
)
app.add_typer(_people, name="people")
add_commands(
    _people,
    "store.commands.people",
    {
        "ls": "List who changed the store, and when last.",
        "remove": "Put another name in place of a person's, everywhere; every change stays "
        "recorded.",
    },
)
add_commands(
    app,
    "store.commands.undo",
    {"undo": "Take an import back whole, or refuse where later results build on it."},
)
add_commands(
    app,
    "store.commands.answers",
    {"answers": "List the answers to questions of imports that the store keeps, or forget one."},
)
add_commands(
    app,
    "store.commands.browse",
    {
        "ls": "List systems, datasets, metrics, runs, claims, criteria, annotators or ingests.",
    },
)
add_commands(
    app,
    "store.commands.show",
    {
        "show": "Show everything about a run, system, dataset, metric, claim or ingest (by uid or "
        "name).",
    },
)
app.add_typer(_set, name="set")
add_commands(
    _set,
    "store.commands.facts",
    {
        "metric": "State facts about a metric: unit, range, kind, direction, aggregation. Scores "
        "stay.",
        "repeats": "Say what the trials of runs are: samples of one system, or seeds.",
    },
)
add_commands(
    app,
    "store.commands.audit",
    {"audit": "List who changed what, when and why; with --format or --out write all of it."},
)
add_commands(
    app,
    "store.commands.expire",
    {"expire": "Remove texts that are older than the store keeps them; scores stay."},
)
add_commands(
    app,
    "store.commands.doctor",
    {"doctor": "Say what is wrong with the installation or the store, and which command helps."},
)
add_commands(
    app,
    "store.commands.change",
    {
        "delete": "Hide a run, system or dataset; it can be restored.",
        "restore": "Bring a deleted run, system or dataset back (by uid).",
        "purge": "Remove a deleted run, system or dataset for good, with its scores (by uid).",
        "seal": "Close a dataset: no item can be added any more.",
        "tag": "Tag a run, system, dataset, item (DATASET/ITEM) or import, or take the tag off.",
        "note": "Note something in Markdown on a run, system, dataset, item or import.",
        "weights": "Weigh marked errors otherwise; ratings and their means over annotators follow.",
    },
)
add_commands(
    app,
    "store.commands.names",
    {
        "rename": "Call a system, a dataset or a run's label otherwise; a system's old name still "
        "finds it.",
        "alias": "Let a system be found by another name too, or no longer.",
        "merge": "Make two systems or datasets one: all about the first goes to the second.",
        "separate": "Take a merge back; MERGED is the uid of what went into NAME.",
    },
)
app.add_typer(export, name="export")
add_commands(
    export,
    "store.commands.export",
    {
        "scores": "Write every item score in the long form that `ingest` reads; --out adds a "
        "mapping file.",
        "judgments": "Write ratings or preferences as a table that `ingest` reads; --out adds a "
        "mapping file.",
        "runs": "Write one row per run and metric, with provenance.",
        "mlflow": "Write runs as a file store of MLflow, with the scores of their items.",
        "eee": "Write runs as records of Every Eval Ever, with the lines of their items.",
    },
)
app.add_typer(_db, name="db")
add_commands(
    _db,
    "store.commands.db",
    {
        "upgrade": "Migrate the store to this version; a backup is written beside it first.",
        "backup": "Write a copy of the store, while others may go on reading and writing.",
        "copy": "Copy a store with all that it keeps, to PostgreSQL or back.",
        "restore": "Put a backup in the store's place; what stood there is put aside.",
        "check": "Check the file, all references, every score vector and every chain of items.",
        "info": "Show the store's place, size, revisions and counts.",
    },
)
