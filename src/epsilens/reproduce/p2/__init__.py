"""P2, disclosure avoidance systems against differential privacy: its claims and figures."""
