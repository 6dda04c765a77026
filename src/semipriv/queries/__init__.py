"""Query release: workloads of queries over cells, and the mechanisms that answer them."""
