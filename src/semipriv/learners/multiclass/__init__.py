"""The parts of the learners of several labels: their public plan, their private sums, their candidates."""
