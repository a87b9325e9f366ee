"""The command table, and what every command shares: options, errors as one line, exit codes.

Commands import what is heavy when they run: the process of `ragvigil serve` stays without numpy.
"""

from __future__ import annotations

import errno
import functools
import logging
import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, ParamSpec

import typer
from typer.core import TyperCommand, TyperGroup

from ragvigil.scorer.commands import (
    _bench,
    _bench_diagnosis,
    _calibrate,
    _calibrate_report,
    _compare,
    _routes,
    _silence,
    _steadiness,
    _testset,
    _testset_merge,
)
from ragvigil.scorer.commands._ack import ack
from ragvigil.scorer.commands._backtest import backtest
from ragvigil.scorer.commands._bench_checks import bench_checks
from ragvigil.scorer.commands._check_config import check_config
from ragvigil.scorer.commands._chunks import chunks
from ragvigil.scorer.commands._dashboard import dashboard
from ragvigil.scorer.commands._demo import demo
from ragvigil.scorer.commands._diagnose import diagnose
from ragvigil.scorer.commands._explain import explain
from ragvigil.scorer.commands._export import export
from ragvigil.scorer.commands._fake_judge import fake_judge
from ragvigil.scorer.commands._forget import forget
from ragvigil.scorer.commands._gate import gate
from ragvigil.scorer.commands._incidents import incidents
from ragvigil.scorer.commands._label import label
from ragvigil.scorer.commands._ledger import ledger
from ragvigil.scorer.commands._mark import mark
from ragvigil.scorer.commands._notes import notes
from ragvigil.scorer.commands._prefer import prefer
from ragvigil.scorer.commands._probe import probe
from ragvigil.scorer.commands._prompts import prompts
from ragvigil.scorer.commands._pull import pull
from ragvigil.scorer.commands._read import read
from ragvigil.scorer.commands._replay import replay
from ragvigil.scorer.commands._retrieval import retrieval
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.commands._score import score
from ragvigil.scorer.commands._serve import serve
from ragvigil.scorer.commands._service_report import report
from ragvigil.scorer.commands._status import status
from ragvigil.scorer.commands._synth import synth
from ragvigil.scorer.commands._test_alert import test_alert
from ragvigil.scorer.commands._try_prompt import try_prompt
from ragvigil.scorer.errors import InputError, RagvigilError, exit_code
from ragvigil.scorer.receive.job import LOG_FORMAT

_EPILOG = """Exit codes: 0 done; 1 what was checked does not hold (a ledger out of balance, a demo without its pages,
a row that could not be scored, a test alert that was not taken, an erasure that left something, a judge
that labels do not bear out, a fall without a single cause); 2 a setting, an argument, a port or an input file
cannot be used; 3 a store cannot be opened."""

P = ParamSpec("P")


class _Command(TyperCommand):
    """Says how a configuration is named where one was given as an argument too many."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments; one that ends in .toml and has no place of its own is no riddle."""
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            takes_one = any("--config" in parameter.opts for parameter in self.params)
            files = [each for each in rest if each.endswith(".toml")] if takes_one else []
            remedy = f"; name a configuration so: --config {files[0]}" if files else ""
            ctx.fail(f"Got unexpected extra argument(s) ({' '.join(rest)}){remedy}")
        return rest


class _ReportAlone(TyperGroup):
    """Commands of which `report` is meant where none is named, with its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments with the command that is meant."""
        if not args or (args[0].startswith("-") and args[0] != "--help"):
            args = ["report", *args]
        return super().parse_args(ctx, args)


def _gist(command: Callable[..., int]) -> str:
    """The first clause of its docstring, for the list of commands: Typer cuts sentences short."""
    first = (command.__doc__ or "").partition("\n\n")[0]
    return re.split(r"[:;] |\.$", " ".join(first.split()), maxsplit=1)[0] + "."


