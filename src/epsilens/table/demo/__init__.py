"""The demo population: invented people in nested places."""
