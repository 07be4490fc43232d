"""The commands of the dashboard, one module each."""
