"""What the laboratory has of each paper: studies, figures, negative controls, measures and claims."""
