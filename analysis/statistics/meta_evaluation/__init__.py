"""Metrics held against human judgments: correlations, their intervals, X against Y."""
