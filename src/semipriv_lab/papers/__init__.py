"""What the laboratory has of each paper: studies, figures, broken twins, measures and claims."""
