"""What a person sees: pages, charts, and the `tiebreak` command."""
