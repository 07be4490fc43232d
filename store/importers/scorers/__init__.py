"""Scoring at import: predictions and gold become item scores, with the parts that metrics need."""
