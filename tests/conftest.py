"""Options and fixtures that several layers' tests use."""

from pathlib import Path

import pytest

_REPETITIONS = {"reduced": 600, "full": 10_000}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--calibrate",
        choices=tuple(_REPETITIONS),
        default="reduced",
        help="how often the calibration tests repeat each simulated analysis",
    )


@pytest.fixture(scope="session")
def calibrate_repetitions(request: pytest.FixtureRequest) -> int:
    """Return how often a calibration repeats an analysis."""
    return _REPETITIONS[request.config.getoption("--calibrate")]


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """Return the folder of real files beside the checkout; skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of real files is not beside this checkout")
    return folder
