"""What every question returns: the study, as sentence, table, JSON, Markdown, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from analysis.report import Report
from store.errors import StoreError

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

Rows: TypeAlias = "Sequence[Mapping[str, Any]]"


class Study(Protocol):
    """What all studies have."""

    @property
    def sentence(self) -> str:
        """The answer in words."""

    @property
    def signature(self) -> str:
        """One line from which the study can be repeated."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before believing the answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-safe values."""

    def report(self) -> Report:
        """Return what to write down."""


S_co = TypeVar("S_co", bound=Study, covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Generic[S_co]):
    """The answer to a question. It shows itself in a notebook."""

    study: S_co
    """Everything that was computed."""
    picture: str
    """The function of `tiebreak.drawings` that draws it."""
    rows: Callable[[], Rows]
    """The rows of `to_frame`."""

    @property
    def sentence(self) -> str:
        """The answer in words."""
        return self.study.sentence

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before believing the answer."""
        return self.study.warnings

    @property
    def signature(self) -> str:
        """One line from which the study can be repeated."""
        return self.study.signature

    def to_dict(self) -> dict[str, Any]:
        """Return what the command answers as `result` with ``--json``."""
        return self.study.to_dict()

    def to_frame(self) -> pd.DataFrame:
        """Return the main table, not rounded, as a pandas DataFrame.

        Columns are called as in Python, `ci_low`; an interval has one for each end.
        """
        import pandas as pd

        return pd.DataFrame([dict(_cells(row)) for row in self.rows()])

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return self.study.report().as_markdown()

    def to_latex(self) -> str:
        """Return the report as LaTeX."""
        return self.study.report().as_latex()

    def __str__(self) -> str:
        return self.study.report().as_text()

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *(f"Note: {note}" for note in self.warnings)])

    def chart(self) -> alt.LayerChart:
        """Return the picture of the answer, which a notebook shows.

        Raises
        ------
        StoreError
            There is nothing to draw: no pair, no power that could be given, nobody who agrees.
        """
        drawn = self._drawn()
        if drawn is None:
            raise StoreError("this answer has nothing to draw; `to_frame()` is its table.")
        return drawn

    def _drawn(self) -> alt.LayerChart | None:
        from tiebreak import drawings

        drawn: alt.LayerChart | None = getattr(drawings, self.picture)(self.study)
        return drawn

    def _repr_html_(self) -> str:
        """Return the report, and the picture as the user's renderer of Altair shows it."""
        drawn = self._drawn()
        shown = {} if drawn is None else drawn._repr_mimebundle_()
        picture = shown.get("text/html", "") if isinstance(shown, dict) else ""
        return self.study.report().as_html() + picture


def _cells(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for title, value in row.items():
        name = title.replace(" ", "_")
        if isinstance(value, tuple):
            yield from zip((f"{name}_low", f"{name}_high"), value, strict=True)
        else:
            yield name, value
