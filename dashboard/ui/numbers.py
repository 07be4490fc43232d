"""Moved to `analysis.numbers`; goes when the pages have followed."""

from analysis.numbers import *  # noqa: F403
from analysis.numbers import MINUS, MISSING, THIN  # noqa: F401
