"""Peers as they are, in an environment of their own, side by side with ours: `make bench-peers`.

`theirs` runs there and knows nothing of this product; `ours` runs here. Both get the same data.
"""
