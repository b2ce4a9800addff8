"""Help that can be read and copied in a narrow terminal: no name is broken at a hyphen, no sentence is cut."""

from __future__ import annotations

from collections.abc import Iterable

import click

from epsilens.cli.repeated import bare_context, refuse_repeated
from epsilens.cli.saving import WORDS

_WHOLE = "\N{NON-BREAKING HYPHEN}"


class WholeNames(click.HelpFormatter):
    """A formatter that never breaks a line within ``gaussian-analytic``."""

    def write_text(self, text: str) -> None:
        """A paragraph."""
        super().write_text(text.replace("-", _WHOLE))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Names and what they are."""
        super().write_dl([(name, said.replace("-", _WHOLE)) for name, said in rows], col_max, col_spacing)

    def getvalue(self) -> str:
        """The text, with plain hyphens."""
        return super().getvalue().replace(_WHOLE, "-")


class HelpContext(click.Context):
    """The context of every command."""

    formatter_class = WholeNames


class Group(click.Group):
    """A group whose help has the whole first sentence of each command, and whose options are not given twice."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; an option that would silently be replaced by a later one is refused."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            if not ctx.resilient_parsing:  # as where a shell completes a line
                refuse_repeated(command, rest)
            ctx.meta[WORDS] = tuple(rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands."""
        rows = [
            (name, " ".join((command.help or "").split("\n\n")[0].split()))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def with_whole_names(command: click.Command) -> click.Command:
    """The command, and those below it, with help by :class:`WholeNames`, whoever asks for it first."""
    command.context_class = HelpContext
    command.get_help_option(bare_context(command))  # whose spellings click keeps
    if isinstance(command, click.Group):
        for further in command.commands.values():
            with_whole_names(further)
    return command
