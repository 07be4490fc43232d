"""Answers to "which of these differences are real?": the mathematics and the questions.

`analysis.statistics` computes (arrays in, frozen results out, numpy and scipy only);
`analysis.studies` loads from the store, calls it and writes the verdict.
"""
