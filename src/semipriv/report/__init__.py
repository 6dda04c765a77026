"""How results are told: the ledger of claims, figures with captions, pages."""
