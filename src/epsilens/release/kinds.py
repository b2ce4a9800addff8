"""The kinds of release there are, by the format of their cards."""

from __future__ import annotations

from collections.abc import Mapping

from epsilens.release.kind import Kind
from epsilens.release.statistics.kind import STATISTICS
from epsilens.release.tables.kind import TABLES

KINDS: Mapping[str, Kind] = {kind.card_format: kind for kind in (TABLES, STATISTICS)}
