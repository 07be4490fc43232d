"""Paired accuracies: power, gaps that can be found, items needed."""
