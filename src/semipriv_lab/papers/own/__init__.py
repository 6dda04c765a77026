"""Studies, figures and claims of the learners of this project."""
