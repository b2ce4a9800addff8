"""From a tolerable risk to a budget."""
