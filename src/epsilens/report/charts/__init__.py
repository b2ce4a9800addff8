"""Charts, drawn with Altair."""
