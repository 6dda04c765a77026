"""Studies of the claims of OWN, the learners of this project."""
