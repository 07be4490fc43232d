"""Who agrees with whom: annotators, and metrics with them."""
