"""Privacy audits: exact where the output law is finite, statistical elsewhere."""
