"""The machine that a run was made on: cores, memory, processor and versions; no name, no path, no address."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

from benchmarks.harness import n_cores

PACKAGES = (
    *("epsilens", "duckdb", "ibis-framework", "numpy", "scipy", "pandas", "pyarrow", "opendp"),
    *("pyspark", "pycanon", "anonypy", "scikit-learn"),
)


def machine() -> dict[str, str]:
    """What a reader must know to judge a time."""
    return {
        "processor": _processor(),
        "cores": str(n_cores()),
        "memory": f"{_memory() / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: version for name in PACKAGES if (version := _version(name))},
    }


def load() -> float:
    """How busy the machine was over the last minute, in cores."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    return ", ".join(sorted(names)) or platform.machine()


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
