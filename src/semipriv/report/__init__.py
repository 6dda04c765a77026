"""What is told of results: the ledger of claims, figures with captions, pages."""
