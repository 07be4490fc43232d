"""What the scores of a comparison look like, and what they are fit for."""
