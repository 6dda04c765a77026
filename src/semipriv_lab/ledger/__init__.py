"""The ledger: the list of claims, what was found about them, and the table of verdicts, to read and for LaTeX."""
