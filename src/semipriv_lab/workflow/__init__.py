"""What each rule of the workflow does: one module for each rule, and modules that rules share."""
