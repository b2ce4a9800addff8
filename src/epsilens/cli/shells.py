"""How shells ask for completions. Whatever goes wrong completes nothing, and nothing is said to whoever is typing.

Bash parts words at ``=`` and puts a blank behind a word that is complete; neither suits ``--bins age=10``. So bash gets
a function of ours, which hands on the line as it stands. Zsh and fish ask as click has them ask.
"""

from __future__ import annotations

import os
from typing import Any

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

_BASH = r"""
%(complete_func)s() {
    local reply kind value current=${COMP_WORDS[COMP_CWORD]}
    reply=$(env %(complete_var)s=bash_complete COMP_LINE="${COMP_LINE:0:$COMP_POINT}" COMP_CURRENT="$current" \
        "$1" 2>/dev/null)
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                [[ $value == *= ]] && compopt -o nospace
                [[ $current == [\"\']* || $value != *[^A-Za-z0-9_.,:=+/%%@-]* ]] || value=$(printf %%q "$value")
                COMPREPLY+=("$value")
                ;;
        esac
    done <<< "$reply"
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class _Quiet(ShellComplete):
    """Completions, or none."""

    def complete(self) -> str:
        """What the shell is told."""
        try:
            return super().complete()
        except Exception:
            return ""


class Bash(_Quiet, BashComplete):
    """Completion in bash, by our own function."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being typed, and that one."""
        line = os.environ.get("COMP_LINE")
        if line is None:
            return super().get_completion_args()
        words = split_arg_string(line)[1:]
        return (words[:-1], words[-1]) if self._current and words else (words, "")

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """A line for the function: of a word that bash has parted, only what is behind the last ``=``."""
        return f"{item.type},{item.value[len(self._parted(item.value)) :]}"

    @property
    def _current(self) -> str:
        """The word that is being typed, as bash has parted it."""
        return os.environ.get("COMP_CURRENT", "")

    def _parted(self, value: str) -> str:
        """What of ``value`` is a word of its own for bash, and stands there already."""
        _, typed = self.get_completion_args()
        before, equals, rest = typed.rpartition("=")
        if not equals or self._current not in ("=", rest):
            return ""
        head = before + equals
        while head and not value.startswith(head):  # --copy=decade= completes decade=age
            head = head.partition("=")[2]
        return head


class Zsh(_Quiet, ZshComplete):
    """Completion in zsh."""


class Fish(_Quiet, FishComplete):
    """Completion in fish."""


def prepare() -> None:
    """Have shells answered by these classes."""
    for shell in (Bash, Zsh, Fish):
        add_completion_class(shell)
