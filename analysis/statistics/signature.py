"""One line from which a result can be repeated."""

METHOD_VERSION = "0.12"
"""Changes whenever the same input and settings could give another number: a test holds it against
recorded answers (`make golden`)."""


def build_signature(procedure: str, /, **settings: str | int | float) -> str:
    """Join a procedure and its settings into one line, in the order given.

    Parameters
    ----------
    procedure : str
        What was computed, such as ``"holm"``.
    **settings : str, int or float
        Everything else that decides the numbers. Floats keep all their digits.

    Returns
    -------
    str
        ``procedure|key:value|...|v:<version of the methods>``

    Examples
    --------
    >>> build_signature("holm", m=12, alpha=0.05).rpartition("|v:")[0]
    'holm|m:12|alpha:0.05'
    """
    parts = [f"{key}:{value}" for key, value in settings.items()]
    return "|".join([procedure, *parts, f"v:{METHOD_VERSION}"])
