"""What the cards of every kind of release have in common."""
