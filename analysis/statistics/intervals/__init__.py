"""Intervals: of a score, of a difference."""
