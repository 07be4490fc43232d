"""Two systems on the same items: tests."""
