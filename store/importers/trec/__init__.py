"""Retrieval as TREC writes it: runs, judgments of relevance, and the output of trec_eval."""
