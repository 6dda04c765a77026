"""Private mechanisms: one file each, with the exact output distribution beside the sampler."""
