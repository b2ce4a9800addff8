"""The homogeneity attack, earlier version: every number, equation and sentence that we can check."""
