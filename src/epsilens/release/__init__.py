"""Releases: what happens to noisy numbers between the noise and the public."""
