"""Subcommands of ``semipriv`` that need the laboratory."""
