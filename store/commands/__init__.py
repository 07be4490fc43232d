"""The store's commands, one module each; `store.cli` joins them."""
