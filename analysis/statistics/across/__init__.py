"""Several datasets: counting, naming, ranking."""
