"""SWE-bench: reports of the harness, folders of submissions, and the board of the site."""
