"""Metrics held against human judgments on several datasets."""
