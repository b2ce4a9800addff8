"""Questions about the Bayesian adversary, one file per command of ``epsilens posterior``."""
