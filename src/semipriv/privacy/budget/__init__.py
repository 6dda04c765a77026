"""Budgets of privacy that are spent on real data: exact amounts, what fits, a ledger that survives crashes."""
