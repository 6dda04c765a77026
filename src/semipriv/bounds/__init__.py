"""Sample sizes and probabilities of the papers, with explicit constants: one file each."""
