"""The commands that answer questions: one module of `analysis.commands` per kind.

Their modules are loaded when they are run; a test holds the lines of help here to theirs.
"""

from __future__ import annotations

import typer

from analysis.commands.claims_group import ClaimsGroup
from store.cli import export
from store.lazy_commands import add_commands

app = typer.Typer(no_args_is_help=True)
_power = typer.Typer(
    no_args_is_help=True, help="What a test set can find, and how large one must be."
)
_simulate = typer.Typer(no_args_is_help=True, help="Repeat the simulations of a paper.")
_settings = typer.Typer(
    no_args_is_help=True, help="What holds in the store where nobody says otherwise."
)
_claims = typer.Typer(
    cls=ClaimsGroup,
    subcommand_metavar="[DATASET] | COMMAND [ARGS]...",
    help="Say which claims on a dataset hold: `claims DATASET`. Without a dataset: what there is. "
    "`claims DATASET --help` says what can be chosen; a dataset that is called like a command "
    "stands after --.",
)

add_commands(
    app,
    "analysis.commands.leaderboard",
    {"leaderboard": "Show the systems of a dataset by score, and which of them can be separated."},
)
add_commands(
    app,
    "analysis.commands.compare",
    {
        "compare": "Say whether A is better than B on a dataset, by how much, and how sure that "
        "is.",
        "adhoc": "Compare two columns of scores in a file; nothing is stored.",
    },
)
add_commands(
    app,
    "analysis.commands.gate",
    {
        "gate": "Compare a system with its baseline; exit code 1 when it fails, 2 where no test is "
        "valid."
    },
)
add_commands(
    app,
    "analysis.commands.pairs",
    {
        "pairs": "Say which of all pairs of systems on a dataset differ.",
        "items": "Show the hardest items of a dataset and those that divide its systems.",
    },
)
add_commands(
    app,
    "analysis.commands.ranking",
    {"rank": "Rank systems over datasets: mean ranks, tests, aggregates with intervals."},
)
add_commands(
    app,
    "analysis.commands.replicability",
    {
        "replicability": "Say on how many datasets, and on which, A is better than B; or that for "
        "all pairs."
    },
)
app.add_typer(_settings, name="settings")
add_commands(
    _settings,
    "analysis.commands.settings",
    {
        "ls": "List the settings of the store.",
        "set": "Have a value hold wherever nobody says otherwise.",
        "reset": "Have what comes with Tiebreak hold again.",
        "pin": "Have a system, dataset or run stand first in lists and on the first page.",
        "unpin": "Take a pin away.",
    },
)
app.add_typer(_power, name="power")
add_commands(
    _power,
    "analysis.commands.power",
    {
        "mcnemar": "Say how likely a test set shows a gap between two accuracies.",
        "mde": "Find the smallest gap between two accuracies that a test set shows.",
        "items": "Find how many items it takes to show a gap between two accuracies.",
        "t": "Plan for any metric by the t test: of mean, n and power, two give the third.",
        "bleu": "Plan for BLEU and other corpus metrics: of delta, n and power, two give the "
        "third.",
        "preferences": "Plan votes for one of two systems: of share, items and power, two give "
        "the third.",
        "ratings": "Plan human ratings: of workers, items, effect and power, three give the "
        "fourth.",
    },
)
add_commands(
    _power,
    "analysis.commands.power_dataset",
    {
        "dataset": "Say how small a difference a stored test set finds, and how many items others "
        "take."
    },
)
add_commands(
    _power,
    "analysis.commands.power_metrics",
    {"metrics": "Say how many systems and items would tell two metrics apart."},
)
add_commands(
    _power,
    "analysis.commands.power_simulated",
    {
        "distribution": "Simulate the power of a test on differences of a stated distribution, by "
        "items.",
        "proportions": "Plan two accuracies on items of their own: the power of a gap, or the "
        "smallest gap.",
        "expected-gain": "Say how large a gain is to be expected next, from the records so far.",
        "classes": "Simulate the power of accuracy, balanced accuracy and F1 from a table per "
        "class.",
        "file": "Say how the power for the difference in a file grows with the number of items.",
    },
)
app.add_typer(_simulate, name="simulate")
add_commands(
    _simulate,
    "analysis.commands.simulate",
    {
        "replicability": "Repeat section 5 of Dror et al. 2017: how often each estimator claims "
        "what is not there.",
        "pvalues": "Repeat figure 5 of NLPStatTest: p-values against the number of items.",
    },
)
app.add_typer(_claims, name="claims")
add_commands(
    _claims,
    "analysis.commands.claims",
    {
        "audit": "Find records, test all claims, and add to the ledger what is new; nothing is "
        "rewritten.",
        "changed": "List the claims whose verdict is not what it was then.",
    },
)
add_commands(
    _claims,
    "analysis.commands.claims_ledger",
    {
        "add": "Put a claim into the ledger; it stays there for good.",
        "withdraw": "Take a claim back: it stays in the ledger, with the reason, and counts for "
        "nothing.",
        "import": "Read a file of claims into the ledger: all of them, or nothing.",
    },
)
add_commands(
    app,
    "analysis.commands.correlate",
    {
        "correlate": "Hold metrics against human judgments: which follows them best, which cannot "
        "be separated."
    },
)
add_commands(
    app,
    "analysis.commands.agreement",
    {
        "agreement": "Say how far annotators agree, and whether more with each other than with a "
        "metric."
    },
)
add_commands(
    app,
    "analysis.commands.gold",
    {"gold": "Make one value of several annotators' judgments, as scores to hold metrics against."},
)
add_commands(
    app,
    "analysis.commands.judges",
    {"judges": "Put a model's judgments right by a few of people's, and look for its biases."},
)
add_commands(
    export,
    "analysis.commands.claims_ledger:export_app",
    {
        "claims": "Write every claim with its latest verdict; `claims import` reads the "
        "statements again."
    },
)
add_commands(
    export,
    "analysis.commands.leaderboard:export_app",
    {
        "leaderboard": "Write the leaderboard of a dataset as a table; all that may be best are "
        "bold."
    },
)
add_commands(
    export,
    "analysis.commands.pairs:export_app",
    {"pairs": "Write one row per pair of systems on a dataset."},
)
