"""Calibration of the default of every command: files in, `--json` out."""
