"""What exports write, as it is chosen on the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class FileFormat(StrEnum):
    """What an export writes."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


FormatOption = Annotated[
    FileFormat | None, typer.Option(help="By default what the file is called, else csv.")
]
RawOption = Annotated[
    bool,
    typer.Option(
        "--raw", help="In CSV, leave texts that a spreadsheet would compute without a ' before."
    ),
]
