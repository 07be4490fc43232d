"""What the tests of the statistics share."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def r_inputs(shared_folder: Path) -> dict[str, Any]:
    """Return the samples that were given to R."""
    return json.loads((shared_folder / "reference/r/inputs.json").read_text())


@pytest.fixture(scope="session")
def r_reference(shared_folder: Path) -> dict[str, Any]:
    """Return what R gives for them."""
    return json.loads((shared_folder / "reference/r/reference.json").read_text())
