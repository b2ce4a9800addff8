"""Epsilens outside of the folder it is developed in: ``python tools/environments.py wheel|newest|lowest``.

- ``wheel``: sdist and wheel are built, the wheel from the sdist, as on a package index. The wheel has all that the
  package needs, is installed into an empty environment with the locked versions, and does its job there.
- ``newest``: the tests run, on that wheel, under the newest Python on this machine that pyproject.toml lists.
- ``lowest``: the tests run, on that wheel, with the lowest versions that pyproject.toml admits.

Environments are kept in ``build/`` until their lock file changes. Tests marked ``slow`` are long, and not because of
what they import: they run once, in ``make test-integration``. Under the newest Python, whose libraries are those of
``make test``, the unit tests run, but for verdicts on print, which are numbers alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = {"wheel": "requirements-runtime.lock", "newest": "requirements.lock", "lowest": "requirements-lowest.lock"}
USE = """
import epsilens as el
import pyarrow as pa
for name in el.__all__:
    getattr(el, name)
people = pa.table({"age": ["young", "old"] * 30, "ill": ["no", "yes", "yes"] * 20})
assert el.read_table(people, el.Schema(["age"], "ill")).n_cells == 2
print(len(el.__all__), "public names are there, and a table is read")
"""
TYPED = "import epsilens\n\nbudget: epsilens.PureDP = epsilens.PureDP(0.5)\nreveal_type(budget.epsilon)\n"


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command; what it printed, or the end of this program with its output."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(map(str, command))} failed with {done.returncode}")
    return done.stdout


def built() -> Path:
    """A wheel of the package, made from its sdist."""
    target = BUILD / "dist"
    shutil.rmtree(target, ignore_errors=True)
    run(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", target, cwd=ROOT)
    (sdist,) = target.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        (source,) = Path(folder).iterdir()
        run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", target, cwd=source)
    (wheel,) = target.glob("*.whl")
    return wheel


def missing_from(wheel: Path) -> list[str]:
    """Files of the package that a wheel lacks; the marker of a typed package is one of them."""
    package = ROOT / "src"
    wanted = {
        path.relative_to(package).as_posix()
        for path in (package / "epsilens").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        return sorted((wanted | {"epsilens/py.typed"}) - set(archive.namelist()))


def environment(name: str, python: str, wheel: Path) -> Path:
    """The Python of an environment that has the versions of its lock file, and the wheel."""
    lock = ROOT / LOCKS[name]
    folder, stamp = BUILD / name, BUILD / name / "lock"
    digest = hashlib.sha256(lock.read_bytes() + run(python, "-VV").encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        run(python, "-m", "venv", folder)
        run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock)
        stamp.write_text(digest)
    inside = folder / "bin" / "python"
    run(inside, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel)
    return inside


def pythons() -> Iterator[tuple[tuple[int, int], str]]:
    """(version, command) of the Pythons on this machine that pyproject.toml lists: on the path, or pyenv's."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for text in re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE):
        version = (3, int(text.partition(".")[2]))
        if version == sys.version_info[:2]:
            yield version, sys.executable
        for command in (f"python{text}", *map(str, sorted(kept.glob(f"{text}.*/bin/python")))):
            try:  # pyenv's shims are on the path and refuse to run
                subprocess.run([command, "-c", "import venv"], check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                continue
            yield version, command


def absent(reason: str) -> None:
    """What is not tested is said, also where everything must be there: no package installs another Python."""
    print(f"skipped: {reason}")


def try_wheel() -> None:
    """Build, look inside, install where nothing else is, use."""
    wheel = built()
    if missing := missing_from(wheel):
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")
    python = environment("wheel", sys.executable, wheel)
    run(python, "-m", "pip", "check")
    with tempfile.TemporaryDirectory() as folder:
        elsewhere = Path(folder)
        command = python.with_name("epsilens")
        print(run(command, "--version", cwd=elsewhere).strip())
        print(run(python, "-I", "-c", USE, cwd=elsewhere).strip())
        demo = run(command, "demo", "--rows", "2000", cwd=elsewhere)
        (elsewhere / "user.py").write_text(TYPED)
        typed = run(sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "user.py", cwd=elsewhere)
    if '"float"' not in typed.replace("builtins.", ""):
        sys.exit(f"a user's type checker does not see our types:\n{typed}")
    print(f"{wheel.name} works in an empty environment: {len(demo.splitlines())} lines of demo, types are seen")


def run_tests(name: str, python: str, *what: str) -> None:
    """The tests, or those below ``what``, on the installed wheel."""
    inside = environment(name, python, built())
    versions = run(inside, "-m", "pip", "list", "--format=freeze").split()
    shown = [
        line for line in versions if line.split("==")[0] in ("numpy", "scipy", "duckdb", "ibis-framework", "pyarrow")
    ]
    print(run(inside, "-VV").strip(), *shown, flush=True)
    # Rewriting all assertions in every worker is long; what fails here is looked at where it can be run again.
    words = ["-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "--assert=plain"]
    words += ["-m", "not integration and not slow", *what]
    sys.exit(subprocess.run([inside, *words, "-p", "no:cacheprovider"], cwd=ROOT).returncode)


def main(what: str) -> None:
    """One of the three."""
    oldest = tuple(
        map(int, re.findall(r"\d+", tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]))
    )
    found = dict(pythons())
    if what == "wheel":
        try_wheel()
    elif what == "newest":
        newest = max(found, default=(0, 0))
        if newest <= sys.version_info[:2]:
            absent(f"there is no newer Python than {sys.version.split()[0]} here that pyproject.toml lists")
        else:
            # The libraries are those of make test, and so are numbers: verdicts on print need not be judged again.
            run_tests(what, found[newest], "tests/unit", "--ignore", "tests/unit/reproduce")
    elif what == "lowest":
        if oldest not in found:
            absent(f"there is no Python {'.'.join(map(str, oldest))} here")
        else:
            run_tests(what, found[oldest])
    else:
        sys.exit(f"{what!r} is not one of wheel, newest, lowest")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
