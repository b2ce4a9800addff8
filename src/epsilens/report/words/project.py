"""What is said of project files."""

from __future__ import annotations


def project_written(path: str, line: str) -> str:
    """Where the project is, and how to ask again."""
    return f"The project is in {path}. Ask again with: {line}"


def project_run(command: str, others: str) -> str:
    """Which command was run where none was named, and which others there are."""
    return f"ran {command}; the project can also be asked {others}"


def password_kept(path: str) -> str:
    """That a file tells a password."""
    return f"{path} tells the password in the address of the data: do not pass it on"
