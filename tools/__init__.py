"""Tools of the repository: what they write is checked by ``make test``; nothing of them is installed."""