def _exiting(command: Callable[P, int]) -> Callable[P, None]:
    """The command as Typer wants it: its answer is the exit code."""

    @functools.wraps(command)
    def run_it(*arguments: P.args, **options: P.kwargs) -> None:
        raise typer.Exit(command(*arguments, **options))

    return run_it


COMMANDS: list[Callable[..., int]] = [
    *(serve, dashboard, demo, check_config, test_alert, status, incidents, ack, ledger, mark, forget, label),
    *(diagnose, report, backtest, notes),
    *(score, gate, bench_checks, read, explain, replay, pull, export, fake_judge, probe, try_prompt, prompts),
    *(prefer, synth, retrieval, chunks),
]

app = typer.Typer(
    name="ragvigil",
    help="On-call for RAG services: receives their traces, scores the answers, pages when they go wrong.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in COMMANDS:
    name = command.__name__.replace("_", "-")
    app.command(name=name, cls=_Command, short_help=_gist(command), epilog=_EPILOG)(_exiting(command))


def _add(
    name: str, about: str, cls: type[TyperGroup] = TyperGroup, /, **commands: Callable[..., int]
) -> None:
    """A command of commands; `about` says what they are for, in the list of all up to its first colon."""
    group = typer.Typer(
        name=name,
        help=about,
        short_help=f"{about.partition(':')[0].rstrip('.')}.",
        epilog=_EPILOG,
        no_args_is_help=cls is TyperGroup,
        cls=cls,
        rich_markup_mode=None,
    )
    for each, command in commands.items():
        group.command(name=each, cls=_Command, short_help=_gist(command), epilog=_EPILOG)(_exiting(command))
    app.add_typer(group)


_add(
    "silence",
    "Hold back for a while what would be sent about incidents: add, list, remove.",
    add=_silence.add,
    list=_silence.list_silences,
    remove=_silence.remove,
)
_add("routes", "Where an incident would go: explain.", explain=_routes.explain)
_add(
    "calibrate",
    "How often the judge errs, by people's labels: draw, read, report, compare, steadiness. Alone: report.",
    _ReportAlone,
    draw=_calibrate.draw,
    read=_calibrate.read,
    report=_calibrate_report.report,
    compare=_compare.compare,
    steadiness=_steadiness.steadiness,
)
_add(
    "testset",
    "Questions with what is known of their answers: draw, merge, lint, freeze, verify, smoke, stale.",
    lint=_testset.lint,
    freeze=_testset.freeze,
    verify=_testset.verify,
    smoke=_testset.smoke,
    draw=_testset.draw,
    merge=_testset_merge.merge,
    stale=_testset.stale,
)
_add(
    "bench",
    "Measure ragvigil and its rivals on simulated services: alerts, diagnosis.",
    alerts=_bench.alerts,
    diagnosis=_bench_diagnosis.diagnosis,
)


@app.callback(invoke_without_command=True)
def _main(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log details to standard error.")] = False,
) -> None:
    """Options before the command."""
    if show_version:
        typer.echo(version("ragvigil"))
        raise typer.Exit
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.WARNING,
        format=LOG_FORMAT,
        stream=sys.stderr,
    )


def run() -> int:
    """Run the command that the arguments name; the exit code."""
    try:
        app()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        say(_shown(end.code), err=True)
        return 1
    except RagvigilError as error:
        return _told(error)
    except OSError as error:
        if error.filename is None and error.errno == errno.ENOSPC:  # a redirected output names no file
            return _told(
                InputError("the output", "no space left on device; make room there, or write elsewhere")
            )
        if error.filename is None or error.strerror is None:
            raise
        return _told(InputError(str(error.filename), error.strerror.lower()))
    return 0


def _told(error: RagvigilError) -> int:
    """Its exit code, once it is on standard error."""
    say(f"ragvigil: {_shown(error)}", err=True)
    return exit_code(error)


def _shown(said: object) -> str:
    """An error as a terminal may have it: it can quote a file of anybody's."""
    from ragvigil.exporters import visible

    return visible(str(said))
