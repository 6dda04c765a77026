"""Settings in files: how they are read, and how they are checked."""
