"""Cards in tests: what their checks answer, and how they are tampered with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from epsilens.release.verification import Check


def answers(checks: list[Check]) -> dict[str, bool | None]:
    return {check.what: check.holds for check in checks}


def changed(path: Path, change: Any) -> Path:
    card = json.loads(path.read_text())
    change(card)
    path.write_text(json.dumps(card))
    return path
