"""What a test set can find, and how large one must be: planned from numbers, or from a store."""
