"""The papers: a folder each, with its learners, bounds, studies, figures, broken twins and claims."""
