"""The ``epsilens`` command. Sub-commands are imported when they are called, so that help is instant."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import signal
import sys
import threading
import traceback
import warnings
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from epsilens.cli.help_pages import HelpContext, with_whole_names
from epsilens.cli.repeated import HELP, refuse_repeated
from epsilens.cli.saving import WORDS, with_saving
from epsilens.errors import EpsilensError, EpsilensWarning
from epsilens.version import __version__

COMMANDS = {
    "demo": "What is at risk among synthetic people: a first look, without data of your own.",
    "app": "Open the workbench: Epsilens in a browser, for people who never write commands.",
    "assess": "What is at risk in a table, today and at a few budgets.",
    "choose": "Which budget keeps the risk at or below a ceiling, and at what price.",
    "knowledge": "What attackers learn who know only some attributes, for every set of them.",
    "cell": "The exact risk of one cell, without data: what its size, its labels and the noise do.",
    "utility": "What noise does to counts and to the marginals of a table, at any budgets.",
    "sequence": "What several releases about the same people give away together, and cost.",
    "posterior": "What an attacker who knows almost everything concludes about one person.",
    "compare": "Suppression, swapping, k-anonymity and noisy counts side by side.",
    "protect": "Write a suppressed, rounded, swapped or k-anonymous table.",
    "sensitivity": "How far a statistic can move when one person does.",
    "release": "Publish counts with secure noise, paid from a budget ledger.",
    "release-statistics": "Publish means, proportions, variances and covariances, paid from a budget ledger.",
    "ledger": "Show or verify a budget ledger, or sweep up after crashed releases.",
    "card": "Verify a release card.",
    "run": "Ask again what a project file asks, with any command.",
    "reproduce": "Every table, figure and number of the five papers beside ours, with a computed verdict.",
    "evaluate": "What a published table or synthetic data give away, and whether their noise is what is claimed.",
}


COMPLETION = "_EPSILENS_COMPLETE"
"""The variable of the environment in which a shell asks what a line could go on with."""
_SELDOM = (100_000, 50, 100)
"""When Python looks for cycles of objects: imports make hundreds of thousands of objects that all stay."""


class LazyCommands(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    context_class = HelpContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of a first visit."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"epsilens.cli.{cmd_name.replace('-', '_')}")
        command = with_saving(with_whole_names(module.command), cmd_name)
        if not ctx.resilient_parsing:
            return command
        from epsilens.cli.completion import with_completion

        return with_completion(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help text, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but suggest the nearest name, and refuse options that are given twice."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from epsilens.checks import did_you_mean

            raise click.UsageError(f"there is no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            if not ctx.resilient_parsing:  # as where a shell completes a line
                refuse_repeated(command, rest)
            ctx.meta[WORDS] = tuple(rest)
        return name, command, rest


@click.group(cls=LazyCommands, context_settings={"help_option_names": list(HELP), "max_content_width": 110})
@click.version_option(__version__, prog_name="epsilens")
def cli() -> None:
    """What does epsilon mean for the people in this table, and which one should we take?

    Start with `epsilens demo`, then `epsilens assess DATA.csv --qid age,sex --sensitive income`. The examples of each
    command read people.csv, which `epsilens demo --write people.csv` writes, or what a command before it has written:
    those of `evaluate`, `ledger` and `card` what the examples of `release` and `protect` write.

    \b
    Examples:
      epsilens demo --rows 5000
      epsilens assess people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease --max-risk 0.05

    \b
    Exit codes:
      0    done
      2    refused, or a card or ledger does not hold: one line says why
      3    choose: no budget keeps the ceiling
      70   a bug of ours: please report it
      130  interrupted
    """


with_whole_names(cli)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line: results on stdout, one clear line on stderr and exit code 2 for bad input."""
    try:
        _refuse_bytes(sys.argv[1:] if arguments is None else arguments)
        with warnings.catch_warnings():
            warnings.filterwarnings("always", category=EpsilensWarning)
            warnings.showwarning = partial(_show_warning, arguments)
            if COMPLETION in os.environ:
                importlib.import_module("epsilens.cli.shells").prepare()
            code = cli.main(args=arguments, prog_name="epsilens", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = _complain("interrupted", 130)
    except click.exceptions.NoArgsIsHelpError as problem:
        print(problem.format_message())
        code = 0
    except click.ClickException as problem:
        code = _complain(_in_one_line(problem), 2)
    except EpsilensError as problem:
        code = _complain(_spelt(problem, arguments), 2)
    except SystemExit:  # so click and rich end where they find that the reader of our output has left
        code = 0
    except BrokenPipeError:  # the same where we find it ourselves, as in `epsilens ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except MemoryError:
        code = _complain("not enough memory for this computation; use fewer measures or coarser cells", 2)
    except OSError as problem:
        code = _complain(f"cannot write the output: {problem.strerror or type(problem).__name__}", 2)
    except Exception as bug:
        code = _complain(_bug_report(bug), 70)
    sys.exit(code if isinstance(code, int) else 0)


def process() -> NoReturn:
    """:func:`main` as a process of its own, which ends with it.

    What was registered to be done at the end is done, such as removing what an engine spilled. Then the process ends at
    once: to take apart everything that was imported takes Python nearly half as long as importing it.
    """
    gc.set_threshold(*_SELDOM)
    code: Any = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:  # just before the end
        code = _complain("interrupted", 130)
    try:
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
    except KeyboardInterrupt:
        code = _complain("interrupted", 130)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the rest takes no time, and leaves nothing behind when it is done
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0)


def _refuse_bytes(words: list[str]) -> None:
    """Refuse words that are not text: neither a ledger nor a card could hold them, and not every name is a file's."""
    for number, word in enumerate(words, 1):
        try:
            word.encode()
        except UnicodeEncodeError:
            raise click.UsageError(f"argument {number} is not UTF-8 text; rename what it names") from None


def _complain(message: str, code: int) -> int:
    print(f"epsilens: {message}", file=sys.stderr)
    return code


def _in_one_line(problem: click.ClickException) -> str:
    """What click says, and what mostly lies behind an argument too many: a list with blanks in it."""
    said = " ".join(problem.format_message().split())
    too_many = said.startswith("Got unexpected extra argument")
    return f"{said}; a list has commas and no blanks, as in --qid age,sex" if too_many else said


def _bug_report(bug: Exception) -> str:
    """Where it happened and of what kind, never the message: that might hold data values."""
    if os.environ.get("EPSILENS_DEBUG"):
        traceback.print_exc()
    frame = traceback.extract_tb(bug.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"internal error ({type(bug).__name__} at {place}); please report it. EPSILENS_DEBUG=1 shows the details."


def _show_warning(
    arguments: list[str] | None, message: Warning | str, category: type[Warning], *_: Any, **__: Any
) -> None:
    """Our warnings become one line each; those of libraries are not the user's business."""
    if issubclass(category, EpsilensWarning):
        print(f"epsilens: warning: {_spelt(message, arguments)}", file=sys.stderr)


def _spelt(message: object, arguments: list[str] | None) -> str:
    """One line in which parameters are spelt as the options of the command that was called."""
    from epsilens.cli.spelling import spelt

    called = sys.argv[1:] if arguments is None else arguments
    text = spelt(message, cli, called) if isinstance(message, EpsilensError | EpsilensWarning) else str(message)
    return " ".join(text.split())
