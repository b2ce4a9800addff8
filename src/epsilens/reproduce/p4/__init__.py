"""P4: the Bayesian adversary on hierarchies of counts, section by section."""
