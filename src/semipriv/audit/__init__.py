"""Privacy audits: exact where the output distribution is finite, statistical elsewhere."""
