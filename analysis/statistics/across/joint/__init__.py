"""Replicability over cells that share items: one exchange of the systems for all of them."""
