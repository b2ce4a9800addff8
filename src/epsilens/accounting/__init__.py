"""What releases cost: composition of several, and the account that a ledger keeps."""
