"""Corpus metrics such as BLEU: power, differences that can be found."""
