"""Plans (signs, counts), statistics of them, tails, and the threads that share the work."""
