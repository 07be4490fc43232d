"""How large a difference is."""
