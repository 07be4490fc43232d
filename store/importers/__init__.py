"""One module for each file format: files in, `ImportBundle` out.

Empty on purpose: opening a store needs `bundle` only, and must not load every importer.
"""
