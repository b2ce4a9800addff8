"""What the page Data is made of."""
