"""The homogeneity attack, final version with its supplement: every number, equation and sentence that we can check."""
