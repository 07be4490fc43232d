"""Do the procedures keep the error rates they promise? Simulated, counted and written down."""
