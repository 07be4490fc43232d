"""Each write function tried by each role and token, and requests that are forged.

``python -m benchmarks.rights`` writes what came of it into ``docs/reliability.md``.
"""
