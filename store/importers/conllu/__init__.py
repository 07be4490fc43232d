"""Dependency trees in CoNLL-U and CoNLL-X: reading them, and seven metrics of parses.

`trees` reads sentences, `corpus` lays two files beside each other, `attachment`, `predications`,
`tree_edit` and `pos_wise` count, `importer` joins them.
"""
