"""Errors marked by MQM."""
