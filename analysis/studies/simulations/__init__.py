"""Simulations of papers, one module each."""
