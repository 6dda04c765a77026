"""The planner: how many public points and private examples A_SSPP needs, or which excess error given sizes allow."""
