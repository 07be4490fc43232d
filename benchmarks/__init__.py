"""Speed as a ratio against peers, measured side by side in one process."""
