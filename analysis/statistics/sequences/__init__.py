"""A sequence of claims about one test set: records, error control look by look, the Ladder."""
