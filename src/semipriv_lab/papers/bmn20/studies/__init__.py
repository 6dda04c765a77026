"""Studies of the claims of BMN20."""
