"""Names in places that have no room for them."""


def shorten(name: str, length: int = 18) -> str:
    """Cut the middle out of a name; both ends stay, since they tell versions apart."""
    if len(name) <= length:
        return name
    tail = int(0.42 * length)
    return f"{name[: length - 1 - tail]}…{name[len(name) - tail :]}"
