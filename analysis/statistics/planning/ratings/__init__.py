"""Human ratings: power, plans, mixed effects."""
