"""What a recipe's YAML cannot say: modules with a function ``prepare(content, source)``.

It returns what the recipe's paths are read from.
"""
