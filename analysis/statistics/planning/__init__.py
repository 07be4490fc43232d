"""Power, sample sizes."""
