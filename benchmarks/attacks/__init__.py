"""Files that mean harm, and broken stores: ``python -m benchmarks.attacks``."""
