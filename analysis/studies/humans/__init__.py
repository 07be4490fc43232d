"""Metrics and humans: who agrees with whom, and which metric follows the human judgments best."""
