"""What is said of project files."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.report.words.common import verb


def project_written(path: str, line: str) -> str:
    """Where the project is, and how to ask again."""
    return f"The project is in {path}. Ask again with: {line}"


def declared_apart(path: str, command: str, names: Sequence[str]) -> str:
    """That the other commands of a project will go by other declarations than this one."""
    return (
        f"{path} was there with a [data] of its own, so {', '.join(names)} as given here "
        f"{verb(len(names), 'holds', 'hold')} for {command} alone; for all commands, save to another file"
    )


def project_run(command: str, others: str) -> str:
    """Which command was run where none was named, and which others there are."""
    return f"ran {command}; the project can also be asked {others}"


def password_kept(path: str) -> str:
    """That a file tells a password."""
    return f"{path} tells the password in the address of the data: do not pass it on"
