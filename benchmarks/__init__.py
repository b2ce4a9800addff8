"""Benchmarks: ratios against a peer or the bare engine in the same run. Run with ``make bench``."""
