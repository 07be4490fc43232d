"""Annotators: agreement, competence, consensus, judges, bias."""
