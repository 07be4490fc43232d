"""Tables of ratings and preferences."""
