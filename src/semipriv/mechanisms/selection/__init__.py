"""Selection of an index with a high integer score: one file a mechanism, with its exact output distribution."""
