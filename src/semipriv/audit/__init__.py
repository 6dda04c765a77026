"""Privacy audits: exact where the output law is finite, with broken twins that must be caught."""
