"""Protected tables as files: the table, a record of how it was made, and what must not leave the house.

None of it is a release in the sense of this room: there is no noise, no budget and no card, and the record says so. The
seed and the risks of the true people are written apart, readable by their owner only, because whoever knows the seed
can undo a swap.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from epsilens.choice.questions.protect import Protection
from epsilens.errors import ParameterError
from epsilens.release.ledger.durable import link_without_replacing, sync_folder
from epsilens.release.ledger.leftovers import draft_path
from epsilens.release.ledger.protocol import WriteError, refuse_taken
from epsilens.release.terms import Output
from epsilens.version import __version__


@dataclass(frozen=True)
class ProtectedFiles:
    """Where a protected table goes: a .csv file, with its record and what is internal beside it."""

    out: str | os.PathLike[str]
    force: bool = False
    """Whether files that exist are replaced."""

    def __post_init__(self) -> None:
        if self.path.suffix.lower() != ".csv":
            raise ParameterError("must end in .csv", parameter="out", got=self.path.name)
        Output(self.out, self.force)

    @property
    def path(self) -> Path:
        """The table itself."""
        return Path(self.out)

    @property
    def files(self) -> dict[str, Path]:
        """By role; the table comes last, so that it is never there without its record."""
        return {
            "internal": self.path.with_suffix(".protect.internal.json"),
            "record": self.path.with_suffix(".protect.json"),
            "output": self.path,
        }

    def refuse_taken(self, source: object) -> None:
        """Refuse names that something else has, the people's own file first of all."""
        Output(self.out, self.force).refuse_source(source)
        for path in self.files.values():
            refuse_taken(path, self.force)

    def write(self, protection: Protection) -> dict[str, Path]:
        """Write all three, or none."""
        table = _table_bytes(protection)
        record = protection.record() | {
            "output": {"file": self.path.name, "sha256": hashlib.sha256(table).hexdigest()},
            "not_to_be_published": [self.files["internal"].name],
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "epsilens": __version__,
        }
        internal = protection.to_dict() | {"record": self.files["record"].name}
        contents = {"internal": _json_bytes(internal), "record": _json_bytes(record), "output": table}
        _write_all(self.files, contents, self.force)
        return self.files


def _table_bytes(protection: Protection) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*protection.table.columns, protection.count_column])
    writer.writerows(protection.table.lines())
    return text.getvalue().encode()


def _json_bytes(content: Mapping[str, object]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _write_all(files: Mapping[str, Path], contents: Mapping[str, bytes], force: bool) -> None:
    """Drafts first, then the names; where one name cannot be had, the others are taken back."""
    mark = secrets.token_hex(8)
    drafts = {role: draft_path(path, mark) for role, path in files.items()}
    named: list[Path] = []
    try:
        for role, draft in drafts.items():
            refuse_taken(files[role], force)
            handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if role == "internal" else 0o666)
            with os.fdopen(handle, "wb") as stream:
                stream.write(contents[role])
                stream.flush()
                os.fsync(stream.fileno())
        for role, draft in drafts.items():
            if force:
                draft.replace(files[role])
            else:
                link_without_replacing(draft, files[role])
                named.append(files[role])
        sync_folder(files["output"].parent)
    except OSError as problem:
        for path in named:
            with contextlib.suppress(OSError):
                path.unlink()
        raise WriteError(f"cannot write {files['output']}: {problem.strerror or type(problem).__name__}") from None
    finally:
        for draft in drafts.values():
            with contextlib.suppress(OSError):
                draft.unlink()
