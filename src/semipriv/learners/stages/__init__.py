"""Public stages: what learners make of public data, one file each."""
