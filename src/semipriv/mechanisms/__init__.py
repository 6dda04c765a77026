"""Private mechanisms: one file each, with the exact output law beside the sampler."""
