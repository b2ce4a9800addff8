"""The dial: one control, the budget, that moves risk, guarantee, error and sentences together, without a server."""
