"""All systems of a dataset in order: ranks, groups, resolution."""
