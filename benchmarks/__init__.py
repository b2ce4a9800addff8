"""Benchmarks: ratios against a peer or the bare engine in the same run. Run with ``make bench``.

A benchmark is a module ``bench_<name>`` with a function ``run(setting)`` that yields outcomes
(:mod:`benchmarks.outcome`) as it finds them. ``python -m benchmarks NAME..`` runs some of them, ``--quick`` all of them
at small sizes.
"""
