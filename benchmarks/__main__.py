"""Run every benchmark and print its ratio; exit 1 where a ratio misses its target or two results disagree."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main() -> None:
    missed = []
    wanted = sys.argv[1:]
    for module in sorted(
        info.name for info in pkgutil.iter_modules(benchmarks.__path__) if info.name.startswith("bench_")
    ):
        if wanted and module.removeprefix("bench_") not in wanted:
            continue
        for result in importlib.import_module(f"benchmarks.{module}").run():
            met = result["ratio"] >= result["target_ratio"] and result["agreement"] <= result.get("tolerance", 1e-12)
            print(
                f"{'ok  ' if met else 'MISS'} {result['name']}: {result['ours_seconds']:.4g} s against "
                f"{result['peer_seconds']:.4g} s of {result['peer']}: {result['ratio']:.0f} times faster "
                f"(target {result['target_ratio']:g}); largest difference {result['agreement']:.2g}",
                flush=True,
            )
            missed += [] if met else [result["name"]]
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
