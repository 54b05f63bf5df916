"""Claims, verdicts and the ledger."""
