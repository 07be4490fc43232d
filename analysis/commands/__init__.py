"""The commands that answer questions, one module per kind; `analysis.cli` joins them."""
