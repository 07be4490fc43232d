"""Test sets of mt-metrics-eval."""
