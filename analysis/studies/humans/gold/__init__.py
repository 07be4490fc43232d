"""Gold by other rules than the mean of annotators."""
