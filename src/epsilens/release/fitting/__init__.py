"""Counts that add up: trees, overlapping marginals, joint fits."""
