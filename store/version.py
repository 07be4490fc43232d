"""The version, stated here and nowhere else: pyproject, command and library read it."""

VERSION = "0.1.0"
