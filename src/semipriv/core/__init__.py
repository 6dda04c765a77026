"""What every room stands on: checks, randomness, samples, tables, files, and how plug-ins are found."""
