"""What stands beside a choice: frontiers, levers, worst cases, risk profiles."""
