"""One module per question a person asks: loads from the store, computes, writes the verdict."""
