"""The planner: sizes that a learner needs for an excess error, or which excess error given sizes allow."""
