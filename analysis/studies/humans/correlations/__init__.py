"""Metrics held against human judgments on one dataset."""
