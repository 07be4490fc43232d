"""R's base `stats` against our commands, on new and nasty data each time."""
