"""What every question returns: the study, as sentence, table, JSON, Markdown, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from analysis.report import Report, rows_of
from store.errors import StoreError

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

Rows = list[dict[str, Any]]


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
    rows: Callable[[], Rows] | None = None
    """The rows of `to_frame`; by default those of the report's first table."""

    picture: str | None = None
    """The function of `tiebreak.drawings` that draws it."""

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

        return pd.DataFrame([dict(_cells(row)) for row in self._rows()])

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
            The answer is best read as a table, and has no picture.
        """
        if self.picture is None:
            raise StoreError("this answer has no picture; `to_frame()` is its table.")
        from tiebreak import drawings

        drawn: alt.LayerChart = getattr(drawings, self.picture)(self.study)
        return drawn

    def _repr_html_(self) -> str:
        return self.study.report().as_html()

    def _rows(self) -> Rows:
        if self.rows is not None:
            return self.rows()
        tables = self.study.report().tables
        return rows_of(tables[0]) if tables else []


def _cells(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for title, value in row.items():
        name = title.replace(" ", "_")
        if isinstance(value, tuple):
            yield from zip((f"{name}_low", f"{name}_high"), value, strict=True)
        else:
            yield name, value
