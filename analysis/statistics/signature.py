"""One line from which a result can be repeated."""

STATISTICS_VERSION = "0.2"
"""Changes whenever the same input and settings could give another number."""


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
        ``procedure|key:value|...|v:<version of the statistics>``

    Examples
    --------
    >>> build_signature("holm", m=12, untestable="1 not counted", alpha=0.05)
    'holm|m:12|untestable:1 not counted|alpha:0.05|v:0.2'
    """
    parts = [f"{key}:{value}" for key, value in settings.items()]
    return "|".join([procedure, *parts, f"v:{STATISTICS_VERSION}"])
