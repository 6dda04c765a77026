"""The ledger: every claim of the papers with its verdict."""
