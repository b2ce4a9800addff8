"""Risks where counts or sizes of cells are random: count models, size models, and the exact kernel under them."""
