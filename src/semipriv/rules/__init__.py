"""What each rule of the workflow does: one module a rule, and what they share."""
