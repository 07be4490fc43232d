"""Claims over time: which records on a test set were real."""
