"""Formats that are described in YAML: how a file is recognised, and which field is what."""
