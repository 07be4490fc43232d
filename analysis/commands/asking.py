"""A command made of a question: its options are the question's settings."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast

import typer
from rich.console import Console

from analysis.commands.options import FormatOption, ReportStyle, gave_report
from analysis.commands.terminal import show_report
from analysis.question import Progress, Question
from analysis.setting import Field, build, fields_of, names
from analysis.statistics.resampling.compiling import tell_when_compiling
from analysis.studies.kept_answers import kept_answer
from analysis.studies.study import Study
from store.console import JsonOption, answer, exits_in_words, messages, opened
from store.engine import Store
from store.errors import StoreError
from store.kept_settings import LEFT_OPEN
from store.location import is_remote, resolve_location

A = TypeVar("A", bound=Study)
T = TypeVar("T")


def add_question(
    app: typer.Typer,
    question: type[Question[A]],
    show: Callable[..., None] | None = None,
    *,
    shown: Mapping[str, tuple[Any, Any]] = MappingProxyType({}),
    typed: str = "",
    before: Sequence[inspect.Parameter] = (),
    more: Sequence[inspect.Parameter] = (),
    complete: Callable[[typer.Context, Any, dict[str, Any]], Question[A]] | None = None,
) -> None:
    """Add the command that asks a question: ``tiebreak NAME``.

    Parameters
    ----------
    app
        What the command is added to.
    question
        Its docstring's first line is the line of help.
    show
        Prints the answer on a terminal: called with the console, the answer, and what is in
        `shown`. By default the answer's report is printed.
    shown
        Options that change only what the terminal shows: name -> (annotation, default).
    typed
        What is typed after the group that `app` is, where the question has a longer name.
    before, more
        Parameters that are no settings, such as files: before the settings, and after them.
    complete
        Puts what they name into the question: called with the context, the question as it is, and
        all that was typed.
    """

    def command(context: typer.Context, **given: Any) -> None:
        as_json = given.pop("as_json")
        style = given.pop("format", ReportStyle.table)
        asked = asked_of(context, question, given)
        if complete is not None:
            asked = complete(context, asked, given)
        location = resolve_location(context.obj)
        if question.needs_store and is_remote(location):
            from analysis.commands.remote import answer_from

            answer_from(location, asked, style, _left_open(context), as_json=as_json)
            return
        tell = None if show is None else partial(show, **{name: given[name] for name in shown})
        told(asked, answered(context, asked), style, as_json=as_json, show=tell)

    surface = [*more, *(parameter(name, *facts) for name, facts in shown.items())]
    if question.has_report:
        surface.append(parameter("format", FormatOption, ReportStyle.table))
    surface.append(parameter("as_json", JsonOption, False))
    whole = with_options(command, question, surface, before=before)
    app.command(typed or question.name)(exits_in_words(whole))


def told(
    asked: Question[A],
    study: A,
    style: ReportStyle,
    *,
    as_json: bool,
    show: Callable[[Console, A], None] | None = None,
) -> None:
    """Print an answer as it was asked for: JSON, a report in a style, or as `show` does."""
    if style in (ReportStyle.card, ReportStyle.badge) and not as_json:
        from analysis.card import picture

        sys.stdout.write(picture(study, style.value))
        return
    if asked.has_report and gave_report(cast("Any", study).report, style, as_json):
        return
    tell = show or _show_report
    answer(
        asked.name,
        study.to_dict() if as_json else {},
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=(*study.warnings, *(asked.notes if as_json else ())),
        as_json=as_json,
        show=lambda console: tell(console, study),
    )


def with_options(
    command: Callable[..., None],
    question: type[Any],
    more: Sequence[inspect.Parameter] = (),
    *,
    before: Sequence[inspect.Parameter] = (),
) -> Callable[..., None]:
    """Return a command that takes a context, `before`, the settings of a question, and `more`.

    It is called with a keyword for each; `as_values` makes the question's values of them.
    """
    parameters = [
        parameter("context", typer.Context),
        *before,
        *(_of_field(each) for each in fields_of(question)),
        *more,
    ]

    def run(**given: Any) -> None:
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by Typer
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__doc__ = inspect.getdoc(command) or inspect.getdoc(question)
    return run


def parameter(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    """Return one parameter of a command."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def as_values(question: type[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a question from what was typed: names in commas become a tuple."""
    values = {}
    for each in fields_of(question):
        if each.name in given:
            typed = given[each.name]
            if each.kind == "names" and typed is not None:
                typed = tuple(names(typed) or ())
                if not typed:
                    raise StoreError(
                        f"`{each.name}` names nothing. Leave it out, or give names, separated by "
                        "commas."
                    )
            values[each.name] = typed
    return values


def asked_of(context: typer.Context, question: type[T], given: dict[str, Any]) -> T:
    """Return the question that was typed; what was left open is as the store has it."""
    values = as_values(question, given)
    left_open = {name for name in _left_open(context) if name in values}
    has_store = getattr(question, "needs_store", True)
    if left_open and has_store and not is_remote(resolve_location(context.obj)):
        from analysis.store_defaults import defaults_of

        with opened(context, read_only=True) as store:
            told = defaults_of(store, question, values)
        values |= {name: value for name, value in told.items() if name in left_open}
    return build(question, values)


def _left_open(context: typer.Context) -> list[str]:
    """Return the settings with a default of the store that were not typed."""
    sources = {name: context.get_parameter_source(name) for name in LEFT_OPEN}
    return [name for name, source in sources.items() if source and source.name == "DEFAULT"]


def answered(context: typer.Context, asked: Question[A]) -> A:
    """Return the answer from the store that ``--store`` names, showing how far it is."""
    with shown_progress() as progress:
        if not asked.needs_store:
            return asked.answer(cast("Store", None), progress)
        with opened(context, read_only=True, keeps_results=True) as store:
            return kept_answer(asked, store, progress)


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show on a terminal how far a study is; say anywhere why the first one takes long."""
    tell_when_compiling(_say_compiling)
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import Progress as Bar

    with Bar(console=messages, transient=True) as bar:
        task = bar.add_task("Computing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _say_compiling() -> None:
    messages.print("Compiling loops, once: `tiebreak warm-up` compiles all after an installation.")


def _show_report(console: Console, study: Any) -> None:
    show_report(console, study.report())


def _of_field(each: Field) -> inspect.Parameter:
    as_text = each.kind == "names" or (each.kind == "choice" and each.setting.aliases)
    typed: Any = str if as_text else each.type
    if each.setting.place or (each.required and not each.setting.flags):
        facts: Any = typer.Argument(help=each.setting.help)
    else:
        flags = (each.setting.flags,) if each.setting.flags else ()
        if each.kind == "flag" and not each.optional and not flags:
            flags = (f"--{each.name.replace('_', '-')}",)
        facts = typer.Option(*flags, help=each.setting.help)
    default = inspect.Parameter.empty if each.required else each.default
    annotation: Any = Annotated[typed | None if each.optional else typed, facts]
    return parameter(each.name, annotation, default)
