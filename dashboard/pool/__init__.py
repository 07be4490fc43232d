"""Studies in processes of their own, so that the one with the sockets keeps answering.

`tasks` says what can be asked, `nursery` is the process that makes one process per task, `flights`
is the server's side: who waits, for what, and what happens when nobody waits any more.
"""

from __future__ import annotations

from typing import Final

PROTOCOL: Final = 5
"""Of pickle: it keeps arrays read-only that are."""
